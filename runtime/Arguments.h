// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of a launch's tensors and scalars against the manifest.
#ifndef FA_RUNTIME_ARGUMENTS_H
#define FA_RUNTIME_ARGUMENTS_H

#include "runtime/Manifest.h"

namespace fa::rt {

/// Tensors in the manifest's order, checked.
struct BoundTensors {
  std::vector<TensorValue> values;
  /// The index in the manifest of each tensor that the caller gave.
  std::vector<int> manifestIndex;

  /// Bytes covered, relative to the data pointer.
  struct Range {
    int64_t low, high;
  };
  std::vector<Range> ranges;
};

/// Everything that does not depend on where the memory is, but for the device's
/// driver: names, types, ranks, sizes and their relations, strides,
/// constraints.
Status bindTensors(const Manifest &manifest, fa_device device,
                   const fa_tensor *tensors, size_t count,
                   BoundTensors &result);

/// What depends on addresses: NULL, alignment to the element, overlap. Cheap
/// enough for every launch.
Status checkAddresses(const Manifest &manifest, const TensorValue *values,
                      const std::vector<BoundTensors::Range> &ranges);

/// The scalars' values as a kernel takes them, 8 bytes each, in the manifest's
/// order.
Status bindScalars(const Manifest &manifest, const fa_scalar *scalars,
                   size_t count, std::vector<uint64_t> &result);

std::string deviceName(fa_device device);

} // namespace fa::rt

#endif
