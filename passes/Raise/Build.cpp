// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Raise/Build.h"

#include "passes/Raise/Region.h"
#include "passes/Raise/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fa;
using namespace mlir::fa::raising;

namespace {
class OpWriter {
public:
  OpWriter(Graph &graph, Attention &attention, const Plan &plan,
           const BuildOptions &options)
      : graph(graph), attention(attention), plan(plan), options(options),
        b(attention.root.getLoc(), attention.root.getContext()), views(b),
        reader(graph, attention) {}
  Operation *build();
  std::string reason;

private:
  bool checkTypes();
  Value operand(const Candidate &candidate, ArrayRef<Axes> shape);
  Value sink();
  Value lengthSource(Expr *lengths);
  Value lengths(const Masks &masks);
  bool writeScore(AttentionOp op);
  bool readsProduct(AttentionOp op);
  bool writeMask(AttentionOp op, const Masks &masks);
  AttentionOp makeOp(const Masks &masks);
  void replaceRoot(AttentionOp op);
  void replaceLogSum(AttentionOp op);
  SmallVector<Axes, 4> logSumShape() const {
    return {plan.batch, plan.queryHeads(), plan.row};
  }

  Graph &graph;
  Attention &attention;
  const Plan &plan;
  const BuildOptions &options;
  ImplicitLocOpBuilder b;
  Views views;
  ScoreReader reader;
  Type element, output;
  double factor = 1;
};
} // namespace

static Type elementOf(Value value) {
  return cast<ShapedType>(value.getType()).getElementType();
}

bool OpWriter::checkTypes() {
  element = elementOf(plan.q->value);
  bool alike = elementOf(plan.k->value) == element &&
               elementOf(plan.v->value) == element;
  output = elementOf(attention.root);
  if (!alike) {
    reason = "expects queries, keys and values of one element type";
    return false;
  }
  if (element.isF32()) {
    if (!options.narrowTo) {
      reason = "expects f16 or bf16 operands, got f32 (allow-narrowing rounds "
               "them)";
      return false;
    }
    element = options.narrowTo;
  } else if (!attention.roundsWeights && !options.narrowTo) {
    reason = "expects weights rounded to 16 bits before the product with V, "
             "got f32 (allow-narrowing rounds them)";
    return false;
  }
  if (output != element && !output.isF32()) {
    reason = "expects a result of the operands' element type or f32";
    return false;
  }
  for (const Axes *dims : {&plan.depth, &plan.width}) {
    int64_t dim = extentOf(*dims);
    if (dim <= 0 || dim % 8 || dim > 256) {
      reason = llvm::formatv("expects head dimensions that are multiples of 8 "
                             "up to 256, got {0}",
                             ShapedType::isDynamic(dim)
                                 ? std::string("a dynamic one")
                                 : std::to_string(dim))
                   .str();
      return false;
    }
  }
  return true;
}

Value OpWriter::operand(const Candidate &candidate, ArrayRef<Axes> shape) {
  Value value = views.arrange(candidate.value, axesOfDims(candidate.at), shape);
  if (elementOf(value) == element)
    return value;
  auto type = cast<RankedTensorType>(value.getType()).clone(element);
  return arith::TruncFOp::create(b, type, value);
}

/// The axes of a tensor that is loaded whole; nothing where a part of it is.
static std::optional<Axes> axesOfWhole(Expr *load) {
  Axes own;
  auto shape = cast<ShapedType>(load->source.getType()).getShape();
  for (auto [at, extent] : llvm::zip(load->at, shape)) {
    if (at.offset != 0 || extentOf(at.digits) != extent)
      return std::nullopt;
    own.append(atomsOf(at.digits));
  }
  return own;
}

/// The sink as [Hq] of f32; null where it depends on more than the query head.
Value OpWriter::sink() {
  Expr *load = graph.seeThrough(attention.sink);
  if (load->kind != Kind::Load)
    return nullptr;
  std::optional<Axes> own = axesOfWhole(load);
  if (!own)
    return nullptr;
  auto element = dyn_cast<FloatType>(elementOf(load->source));
  if (*own != plan.queryHeads() || !element || element.getWidth() > 32)
    return nullptr;
  Value value = views.arrange(load->source, axesOfDims(load->at), {*own});
  if (element.isF32())
    return value;
  auto type = cast<RankedTensorType>(value.getType()).clone(b.getF32Type());
  return arith::ExtFOp::create(b, type, value);
}

