// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bytes a strided tensor covers, and whether two of them share one.
#ifndef FA_RUNTIME_OVERLAP_H
#define FA_RUNTIME_OVERLAP_H

#include "runtime/Expr.h"

namespace fa::rt {

/// The bytes from the lowest to behind the highest element, relative to the
/// data pointer. Empty (0, 0) where the tensor has no element. False where a
/// number overflows int64.
bool byteRange(const TensorValue &tensor, int64_t elementBytes, int64_t &low,
               int64_t &high);

enum class Answer { No, Yes, Unknown };

/// Whether an element of `a` shares a byte with one of `b`. Exact, unless the
/// strides are so contrived that the search is given up: Unknown. Both tensors
/// have a valid byteRange.
Answer overlap(const TensorValue &a, int64_t aBytes, const TensorValue &b,
               int64_t bBytes);

/// Whether two different elements of `a` share a byte.
Answer overlapsItself(const TensorValue &a, int64_t elementBytes);

} // namespace fa::rt

#endif
