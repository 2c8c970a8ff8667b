// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Arguments.h"

#include "runtime/Overlap.h"

#include <cmath>
#include <cstring>
#include <map>

namespace fa::rt {
namespace {

template <typename... Args> Status wrong(const Args &...args) {
  return failure(FA_INVALID_ARGUMENT, args...);
}

std::string names(const std::vector<TensorSpec> &tensors) {
  std::string list;
  for (const TensorSpec &tensor : tensors)
    list += (list.empty() ? "" : ", ") + tensor.name;
  return list;
}

/// Which tensor and dimension gave a symbol its size, for messages.
struct Extent {
  int64_t size;
  const std::string *tensor;
  size_t dim;
};
using Extents = std::map<std::string_view, Extent>;

Status checkKind(const TensorSpec &spec, fa_device device,
                 const fa_tensor &given) {
  if (given.type != spec.type)
    return wrong(spec.name, ": expects type ", typeName(spec.type), ", got ",
                 typeName(given.type));
  if (given.rank != static_cast<int>(spec.dims.size()))
    return wrong(spec.name, ": expects rank ", spec.dims.size(), ", got ",
                 given.rank);
  if (given.device.kind != device.kind || given.device.index != device.index)
    return wrong(spec.name, ": expects memory of ", deviceName(device),
                 ", got ", deviceName(given.device));
  return {};
}

Status checkSizes(const TensorSpec &spec, const fa_tensor &given,
                  Extents &extents) {
  for (size_t d = 0; d < spec.dims.size(); ++d) {
    int64_t size = given.sizes[d];
    if (size < 0)
      return wrong(spec.name, ": size ", d, " is negative: ", size);
    const DimSpec &dim = spec.dims[d];
    if (dim.symbol.empty()) {
      if (size != dim.size)
        return wrong(spec.name, ": size ", d, ": expects ", dim.size, ", got ",
                     size);
      continue;
    }
    const Extent &known =
        extents.insert({dim.symbol, {size, &spec.name, d}}).first->second;
    if (known.size != size)
      return wrong(spec.name, ": size ", d, " (", dim.symbol, "): expects ",
                   known.size, " as in size ", known.dim, " of ", *known.tensor,
                   ", got ", size);
  }
  return {};
}

/// q, k, v and o are read and written in rows of neighbouring elements.
bool needsUnitStride(const TensorSpec &spec) {
  return !spec.dims.empty() && (spec.name == "q" || spec.name == "k" ||
                                spec.name == "v" || spec.name == "o");
}

Status checkStrides(const TensorSpec &spec, const TensorValue &value,
                    BoundTensors::Range &range) {
  int last = value.rank - 1;
  if (needsUnitStride(spec) && value.sizes[last] > 1 &&
      value.strides[last] != 1)
    return wrong(spec.name, ": expects stride 1 in the last dimension, got ",
                 value.strides[last]);
  int64_t bytes = static_cast<int64_t>(typeBytes(spec.type));
  if (!byteRange(value, bytes, range.low, range.high))
    return wrong(spec.name, ": sizes and strides reach beyond 64 bits");
  if (spec.output && overlapsItself(value, bytes) != Answer::No)
    return wrong(spec.name, ": an output whose elements overlap each other");
  return {};
}

Status checkConstraints(const Manifest &manifest, const TensorValue *values) {
  for (const ConstraintSpec &constraint : manifest.constraints) {
    int64_t holds = 0;
    Expr::Fault fault = constraint.expr.evaluate({values}, holds);
    if (fault != Expr::Fault::None)
      return wrong(constraint.text, " (the condition ", describe(fault), ")");
    if (!holds)
      return wrong(constraint.text);
  }
  return {};
}

Status bindOne(const Manifest &manifest, fa_device device,
               const fa_tensor &given, std::vector<bool> &seen,
               BoundTensors &result) {
  if (!given.name)
    return wrong("a tensor without a name");
  int index = -1;
  for (size_t i = 0; i < manifest.tensors.size(); ++i)
    if (manifest.tensors[i].name == given.name)
      index = static_cast<int>(i);
  if (index < 0)
    return wrong("the artefact has no tensor '", given.name, "'; it has ",
                 names(manifest.tensors));
  if (seen[index])
    return wrong(given.name, ": given twice");
  seen[index] = true;
  if (Status s = checkKind(manifest.tensors[index], device, given))
    return s;
  TensorValue &value = result.values[index];
  value.data = given.data;
  value.rank = given.rank;
  std::copy(given.sizes, given.sizes + given.rank, value.sizes);
  std::copy(given.strides, given.strides + given.rank, value.strides);
  result.manifestIndex.push_back(index);
  return {};
}

/// The range of an integer type.
void integerRange(fa_type type, int64_t &low, int64_t &high) {
  int bits = type == FA_I1 ? 1 : static_cast<int>(8 * typeBytes(type));
  high = type == FA_I1 ? 1 : INT64_MAX >> (64 - bits);
  low = type == FA_I1 ? 0 : -high - 1;
}

Status checkClass(const ScalarSpec &spec, double value) {
  bool holds = spec.valueClass == "any" ||
               (spec.valueClass == "positive" && value > 0) ||
               (spec.valueClass == "negative" && value < 0) ||
               (spec.valueClass == "zero" && value == 0);
  if (holds)
    return {};
  return wrong(spec.name, ": the artefact was compiled for a value that is ",
               spec.valueClass, ", got ", value);
}

Status encode(const ScalarSpec &spec, double real, bool isInteger,
              int64_t integer, uint64_t &slot) {
  slot = 0;
  if (isFloat(spec.type)) {
    if (isInteger)
      real = static_cast<double>(integer);
    float single = static_cast<float>(real);
    if (!std::isfinite(spec.type == FA_F32 ? single : real))
      return wrong(spec.name, ": expects a finite ", typeName(spec.type),
                   ", got ", real);
    if (spec.type == FA_F32)
      std::memcpy(&slot, &single, sizeof(single));
    else
      std::memcpy(&slot, &real, sizeof(real));
    return checkClass(spec, spec.type == FA_F32 ? single : real);
  }
  if (!isInteger) {
    // 2^63 is the first double that is out of range.
    if (!(real >= -0x1p63 && real < 0x1p63) || real != std::floor(real))
      return wrong(spec.name, ": expects an integer, got ", real);
    integer = static_cast<int64_t>(real);
  }
  int64_t low, high;
  integerRange(spec.type, low, high);
  if (integer < low || integer > high)
    return wrong(spec.name, ": expects ", typeName(spec.type), ", got ",
                 integer);
  slot = static_cast<uint64_t>(integer);
  return checkClass(spec, static_cast<double>(integer));
}

} // namespace

std::string deviceName(fa_device device) {
  if (device.kind == FA_CPU)
    return "the CPU";
  if (device.kind == FA_CUDA)
    return concat("cuda:", device.index);
  return concat("an unknown kind of device (", static_cast<int>(device.kind),
                ")");
}

Status bindTensors(const Manifest &manifest, fa_device device,
                   const fa_tensor *tensors, size_t count,
                   BoundTensors &result) {
  size_t expected = manifest.tensors.size();
  result.values.assign(expected, TensorValue());
  result.ranges.assign(expected, {});
  result.manifestIndex.clear();
  std::vector<bool> seen(expected);
  for (size_t i = 0; i < count; ++i)
    if (Status s = bindOne(manifest, device, tensors[i], seen, result))
      return s;
  Extents extents;
  for (size_t i = 0; i < expected; ++i) {
    const TensorSpec &spec = manifest.tensors[i];
    if (!seen[i])
      return wrong("missing tensor '", spec.name, "'");
    // Back from the manifest's order to the caller's description.
    for (size_t j = 0; j < count; ++j)
      if (result.manifestIndex[j] == static_cast<int>(i))
        if (Status s = checkSizes(spec, tensors[j], extents))
          return s;
    if (Status s = checkStrides(spec, result.values[i], result.ranges[i]))
      return s;
  }
  return checkConstraints(manifest, result.values.data());
}

Status checkAddresses(const Manifest &manifest, const TensorValue *values,
                      const std::vector<BoundTensors::Range> &ranges) {
  size_t count = manifest.tensors.size();
  for (size_t i = 0; i < count; ++i) {
    const TensorSpec &spec = manifest.tensors[i];
    if (ranges[i].low == ranges[i].high)
      continue;
    uintptr_t address = reinterpret_cast<uintptr_t>(values[i].data);
    if (!address)
      return wrong(spec.name, ": the data pointer is NULL");
    if (address % typeBytes(spec.type))
      return wrong(spec.name, ": expects an address aligned to ",
                   typeBytes(spec.type), " bytes, got ", values[i].data);
    __int128 low = __int128(address) + ranges[i].low,
             high = __int128(address) + ranges[i].high;
    if (low < 0 || high > __int128(UINTPTR_MAX))
      return wrong(spec.name,
                   ": sizes and strides reach beyond the address space");
  }
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j < count; ++j) {
      // Each output against every input and every later output.
      if (!manifest.tensors[i].output || (manifest.tensors[j].output && j <= i))
        continue;
      uintptr_t a = reinterpret_cast<uintptr_t>(values[i].data);
      uintptr_t b = reinterpret_cast<uintptr_t>(values[j].data);
      if (a + ranges[i].high <= b + ranges[j].low ||
          b + ranges[j].high <= a + ranges[i].low)
        continue;
      Answer answer = overlap(values[i], typeBytes(manifest.tensors[i].type),
                              values[j], typeBytes(manifest.tensors[j].type));
      if (answer != Answer::No)
        return wrong(
            manifest.tensors[i].name, ": overlaps ", manifest.tensors[j].name,
            answer == Answer::Unknown ? ", as far as can be told" : "");
    }
  }
  return {};
}

