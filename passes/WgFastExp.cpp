// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// async: exp2((s - m) * c) takes one multiply-add where that is harmless. With
// n = -fl(m * c), exp2(fma(s, c, n)) is off by half an ulp of n in the
// exponent: below |n| = 2^12 that is less than what rounding P costs. A warp
// none of whose rows is past that takes the fast form; another one takes
// exp2(fma(s - b, c, n)) with (b, n) = (m, 0) in the rows that are, (0, n) in
// the others, so that a row's bits do not depend on the rows beside it. Sums
// and roundings of the exponentials go into the branches with them: ptxas does
// not mix instructions of several blocks.
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"
#include "passes/WgKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fa {
#define GEN_PASS_DEF_WGFASTEXP
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

static constexpr float kHarmless = 4096;

namespace {
/// A map that is exp2((scores - reference) * factor).
struct Exponential {
  wg::MapOp map;
  Value scores, reference, factor;
};
} // namespace

static std::optional<Exponential> match(wg::MapOp map) {
  Block &body = map.getBody().front();
  if (map.getNumOperands() != 2 || !llvm::hasNItems(body, 4) ||
      !isa<wg::FragType>(map.getType()))
    return std::nullopt;
  auto exp = map.getYielded().getDefiningOp<math::Exp2Op>();
  auto scaled =
      exp ? exp.getOperand().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!scaled)
    return std::nullopt;
  auto difference = scaled.getLhs().getDefiningOp<arith::SubFOp>();
  Value factor = scaled.getRhs();
  auto x = difference ? dyn_cast<BlockArgument>(difference.getLhs())
                      : BlockArgument();
  auto y = difference ? dyn_cast<BlockArgument>(difference.getRhs())
                      : BlockArgument();
  if (!x || !y || x.getOwner() != &body || y.getOwner() != &body ||
      factor.getParentBlock() == &body)
    return std::nullopt;
  Value scores = map.getOperand(x.getArgNumber());
  Value reference = map.getOperand(y.getArgNumber());
  if (!isa<wg::FragType>(scores.getType()) ||
      !isa<wg::RowsType>(reference.getType()))
    return std::nullopt;
  return Exponential{map, scores, reference, factor};
}

using MapBody = function_ref<Value(OpBuilder &, ValueRange)>;

/// A map of `operands`' f32 elements to `type`.
static Value makeMap(OpBuilder &b, Location loc, Type type, ValueRange operands,
                     MapBody body) {
  auto map = wg::MapOp::create(b, loc, type, operands);
  Block &block = map.getBody().emplaceBlock();
  for (unsigned i = 0; i < operands.size(); ++i)
    block.addArgument(b.getF32Type(), loc);
  block.addArgument(b.getIndexType(), loc);
  if (isa<wg::FragType>(type))
    block.addArgument(b.getIndexType(), loc);
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  wg::YieldOp::create(inner, loc, body(inner, block.getArguments()));
  return map.getResult();
}

/// Whether n is past the bound, or no number.
static Value isFar(OpBuilder &b, Location loc, Value n) {
  Value size = math::AbsFOp::create(b, loc, n);
  Value bound = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(kHarmless));
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGE, size, bound);
}

/// exp2(fma(score [- base], factor, n))
static Value exponential(OpBuilder &b, Exponential found, ValueRange operands) {
  Location loc = found.map.getLoc();
  return makeMap(b, loc, found.map.getType(), operands,
                 [&](OpBuilder &inner, ValueRange args) -> Value {
                   Value x = args[0];
                   if (operands.size() == 3)
                     x = arith::SubFOp::create(inner, loc, x, args[2]);
                   Value e = math::FmaOp::create(inner, loc, x, found.factor,
                                                 args[1]);
                   return math::Exp2Op::create(inner, loc, e);
                 });
}

/// Ends a branch: what the readers make of `exponentials`, and those themselves
/// where there are other readers.
static void yieldRead(OpBuilder &b, Exponential found, Value exponentials,
                      const PartReaders &readers) {
  SmallVector<Value> results;
  IRMapping mapping;
  mapping.map(found.map.getResult(), exponentials);
  for (Operation *reader : readers.ops)
    results.push_back(b.clone(*reader, mapping)->getResult(0));
  if (!readers.all)
    results.push_back(exponentials);
  scf::YieldOp::create(b, found.map.getLoc(), results);
}

/// The exponentials where some row of the warp is past the bound.
static Value careful(OpBuilder &b, Exponential found, Value n) {
  Location loc = found.map.getLoc();
  Type rows = found.reference.getType();
  auto pick = [&](Value near, Value far) {
    return makeMap(b, loc, rows, {n, near, far},
                   [&](OpBuilder &inner, ValueRange args) -> Value {
                     Value past = isFar(inner, loc, args[0]);
                     return arith::SelectOp::create(inner, loc, past, args[2],
                                                    args[1]);
                   });
  };
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  Value none = wg::SplatOp::create(b, loc, rows, zero);
  Value base = pick(none, found.reference), rest = pick(n, none);
  return exponential(b, found, {found.scores, rest, base});
}

static void makeFast(Exponential found) {
  wg::MapOp map = found.map;
  PartReaders readers = readersByPart(map);
  SmallVector<Operation *> replaced = readers.ops;
  if (!readers.all)
    replaced.push_back(map);
  OpBuilder b(readers.ops.empty() ? map : readers.ops.back());
  Location loc = map.getLoc();
  Value n = makeMap(b, loc, found.reference.getType(), found.reference,
                    [&](OpBuilder &inner, ValueRange args) -> Value {
                      Value product = arith::MulFOp::create(inner, loc, args[0],
                                                            found.factor);
                      return arith::NegFOp::create(inner, loc, product);
                    });
  auto vote = wg::AnyOp::create(b, loc, b.getI1Type(), n);
  Block &block = vote.getBody().emplaceBlock();
  Value each = block.addArgument(b.getF32Type(), loc);
  OpBuilder asks = OpBuilder::atBlockEnd(&block);
  wg::YieldOp::create(asks, loc, isFar(asks, loc, each));
  auto types = llvm::map_to_vector(
      replaced, [](Operation *op) { return op->getResult(0).getType(); });
  auto branch = scf::IfOp::create(b, loc, types, vote.getResult(),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder safe = branch.getThenBodyBuilder();
  yieldRead(safe, found, careful(safe, found, n), readers);
  OpBuilder fast = branch.getElseBodyBuilder();
  yieldRead(fast, found, exponential(fast, found, {found.scores, n}), readers);
  for (auto [op, result] : llvm::zip_equal(replaced, branch.getResults()))
    op->getResult(0).replaceAllUsesWith(result);
  for (Operation *reader : readers.ops)
    reader->erase();
  map.erase();
}

namespace {
struct FastExpPass : mlir::fa::impl::WgFastExpBase<FastExpPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"values", "async"})))
      return signalPassFailure();
    for (gpu::GPUFuncOp kernel : findKernels(module)) {
      if (!kernel->hasAttr(kTmaAttr))
        continue;
      for (wg::MapOp map : findOps<wg::MapOp>(kernel))
        if (std::optional<Exponential> found = match(map))
          makeFast(*found);
    }
  }
};
} // namespace
