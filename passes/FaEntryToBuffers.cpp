// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/EntryRoles.h"
#include "passes/ManifestBuilder.h"
#include "passes/Passes.h"
#include "passes/Stage.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

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
              "constants, tensor.empty, tensor.dim and casts; code around "
              "attention is for the embedding pipelines";
  }
  return success();
}

/// Attributes without a dialect's name that the op does not know may be meant
/// for it: `causal` beside a mask, a misspelt `scale`.
static void warnOfUnknownAttributes(AttentionOp op) {
  for (NamedAttribute attr : op->getDiscardableAttrs())
    if (!attr.getName().strref().contains('.'))
      op.emitWarning() << "attribute '" << attr.getName().strref()
                       << "' has no effect: fa.attention has scale, mask, "
                          "layout and schedule";
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

namespace {
/// Rewrites the entry function of one attention op.
class EntryRewriter {
public:
  EntryRewriter(AttentionOp op)
      : op(op), func(cast<func::FuncOp>(op->getParentOp())), b(op) {}

  LogicalResult run();

private:
  LogicalResult nameEntry();
  LogicalResult takeScale();
  void convertArgument(BlockArgument argument, const EntryRoles &roles);
  LogicalResult convertResults(const EntryRoles &roles);
  void addScale();
  void describeProblem();
  BlockArgument addArgument(Type type, DictionaryAttr attrs, Location loc);

  AttentionOp op;
  func::FuncOp func;
  OpBuilder b;
  SmallVector<Type> argTypes;
  SmallVector<Attribute> argAttrs;
  unsigned numOld = 0;
};
} // namespace

BlockArgument EntryRewriter::addArgument(Type type, DictionaryAttr attrs,
                                         Location loc) {
  argTypes.push_back(type);
  argAttrs.push_back(attrs);
  return func.getBody().front().addArgument(type, loc);
}

/// The entry's name becomes the artefact's.
LogicalResult EntryRewriter::nameEntry() {
  std::optional<std::string> name = artefactName(func.getSymName());
  if (!name)
    return func.emitError()
           << "expects the entry function, which names the artefact, to have "
           << kIdentifierRule << " ('.' and '$' become '_'), got '"
           << func.getSymName() << "'";
  func.setSymName(*name);
  return success();
}

/// A24: what callers do not give is known now, so that its sign is: a constant
/// scale is the attribute's.
LogicalResult EntryRewriter::takeScale() {
  Value value = op.getScaleValue();
  if (!value || isa<BlockArgument>(value))
    return success();
  FloatAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) ||
      !constant.getValue().isFinite())
    return op.emitOpError() << "expects scale to be an argument of the entry "
                               "function or a finite constant, got "
                            << value;
  op.setScaleAttr(constant);
  op.getScaleValueMutable().clear();
  return success();
}

void EntryRewriter::convertArgument(BlockArgument argument,
                                    const EntryRoles &roles) {
  if (!isa<ShapedType>(argument.getType())) {
    auto name = b.getStringAttr(roles.nameOf(argument));
    BlockArgument scalar =
        addArgument(argument.getType(),
                    b.getDictionaryAttr(b.getNamedAttr(kNameAttr, name)),
                    argument.getLoc());
    argument.replaceAllUsesWith(scalar);
    return;
  }
  ShapedType type = roles.launchType(argument);
  bool output = llvm::is_contained(op.getOuts(), argument);
  BlockArgument buffer =
      addArgument(roles.bufferType(argument),
                  b.getDictionaryAttr(b.getNamedAttr(
                      kTensorAttr, roles.describe(argument, output))),
                  argument.getLoc());
  if (isa<MemRefType>(argument.getType())) {
    argument.replaceAllUsesWith(buffer);
    return;
  }
  b.setInsertionPointToStart(&func.getBody().front());
  Value tensor = bufferization::ToTensorOp::create(
      b, argument.getLoc(), cast<RankedTensorType>(type), buffer,
      /*restrict=*/true, /*writable=*/output);
  op->replaceUsesOfWith(argument, tensor);
  if (type != argument.getType() && !argument.use_empty())
    tensor = tensor::CastOp::create(b, argument.getLoc(), argument.getType(),
                                    tensor);
  argument.replaceAllUsesWith(tensor);
}

/// Results become memref arguments that the attention op writes.
LogicalResult EntryRewriter::convertResults(const EntryRoles &roles) {
  auto ret = cast<func::ReturnOp>(func.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(ret.getOperands()))
    if (value.getDefiningOp() != op)
      return ret.emitError()
             << "expects result #" << i
             << " to be a result of fa.attention, got " << value;
  for (auto [result, out] : llvm::zip(op.getResults(), op.getOuts())) {
    auto shaped = cast<ShapedType>(result.getType());
    Value buffer;
    if (auto existing = out.getDefiningOp<bufferization::ToTensorOp>()) {
      buffer = existing.getBuffer();
    } else {
      buffer =
          addArgument(roles.bufferType(out),
                      b.getDictionaryAttr(b.getNamedAttr(
                          kTensorAttr, roles.describe(out, /*output=*/true))),
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
  auto argument = cast<BlockArgument>(op.getScaleValue());
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
  if (failed(nameEntry()) || failed(checkOtherOps(func)) || failed(takeScale()))
    return failure();
  EntryRoles roles(op);
  if (failed(roles.check()))
    return failure();
  numOld = func.getNumArguments();
  for (unsigned i = 0; i < numOld; ++i)
    convertArgument(func.getArgument(i), roles);
  if (failed(convertResults(roles)))
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
    warnOfUnknownAttributes(*op);
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