/// Where the lengths are one number for all of the batch, that number; else the
/// tensor [B] of them. Null where they are arranged in another way.
Value OpWriter::lengthSource(Expr *lengths) {
  if (lengths->kind == Kind::Scalar)
    return lengths->source;
  Expr *load = graph.seeThrough(lengths);
  while (load->is(Fn::Cast))
    load = load->args[0];
  if (load->kind != Kind::Load)
    return nullptr;
  std::optional<Axes> own = axesOfWhole(load);
  if (!own)
    return nullptr;
  if (own->empty()) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    return tensor::ExtractOp::create(b, load->source,
                                     SmallVector<Value>(load->at.size(), zero));
  }
  if (*own != plan.batch)
    return nullptr;
  return views.arrange(load->source, axesOfDims(load->at), {*own});
}

/// `length` + extra as i32, clamped to what i32 holds: the clamp first, so that
/// the sum cannot overflow.
static Value countOf(ImplicitLocOpBuilder &b, Value length, int64_t extra) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  Type i64 = b.getI64Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  if (!length)
    length = number(0);
  else if (isa<IndexType>(length.getType()))
    length = arith::IndexCastOp::create(b, i64, length);
  else if (length.getType().getIntOrFloatBitWidth() < 64)
    length = arith::ExtSIOp::create(b, i64, length);
  length = arith::MinSIOp::create(b, length,
                                  number(kMost - std::max<int64_t>(extra, 0)));
  length = arith::MaxSIOp::create(b, length,
                                  number(-kMost - std::min<int64_t>(extra, 0)));
  length = arith::AddIOp::create(b, length, number(extra));
  return arith::TruncIOp::create(b, b.getI32Type(), length);
}

/// The lengths as [B] of i32.
Value OpWriter::lengths(const Masks &masks) {
  Value source = masks.lengths ? lengthSource(masks.lengths) : Value();
  if (masks.lengths && !source)
    return nullptr;
  SmallVector<AffineMap> maps(1, b.getMultiDimIdentityMap(1));
  SmallVector<Value> inputs;
  if (source && isa<RankedTensorType>(source.getType())) {
    maps.push_back(maps[0]);
    inputs.push_back(source);
  }
  Value init = views.empty({plan.batch}, b.getI32Type());
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder inner(loc, builder);
    Value count =
        countOf(inner, inputs.empty() ? source : args[0], masks.extra);
    linalg::YieldOp::create(inner, count);
  };
  SmallVector<utils::IteratorType> kinds{utils::IteratorType::parallel};
  return linalg::GenericOp::create(b, TypeRange{init.getType()}, inputs,
                                   ValueRange{init}, maps, kinds, body)
      .getResult(0);
}

bool OpWriter::writeScore(AttentionOp op) {
  if (reader.multipleOf(attention.scores))
    return true;
  OpBuilder::InsertionGuard guard(b);
  Type index = b.getIndexType();
  SmallVector<Type> types{b.getF32Type(), index, index, index, index};
  Block *block = b.createBlock(&op.getScore(), {}, types,
                               SmallVector<Location>(5, b.getLoc()));
  RegionWriter writer(graph, plan, b, block->getArguments().drop_front(),
                      &reader, block->getArgument(0), factor);
  Value value = writer.write(attention.scores);
  if (!value) {
    reason = "expects scores that a score region can say, got an operator that "
             "it may not hold";
    return false;
  }
  YieldOp::create(b, value);
  return true;
}

bool OpWriter::writeMask(AttentionOp op, const Masks &masks) {
  if (masks.conditions.empty())
    return true;
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(4, b.getIndexType());
  Block *block = b.createBlock(&op.getKeep(), {}, types,
                               SmallVector<Location>(4, b.getLoc()));
  RegionWriter writer(graph, plan, b, block->getArguments());
  Value all;
  for (const Condition &condition : masks.conditions) {
    Value kept = writer.write(condition);
    if (!kept) {
      reason =
          "expects a mask that a mask region can say, got an operator that "
          "it may not hold";
      return false;
    }
    all = all ? arith::AndIOp::create(b, all, kept).getResult() : kept;
  }
  YieldOp::create(b, all);
  return true;
}

