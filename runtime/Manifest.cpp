// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Manifest.h"

#include "runtime/Fields.h"
#include "runtime/KernelReader.h"

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

  // Constraints speak of sizes only, and are checked before a device is asked.
  scope.units = false;
  for (Fields item : fields.objects("constraints", 256)) {
    manifest.constraints.emplace_back();
    readExpr(item, "expr", scope, true, manifest.constraints.back().expr);
    manifest.constraints.back().text = item.string("text");
    item.finish();
  }
  scope.units = true;
  KernelReader reader(manifest, scope);
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
