// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// K1 to K5, K22, K23 and K26: what the types must obey, and what follows from
// them. Their text is in WgTypesText.cpp.
#include "dialect/Wg/WgTypes.h"

#include "dialect/Wg/WgDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::wg;

#include "dialect/Wg/WgEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Wg/WgTypes.cpp.inc"

void WgDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Wg/WgTypes.cpp.inc"
      >();
}

Type wg::elementTypeOf(Type type) {
  return TypeSwitch<Type, Type>(type)
      .Case<SmemType, FragType, RowsType>(
          [](auto tile) { return tile.getElementType(); })
      .Default([](Type) { return Type(); });
}

//===----------------------------------------------------------------------===//
// Shared tiles, rings and tensor maps
//===----------------------------------------------------------------------===//

LogicalResult SmemType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t cols, Type elementType,
                               Swizzle swizzle, int64_t panelRows) {
  // K1
  if (!elementType.isIntOrFloat() || elementType.getIntOrFloatBitWidth() % 8)
    return emitError() << "expects elements of whole bytes, got "
                       << elementType;
  if (rows <= 0 || cols <= 0 ||
      cols * elementType.getIntOrFloatBitWidth() %
          (8 * ::fa::target::kChunkBytes))
    return emitError() << "expects a positive shape with rows of a multiple of "
                          "16 bytes, got "
                       << rows << "x" << cols << " " << elementType;
  // K2
  if (swizzle == Swizzle::Sw128 &&
      (elementType.getIntOrFloatBitWidth() != 16 || rows % 8))
    return emitError() << "expects 16-bit elements and rows in multiples of 8 "
                          "with sw128, got "
                       << rows << "x" << cols << " " << elementType;
  if (panelRows != rows &&
      (swizzle != Swizzle::Sw128 || panelRows < rows || panelRows % 8))
    return emitError() << "expects panel on sw128 only and at least " << rows
                       << " in multiples of 8, got " << panelRows;
  return success();
}

::fa::target::SharedLayout SmemType::getLayout() const {
  auto swizzle = getSwizzle() == Swizzle::Xor ? ::fa::target::Swizzle::Xor
                                              : ::fa::target::Swizzle::Sw128;
  return {getRows(), getCols(), getElementType().getIntOrFloatBitWidth() / 8,
          swizzle, getPanelRows()};
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages, SmemType tile,
                               int64_t consumers) {
  // K3
  if (stages <= 0 || consumers < 0)
    return emitError() << "expects at least one stage and no negative count of "
                          "consumers, got "
                       << stages << " and " << consumers;
  return success();
}

int64_t RingType::getTileBytes() const {
  return getStages() * getTile().getLayout().byteSize();
}

int64_t RingType::getBarrierBytes() const {
  return getConsumers() ? 2 * 8 * getStages() : 0;
}

bool RingType::carriesNumbers() const {
  return getConsumers() && getTile().getRows() == 1 &&
         getTile().getElementType().isInteger(32);
}

int64_t RingType::getArrivals() const {
  return getConsumers() * (carriesNumbers() ? kWarpgroupWarps : 1);
}

LogicalResult
TensorMapType::verify(function_ref<InFlightDiagnostic()> emitError,
                      SmemType tile, int64_t rank) {
  // K23
  if (tile.getSwizzle() != Swizzle::Sw128 ||
      tile.getPanelRows() != tile.getRows() || tile.getRows() > 256)
    return emitError() << "expects an sw128 tile of at most 256 rows and no "
                          "panel, got "
                       << tile;
  if (rank < 2 || rank > 5)
    return emitError() << "expects a rank from 2 to 5, got " << rank;
  return success();
}

//===----------------------------------------------------------------------===//
// Fragments and rows
//===----------------------------------------------------------------------===//

static bool is16BitFloat(Type type) { return type.isF16() || type.isBF16(); }

LogicalResult FragType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t cols, Type elementType,
                               FragLayout layout, int64_t warps) {
  // K4
  if (warps <= 0 || rows <= 0 || cols <= 0 || rows % (16 * warps) || cols % 8)
    return emitError() << "expects rows in multiples of 16 * warps and columns "
                          "in multiples of 8, got "
                       << rows << "x" << cols << " with " << warps << " warps";
  if (!is16BitFloat(elementType) &&
      !(layout == FragLayout::Acc && elementType.isF32()))
    return emitError() << "expects f16 or bf16, or f32 in layout acc, got "
                       << elementType << " in layout "
                       << stringifyFragLayout(layout);
  return success();
}

::fa::target::GroupLayout FragType::getGroupLayout() const {
  auto kind = getLayout() == FragLayout::Acc
                  ? ::fa::target::FragmentKind::Accumulator
                  : ::fa::target::FragmentKind::OperandA;
  return {kind, getRows(), getCols(), getWarps()};
}

FragType FragType::withElementType(Type type) const {
  return FragType::get(getRows(), getCols(), type, getLayout(), getWarps());
}

FragType FragType::withLayout(FragLayout layout) const {
  return FragType::get(getRows(), getCols(), getElementType(), layout,
                       getWarps());
}

LogicalResult RowsType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, Type elementType, int64_t warps,
                               std::optional<Combine> partial) {
  // K5
  if (warps <= 0 || rows <= 0 || rows % (16 * warps))
    return emitError() << "expects rows in multiples of 16 * warps, got "
                       << rows << " with " << warps << " warps";
  if (!elementType.isF32())
    return emitError() << "expects f32 elements, got " << elementType;
  if (partial && isOfBits(*partial))
    return emitError() << "expects parts of kind addf or maximumf, got "
                       << stringifyCombine(*partial);
  return success();
}

::fa::target::RowLayout RowsType::getRowLayout() const {
  return {getRows(), getWarps()};
}

RowsType RowsType::joined() const {
  return RowsType::get(getRows(), getElementType(), getWarps());
}

//===----------------------------------------------------------------------===//
// What is in flight
//===----------------------------------------------------------------------===//

LogicalResult PendingType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  FragType frag) {
  // K26
  if (frag.getLayout() != FragLayout::Acc || !frag.getElementType().isF32())
    return emitError() << "expects an f32 accumulator, got " << frag;
  return success();
}

LogicalResult CursorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t stages, Side side) {
  // K22
  if (stages <= 0)
    return emitError() << "expects at least one stage, got " << stages;
  return success();
}