AttentionOp OpWriter::makeOp(const Masks &masks) {
  Value q = operand(*plan.q, plan.qShape()),
        k = operand(*plan.k, plan.kShape()),
        v = operand(*plan.v, plan.vShape());
  SmallVector<Value> inits{views.empty(plan.oShape(), output)};
  if (attention.logSum)
    inits.push_back(views.empty(logSumShape(), b.getF32Type()));
  Value kvLengths = masks.hasLengths ? lengths(masks) : Value();
  if (masks.hasLengths && !kvLengths) {
    reason = "expects key lengths that depend on the batch alone";
    return nullptr;
  }
  Value joining = attention.sink ? sink() : Value();
  if (attention.sink && !joining) {
    reason = "expects a sink that depends on the query head alone";
    return nullptr;
  }
  double scale = factor * attention.dotFactor * plan.q->factor * plan.k->factor;
  auto op = AttentionOp::create(
      b, TypeRange(ValueRange(inits)), q, k, v, inits,
      /*q_lengths=*/Value(), kvLengths, /*q_offsets=*/Value(),
      /*kv_offsets=*/Value(), /*sink=*/joining, /*scale_value=*/Value(),
      /*at=*/ValueRange{}, b.getF32FloatAttr(scale), masks.attribute,
      LayoutAttr::get(b.getContext(), plan.layout), /*schedule=*/nullptr);
  return op;
}

/// Whether the op's regions read something that the product of Q and K went
/// into, so that this would still be computed.
bool OpWriter::readsProduct(AttentionOp op) {
  if (!attention.product)
    return false;
  Operation *product = attention.product.getDefiningOp();
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::SetVector<Operation *> open;
  for (Value value : captured)
    if (Operation *producer = value.getDefiningOp())
      open.insert(producer);
  for (size_t i = 0; i < open.size(); ++i) {
    if (open[i] == product)
      return true;
    for (Value operand : open[i]->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        open.insert(producer);
  }
  return false;
}

void OpWriter::replaceRoot(AttentionOp op) {
  Value result = op.getResults()[0];
  Value arranged =
      views.arrange(result, plan.oShape(), axesOfDims(attention.at));
  if (arranged.getType() != attention.root.getType())
    arranged = tensor::CastOp::create(b, attention.root.getType(), arranged);
  attention.root.replaceAllUsesWith(arranged);
}

void OpWriter::replaceLogSum(AttentionOp op) {
  Value arranged = views.arrange(op.getResults()[1], logSumShape(),
                                 axesOfDims(attention.logSumAt));
  Type wanted = attention.logSum.getType();
  auto element = cast<FloatType>(elementOf(attention.logSum));
  auto type = cast<RankedTensorType>(arranged.getType()).clone(element);
  if (element.getWidth() < 32)
    arranged = arith::TruncFOp::create(b, type, arranged);
  else if (element.getWidth() > 32)
    arranged = arith::ExtFOp::create(b, type, arranged);
  if (arranged.getType() != wanted)
    arranged = tensor::CastOp::create(b, wanted, arranged);
  attention.logSum.replaceAllUsesWith(arranged);
  attention.logSum = arranged;
}

Operation *OpWriter::build() {
  if (!checkTypes())
    return nullptr;
  b.setInsertionPoint(attention.root.getDefiningOp());
  for (const Candidate *candidate : {plan.q, plan.k, plan.v})
    views.learn(candidate->value, candidate->at);
  if (!views.knows(attention.batch) || !views.knows(attention.row) ||
      !views.knows(attention.key)) {
    reason = "expects dynamic dimensions that can be read off the operands";
    return nullptr;
  }
  MaskReader masks(graph, plan);
  factor = reader.commonFactor();
  Masks read = masks.read(attention.layers);
  AttentionOp op = makeOp(read);
  if (!op)
    return nullptr;
  if (!writeScore(op) || !writeMask(op, read)) {
    op.erase();
    return nullptr;
  }
  if (readsProduct(op)) {
    reason = "expects scores that nothing else reads, got a reduction of them "
             "among the scores";
    op.erase();
    return nullptr;
  }
  replaceRoot(op);
  if (attention.logSum)
    replaceLogSum(op);
  return op;
}

Operation *mlir::fa::raising::buildAttention(Graph &graph, Attention &attention,
                                             const Plan &plan,
                                             const BuildOptions &options,
                                             std::string &reason) {
  OpWriter writer(graph, attention, plan, options);
  Operation *op = writer.build();
  if (!op)
    reason = writer.reason;
  return op;
}
