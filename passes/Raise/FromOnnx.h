// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX operators whose shapes or positions are operands (FromOnnxShape.cpp).
#ifndef FA_PASSES_RAISE_FROMONNX_H
#define FA_PASSES_RAISE_FROMONNX_H

#include "passes/Raise/Common.h"

namespace mlir::fa::raising {

Expr *onnxReshape(Graph &graph, OpResult result, const Coords &at);
/// A size of a tensor, where the types know it.
Expr *onnxExtent(Graph &graph, OpResult result, const Coords &at);
Expr *onnxSlice(Graph &graph, OpResult result, const Coords &at);
Expr *onnxConcat(Graph &graph, OpResult result, const Coords &at);

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_FROMONNX_H