Status bindScalars(const Manifest &manifest, const fa_scalar *scalars,
                   size_t count, std::vector<uint64_t> &result) {
  std::vector<const fa_scalar *> given(manifest.scalars.size());
  for (size_t i = 0; i < count; ++i) {
    const fa_scalar &scalar = scalars[i];
    size_t index = 0;
    while (scalar.name && index < given.size() &&
           manifest.scalars[index].name != scalar.name)
      ++index;
    if (!scalar.name || index == given.size())
      return wrong("the artefact has no launch parameter '",
                   scalar.name ? scalar.name : "", "'");
    if (given[index])
      return wrong(scalar.name, ": given twice");
    if (scalar.type != FA_F64 && scalar.type != FA_I64)
      return wrong(scalar.name, ": expects the value as FA_F64 or FA_I64");
    given[index] = &scalar;
  }
  result.assign(given.size(), 0);
  for (size_t i = 0; i < given.size(); ++i) {
    const ScalarSpec &spec = manifest.scalars[i];
    if (!given[i] && !spec.defaultValue)
      return wrong("missing launch parameter '", spec.name, "'");
    bool isInteger = given[i] && given[i]->type == FA_I64;
    double real = given[i] ? given[i]->value.f : *spec.defaultValue;
    int64_t integer = isInteger ? given[i]->value.i : 0;
    if (Status s =
            encode(spec, isInteger ? 0 : real, isInteger, integer, result[i]))
      return s;
  }
  return {};
}

} // namespace fa::rt
