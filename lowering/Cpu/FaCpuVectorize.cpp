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

/// A generic that computes each element of one matrix from the same element of
/// others and its row's element of vectors.
bool isElementwise(linalg::GenericOp op) {
  return op.getNumLoops() == 2 && op.getNumParallelLoops() == 2 &&
         op.getNumDpsInits() == 1 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
           return OpTrait::hasElementwiseMappableTraits(&inner) ||
                  isa<arith::ConstantOp>(inner);
         });
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

/// The sum of two vectors, or their maximum.
using Combine = Value (*)(OpBuilder &, Location, Value, Value);

Value combineSum(OpBuilder &b, Location loc, Value x, Value y) {
  return arith::AddFOp::create(b, loc, x, y);
}

/// One instruction, where the maximum that passes NaN on takes five. A NaN that
/// is lost here is in exp(NaN - max) still.
Value combineMaximum(OpBuilder &b, Location loc, Value x, Value y) {
  Value greater =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, y);
  return arith::SelectOp::create(b, loc, greater, x, y);
}

/// How the body of a row reduction combines, null where it is neither a sum nor
/// a maximum of its two arguments.
Combine combineOf(linalg::GenericOp op) {
  Block &body = *op.getBody();
  Operation &first = body.front();
  if (body.getOperations().size() != 2 ||
      body.getTerminator()->getOperand(0) != first.getResult(0) ||
      !llvm::is_contained(first.getOperands(), body.getArgument(0)) ||
      !llvm::is_contained(first.getOperands(), body.getArgument(1)))
    return nullptr;
  if (isa<arith::AddFOp>(first))
    return combineSum;
  return isa<arith::MaximumFOp>(first) ? combineMaximum : nullptr;
}

/// Replaces the reduction of a few rows: vectors of a row are combined, then
/// the halves of what is left.
void vectorizeRows(RewriterBase &rewriter, linalg::GenericOp block,
                   Combine combine, int64_t lanes) {
  rewriter.setInsertionPoint(block);
  ImplicitLocOpBuilder b(block.getLoc(), rewriter);
  Value in = block.getInputs()[0], out = block.getOutputs()[0];
  auto type = cast<RankedTensorType>(in.getType());
  auto index = [&](int64_t i) -> Value {
    return arith::ConstantIndexOp::create(b, i);
  };
  auto vector = VectorType::get({lanes}, type.getElementType());
  SmallVector<Value> results;
  for (int64_t row = 0; row < type.getDimSize(0); ++row) {
    Value all;
    for (int64_t column = 0; column < type.getDimSize(1); column += lanes) {
      Value part = vector::TransferReadOp::create(
          b, vector, in, ValueRange{index(row), index(column)}, std::nullopt,
          ArrayRef<bool>{true});
      all = all ? combine(b, b.getLoc(), all, part) : part;
    }
    for (int64_t half = lanes / 2; half > 0; half /= 2) {
      SmallVector<int64_t> low = llvm::to_vector(llvm::seq<int64_t>(half));
      SmallVector<int64_t> high =
          llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
      all = combine(b, b.getLoc(), vector::ShuffleOp::create(b, all, all, low),
                    vector::ShuffleOp::create(b, all, all, high));
    }
    results.push_back(vector::ExtractOp::create(b, all, ArrayRef<int64_t>{0}));
  }
  auto rows = VectorType::get({type.getDimSize(0)}, type.getElementType());
  Value old = vector::TransferReadOp::create(
      b, rows, out, ValueRange{index(0)}, std::nullopt, ArrayRef<bool>{true});
  Value next = vector::FromElementsOp::create(b, rows, results);
  next = combine(b, b.getLoc(), next, old);
  rewriter.replaceOp(
      block, vector::TransferWriteOp::create(b, next, out, ValueRange{index(0)},
                                             ArrayRef<bool>{true})
                 .getResult());
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
    if (!generic || generic.hasDynamicShape() || generic.getNumLoops() != 2)
      return success();
    SmallVector<int64_t> loops = generic.getStaticLoopRanges();
    if (isTranspose(generic))
      return vectorizeTiled(
          rewriter, op,
          {largestDivisorUpTo(loops[0], 8), largestDivisorUpTo(loops[1], 8)});
    // A vector of f32; half of one where a row is an odd number of halves.
    int64_t lanes = vectorBits / 32;
    if (loops[1] % lanes != 0)
      lanes = 8;
    if (loops[1] % lanes != 0)
      return success();
    if (isElementwise(generic))
      return vectorizeTiled(rewriter, op, {1, lanes});
    return isRowReduction(generic) ? reduceRows(rewriter, generic, lanes)
                                   : success();
  }

  LogicalResult reduceRows(RewriterBase &rewriter, linalg::GenericOp generic,
                           int64_t lanes) {
    Combine combine = combineOf(generic);
    if (!combine)
      return success();
    int64_t rows = generic.getStaticLoopRanges()[0];
    FailureOr<Operation *> block =
        tile(rewriter, generic, {largestDivisorUpTo(rows, 4), 0});
    if (failed(block))
      return failure();
    vectorizeRows(rewriter, cast<linalg::GenericOp>(*block), combine, lanes);
    return success();
  }
};

} // namespace
} // namespace mlir::fa
