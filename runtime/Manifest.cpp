// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Manifest.h"

#include "runtime/Fields.h"

#include <cmath>

namespace fa::rt {
namespace {

struct TypeInfo {
  fa_type type;
  const char *name;
  size_t bytes;
};
constexpr TypeInfo types[] = {
    {FA_F16, "f16", 2}, {FA_BF16, "bf16", 2}, {FA_F32, "f32", 4},
    {FA_F64, "f64", 8}, {FA_I1, "i1", 1},     {FA_I8, "i8", 1},
    {FA_I16, "i16", 2}, {FA_I32, "i32", 4},   {FA_I64, "i64", 8}};

const TypeInfo *typeInfo(fa_type type) {
  for (const TypeInfo &info : types)
    if (info.type == type)
      return &info;
  return nullptr;
}

fa_type readType(Fields &fields) {
  std::string name = fields.string("type");
  for (const TypeInfo &info : types)
    if (name == info.name)
      return info.type;
  fields.fail("type", concat("unknown type '", name, "'"));
  return FA_F32;
}

void readChip(Fields &fields, TargetSpec &target) {
  target.chip = fields.string("chip");
  target.exact = fields.choice("rule", {"or_newer", "exact"}) == "exact";
  // sm_80, sm_90a: the last digit is the minor version.
  std::string_view digits = target.chip;
  bool good = digits.substr(0, 3) == "sm_";
  digits.remove_prefix(good ? 3 : 0);
  bool suffix = !digits.empty() && digits.back() == 'a';
  if (suffix)
    digits.remove_suffix(1);
  good = good && (digits.size() == 2 || digits.size() == 3) &&
         digits.find_first_not_of("0123456789") == digits.npos;
  if (!good)
    return fields.fail("chip", "expects a name such as sm_80 or sm_90a");
  if (suffix && !target.exact)
    return fields.fail("rule", concat("expects 'exact' for ", target.chip));
  int number = std::stoi(std::string(digits));
  target.chipMajor = number / 10;
  target.chipMinor = number % 10;
}

void readTarget(Fields fields, TargetSpec &target) {
  if (fields.choice("kind", {"ptx", "cpu"}) == "ptx") {
    target.kind = FA_CUDA;
    readChip(fields, target);
  } else {
    target.kind = FA_CPU;
    target.triple = fields.string("triple");
    target.cpu = fields.string("cpu");
    for (const Json &item : fields.array("features", 64)) {
      if (item.kind != Json::Kind::String)
        fields.fail("features", "expects strings");
      target.features.push_back(item.string);
    }
  }
  fields.finish();
}

void readProblem(Fields fields, ProblemSpec &problem) {
  problem.layout = fields.choice("layout", {"bhsd", "bshd", "packed"});
  Fields mask = fields.object("mask");
  problem.bottomRight =
      mask.choice("alignment", {"top_left", "bottom_right"}) == "bottom_right";
  problem.causal = mask.boolean("causal");
  problem.left = mask.countOrNull("left");
  problem.right = mask.countOrNull("right");
  mask.finish();
  problem.scoreRegion = fields.boolean("score_region");
  problem.maskRegion = fields.boolean("mask_region");
  problem.reference = fields.boolean("reference");
  fields.finish();
}

void readTensor(Fields fields, TensorSpec &tensor) {
  tensor.name = fields.identifier("name");
  tensor.output = fields.choice("role", {"in", "out"}) == "out";
  tensor.type = readType(fields);
  for (const Json &item : fields.array("dims", FA_MAX_RANK)) {
    DimSpec dim;
    if (item.kind == Json::Kind::String && isSizeSymbol(item.string))
      dim.symbol = item.string;
    else if (item.kind == Json::Kind::Int && item.integer >= 0)
      dim.size = item.integer;
    else
      fields.fail("dims", "expects counts and symbols");
    tensor.dims.push_back(dim);
  }
  fields.finish();
}

void readScalar(Fields fields, ScalarSpec &scalar) {
  scalar.name = fields.identifier("name");
  scalar.type = readType(fields);
  if (scalar.type == FA_F16 || scalar.type == FA_BF16)
    fields.fail("type", "expects f32, f64 or an integer");
  scalar.defaultValue = fields.numberOrNull("default");
  scalar.valueClass =
      fields.choice("class", {"positive", "zero", "negative", "any"});
  fields.finish();
}

/// Reads the parts that need names from elsewhere in the manifest.
class KernelReader {
public:
  KernelReader(const Manifest &manifest, const ExprScope &scope)
      : manifest(manifest), scope(scope) {}

