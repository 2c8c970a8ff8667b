// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/CApi/FaMlir.h"

#include "dialect/Fa/FaDialect.h"
#include "dialect/Wg/WgDialect.h"
#include "lowering/CApi/Compilation.h"
#include "lowering/Compiler.h"
#include "lowering/Register.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

#include <mutex>

using namespace mlir;
using namespace mlir::fa;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Fa, fa, mlir::fa::FaDialect)
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Wg, wg, mlir::wg::WgDialect)

//===----------------------------------------------------------------------===//
// Registration and compilation
//===----------------------------------------------------------------------===//

void mlirFaRegisterAllDialects(MlirDialectRegistry registry) {
  registerAllDialects(*unwrap(registry));
  registerAllExtensions(*unwrap(registry));
  registerDialects(*unwrap(registry));
}

void mlirFaRegisterPasses(void) {
  static std::once_flag once;
  std::call_once(once, [] { registerPasses(); });
}

/// `diagnostic` as a line of text.
static std::string describe(Diagnostic &diagnostic) {
  static constexpr const char *kinds[] = {"note", "warning", "error", "remark"};
  std::string text;
  llvm::raw_string_ostream(text)
      << diagnostic.getLocation() << ": "
      << kinds[static_cast<int>(diagnostic.getSeverity())] << ": " << diagnostic
      << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    text += describe(note);
  return text;
}

fa_compilation *mlirFaCompileModule(MlirModule module, MlirStringRef chip,
                                    MlirStringRef options) {
  auto *result = new fa_compilation();
  if (mlirModuleIsNull(module)) {
    result->messages = "error: expects a module, got null\n";
    return result;
  }
  MLIRContext *context = unwrap(module)->getContext();
  DialectRegistry registry;
  mlirFaRegisterAllDialects(wrap(&registry));
  context->appendDialectRegistry(registry);
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    result->messages += describe(diagnostic);
    return failure(); // the program's own handlers see it, too
  });
  OwningOpRef<ModuleOp> copy = unwrap(module).clone();
  FailureOr<std::string> bytes =
      compileFor(*copy, unwrap(chip), unwrap(options));
  result->ok = succeeded(bytes);
  if (result->ok)
    result->bytes = std::move(*bytes);
  return result;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

MlirAttribute mlirFaMaskAttrGet(MlirContext context, bool bottomRight,
                                bool causal, int64_t left, int64_t right) {
  MLIRContext *ctx = unwrap(context);
  if (!ctx)
    return {nullptr};
  ctx->getOrLoadDialect<FaDialect>();
  auto bound = [](int64_t keys) {
    return keys < 0 ? std::nullopt : std::optional<int64_t>(keys);
  };
  Location loc = UnknownLoc::get(ctx);
  return wrap(Attribute(MaskAttr::getChecked(
      [&] { return emitError(loc); }, ctx,
      bottomRight ? Alignment::BottomRight : Alignment::TopLeft, causal,
      bound(left), bound(right))));
}

bool mlirAttributeIsAFaMask(MlirAttribute attribute) {
  return isa_and_nonnull<MaskAttr>(unwrap(attribute));
}

MlirAttribute mlirFaLayoutAttrGet(MlirContext context, bool bshd) {
  MLIRContext *ctx = unwrap(context);
  if (!ctx)
    return {nullptr};
  ctx->getOrLoadDialect<FaDialect>();
  return wrap(
      Attribute(LayoutAttr::get(ctx, bshd ? Layout::BSHD : Layout::BHSD)));
}

