// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Fa/FaDialect.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FAENTRYTOBUFFERS
#include "passes/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// Finding the entry
//===----------------------------------------------------------------------===//

/// The attention op of the entry function, with an error where there is not
/// exactly one.
static FailureOr<AttentionOp> findAttention(ModuleOp module, StringRef entry) {
  SmallVector<AttentionOp> found;
  module.walk([&](AttentionOp op) {
    auto func = dyn_cast<func::FuncOp>(op->getParentOp());
    if (entry.empty() || (func && func.getSymName() == entry))
      found.push_back(op);
  });
  if (!entry.empty() && !module.lookupSymbol<func::FuncOp>(entry))
    return module.emitError() << "expects a function named '" << entry
                              << "' (the entry), found none";
  if (found.empty())
    return module.emitError()
           << "expects one fa.attention"
           << (entry.empty() ? "" : " in function '" + entry.str() + "'")
           << ", found none";
  if (found.size() > 1) {
    InFlightDiagnostic diag =
        found[1].emitOpError()
        << "is not the only one: expects one a module, or "
           "one in the entry function, found "
        << found.size()
        << "; modules with several, or with other code "
           "around them, are for the embedding pipelines";
    diag.attachNote(found[0].getLoc()) << "first one here";
    return diag;
  }
  if (!isa<func::FuncOp>(found[0]->getParentOp()))
    return found[0].emitOpError()
           << "expects to stand directly in a func.func, got '"
           << found[0]->getParentOp()->getName() << "'";
  return found[0];
}

