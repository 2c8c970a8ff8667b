// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the front end for ONNX has in FromOnnxShape.cpp: operators whose shapes
// or positions are operands.
#ifndef FA_PASSES_RAISE_FROMONNX_H
#define FA_PASSES_RAISE_FROMONNX_H

#include "passes/Raise/Common.h"

namespace mlir::fa::raising {

inline std::optional<int64_t> integerOf(Operation *op, StringRef name) {
  auto attribute = dyn_cast_or_null<IntegerAttr>(attributeOf(op, name));
  return attribute ? std::optional<int64_t>(attribute.getValue().getSExtValue())
                   : std::nullopt;
}

Expr *onnxReshape(Graph &graph, OpResult result, const Coords &at);
/// A size of a tensor, where the types know it.
Expr *onnxExtent(Graph &graph, OpResult result, const Coords &at);
Expr *onnxSlice(Graph &graph, OpResult result, const Coords &at);
Expr *onnxConcat(Graph &graph, OpResult result, const Coords &at);

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_FROMONNX_H
