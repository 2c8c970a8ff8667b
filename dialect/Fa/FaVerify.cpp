// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constraints of fa.attention. Their numbers stand in dialect/README.md and
// name the tests in test/dialect/Fa/invalid.mlir.
#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fa;

/// Extents known to differ; a dynamic one agrees with everything.
static bool differ(int64_t a, int64_t b) {
  return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
}

static LogicalResult verifyExtent(AttentionOp op, Twine what, int64_t found,
                                  int64_t expected) {
  if (!differ(found, expected))
    return success();
  return op.emitOpError() << "expects " << what << " to be " << expected
                          << ", got " << found;
}

/// A2, A3: of the rank that the form asks for, and all tensors or all memrefs.
static LogicalResult verifyForm(AttentionOp op) {
  int64_t rank = op.isPacked() ? 3 : 4;
  for (auto [name, value] : {std::pair<StringRef, Value>{"q", op.getQ()},
                             {"k", op.getK()},
                             {"v", op.getV()},
                             {"o", op.getOutput()}}) {
    int64_t found = cast<ShapedType>(value.getType()).getRank();
    if (found != rank)
      return op.emitOpError() << "expects " << name << " of rank " << rank
                              << ", got " << value.getType();
  }
  bool memrefs = op.isBufferized();
  for (Value value : op->getOperands()) {
    if (!isa<ShapedType>(value.getType()))
      continue;
    if (isa<MemRefType>(value.getType()) != memrefs)
      return op.emitOpError()
             << "expects all operands to be tensors or all to be memrefs, got "
             << op.getQ().getType() << " and " << value.getType();
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType());
        tensor && tensor.getEncoding())
      return op.emitOpError()
             << "expects tensors without an encoding, got " << tensor;
  }
  return success();
}

/// A1, A4, A5: element types.
static LogicalResult verifyElementTypes(AttentionOp op) {
  Type type = op.getQType().getElementType();
  if (!type.isF16() && !type.isBF16())
    return op.emitOpError() << "expects q of f16 or bf16, got " << type;
  for (auto [name, shaped] :
       {std::pair<StringRef, ShapedType>{"k", op.getKType()},
        {"v", op.getVType()}})
    if (shaped.getElementType() != type)
      return op.emitOpError() << "expects " << name << " of q's element type "
                              << type << ", got " << shaped.getElementType();
  Type out = op.getOutputType().getElementType();
  if (out != type && !out.isF32())
    return op.emitOpError() << "expects o of q's element type " << type
                            << " or f32, got " << out;
  return success();
}

/// A6 to A10: the sizes of q, k, v and o.
static LogicalResult verifySizes(AttentionOp op) {
  ShapedType q = op.getQType(), k = op.getKType(), v = op.getVType(),
             o = op.getOutputType();
  for (auto [name, dim] : {std::pair<StringRef, int64_t>{"Dqk", op.getQkDim()},
                           {"Dv", op.getVDim()}})
    if (ShapedType::isDynamic(dim) || dim % 8 != 0 || dim < 8 || dim > 256)
      return op.emitOpError()
             << "expects a static " << name
             << " that is a multiple of 8 from 8 to 256, got "
             << (ShapedType::isDynamic(dim) ? "?" : std::to_string(dim));
  if (failed(verifyExtent(op, "k's head dimension", k.getShape().back(),
                          op.getQkDim())) ||
      failed(verifyExtent(op, "o's head dimension", o.getShape().back(),
                          op.getVDim())))
    return failure();
  unsigned head = op.getHeadDim(), seq = op.getSeqDim();
  if (!op.isPacked())
    for (auto [name, type] :
         {std::pair<StringRef, ShapedType>{"k", k}, {"v", v}, {"o", o}})
      if (failed(verifyExtent(op, name + Twine("'s batch"), type.getDimSize(0),
                              q.getDimSize(0))))
        return failure();
  if (failed(verifyExtent(op, "v's head count", v.getDimSize(head),
                          k.getDimSize(head))) ||
      failed(verifyExtent(op, "v's key count", v.getDimSize(seq),
                          k.getDimSize(seq))) ||
      failed(verifyExtent(op, "o's head count", o.getDimSize(head),
                          q.getDimSize(head))) ||
      failed(verifyExtent(op, "o's query count", o.getDimSize(seq),
                          q.getDimSize(seq))))
    return failure();
  int64_t hq = q.getDimSize(head), hkv = k.getDimSize(head);
  if (!ShapedType::isDynamic(hq) && !ShapedType::isDynamic(hkv) &&
      (hkv == 0 ? hq != 0 : hq % hkv != 0))
    return op.emitOpError()
           << "expects the query heads to be a multiple of the " << hkv
           << " key/value heads, got " << hq;
  return success();
}