/// Only what an artefact can hold may stand beside the attention op.
static LogicalResult checkOtherOps(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitError() << "expects an entry function of one block, got "
                            << func.getBody().getBlocks().size();
  for (Operation &op : func.getBody().front()) {
    if (isa<AttentionOp, func::ReturnOp, arith::ConstantOp, tensor::EmptyOp,
            tensor::DimOp, tensor::CastOp>(op) ||
        isa<CastOpInterface>(op))
      continue;
    return op.emitError()
           << "'" << op.getName()
           << "' beside fa.attention: an entry function may only hold "
              "constants, tensor.empty and casts; code around attention is for "
              "the embedding pipelines";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Names and shapes of the arguments
//===----------------------------------------------------------------------===//

namespace {
/// A tensor of the artefact: its name and the names of its dynamic extents.
struct Role {
  StringRef name;
  SmallVector<StringRef> symbols;
};

/// Rewrites the entry function of one attention op.
class EntryRewriter {
public:
  EntryRewriter(AttentionOp op)
      : op(op), func(cast<func::FuncOp>(op->getParentOp())), b(op) {
    nameRoles();
  }

  LogicalResult run();

private:
  void nameRoles();
  LogicalResult checkRoles();
  LogicalResult checkType(BlockArgument argument);
  LogicalResult convertArguments();
  LogicalResult convertArgument(BlockArgument argument);
  LogicalResult convertResults();
  void addScale();
  void describeProblem();
  FailureOr<StringRef> nameOf(BlockArgument argument);
  ShapedType launchType(ShapedType type, StringRef name);
  MemRefType bufferType(ShapedType type, StringRef name);
  TensorAttr describe(ShapedType type, StringRef name, bool output);
  BlockArgument addArgument(Type type, DictionaryAttr attrs, Location loc);

  AttentionOp op;
  func::FuncOp func;
  OpBuilder b;
  DenseMap<Value, Role> roles;
  llvm::StringMap<SmallVector<StringRef>> symbolsOf;
  /// Extents that some operand states statically, by their names.
  llvm::StringMap<int64_t> extents;
  llvm::StringMap<Location> taken;
  SmallVector<Type> argTypes;
  SmallVector<Attribute> argAttrs;
  unsigned numOld = 0;
};
} // namespace

void EntryRewriter::nameRoles() {
  SmallVector<StringRef> q, kv, o, lse{"B", "Hq", "Sq"};
  if (op.isPacked()) {
    q = {"Tq", "Hq", ""};
    kv = {"Tk", "Hkv", ""};
    lse = {"Hq", "Tq"};
  } else if (op.getLayout() == Layout::BSHD) {
    q = {"B", "Sq", "Hq", ""};
    kv = {"B", "Sk", "Hkv", ""};
  } else {
    q = {"B", "Hq", "Sq", ""};
    kv = {"B", "Hkv", "Sk", ""};
  }
  auto add = [&](Value value, StringRef name, ArrayRef<StringRef> symbols) {
    if (!value)
      return;
    symbolsOf[name] = SmallVector<StringRef>(symbols);
    // A tensor in two roles keeps the first; convertArgument refuses it.
    roles.try_emplace(value, Role{name, SmallVector<StringRef>(symbols)});
  };
  add(op.getQ(), "q", q);
  add(op.getK(), "k", kv);
  add(op.getV(), "v", kv);
  add(op.getQLengths(), "q_lengths", {"B"});
  add(op.getKvLengths(), "kv_lengths", {"B"});
  add(op.getQOffsets(), "q_offsets", {"B+1"});
  add(op.getKvOffsets(), "kv_offsets", {"B+1"});
  add(op.getSink(), "sink", {"Hq"});
  add(op.getScaleValue(), "scale", {});
  add(op.getOutput(), "o", q);
  add(op.getLse(), "lse", lse);
}

/// The op's inputs are the artefact's tensors, and what one of them states
/// about an extent holds for all that share it.
LogicalResult EntryRewriter::checkRoles() {
  if (op.isTile())
    return op.emitOpError() << "expects no `at`, which says where a tile of a "
                               "larger problem stands";
  for (Value operand : op->getOperands()) {
    auto shaped = dyn_cast<ShapedType>(operand.getType());
    auto role = roles.find(operand);
    if (!shaped || role == roles.end())
      continue;
    if (!isa<BlockArgument>(operand) &&
        !llvm::is_contained(op.getOuts(), operand))
      return op.emitOpError()
             << "expects " << role->second.name
             << " to be an argument of the entry function, got " << operand;
    shaped = launchType(shaped, role->second.name);
    for (auto [name, extent] :
         llvm::zip(role->second.symbols, shaped.getShape())) {
      if (ShapedType::isDynamic(extent) || name.empty())
        continue;
      int64_t known = extents.try_emplace(name, extent).first->second;
      if (known != extent)
        return op.emitOpError() << "expects one extent " << name << ", got "
                                << known << " and " << extent;
    }
  }
  return success();
}

/// What a runtime that knows no MLIR can pass.
LogicalResult EntryRewriter::checkType(BlockArgument argument) {
  Type type = argument.getType(), element = type;
  bool passes = true;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    passes = memref.isStrided() && !memref.getMemorySpace();
    element = memref.getElementType();
  } else if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    passes = !tensor.getEncoding();
    element = tensor.getElementType();
  }
  bool isInteger =
      element.isSignlessInteger() &&
      llvm::is_contained({1, 8, 16, 32, 64}, element.getIntOrFloatBitWidth());
  if (passes &&
      (isInteger ||
       isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element)))
    return success();
  return func.emitError()
         << "expects argument #" << argument.getArgNumber()
         << " to be a ranked tensor, a strided memref in memory space 0 or a "
            "scalar, of f16, bf16, f32, f64, i1, i8, i16, i32 or i64, got "
         << type;
}

FailureOr<StringRef> EntryRewriter::nameOf(BlockArgument argument) {
  auto given =
      func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr);
  auto role = roles.find(argument);
  if (role == roles.end() && given) {
    // A capture may not take the name of a role.
    if (symbolsOf.count(given.getValue()))
      return func.emitError()
             << "expects fa.name of argument #" << argument.getArgNumber()
             << " to differ from the attention op's own operands, got "
             << given;
    return given.getValue();
  }
  if (role == roles.end())
    return func.emitError()
           << "expects argument #" << argument.getArgNumber() << " of type "
           << argument.getType()
           << " to be an operand of fa.attention or to have a name (attribute "
              "fa.name), so that callers can pass it";
  unsigned uses = llvm::count_if(op->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == argument;
  });
  if (uses > 1)
    return op.emitOpError()
           << "uses argument #" << argument.getArgNumber() << " " << uses
           << " times: expects an argument of its own for each operand";
  return role->second.name;
}

/// K and V that state that there are no keys say so at launch instead: their
/// tiles would be subviews at offset 0 of an extent of 0, which upstream takes
/// for out of bounds.
ShapedType EntryRewriter::launchType(ShapedType type, StringRef name) {
  unsigned seq = op.getSeqDim();
  if ((name != "k" && name != "v") || type.getDimSize(seq) != 0)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape[seq] = ShapedType::kDynamic;
  return type.clone(shape);
}

