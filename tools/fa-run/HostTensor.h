// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strided tensor in host memory with guard zones around it.
#ifndef FA_TOOLS_RUN_HOSTTENSOR_H
#define FA_TOOLS_RUN_HOSTTENSOR_H

#include "tools/fa-run/Artefact.h"

#include <functional>

namespace fa::run {

/// Memory that holds nothing else has this in every byte; as f16, bf16, f32 or
/// f64 it is a NaN.
constexpr uint8_t poisonByte = 0xFF;

class HostTensor {
public:
  /// All bytes are `fill`. The first element lies `base` bytes behind a
  /// 4096-byte boundary of the storage.
  HostTensor(const fa_tensor_info &info, std::vector<int64_t> sizes,
             std::vector<int64_t> strides, int64_t base, uint8_t fill);

  const std::string &name() const { return theName; }
  fa_type type() const { return theType; }
  bool isOutput() const { return output; }
  const std::vector<int64_t> &sizes() const { return theSizes; }
  const std::vector<int64_t> &strides() const { return theStrides; }

  uint8_t *storage() const { return bytes.get(); }
  size_t storageBytes() const { return byteCount; }
  /// The tensor for the runtime, with its storage at `where` (which is aligned
  /// to 256 bytes at least).
  fa_tensor describe(fa_device device, void *where) const;

  /// The element at an offset in elements from the first one.
  double get(int64_t offset) const;
  void set(int64_t offset, double value);
  const void *data() const { return bytes.get() + start; }

  /// Calls body(index, offset) for every row of the last dimension, from
  /// several threads; index[rank - 1] is 0.
  void
  forEachRow(const std::function<void(const int64_t *, int64_t)> &body) const;
  /// Sets every element to value(index, its number in row-major order).
  void fill(const std::function<double(const int64_t *, int64_t)> &value);

  int64_t elements() const;
  /// The bytes that belong to no element and are not poison any more.
  int64_t spoiltGaps() const;

private:
  struct Free {
    void operator()(uint8_t *p) const;
  };
  std::string theName;
  fa_type theType;
  bool output;
  std::vector<int64_t> theSizes, theStrides;
  std::unique_ptr<uint8_t, Free> bytes;
  size_t byteCount = 0, start = 0;
};

} // namespace fa::run

#endif