/// A 1-D operand: element type and extent.
static LogicalResult verifyVector(AttentionOp op, StringRef name, Value value,
                                  Type type, int64_t extent) {
  if (!value)
    return success();
  auto shaped = cast<ShapedType>(value.getType());
  if (shaped.getRank() == 1 && shaped.getElementType() == type &&
      !differ(shaped.getDimSize(0), extent))
    return success();
  return op.emitOpError() << "expects " << name << " of shape ["
                          << (ShapedType::isDynamic(extent)
                                  ? "?"
                                  : std::to_string(extent))
                          << "] and type " << type << ", got " << shaped;
}

/// A11 to A15: lse, lengths, offsets and sink.
static LogicalResult verifyExtras(AttentionOp op) {
  ShapedType q = op.getQType();
  int64_t heads = q.getDimSize(op.getHeadDim());
  int64_t queries = q.getDimSize(op.getSeqDim());
  Builder b(op.getContext());
  if (Value lse = op.getLse()) {
    auto type = cast<ShapedType>(lse.getType());
    SmallVector<int64_t> shape =
        op.isPacked() ? SmallVector<int64_t>{heads, queries}
                      : SmallVector<int64_t>{q.getDimSize(0), heads, queries};
    bool fits = type.getElementType().isF32() &&
                type.getRank() == static_cast<int64_t>(shape.size());
    for (auto [i, extent] : llvm::enumerate(shape))
      fits = fits && !differ(type.getDimSize(i), extent);
    if (!fits)
      return op.emitOpError() << "expects lse of shape "
                              << (op.isPacked() ? "[Hq, Tq]" : "[B, Hq, Sq]")
                              << " and type f32, got " << type;
  }
  if (static_cast<bool>(op.getQOffsets()) !=
      static_cast<bool>(op.getKvOffsets()))
    return op.emitOpError() << "expects q_offsets and kv_offsets together";
  if (op.isPacked() && (op.getQLengths() || op.getKvLengths()))
    return op.emitOpError()
           << "expects lengths or offsets, not both: offsets give the lengths";
  int64_t batch = op.isPacked() ? ShapedType::kDynamic : q.getDimSize(0);
  Type i32 = b.getI32Type();
  if (failed(verifyVector(op, "q_lengths", op.getQLengths(), i32, batch)) ||
      failed(verifyVector(op, "kv_lengths", op.getKvLengths(), i32, batch)) ||
      failed(verifyVector(op, "q_offsets", op.getQOffsets(), i32,
                          ShapedType::kDynamic)) ||
      failed(verifyVector(op, "sink", op.getSink(), b.getF32Type(), heads)))
    return failure();
  int64_t offsets =
      op.isPacked() ? cast<ShapedType>(op.getQOffsets().getType()).getDimSize(0)
                    : ShapedType::kDynamic;
  if (offsets == 0)
    return op.emitOpError() << "expects q_offsets of at least one entry, got 0";
  return verifyVector(op, "kv_offsets", op.getKvOffsets(), i32, offsets);
}

/// A16 to A19: scale, position, layout and results.
static LogicalResult verifyRest(AttentionOp op) {
  if (op.getScale() && !op.getScale()->isFinite())
    return op.emitOpError()
           << "expects a finite scale, got " << op.getScaleAttr();
  if (op.isTile() && (op.getAt().size() != 4 || op.isPacked()))
    return op.emitOpError() << "expects `at(b, h, i of sq)` with four values, "
                               "in the form with a "
                               "batch dimension";
  if (op.isPacked() && op.getLayout() != Layout::BHSD)
    return op.emitOpError()
           << "expects no layout in the packed form, which has "
              "an order of its own, got "
           << op.getLayoutAttr();
  if (op.getOuts().empty() || op.getOuts().size() > 2)
    return op.emitOpError()
           << "expects one or two outs (o, lse), got " << op.getOuts().size();
  size_t results = op.isBufferized() ? 0 : op.getOuts().size();
  if (op.getNumResults() != results)
    return op.emitOpError()
           << "expects " << results << " results, got " << op.getNumResults();
  for (auto [out, result] : llvm::zip(op.getOuts(), op.getResults()))
    if (out.getType() != result.getType())
      return op.emitOpError() << "expects a result of its destination's type "
                              << out.getType() << ", got " << result.getType();
  return success();
}

