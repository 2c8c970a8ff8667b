// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/HostTensor.h"

#include "runtime/Half.h"
#include "runtime/Pool.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace fa::run {
namespace {

constexpr int64_t guard = 4096;

template <typename T> T load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T> void store(uint8_t *to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

} // namespace

void HostTensor::Free::operator()(uint8_t *p) const { std::free(p); }

HostTensor::HostTensor(const fa_tensor_info &info, std::vector<int64_t> sizes,
                       std::vector<int64_t> strides, int64_t base, uint8_t fill)
    : theName(info.name), theType(info.type), output(info.is_output),
      theSizes(std::move(sizes)), theStrides(std::move(strides)) {
  int64_t width = typeBytes(theType), low = 0, high = width;
  bool overflow = false, empty = false;
  for (size_t d = 0; d < theSizes.size(); ++d) {
    empty |= theSizes[d] == 0;
    int64_t reach = 0;
    overflow |=
        __builtin_mul_overflow(theStrides[d], theSizes[d] - 1, &reach) ||
        __builtin_mul_overflow(reach, width, &reach);
    int64_t &end = reach < 0 ? low : high;
    overflow |= __builtin_add_overflow(end, reach, &end);
  }
  if (empty)
    low = high = 0;
  constexpr int64_t most = int64_t(1) << 46;
  if (overflow || high > most || low < -most || base > most)
    throw Failure(ExitUsage,
                  theName + ": these sizes and strides need too much memory");
  int64_t before = (guard - low + guard - 1) / guard * guard + base;
  start = static_cast<size_t>(before);
  byteCount = static_cast<size_t>(before + high + guard);
  void *memory = nullptr;
  if (::posix_memalign(&memory, guard, byteCount) != 0)
    throw Failure(ExitUsage, theName + ": no memory for " +
                                 std::to_string(byteCount) + " bytes");
  bytes.reset(static_cast<uint8_t *>(memory));
  std::memset(bytes.get(), fill, byteCount);
}

fa_tensor HostTensor::describe(fa_device device, void *where) const {
  fa_tensor tensor{};
  tensor.name = theName.c_str();
  tensor.data = static_cast<uint8_t *>(where) + start;
  tensor.type = theType;
  tensor.rank = static_cast<int32_t>(theSizes.size());
  std::copy(theSizes.begin(), theSizes.end(), tensor.sizes);
  std::copy(theStrides.begin(), theStrides.end(), tensor.strides);
  tensor.device = device;
  return tensor;
}

double HostTensor::get(int64_t offset) const {
  const uint8_t *at =
      bytes.get() + start + offset * int64_t(typeBytes(theType));
  switch (theType) {
  case FA_F16:
    return rt::halfToFloat(load<uint16_t>(at));
  case FA_BF16:
    return rt::bfloatToFloat(load<uint16_t>(at));
  case FA_F32:
    return load<float>(at);
  case FA_F64:
    return load<double>(at);
  case FA_I1:
  case FA_I8:
    return load<int8_t>(at);
  case FA_I16:
    return load<int16_t>(at);
  case FA_I32:
    return load<int32_t>(at);
  case FA_I64:
    return static_cast<double>(load<int64_t>(at));
  }
  return 0;
}

void HostTensor::set(int64_t offset, double value) {
  uint8_t *at = bytes.get() + start + offset * int64_t(typeBytes(theType));
  switch (theType) {
  case FA_F16:
    return store(at, rt::doubleToHalf(value));
  case FA_BF16:
    return store(at, rt::doubleToBfloat(value));
  case FA_F32:
    return store(at, static_cast<float>(value));
  case FA_F64:
    return store(at, value);
  case FA_I1:
    return store(at, static_cast<int8_t>(value != 0));
  case FA_I8:
    return store(at, static_cast<int8_t>(value));
  case FA_I16:
    return store(at, static_cast<int16_t>(value));
  case FA_I32:
    return store(at, static_cast<int32_t>(value));
  case FA_I64:
    return store(at, static_cast<int64_t>(value));
  }
}

int64_t HostTensor::elements() const {
  int64_t count = 1;
  for (int64_t size : theSizes)
    count *= size;
  return count;
}

void HostTensor::forEachRow(
    const std::function<void(const int64_t *, int64_t)> &body) const {
  int64_t count = elements();
  if (count == 0)
    return;
  int rank = static_cast<int>(theSizes.size());
  int64_t rows = rank == 0 ? 1 : count / theSizes.back();
  // A few hundred rows at a time: short rows are many.
  constexpr int64_t block = 256;
  rt::parallelFor((rows + block - 1) / block, [&](int64_t part) {
    for (int64_t row = part * block; row < std::min(rows, (part + 1) * block);
         ++row) {
      int64_t index[FA_MAX_RANK] = {}, rest = row, offset = 0;
      for (int d = rank - 2; d >= 0; --d) {
        index[d] = rest % theSizes[d];
        rest /= theSizes[d];
        offset += index[d] * theStrides[d];
      }
      body(index, offset);
    }
  });
}

void HostTensor::fill(
    const std::function<double(const int64_t *, int64_t)> &value) {
  int rank = static_cast<int>(theSizes.size());
  int64_t length = rank ? theSizes.back() : 1;
  int64_t step = rank ? theStrides.back() : 0;
  forEachRow([&](const int64_t *row, int64_t offset) {
    int64_t index[FA_MAX_RANK], number = 0;
    std::copy(row, row + FA_MAX_RANK, index);
    for (int d = 0; d + 1 < rank; ++d)
      number = number * theSizes[d] + index[d];
    for (int64_t i = 0; i < length; ++i) {
      if (rank)
        index[rank - 1] = i;
      set(offset + i * step, value(index, number * length + i));
    }
  });
}

int64_t HostTensor::spoiltGaps() const {
  std::vector<uint8_t> copy(bytes.get(), bytes.get() + byteCount);
  int64_t width = typeBytes(theType);
  int64_t length = theSizes.empty() ? 1 : theSizes.back();
  int64_t step = theSizes.empty() ? 0 : theStrides.back();
  forEachRow([&](const int64_t *, int64_t offset) {
    for (int64_t i = 0; i < length; ++i)
      std::memset(copy.data() + start + (offset + i * step) * width, poisonByte,
                  width);
  });
  return byteCount - std::count(copy.begin(), copy.end(), poisonByte);
}

} // namespace fa::run
