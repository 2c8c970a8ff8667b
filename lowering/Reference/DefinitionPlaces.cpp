// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where elements stand in memory, and the loops over keys and over columns.
#include "lowering/Reference/Definition.h"

using namespace mlir;
using namespace mlir::fa;

/// The key/value head that `head` reads.
Value Definition::keyHead(Value head) {
  Value queryHeads = extent(op.getQ(), op.getHeadDim());
  Value keyHeads = extent(op.getK(), op.getHeadDim());
  Value group = arith::DivUIOp::create(b, queryHeads, keyHeads);
  return arith::DivUIOp::create(b, head, group);
}

SmallVector<Value> Definition::place(Value batch, Value head, Value place) {
  if (op.isPacked())
    return {place, head};
  if (op.getLayout() == Layout::BSHD)
    return {batch, place, head};
  return {batch, head, place};
}

Value Definition::load(Value memref, Value batch, Value head, Value place,
                       Value d) {
  SmallVector<Value> at = this->place(batch, head, place);
  at.push_back(d);
  return memref::LoadOp::create(b, memref, at);
}

/// The batch's length within [0, extent], or the extent where there are none.
Value Definition::lengthOr(Value lengths, Value batch, Value extent) {
  if (!lengths)
    return extent;
  return clamp(memref::LoadOp::create(b, lengths, batch), extent);
}

Value Definition::clamp(Value length, Value extent) {
  Value x = arith::IndexCastOp::create(b, b.getIndexType(), length);
  x = arith::MaxSIOp::create(b, x, index(0));
  return arith::MinSIOp::create(b, x, extent);
}

/// x as the input's type would hold it, in the low kernel.
Value Definition::rounded(Value x) {
  if (!low)
    return x;
  return toWide(arith::TruncFOp::create(b, narrow, x));
}

Value Definition::forKeptKeys(const Row &row, Value init,
                              function_ref<Value(Value, Value)> body) {
  ValueRange inits = init ? ValueRange(init) : ValueRange();
  auto loop = scf::ForOp::create(b, index(0), row.keyLength, index(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value key = loop.getInductionVar();
  Value carried = init ? loop.getRegionIterArg(0) : Value();
  auto branch = scf::IfOp::create(b, inits.getTypes(), keep(row, key),
                                  /*withElseRegion=*/bool(init));
  if (init)
    scf::YieldOp::create(b, branch.getResults());
  b.setInsertionPointToStart(branch.thenBlock());
  Value next = body(key, carried);
  if (!init)
    return Value();
  scf::YieldOp::create(b, next);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, carried);
  return loop.getResult(0);
}

void Definition::forEachSum(function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, index(0), index(op.getVDim()), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}
