// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/KernelReader.h"

namespace fa::rt {
namespace {

template <typename... Args> Status wrong(const Args &...args) {
  return failure(FA_INVALID_ARTIFACT, args...);
}

struct ParamInfo {
  std::string_view name;
  ParamSpec::Kind kind;
  size_t operands;
};
constexpr ParamInfo paramKinds[] = {
    {"pointer", ParamSpec::Kind::Pointer, 1},
    {"size", ParamSpec::Kind::Size, 2},
    {"stride", ParamSpec::Kind::Stride, 2},
    {"scalar", ParamSpec::Kind::Scalar, 1},
    {"scratch", ParamSpec::Kind::Scratch, 1},
    {"expr", ParamSpec::Kind::Value, 1},
    {"tensor_map", ParamSpec::Kind::TensorMap, 5}};

const ParamInfo *findParamKind(std::string_view name) {
  for (const ParamInfo &info : paramKinds)
    if (info.name == name)
      return &info;
  return nullptr;
}

template <typename T>
int indexOf(const std::vector<T> &list, const std::string &name) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name)
      return static_cast<int>(i);
  return -1;
}

bool readInt(const Json &json, int least, int most, int &result) {
  if (json.kind != Json::Kind::Int || json.integer < least ||
      json.integer > most)
    return false;
  result = static_cast<int>(json.integer);
  return true;
}

/// The bytes of the parameters, where each but a tensor map counts 8.
size_t paramBytes(const std::vector<ParamSpec> &params) {
  size_t bytes = 0;
  for (const ParamSpec &param : params) {
    bool map = param.kind == ParamSpec::Kind::TensorMap;
    bytes = map ? (bytes + 63) / 64 * 64 + tensorMapBytes : bytes + 8;
  }
  return bytes;
}

} // namespace

void readExpr(Fields &fields, const char *name, const ExprScope &scope,
              bool wantBool, Expr &out) {
  if (const Json *json = fields.any(name))
    if (Status s =
            Expr::parse(*json, scope, wantBool, fields.pathOf(name), out))
      fields.fail(std::move(s));
}

void KernelReader::read(Fields fields, KernelSpec &kernel) {
  kernel.name = fields.identifier("name");
  kernel.note = fields.string("note");
  readExpr(fields, "when", scope, true, kernel.when);
  readExpr(fields, "grid", scope, false, kernel.grid);
  kernel.block = static_cast<int>(fields.count("block", 1, isGpu() ? 1024 : 1));
  kernel.sharedBytes = fields.count("shared_bytes", 0, isGpu() ? 1 << 20 : 0);
  readPtxVersion(fields, kernel);
  for (Fields item : fields.objects("scratch", 16)) {
    kernel.scratch.emplace_back();
    readScratch(item, kernel.scratch.back());
  }
  size_t index = 0;
  for (const Json &item : fields.array("params", maxParamBytes / 8)) {
    kernel.params.emplace_back();
    std::string path = fields.pathOf(concat("params[", index++, "]"));
    if (Status s = readParam(item, path, kernel, kernel.params.back()))
      fields.fail(std::move(s));
  }
  if (size_t bytes = paramBytes(kernel.params); bytes > maxParamBytes)
    fields.fail("params", concat("expects at most ", maxParamBytes,
                                 " bytes of parameters, got ", bytes));
  fields.finish();
}

void KernelReader::readPtxVersion(Fields &fields, KernelSpec &kernel) {
  std::string text = fields.string("min_ptx");
  if (!isGpu()) {
    if (!text.empty())
      fields.fail("min_ptx", "expects \"\" on the CPU");
    return;
  }
  auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() != 3 || !digit(text[0]) || text[1] != '.' || !digit(text[2]))
    return fields.fail("min_ptx", "expects a version such as \"7.0\"");
  kernel.ptxVersion = 10 * (text[0] - '0') + (text[2] - '0');
}