/// A memref of `type`'s shape with any strides; the innermost stride of the
/// attention op's own operands is 1.
MemRefType EntryRewriter::bufferType(ShapedType type, StringRef name) {
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  if (symbolsOf.count(name) && !strides.empty())
    strides.back() = 1;
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(type.getShape(), type.getElementType(), layout);
}

TensorAttr EntryRewriter::describe(ShapedType type, StringRef name,
                                   bool output) {
  SmallVector<Attribute> dims;
  auto symbols = symbolsOf.find(name);
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    StringRef symbol =
        symbols != symbolsOf.end() ? symbols->second[i] : StringRef();
    auto known = extents.find(symbol);
    if (!ShapedType::isDynamic(extent))
      dims.push_back(b.getI64IntegerAttr(extent));
    else if (known != extents.end())
      dims.push_back(b.getI64IntegerAttr(known->second));
    else if (!symbol.empty())
      dims.push_back(b.getStringAttr(symbol));
    else
      dims.push_back(b.getStringAttr(name + "_" + Twine(i)));
  }
  return TensorAttr::get(b.getContext(), name, output, dims);
}

BlockArgument EntryRewriter::addArgument(Type type, DictionaryAttr attrs,
                                         Location loc) {
  argTypes.push_back(type);
  argAttrs.push_back(attrs);
  return func.getBody().front().addArgument(type, loc);
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

LogicalResult EntryRewriter::convertArgument(BlockArgument argument) {
  FailureOr<StringRef> name = nameOf(argument);
  if (failed(name))
    return failure();
  if (!taken.try_emplace(*name, argument.getLoc()).second)
    return func.emitError() << "expects every argument to have a name of its "
                               "own, found '"
                            << *name << "' twice";
  if (failed(checkType(argument)))
    return failure();
  auto shaped = dyn_cast<ShapedType>(argument.getType());
  if (!shaped) {
    BlockArgument scalar = addArgument(
        argument.getType(),
        b.getDictionaryAttr(b.getNamedAttr(kNameAttr, b.getStringAttr(*name))),
        argument.getLoc());
    argument.replaceAllUsesWith(scalar);
    return success();
  }
  shaped = launchType(shaped, *name);
  bool output = llvm::is_contained(op.getOuts(), argument);
  BlockArgument buffer =
      addArgument(bufferType(shaped, *name),
                  b.getDictionaryAttr(b.getNamedAttr(
                      kTensorAttr, describe(shaped, *name, output))),
                  argument.getLoc());
  if (isa<MemRefType>(argument.getType())) {
    argument.replaceAllUsesWith(buffer);
    return success();
  }
  b.setInsertionPointToStart(&func.getBody().front());
  Value tensor = bufferization::ToTensorOp::create(
      b, argument.getLoc(), cast<RankedTensorType>(shaped), buffer,
      /*restrict=*/true, /*writable=*/output);
  op->replaceUsesOfWith(argument, tensor);
  if (shaped != argument.getType() && !argument.use_empty())
    tensor = tensor::CastOp::create(b, argument.getLoc(), argument.getType(),
                                    tensor);
  argument.replaceAllUsesWith(tensor);
  return success();
}

LogicalResult EntryRewriter::convertArguments() {
  numOld = func.getNumArguments();
  for (unsigned i = 0; i < numOld; ++i)
    if (failed(convertArgument(func.getArgument(i))))
      return failure();
  return success();
}

/// Results become memref arguments that the attention op writes.
LogicalResult EntryRewriter::convertResults() {
  auto ret = cast<func::ReturnOp>(func.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(ret.getOperands()))
    if (value.getDefiningOp() != op)
      return ret.emitError()
             << "expects result #" << i
             << " to be a result of fa.attention, got " << value;
  const StringRef names[] = {"o", "lse"};
  for (auto [result, out, name] :
       llvm::zip(op.getResults(), op.getOuts(), names)) {
    auto shaped = cast<ShapedType>(result.getType());
    Value buffer;
    if (auto existing = out.getDefiningOp<bufferization::ToTensorOp>()) {
      buffer = existing.getBuffer();
    } else {
      buffer = addArgument(bufferType(shaped, name),
                           b.getDictionaryAttr(b.getNamedAttr(
                               kTensorAttr, describe(shaped, name, true))),
                           op.getLoc());
      b.setInsertionPoint(op);
      op->replaceUsesOfWith(out, bufferization::ToTensorOp::create(
                                     b, op.getLoc(), shaped, buffer,
                                     /*restrict=*/true, /*writable=*/true));
    }
    b.setInsertionPoint(ret);
    bufferization::MaterializeInDestinationOp::create(
        b, op.getLoc(), /*result=*/Type(), result, buffer, /*restrict=*/true,
        /*writable=*/true);
  }
  ret->setOperands({});
  return success();
}

/// The scale is a launch parameter; the op's attribute gives its default and
/// its class.
void EntryRewriter::addScale() {
  if (!op.getScaleValue())
    op.getScaleValueMutable().assign(
        addArgument(b.getF32Type(),
                    b.getDictionaryAttr(
                        b.getNamedAttr(kNameAttr, b.getStringAttr("scale"))),
                    op.getLoc()));
  auto argument = dyn_cast<BlockArgument>(op.getScaleValue());
  if (!argument)
    return;
  float scale = op.getScaleOrDefault();
  NamedAttrList attrs(
      cast<DictionaryAttr>(argAttrs[argument.getArgNumber() - numOld]));
  attrs.set(kDefaultAttr, b.getF32FloatAttr(scale));
  attrs.set(kClassAttr, b.getStringAttr(scale > 0   ? "positive"
                                        : scale < 0 ? "negative"
                                                    : "zero"));
  argAttrs[argument.getArgNumber() - numOld] =
      attrs.getDictionary(b.getContext());
}

/// What is computed, for people and for checks; the manifest carries it on.
void EntryRewriter::describeProblem() {
  MaskAttr mask = op.getMaskOrDefault();
  auto bound = [&](std::optional<int64_t> count) -> Attribute {
    return count ? Attribute(b.getI64IntegerAttr(*count)) : b.getUnitAttr();
  };
  StringRef layout = op.isPacked() ? "packed" : stringifyLayout(op.getLayout());
  auto maskAttr = b.getDictionaryAttr({
      b.getNamedAttr("alignment",
                     b.getStringAttr(stringifyAlignment(mask.getAlignment()))),
      b.getNamedAttr("causal", b.getBoolAttr(mask.getCausal())),
      b.getNamedAttr("left", bound(mask.getLeft())),
      b.getNamedAttr("right", bound(mask.getRight())),
  });
  func->setAttr(
      kProblemAttr,
      b.getDictionaryAttr({
          b.getNamedAttr("layout", b.getStringAttr(layout)),
          b.getNamedAttr("mask", maskAttr),
          b.getNamedAttr("score_region", b.getBoolAttr(op.hasScoreRegion())),
          b.getNamedAttr("mask_region", b.getBoolAttr(op.hasKeepRegion())),
          b.getNamedAttr("reference", b.getBoolAttr(false)),
      }));
}

LogicalResult EntryRewriter::run() {
  if (failed(checkOtherOps(func)) || failed(checkRoles()) ||
      failed(convertArguments()) || failed(convertResults()))
    return failure();
  addScale();
  describeProblem();
  func.getBody().front().eraseArguments(0, numOld);
  func.setFunctionType(b.getFunctionType(argTypes, {}));
  func.setAllArgAttrs(argAttrs);
  func.setAllResultAttrs(ArrayRef<Attribute>{});
  return success();
}

namespace {
struct EntryToBuffersPass : fa::impl::FaEntryToBuffersBase<EntryToBuffersPass> {
  using FaEntryToBuffersBase::FaEntryToBuffersBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(expectStage(module, {"problem"})))
      return signalPassFailure();
    FailureOr<AttentionOp> op = findAttention(module, entry);
    if (failed(op))
      return signalPassFailure();
    dropOtherFunctions(module, cast<func::FuncOp>((*op)->getParentOp()));
    if (failed(EntryRewriter(*op).run()))
      return signalPassFailure();
    setStage(module, "buffers");
  }

  /// An artefact holds its entry only; what is left out is said.
  static void dropOtherFunctions(ModuleOp module, func::FuncOp entry) {
    for (auto other :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (other == entry)
        continue;
      other.emitRemark() << "function '" << other.getSymName()
                         << "' is left out: the artefact holds the entry '"
                         << entry.getSymName() << "' only";
      other.erase();
    }
  }
};
} // namespace
