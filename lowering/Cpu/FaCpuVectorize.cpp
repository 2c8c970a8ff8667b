// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// packed -> vectors: tile products, transposes and row reductions to registers.
#include "lowering/Cpu/Passes.h"
#include "lowering/Cpu/RegisterTiles.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FACPUVECTORIZE
#include "lowering/Cpu/Passes.h.inc"

namespace {

/// Tiles `op` by `sizes` (0: not along that loop) and returns the op on one
/// tile.
FailureOr<Operation *> tile(RewriterBase &rewriter, Operation *op,
                            ArrayRef<int64_t> sizes) {
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(op->getContext(), sizes));
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(rewriter, cast<TilingInterface>(op), options);
  if (failed(tiled) || tiled->tiledOps.size() != 1)
    return op->emitOpError("cannot be tiled");
  rewriter.replaceOp(op, tiled->replacements);
  return tiled->tiledOps.front();
}

LogicalResult vectorizeOp(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::VectorizationResult> result =
      linalg::vectorize(rewriter, op);
  if (failed(result))
    return op->emitOpError("cannot be vectorised");
  rewriter.replaceOp(op, result->replacements);
  return success();
}

/// A part of a row of a register tile that is one vector. LLVM handles vectors
/// of a power of two of elements well and no others, so 24 columns are 16
/// and 8.
struct Part {
  int64_t column;
  VectorType type;
};

SmallVector<Part> partsOfRow(Type element, int64_t columns) {
  SmallVector<Part> parts;
  for (int64_t at = 0; at < columns;) {
    int64_t width = llvm::bit_floor(static_cast<uint64_t>(columns - at));
    parts.push_back({at, VectorType::get({width}, element)});
    at += width;
  }
  return parts;
}

/// Replaces the product of one register tile by a loop over k that carries its
/// rows as vectors. Row by row, so that one broadcast is live at a time and not
/// one for each row: there is no register to spare.
void vectorizeBlock(RewriterBase &rewriter, linalg::MatmulOp block) {
  rewriter.setInsertionPoint(block);
  ImplicitLocOpBuilder b(block.getLoc(), rewriter);
  Value lhs = block.getInputs()[0], rhs = block.getInputs()[1];
  Value out = block.getOutputs()[0];
  auto type = cast<RankedTensorType>(out.getType());
  int64_t rows = type.getDimSize(0);
  SmallVector<Part> parts =
      partsOfRow(type.getElementType(), type.getDimSize(1));
  auto index = [&](int64_t i) -> Value {
    return arith::ConstantIndexOp::create(b, i);
  };
  auto read = [&](Part part, Value from, Value row) -> Value {
    return vector::TransferReadOp::create(b, part.type, from,
                                          ValueRange{row, index(part.column)},
                                          std::nullopt, ArrayRef<bool>{true});
  };

  SmallVector<Value> sums;
  for (int64_t row = 0; row < rows; ++row)
    for (Part part : parts)
      sums.push_back(read(part, out, index(row)));
  Value depth = index(cast<RankedTensorType>(lhs.getType()).getDimSize(1));
  auto loop = scf::ForOp::create(b, index(0), depth, index(1), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value k = loop.getInductionVar();
    SmallVector<Value> factors, next;
    for (Part part : parts)
      factors.push_back(read(part, rhs, k));
    for (int64_t row = 0; row < rows; ++row) {
      Value scalar =
          tensor::ExtractOp::create(b, lhs, ValueRange{index(row), k});
      for (auto [part, factor] : llvm::zip(parts, factors)) {
        Value spread = vector::BroadcastOp::create(b, part.type, scalar);
        Value sum = loop.getRegionIterArg(next.size());
        next.push_back(vector::FMAOp::create(b, spread, factor, sum));
      }
    }
    scf::YieldOp::create(b, next);
  }
  for (auto [i, sum] : llvm::enumerate(loop.getResults()))
    out = vector::TransferWriteOp::create(
              b, sum, out,
              ValueRange{index(i / parts.size()),
                         index(parts[i % parts.size()].column)},
              ArrayRef<bool>{true})
              .getResult();
  rewriter.replaceOp(block, out);
}

