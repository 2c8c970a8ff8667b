// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// To be read beside the op's documentation, and to be as plain.
#include "lowering/Reference/Definition.h"

#include "lowering/Reference/WideRegion.h"

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// The parallel loop over all rows.
void Definition::build() {
  SmallVector<Value> extents;
  if (op.isPacked())
    extents = {extent(op.getQ(), 1), extent(op.getQ(), 0)};
  else
    extents = {extent(op.getQ(), 0), extent(op.getQ(), op.getHeadDim()),
               extent(op.getQ(), op.getSeqDim())};
  auto loop = scf::ForallOp::create(b, getAsOpFoldResult(extents), ValueRange(),
                                    std::nullopt);
  b.setInsertionPoint(loop.getTerminator());
  SmallVector<Value> at(loop.getInductionVars());
  // One row of sums, wherever the row turns out to stand.
  Value sums =
      memref::AllocaOp::create(b, MemRefType::get({op.getVDim()}, wide));
  if (op.isPacked()) {
    buildPackedRow(at[0], at[1], sums);
    return;
  }
  Value zero = index(0);
  Value queries = lengthOr(op.getQLengths(), at[0], extents[2]);
  Value keys =
      lengthOr(op.getKvLengths(), at[0], extent(op.getK(), op.getSeqDim()));
  buildRow({at[0], at[1], at[2], at[2], zero, queries, keys}, sums);
}