void KernelReader::readScratch(Fields fields, ScratchSpec &scratch) {
  scratch.name = fields.identifier("name");
  readExpr(fields, "bytes", scope, false, scratch.bytes);
  scratch.init = static_cast<uint8_t>(fields.count("init", 0, 255));
  fields.choice("owner", {"stream"});
  fields.finish();
}

Status KernelReader::readParam(const Json &item, const std::string &path,
                               const KernelSpec &kernel,
                               ParamSpec &param) const {
  if (item.kind != Json::Kind::Array || item.items.size() < 2 ||
      item.items[0].kind != Json::Kind::String)
    return wrong(path, ": expects [kind, name] or [kind, name, dimension]");
  const std::string &kind = item.items[0].string;
  const ParamInfo *info = findParamKind(kind);
  if (!info)
    return wrong(path, ": unknown kind '", kind, "'");
  if (item.items.size() != info->operands + 1)
    return wrong(path, ": expects ", info->operands, " operands for '", kind,
                 "'");
  param.kind = info->kind;
  if (param.kind == ParamSpec::Kind::Value)
    return Expr::parse(item.items[1], scope, false, path + "[1]", param.value);
  if (Status s = readName(item, path, kernel, param))
    return s;
  if (item.items.size() == 2)
    return {};
  if (!readInt(item.items[2], 0, scope.tensors[param.index].rank - 1,
               param.dim))
    return wrong(path, ": '", item.items[1].string, "' has no such dimension");
  if (param.kind == ParamSpec::Kind::TensorMap)
    return readTensorMap(item, path, param);
  return {};
}

Status KernelReader::readName(const Json &item, const std::string &path,
                              const KernelSpec &kernel,
                              ParamSpec &param) const {
  if (item.items[1].kind != Json::Kind::String)
    return wrong(path, ": expects a name");
  const std::string &name = item.items[1].string;
  const char *what = "tensor";
  if (param.kind == ParamSpec::Kind::Scalar) {
    what = "scalar";
    param.index = indexOf(manifest.scalars, name);
  } else if (param.kind == ParamSpec::Kind::Scratch) {
    what = "scratch";
    param.index = indexOf(kernel.scratch, name);
  } else {
    param.index = scope.find(name);
  }
  if (param.index < 0)
    return wrong(path, ": there is no ", what, " '", name, "'");
  return {};
}

Status KernelReader::readTensorMap(const Json &item, const std::string &path,
                                   ParamSpec &param) const {
  const TensorSpec &tensor = manifest.tensors[param.index];
  int rank = static_cast<int>(tensor.dims.size());
  TensorBox &box = param.box;
  if (!isGpu())
    return wrong(path, ": expects no tensor map on the CPU");
  if (tensor.type != FA_F16 && tensor.type != FA_BF16 && tensor.type != FA_F32)
    return wrong(path, ": expects a tensor of f16, bf16 or f32, '", tensor.name,
                 "' is of ", typeName(tensor.type));
  if (rank < 2 || rank > 5)
    return wrong(path, ": expects a tensor of rank 2 to 5, '", tensor.name,
                 "' has rank ", rank);
  if (param.dim == rank - 1)
    return wrong(path, ": expects rows along another dimension than the "
                       "columns, which are the last");
  if (!readInt(item.items[3], 1, 256, box.rows) ||
      !readInt(item.items[4], 1, 256, box.columns))
    return wrong(path, ": expects 1 to 256 rows and columns");
  int bytes = box.columns * static_cast<int>(typeBytes(tensor.type));
  if (bytes % 16)
    return wrong(path, ": expects rows of a multiple of 16 bytes, got ", bytes);
  int &swizzle = box.swizzleBytes;
  if (!readInt(item.items[5], 0, 128, swizzle) ||
      (swizzle != 0 && swizzle != 32 && swizzle != 64 && swizzle != 128))
    return wrong(path, ": expects a swizzle of 0, 32, 64 or 128 bytes");
  if (swizzle && bytes > swizzle)
    return wrong(path, ": expects rows of at most ", swizzle,
                 " bytes, as wide as the swizzle, got ", bytes);
  return {};
}

} // namespace fa::rt