/// A20: a unit stride along the last dimension of q, k, v and o, and outs whose
/// elements all have a place of their own.
static LogicalResult verifyStrides(AttentionOp op) {
  for (auto [name, value] : {std::pair<StringRef, Value>{"q", op.getQ()},
                             {"k", op.getK()},
                             {"v", op.getV()},
                             {"o", op.getOutput()}}) {
    auto type = cast<MemRefType>(value.getType());
    if (type.isLastDimUnitStride())
      continue;
    return op.emitOpError() << "expects " << name
                            << " with a unit stride along its last dimension, "
                               "got "
                            << type;
  }
  for (Value out : op.getOuts()) {
    auto type = cast<MemRefType>(out.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      continue; // refused by the operand's own constraint
    for (auto [extent, stride] : llvm::zip(type.getShape(), strides))
      if (stride == 0 && extent != 1)
        return op.emitOpError()
               << "expects " << (out == op.getOutput() ? "o" : "lse")
               << " without a stride of 0, since it is written, got " << type;
  }
  return success();
}

/// A21: what is written is neither read nor written a second time. Views that
/// overlap are seen at launch only.
static LogicalResult verifyOverlap(AttentionOp op) {
  for (Value out : op.getOuts()) {
    StringRef name = out == op.getOutput() ? "o" : "lse";
    if (llvm::count(op->getOperands(), out) > 1)
      return op.emitOpError()
             << "expects " << name
             << " to overlap no other operand, got the same memref twice";
    for (Operation *user : out.getUsers())
      if (op->isProperAncestor(user))
        return user->emitOpError() << "expects a region that does not touch "
                                   << name << ", which fa.attention writes";
  }
  return success();
}

LogicalResult AttentionOp::verify() {
  if (getOuts().empty())
    return emitOpError() << "expects one or two outs (o, lse), got 0";
  if (failed(verifyForm(*this)) || failed(verifyElementTypes(*this)) ||
      failed(verifySizes(*this)) || failed(verifyExtras(*this)) ||
      failed(verifyRest(*this)))
    return failure();
  if (!isBufferized())
    return success();
  return failure(failed(verifyStrides(*this)) || failed(verifyOverlap(*this)));
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// What an op in a region may compute: chips have no other scalars.
static bool isScalar(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.getWidth() <= 64;
  return isa<IndexType, Float16Type, BFloat16Type, Float32Type, Float64Type>(
      type);
}

/// The ops that a score or mask region may hold; the op's description lists
/// them for people.
static bool isAllowedInRegion(Operation *op) {
  if (op->getNumRegions() != 0 || !llvm::all_of(op->getResultTypes(), isScalar))
    return false;
  if (isa_and_nonnull<arith::ArithDialect>(op->getDialect()))
    return true;
  // No back end has these functions for f64.
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
      llvm::any_of(op->getOperandTypes(), [](Type t) { return t.isF64(); }))
    return false;
  return isa<math::AbsFOp, math::CeilOp, math::CopySignOp, math::ExpOp,
             math::Exp2Op, math::FloorOp, math::FmaOp, math::LogOp,
             math::Log2Op, math::PowFOp, math::RoundEvenOp, math::RsqrtOp,
             math::SqrtOp, math::TanhOp, tensor::ExtractOp, tensor::DimOp,
             memref::LoadOp, memref::DimOp, affine::AffineApplyOp, YieldOp>(op);
}

/// A22, A23: arguments and value of a region, and the ops that it holds.
static LogicalResult verifyRegion(AttentionOp op, StringRef name,
                                  Region &region, TypeRange arguments,
                                  Type yielded) {
  if (region.empty())
    return success();
  Block &block = region.front();
  if (block.getArgumentTypes() != arguments)
    return op.emitOpError()
           << "expects a " << name << " region with arguments " << arguments
           << ", got " << block.getArgumentTypes();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op.emitOpError()
           << "expects a " << name << " region that ends with fa.yield";
  if (yield.getValue().getType() != yielded)
    return yield.emitOpError() << "expects " << yielded << " from a " << name
                               << " region, got " << yield.getValue().getType();
  for (Operation &inner : block)
    if (!isAllowedInRegion(&inner))
      return inner.emitError()
             << "'" << inner.getName() << "' is not supported in a " << name
             << " region: it may hold, on scalars of at most 64 bits, arith "
                "ops, affine.apply, reads (tensor.extract, memref.load) and "
                "dims, and on f16, bf16 and f32 absf, ceil, copysign, exp, "
                "exp2, floor, fma, log, log2, powf, roundeven, rsqrt, sqrt and "
                "tanh of math, got operands ("
             << inner.getOperandTypes() << ")";
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  Builder b(getContext());
  Type index = b.getIndexType(), f32 = b.getF32Type(), i1 = b.getI1Type();
  if (failed(verifyRegion(*this, "score", getScore(),
                          {f32, index, index, index, index}, f32)))
    return failure();
  return verifyRegion(*this, "mask", getKeep(), {index, index, index, index},
                      i1);
}