/// The row of one token: the sequence that it is in gives the rest.
void Definition::buildPackedRow(Value head, Value token, Value sums) {
  Value one = index(1);
  Value batches = arith::SubIOp::create(b, extent(op.getQOffsets(), 0), one);
  Value tokens = extent(op.getQ(), 0), keys = extent(op.getK(), 0);
  auto loop = scf::ForOp::create(b, index(0), batches, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value batch = loop.getInductionVar();
  Value after = arith::AddIOp::create(b, batch, one);
  auto offset = [&](Value offsets, Value at, Value extent) {
    return clamp(memref::LoadOp::create(b, offsets, at), extent);
  };
  Value begin = offset(op.getQOffsets(), batch, tokens);
  Value end = offset(op.getQOffsets(), after, tokens);
  Value keyBegin = offset(op.getKvOffsets(), batch, keys);
  Value keyEnd = offset(op.getKvOffsets(), after, keys);
  Value inside =
      arith::AndIOp::create(b, isInt(arith::CmpIPredicate::sge, token, begin),
                            isInt(arith::CmpIPredicate::slt, token, end));
  auto branch = scf::IfOp::create(b, inside, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  buildRow({batch, head, arith::SubIOp::create(b, token, begin), token,
            keyBegin, arith::SubIOp::create(b, end, begin),
            arith::SubIOp::create(b, keyEnd, keyBegin)},
           sums);
}

void Definition::buildRow(Row row, Value sums) {
  // A row past its sequence's length keeps no key and no sink.
  Value exists = isInt(arith::CmpIPredicate::slt, row.query, row.queryLength);
  row.keyLength = select(exists, row.keyLength, index(0));

  Value max = maximum(row);
  Value sink;
  if (op.getSink()) {
    sink = toWide(memref::LoadOp::create(b, op.getSink(), row.head));
    sink = select(exists, sink, minusInfinity());
    max = arith::MaximumFOp::create(b, max, sink);
  }
  // Where nothing is kept, exp(s - m) must be 0 and not NaN.
  Value none = isReal(arith::CmpFPredicate::OEQ, max, minusInfinity());
  max = select(none, real(0), max);

  Value sum = sumOfExponentials(row, max);
  if (sink)
    sum =
        arith::AddFOp::create(b, sum, exp(arith::SubFOp::create(b, sink, max)));
  addValues(row, max, sum, sums);
  store(row, max, sum, sums);
}

//===----------------------------------------------------------------------===//
// The definition's terms
//===----------------------------------------------------------------------===//

Value Definition::maximum(const Row &row) {
  return forKeptKeys(row, minusInfinity(), [&](Value key, Value max) -> Value {
    return arith::MaximumFOp::create(b, max, score(row, key));
  });
}

Value Definition::sumOfExponentials(const Row &row, Value max) {
  return forKeptKeys(row, real(0), [&](Value key, Value sum) -> Value {
    Value term = exp(arith::SubFOp::create(b, score(row, key), max));
    return arith::AddFOp::create(b, sum, term);
  });
}

/// sums[d] = sum over kept j of p(j) * v[j, d], with p not yet divided by the
/// sum of exponentials, except where p is to be rounded.
void Definition::addValues(const Row &row, Value max, Value sum, Value sums) {
  forEachSum([&](Value d) { memref::StoreOp::create(b, real(0), sums, d); });
  Value empty = isReal(arith::CmpFPredicate::OEQ, sum, real(0));
  Value divisor = select(empty, real(1), sum);
  Value keyHead = this->keyHead(row.head);
  forKeptKeys(row, Value(), [&](Value key, Value) -> Value {
    Value p = exp(arith::SubFOp::create(b, score(row, key), max));
    if (low)
      p = rounded(arith::DivFOp::create(b, p, divisor));
    Value at = arith::AddIOp::create(b, row.keyPlace, key);
    forEachSum([&](Value d) {
      Value v = toWide(load(op.getV(), row.batch, keyHead, at, d));
      Value product = arith::MulFOp::create(b, p, v);
      Value old = memref::LoadOp::create(b, sums, d);
      memref::StoreOp::create(b, arith::AddFOp::create(b, old, product), sums,
                              d);
    });
    return Value();
  });
}

/// s(j): the scaled product, through the score region where there is one.
Value Definition::score(const Row &row, Value key) {
  Value scale = op.getScaleValue() ? toWide(op.getScaleValue())
                                   : real(op.getScaleOrDefault());
  Value s = rounded(arith::MulFOp::create(b, scale, dot(row, key)));
  if (!op.hasScoreRegion())
    return s;
  Value arguments[] = {s, row.batch, row.head, row.query, key};
  return rounded(cloneRegionWide(b, op.getScore(), arguments, wide));
}

Value Definition::dot(const Row &row, Value key) {
  Value keyHead = this->keyHead(row.head);
  Value at = arith::AddIOp::create(b, row.keyPlace, key);
  Value zero = index(0);
  auto loop = scf::ForOp::create(b, zero, index(op.getQkDim()), index(1),
                                 ValueRange{real(0)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value d = loop.getInductionVar();
  Value q = toWide(load(op.getQ(), row.batch, row.head, row.queryPlace, d));
  Value k = toWide(load(op.getK(), row.batch, keyHead, at, d));
  // In any order, so that LLVM can use vectors.
  auto anyOrder =
      arith::FastMathFlags::reassoc | arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(b, q, k, anyOrder);
  Value sum =
      arith::AddFOp::create(b, loop.getRegionIterArg(0), product, anyOrder);
  scf::YieldOp::create(b, sum);
  return loop.getResult(0);
}

/// Whether the mask keeps `key` for the row. Both exist.
Value Definition::keep(const Row &row, Value key) {
  MaskAttr mask = op.getMaskOrDefault();
  Value diagonal = row.query;
  if (mask.getAlignment() == Alignment::BottomRight)
    diagonal = arith::AddIOp::create(
        b, row.query, arith::SubIOp::create(b, row.keyLength, row.queryLength));
  Value kept = arith::ConstantOp::create(b, b.getBoolAttr(true));
  auto restrict = [&](Value condition) {
    kept = arith::AndIOp::create(b, kept, condition);
  };
  if (mask.getCausal())
    restrict(isInt(arith::CmpIPredicate::sle, key, diagonal));
  if (std::optional<int64_t> right = mask.getRight())
    restrict(isInt(arith::CmpIPredicate::sle, key,
                   arith::AddIOp::create(b, diagonal, index(*right))));
  if (std::optional<int64_t> left = mask.getLeft())
    restrict(isInt(arith::CmpIPredicate::sge, key,
                   arith::SubIOp::create(b, diagonal, index(*left))));
  if (op.hasKeepRegion()) {
    Value arguments[] = {row.batch, row.head, row.query, key};
    restrict(cloneRegionWide(b, op.getKeep(), arguments, wide));
  }
  return kept;
}

void Definition::store(const Row &row, Value max, Value sum, Value sums) {
  Value empty = isReal(arith::CmpFPredicate::OEQ, sum, real(0));
  Value divisor = low ? real(1) : select(empty, real(1), sum);
  auto toF64 = [&](Value x) -> Value {
    return wide.isF64() ? x : arith::ExtFOp::create(b, b.getF64Type(), x);
  };
  forEachSum([&](Value d) {
    Value o = memref::LoadOp::create(b, sums, d);
    o = rounded(arith::DivFOp::create(b, o, divisor));
    SmallVector<Value> at = place(row.batch, row.head, row.queryPlace);
    at.push_back(d);
    memref::StoreOp::create(b, toF64(o), op.getOutput(), at);
  });
  if (!op.getLse())
    return;
  Value lse = arith::AddFOp::create(b, max, math::LogOp::create(b, sum));
  lse = select(empty, minusInfinity(), lse);
  SmallVector<Value> at = {row.batch, row.head, row.query};
  if (op.isPacked())
    at = {row.head, row.queryPlace};
  memref::StoreOp::create(b, toF64(lse), op.getLse(), at);
}
