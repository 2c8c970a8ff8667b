// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Embed/Problem.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::fa;

namespace {
/// Builds the function around the copy of one op.
class Lifter {
public:
  Lifter(AttentionOp op, OpBuilder &b) : op(op), b(b) {}

  Problem run();

private:
  BlockArgument addArgument(Value value, StringRef name, Type type);
  void addOperands();
  void addCaptures();
  void copyOp();

  AttentionOp op;
  OpBuilder &b;
  Problem problem;
  func::FuncOp func;
  IRMapping mapping;
  SmallVector<Value> operands;
  SmallVector<Attribute> attributes; // of the arguments
};
} // namespace

BlockArgument Lifter::addArgument(Value value, StringRef name, Type type) {
  problem.values[name] = value;
  return func.getBody().front().addArgument(type, op.getLoc());
}

/// An argument for each operand, also where two of them are one value. The
/// copy's operands follow in the op's order.
void Lifter::addOperands() {
  auto add = [&](Value value, StringRef name) {
    if (value)
      operands.push_back(addArgument(value, name, value.getType()));
  };
  add(op.getQ(), "q");
  add(op.getK(), "k");
  add(op.getV(), "v");
  add(op.getOutput(), "o");
  add(op.getLse(), "lse");
  add(op.getQLengths(), "q_lengths");
  add(op.getKvLengths(), "kv_lengths");
  add(op.getQOffsets(), "q_offsets");
  add(op.getKvOffsets(), "kv_offsets");
  add(op.getSink(), "sink");
  add(op.getScaleValue(), "scale");
  for (Value position : op.getAt())
    add(position, "at");
}

/// What the regions read becomes arguments with names; constants are copied,
/// and indices travel as i64.
void Lifter::addCaptures() {
  SetVector<Value> captures;
  getUsedValuesDefinedAbove(op->getRegions(), captures);
  for (auto [number, value] : llvm::enumerate(captures)) {
    Operation *definition = value.getDefiningOp();
    if (definition && matchPattern(value, m_Constant())) {
      mapping.map(value, b.clone(*definition)->getResult(0));
      continue;
    }
    std::string name = ("capture" + Twine(number)).str();
    bool isIndex = value.getType().isIndex();
    BlockArgument argument =
        addArgument(value, name, isIndex ? b.getI64Type() : value.getType());
    attributes.resize(argument.getArgNumber(), b.getDictionaryAttr({}));
    attributes.push_back(
        b.getDictionaryAttr(b.getNamedAttr(kNameAttr, b.getStringAttr(name))));
    mapping.map(value, isIndex ? arith::IndexCastOp::create(
                                     b, op.getLoc(), b.getIndexType(), argument)
                               : Value(argument));
  }
}

void Lifter::copyOp() {
  auto copy = cast<AttentionOp>(b.clone(*op, mapping));
  copy->setOperands(operands);
  float scale = op.getScaleOrDefault();
  copy.setScale(APFloat(scale > 0 ? 1.0f : scale < 0 ? -1.0f : 0.0f));
  func::ReturnOp::create(b, op.getLoc(), copy.getResults());
  func.setFunctionType(b.getFunctionType(
      func.getBody().front().getArgumentTypes(), copy.getResultTypes()));
  attributes.resize(func.getNumArguments(), b.getDictionaryAttr({}));
  func.setAllArgAttrs(attributes);
}

Problem Lifter::run() {
  OpBuilder::InsertionGuard guard(b);
  problem.module = ModuleOp::create(b, op.getLoc());
  b.setInsertionPointToStart(problem.module.getBody());
  func = func::FuncOp::create(b, op.getLoc(), "attention",
                              b.getFunctionType({}, {}));
  b.setInsertionPointToStart(func.addEntryBlock());
  addOperands();
  addCaptures();
  copyOp();
  return problem;
}

Problem mlir::fa::liftProblem(AttentionOp op, OpBuilder &b) {
  return Lifter(op, b).run();
}

func::FuncOp mlir::fa::entryOf(ModuleOp module) {
  return *module.getOps<func::FuncOp>().begin();
}

StringRef mlir::fa::argumentName(func::FuncOp entry, unsigned number) {
  if (auto tensor = entry.getArgAttrOfType<TensorAttr>(number, kTensorAttr))
    return tensor.getName();
  return entry.getArgAttrOfType<StringAttr>(number, kNameAttr).getValue();
}