  void read(Fields fields, KernelSpec &kernel) {
    kernel.name = fields.identifier("name");
    kernel.note = fields.string("note");
    expression(fields, "when", true, kernel.when);
    expression(fields, "grid", false, kernel.grid);
    bool gpu = manifest.target.kind == FA_CUDA;
    kernel.block = static_cast<int>(fields.count("block", 1, gpu ? 1024 : 1));
    kernel.sharedBytes = fields.count("shared_bytes", 0, gpu ? 1 << 20 : 0);
    readPtxVersion(fields, gpu, kernel);
    for (Fields item : fields.objects("scratch", 16)) {
      kernel.scratch.emplace_back();
      readScratch(item, kernel.scratch.back());
    }
    // 4 KiB is what every chip takes as parameters.
    size_t index = 0;
    for (const Json &item : fields.array("params", 512)) {
      kernel.params.emplace_back();
      readParam(fields, item, concat("params[", index++, "]"), kernel);
    }
    fields.finish();
  }

  void expression(Fields &fields, const char *name, bool wantBool, Expr &out) {
    if (const Json *json = fields.any(name))
      if (Status s =
              Expr::parse(*json, scope, wantBool, fields.pathOf(name), out))
        fields.fail(std::move(s));
  }

private:
  void readPtxVersion(Fields &fields, bool gpu, KernelSpec &kernel) {
    std::string text = fields.string("min_ptx");
    if (!gpu) {
      if (!text.empty())
        fields.fail("min_ptx", "expects \"\" on the CPU");
      return;
    }
    auto digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.size() != 3 || !digit(text[0]) || text[1] != '.' ||
        !digit(text[2]))
      return fields.fail("min_ptx", "expects a version such as \"7.0\"");
    kernel.ptxVersion = 10 * (text[0] - '0') + (text[2] - '0');
  }

  void readScratch(Fields fields, ScratchSpec &scratch) {
    scratch.name = fields.identifier("name");
    expression(fields, "bytes", false, scratch.bytes);
    scratch.init = static_cast<uint8_t>(fields.count("init", 0, 255));
    fields.choice("owner", {"stream"});
    fields.finish();
  }

  void readParam(Fields &fields, const Json &item, const std::string &where,
                 KernelSpec &kernel) {
    bool pair = item.kind == Json::Kind::Array && item.items.size() >= 2 &&
                item.items[0].kind == Json::Kind::String &&
                item.items[1].kind == Json::Kind::String;
    if (!pair)
      return fields.fail(where.c_str(),
                         "expects [kind, name] or [kind, name, dimension]");
    const std::string &kind = item.items[0].string,
                      &name = item.items[1].string;
    ParamSpec &param = kernel.params.back();
    bool withDim = kind == "size" || kind == "stride";
    if (item.items.size() != (withDim ? 3u : 2u))
      return fields.fail(where.c_str(), concat("expects ", withDim ? 2 : 1,
                                               " operands for '", kind, "'"));
    if (kind == "pointer" || withDim)
      param.index = scope.find(name);
    else if (kind == "scalar")
      param.index = indexOf(manifest.scalars, name);
    else if (kind == "scratch")
      param.index = indexOf(kernel.scratch, name);
    else
      return fields.fail(where.c_str(), concat("unknown kind '", kind, "'"));
    if (param.index < 0)
      return fields.fail(
          where.c_str(),
          concat("there is no ",
                 kind == "scalar" || kind == "scratch" ? kind : "tensor", " '",
                 name, "'"));
    param.kind = kind == "pointer"  ? ParamSpec::Kind::Pointer
                 : kind == "size"   ? ParamSpec::Kind::Size
                 : kind == "stride" ? ParamSpec::Kind::Stride
                 : kind == "scalar" ? ParamSpec::Kind::Scalar
                                    : ParamSpec::Kind::Scratch;
    if (!withDim)
      return;
    const Json &dim = item.items[2];
    if (dim.kind != Json::Kind::Int || dim.integer < 0 ||
        dim.integer >= scope.tensors[param.index].rank)
      return fields.fail(where.c_str(),
                         concat("'", name, "' has no such dimension"));
    param.dim = static_cast<int>(dim.integer);
  }

