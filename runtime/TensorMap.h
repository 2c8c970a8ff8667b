// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensor maps of a kernel: what the bulk copies of sm_90 know of a tensor.
#ifndef FA_RUNTIME_TENSORMAP_H
#define FA_RUNTIME_TENSORMAP_H

#include "runtime/Driver.h"
#include "runtime/Manifest.h"

namespace fa::rt {

/// As many as a kernel's parameters have room for.
constexpr size_t maxTensorMaps = maxParamBytes / tensorMapBytes;

class TensorMaps {
public:
  /// Builds the map of each parameter that is one; a context is current. The
  /// text of a failure names the tensor.
  Status build(const Driver &driver, const Manifest &manifest,
               const KernelSpec &kernel, const TensorValue *tensors);

  /// Points params to the maps. Those of tensors that lie elsewhere than when
  /// they were built are built anew, in `moved`, which has maxTensorMaps.
  Status place(const Driver &driver, const TensorValue *tensors,
               cuda::TensorMap *moved, void **params) const;

private:
  /// What cuTensorMapEncodeTiled takes, innermost dimension first.
  struct Layout {
    int type = 0;
    unsigned rank = 0;
    uint64_t sizes[5] = {};
    uint64_t strides[4] = {}; // bytes, of all but the innermost
    uint32_t box[5] = {};
    int swizzle = 0;
  };
  struct Map {
    size_t param;
    int tensor;
    const std::string *name; // the tensor's
    bool empty;              // the tensor has no elements
    const void *address;
    Layout layout;
    cuda::TensorMap encoded;
  };

  static Status layOut(const TensorSpec &spec, const TensorValue &tensor,
                       const ParamSpec &param, Layout &layout);
  static Status encode(const Driver &driver, const Map &map,
                       const void *address, cuda::TensorMap &encoded);

  std::vector<Map> maps;
};

} // namespace fa::rt

#endif
