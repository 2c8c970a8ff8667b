// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// outlined -> packed: the operands of tile products become row-major f32.
#include "lowering/Cpu/Passes.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FACPUPACK
#include "lowering/Cpu/Passes.h.inc"

namespace {

/// Where a product reads an operand: as the row-major product does, or
/// transposed, or in some other way.
enum class Read { Straight, Transposed, Other };

/// How `map`, over (m, n, k), reads a matrix whose plain form is (first,
/// second).
Read classify(AffineMap map, unsigned first, unsigned second) {
  MLIRContext *context = map.getContext();
  auto is = [&](unsigned a, unsigned b) {
    return map == AffineMap::get(3, 0,
                                 {getAffineDimExpr(a, context),
                                  getAffineDimExpr(b, context)},
                                 context);
  };
  if (is(first, second))
    return Read::Straight;
  return is(second, first) ? Read::Transposed : Read::Other;
}

/// Builds the widened copy of `tile`, right where `tile` comes into being if
/// that is outside the block of `product` (so that Q is widened once), else in
/// front of `product` (so that the copy is still in the cache when it is read).
Value widen(OpBuilder &builder, linalg::MatmulOp product, Value tile,
            bool transpose) {
  OpBuilder::InsertionGuard guard(builder);
  if (tile.getParentBlock() == product->getBlock())
    builder.setInsertionPoint(product);
  else
    builder.setInsertionPointAfterValue(tile);

  Location loc = tile.getLoc();
  auto type = cast<RankedTensorType>(tile.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (transpose)
    std::swap(shape[0], shape[1]);
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, builder.getF32Type());
  AffineMap straight = builder.getMultiDimIdentityMap(2);
  AffineMap swapped = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0},
                                                   builder.getContext());
  SmallVector<AffineMap> maps = {straight, transpose ? swapped : straight};
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  auto body = [](OpBuilder &b, Location loc, ValueRange args) {
    Value wide = arith::ExtFOp::create(b, loc, b.getF32Type(), args[0]);
    linalg::YieldOp::create(b, loc, wide);
  };
  auto generic = linalg::GenericOp::create(builder, loc, empty.getType(), tile,
                                           empty, maps, loops, body);
  return generic.getResult(0);
}

bool isNarrowFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32;
}

LogicalResult pack(linalg::MatmulOp product) {
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  Read lhs = classify(maps[0], 0, 2);
  Read rhs = classify(maps[1], 2, 1);
  if (lhs == Read::Other || rhs == Read::Other ||
      classify(maps[2], 0, 1) != Read::Straight)
    return product.emitOpError("expects operands read as (m, k) and (k, n), "
                               "straight or transposed, and a result (m, n)");
  Value inputs[] = {product.getInputs()[0], product.getInputs()[1]};
  for (Value input : inputs) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    if (!type || !type.hasStaticShape() ||
        !isNarrowFloat(type.getElementType()))
      return product.emitOpError(
                 "expects static tiles of f16 or bf16 tensors, got ")
             << input.getType();
  }
  Type result = product.getOutputs()[0].getType();
  if (!cast<ShapedType>(result).getElementType().isF32())
    return product.emitOpError("expects to accumulate in f32, got ") << result;

  OpBuilder builder(product);
  Value a = widen(builder, product, inputs[0], lhs == Read::Transposed);
  Value b = widen(builder, product, inputs[1], rhs == Read::Transposed);
  auto wide = linalg::MatmulOp::create(builder, product.getLoc(),
                                       TypeRange{result}, ValueRange{a, b},
                                       ValueRange{product.getOutputs()[0]});
  wide->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  product->replaceAllUsesWith(wide);
  product->erase();
  return success();
}

struct FaCpuPack : impl::FaCpuPackBase<FaCpuPack> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"outlined"})))
      return signalPassFailure();
    SmallVector<linalg::MatmulOp> products;
    module.walk([&](linalg::MatmulOp op) { products.push_back(op); });
    for (linalg::MatmulOp product : products)
      if (failed(pack(product)))
        return signalPassFailure();
    setStage(module, "packed");
  }
};

} // namespace
} // namespace mlir::fa