bool mlirAttributeIsAFaLayout(MlirAttribute attribute) {
  return isa_and_nonnull<LayoutAttr>(unwrap(attribute));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// A region that was handed over, or a new empty one.
static std::unique_ptr<Region> take(MlirRegion region) {
  if (mlirRegionIsNull(region))
    return std::make_unique<Region>();
  return std::unique_ptr<Region>(unwrap(region));
}

/// Puts `value` into `attribute` where it is of its class or null.
template <typename AttrT>
static LogicalResult read(MlirLocation location, MlirAttribute value,
                          StringRef name, StringRef expected,
                          AttrT &attribute) {
  Attribute given = unwrap(value);
  attribute = dyn_cast_or_null<AttrT>(given);
  if (given && !attribute)
    return emitError(unwrap(location))
           << "fa.attention expects " << name << " to be " << expected
           << ", got " << given;
  return success();
}

/// The op's operands and attributes, as they are; the verifier says the rest.
static LogicalResult fill(OperationState &state, MlirLocation location,
                          const MlirFaAttention &from) {
  AttentionOp::Properties &properties =
      state.getOrAddProperties<AttentionOp::Properties>();
  if (failed(read(location, from.scale, "scale", "an f32 attribute",
                  properties.scale)) ||
      failed(
          read(location, from.mask, "mask", "a #fa.mask", properties.mask)) ||
      failed(read(location, from.layout, "layout", "a #fa.layout",
                  properties.layout)))
    return failure();
  if (!properties.layout)
    properties.layout = LayoutAttr::get(state.getContext(), Layout::BHSD);
  SmallVector<int32_t> sizes{1, 1, 1};
  auto add = [&](MlirValue value) {
    bool there = !mlirValueIsNull(value);
    if (there)
      state.addOperands(unwrap(value));
    return static_cast<int32_t>(there);
  };
  for (MlirValue value : {from.q, from.k, from.v})
    if (!add(value))
      return emitError(unwrap(location))
             << "fa.attention expects q, k and v, got a null value";
  if (!add(from.output))
    return emitError(unwrap(location))
           << "fa.attention expects an output, got a null value";
  sizes.push_back(1 + add(from.lse));
  for (MlirValue value : {from.qLengths, from.kvLengths, from.qOffsets,
                          from.kvOffsets, from.sink, from.scaleValue})
    sizes.push_back(add(value));
  sizes.push_back(0); // at
  llvm::copy(sizes, properties.operandSegmentSizes.begin());
  for (MlirValue value : {from.output, from.lse})
    if (!mlirValueIsNull(value) &&
        isa<RankedTensorType>(unwrap(value).getType()))
      state.addTypes(unwrap(value).getType());
  return success();
}

MlirOperation mlirFaAttentionCreate(MlirLocation location,
                                    const MlirFaAttention *attention) {
  std::unique_ptr<Region> score, keep;
  if (attention) {
    score = take(attention->score);
    keep = take(attention->keep);
  }
  if (mlirLocationIsNull(location))
    return {nullptr}; // there is nobody to tell
  if (!attention) {
    emitError(unwrap(location)) << "fa.attention expects its parts, got NULL";
    return {nullptr};
  }
  MLIRContext *context = unwrap(location)->getContext();
  context->getOrLoadDialect<FaDialect>();
  OperationState state(unwrap(location), AttentionOp::getOperationName());
  state.addRegion(std::move(score));
  state.addRegion(std::move(keep));
  if (failed(fill(state, location, *attention)))
    return {nullptr};
  OwningOpRef<Operation *> op = Operation::create(state);
  if (failed(verify(*op)))
    return {nullptr};
  return wrap(op.release());
}

MlirOperation mlirFaYieldCreate(MlirLocation location, MlirValue value) {
  if (mlirLocationIsNull(location))
    return {nullptr};
  MLIRContext *context = unwrap(location)->getContext();
  context->getOrLoadDialect<FaDialect>();
  if (mlirValueIsNull(value)) {
    emitError(unwrap(location)) << "fa.yield expects a value, got null";
    return {nullptr};
  }
  OpBuilder b(context);
  OwningOpRef<YieldOp> op = YieldOp::create(b, unwrap(location), unwrap(value));
  if (failed(op->verifyInvariantsImpl()))
    return {nullptr};
  return wrap(op.release().getOperation());
}