  template <typename T>
  static int indexOf(const std::vector<T> &list, const std::string &name) {
    for (size_t i = 0; i < list.size(); ++i)
      if (list[i].name == name)
        return static_cast<int>(i);
    return -1;
  }

  const Manifest &manifest;
  const ExprScope &scope;
};

template <typename T>
void refuseDuplicates(Fields &fields, const char *field,
                      const std::vector<T> &list) {
  for (size_t i = 0; i < list.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (list[i].name == list[j].name)
        fields.fail(field,
                    concat("the name '", list[i].name, "' stands twice"));
}

void readBody(Fields &fields, Manifest &manifest) {
  manifest.name = fields.identifier("name");
  manifest.producer = fields.string("producer");
  readTarget(fields.object("target"), manifest.target);
  manifest.bodySha256 = fields.string("body_sha256");
  if (manifest.bodySha256.size() != 64 ||
      manifest.bodySha256.find_first_not_of("0123456789abcdef") !=
          std::string::npos)
    fields.fail("body_sha256", "expects 64 lower-case hexadecimal digits");
  readProblem(fields.object("problem"), manifest.problem);

  ExprScope scope;
  for (Fields item : fields.objects("tensors", 64)) {
    manifest.tensors.emplace_back();
    readTensor(item, manifest.tensors.back());
    const TensorSpec &tensor = manifest.tensors.back();
    scope.tensors.push_back(
        {tensor.name, static_cast<int>(tensor.dims.size())});
  }
  refuseDuplicates(fields, "tensors", manifest.tensors);
  for (Fields item : fields.objects("scalars", 64)) {
    manifest.scalars.emplace_back();
    readScalar(item, manifest.scalars.back());
  }
  refuseDuplicates(fields, "scalars", manifest.scalars);

  KernelReader reader(manifest, scope);
  for (Fields item : fields.objects("constraints", 256)) {
    manifest.constraints.emplace_back();
    reader.expression(item, "expr", true, manifest.constraints.back().expr);
    manifest.constraints.back().text = item.string("text");
    item.finish();
  }
  for (Fields item : fields.objects("kernels", 256)) {
    manifest.kernels.emplace_back();
    reader.read(item, manifest.kernels.back());
  }
  if (manifest.kernels.empty())
    fields.fail("kernels", "expects at least one kernel");
  refuseDuplicates(fields, "kernels", manifest.kernels);
}

} // namespace

const char *typeName(fa_type type) {
  const TypeInfo *info = typeInfo(type);
  return info ? info->name : "unknown type";
}

size_t typeBytes(fa_type type) {
  const TypeInfo *info = typeInfo(type);
  return info ? info->bytes : 0;
}

bool isFloat(fa_type type) { return type >= FA_F16 && type <= FA_F64; }

Status parseManifest(std::string_view text, Manifest &result) {
  Json json;
  if (Status s = parseJson(text, json))
    return failure(FA_INVALID_ARTIFACT, "manifest: ", s.text());
  Status status;
  Fields fields(json, "", status);
  int64_t version = fields.count("fa_manifest", 0, INT64_MAX);
  if (!status && version != 1)
    return failure(FA_INVALID_ARTIFACT, "manifest: expects version 1, got ",
                   version);
  result = Manifest();
  readBody(fields, result);
  fields.finish();
  return status;
}

} // namespace fa::rt