/// Splits the columns of `product` into the table's segments, and each of these
/// into register tiles.
LogicalResult vectorizeProduct(RewriterBase &rewriter, linalg::MatmulOp product,
                               unsigned vectorBits) {
  auto type = dyn_cast<RankedTensorType>(product.getOutputs()[0].getType());
  if (!type || !type.hasStaticShape())
    return product.emitOpError("expects static tiles of tensors");
  SmallVector<Segment> segments =
      chooseRegisterTiles(vectorBits, type.getDimSize(0), type.getDimSize(1));
  if (segments.empty())
    return product.emitOpError(
               "expects a result of a multiple of 8 columns and "
               "vectors of 256 or 512 bits, got ")
           << type.getDimSize(1) << " columns and " << vectorBits << " bits";

  Operation *rest = product;
  for (const Segment &segment : segments) {
    Operation *part = rest;
    if (&segment != &segments.back()) {
      rewriter.setInsertionPoint(rest);
      auto halves = linalg::splitOp(rewriter, cast<TilingInterface>(rest),
                                    /*dimension=*/1,
                                    rewriter.getIndexAttr(segment.width()));
      part = halves.first;
      rest = halves.second;
    }
    FailureOr<Operation *> block =
        tile(rewriter, part, {segment.tile.mr, segment.tile.nr, 0});
    if (failed(block))
      return failure();
    vectorizeBlock(rewriter, cast<linalg::MatmulOp>(*block));
  }
  return success();
}

/// A generic that only moves and converts one matrix, transposing it.
bool isTranspose(linalg::GenericOp op) {
  return op.getNumLoops() == 2 && op.getNumParallelLoops() == 2 &&
         op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
         !op.hasIndexSemantics() &&
         op.getIndexingMapsArray()[0].isPermutation() &&
         op.getIndexingMapsArray()[0] != op.getIndexingMapsArray()[1];
}

/// A generic that reduces each row of one matrix into a vector.
bool isRowReduction(linalg::GenericOp op) {
  return op.getNumLoops() == 2 && op.getNumDpsInputs() == 1 &&
         op.getNumDpsInits() == 1 && !op.hasIndexSemantics() &&
         op.getIteratorTypesArray()[0] == utils::IteratorType::parallel &&
         op.getIteratorTypesArray()[1] == utils::IteratorType::reduction &&
         op.getIndexingMapsArray()[0].isIdentity();
}

LogicalResult vectorizeTiled(RewriterBase &rewriter, Operation *op,
                             ArrayRef<int64_t> sizes) {
  FailureOr<Operation *> block = tile(rewriter, op, sizes);
  return failed(block) ? failure() : vectorizeOp(rewriter, *block);
}

struct FaCpuVectorize : impl::FaCpuVectorizeBase<FaCpuVectorize> {
  using FaCpuVectorizeBase::FaCpuVectorizeBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"packed"})))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> ops;
    module.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      if (failed(vectorizeOne(rewriter, op)))
        return signalPassFailure();
    setStage(module, "vectors");
  }

  LogicalResult vectorizeOne(RewriterBase &rewriter, linalg::LinalgOp op) {
    if (auto product = dyn_cast<linalg::MatmulOp>(*op))
      return vectorizeProduct(rewriter, product, vectorBits);
    auto generic = dyn_cast<linalg::GenericOp>(*op);
    if (!generic || generic.hasDynamicShape())
      return success();
    SmallVector<int64_t> loops = generic.getStaticLoopRanges();
    if (isTranspose(generic))
      return vectorizeTiled(
          rewriter, op,
          {largestDivisorUpTo(loops[0], 8), largestDivisorUpTo(loops[1], 8)});
    if (isRowReduction(generic))
      return vectorizeTiled(rewriter, op, {largestDivisorUpTo(loops[0], 4), 0});
    return success();
  }
};

} // namespace
} // namespace mlir::fa
