// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
// Pieces of the textual form
//===----------------------------------------------------------------------===//

namespace {
/// `64x128xf16` or `64xf32`: `rank` extents and an element type.
ParseResult parseShape(AsmParser &parser, unsigned rank,
                       SmallVectorImpl<int64_t> &shape, Type &elementType) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType))
    return failure();
  if (shape.size() != rank)
    return parser.emitError(loc)
           << "expects " << rank << " extents, got " << shape.size();
  return success();
}

/// `, KEY = <integer>`; the comma has been read.
ParseResult parseNumber(AsmParser &parser, StringRef key, int64_t &number) {
  return failure(parser.parseKeyword(key) || parser.parseEqual() ||
                 parser.parseInteger(number));
}

/// The body of a shared tile's type, and the comma in front of what follows it.
struct SmemBody {
  SmallVector<int64_t, 2> shape;
  Type elementType;
  Swizzle swizzle = Swizzle::Xor;
  int64_t panelRows = 0;
  int64_t consumers = 0;
  int64_t rank = 0;
};

/// `64x128xf16 (, sw128)? (, panel = 128)? (, consumers = 2)? (, rank = 4)?`
ParseResult parseSmemBody(AsmParser &parser, SmemBody &body) {
  if (parseShape(parser, 2, body.shape, body.elementType))
    return failure();
  body.panelRows = body.shape[0];
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key))
      return failure();
    if (std::optional<Swizzle> swizzle = symbolizeSwizzle(key)) {
      body.swizzle = *swizzle;
      continue;
    }
    int64_t *number = key == "panel"       ? &body.panelRows
                      : key == "consumers" ? &body.consumers
                      : key == "rank"      ? &body.rank
                                           : nullptr;
    if (!number)
      return parser.emitError(loc)
             << "expects xor, sw128, panel, consumers or rank, got " << key;
    if (parser.parseEqual() || parser.parseInteger(*number))
      return failure();
  }
  return success();
}

void printSmemBody(AsmPrinter &printer, SmemType tile) {
  printer << tile.getRows() << 'x' << tile.getCols() << 'x'
          << tile.getElementType();
  if (tile.getSwizzle() != Swizzle::Xor)
    printer << ", " << stringifySwizzle(tile.getSwizzle());
  if (tile.getPanelRows() != tile.getRows())
    printer << ", panel = " << tile.getPanelRows();
}

/// The tile that a body describes; an error where it has what only a ring
/// (`allowed` is its place for consumers) or a tensor map has.
SmemType makeTile(AsmParser &parser, SMLoc loc, const SmemBody &body,
                  const int64_t *allowed = nullptr) {
  if ((body.consumers && allowed != &body.consumers) ||
      (body.rank && allowed != &body.rank)) {
    parser.emitError(loc) << "expects consumers on a ring only and rank on a "
                             "tensor_map only";
    return {};
  }
  return parser.getChecked<SmemType>(loc, parser.getContext(), body.shape[0],
                                     body.shape[1], body.elementType,
                                     body.swizzle, body.panelRows);
}

bool is16BitFloat(Type type) { return type.isF16() || type.isBF16(); }
} // namespace

//===----------------------------------------------------------------------===//
// Shared tiles and rings
//===----------------------------------------------------------------------===//

Type SmemType::parse(AsmParser &parser) {
  SmemBody body;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseSmemBody(parser, body) ||
      parser.parseGreater())
    return {};
  return makeTile(parser, loc, body);
}

void SmemType::print(AsmPrinter &printer) const {
  printer << '<';
  printSmemBody(printer, *this);
  printer << '>';
}

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

Type RingType::parse(AsmParser &parser) {
  SmemBody body;
  int64_t stages = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(stages) ||
      parser.parseKeyword("x") || parseSmemBody(parser, body) ||
      parser.parseGreater())
    return {};
  SmemType tile = makeTile(parser, loc, body, &body.consumers);
  if (!tile)
    return {};
  return parser.getChecked<RingType>(loc, parser.getContext(), stages, tile,
                                     body.consumers);
}

void RingType::print(AsmPrinter &printer) const {
  printer << '<' << getStages() << " x ";
  printSmemBody(printer, getTile());
  if (getConsumers())
    printer << ", consumers = " << getConsumers();
  printer << '>';
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

//===----------------------------------------------------------------------===//
// Fragments and rows
//===----------------------------------------------------------------------===//

Type FragType::parse(AsmParser &parser) {
  SmallVector<int64_t, 2> shape;
  Type elementType;
  StringRef keyword;
  int64_t warps = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseShape(parser, 2, shape, elementType) ||
      parser.parseComma())
    return {};
  SMLoc layoutLoc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return {};
  std::optional<FragLayout> layout = symbolizeFragLayout(keyword);
  if (!layout) {
    parser.emitError(layoutLoc) << "expects layout acc or a, got " << keyword;
    return {};
  }
  if (parser.parseComma() || parseNumber(parser, "warps", warps) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<FragType>(loc, parser.getContext(), shape[0],
                                     shape[1], elementType, *layout, warps);
}

void FragType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getCols() << 'x' << getElementType()
          << ", " << stringifyFragLayout(getLayout())
          << ", warps = " << getWarps() << '>';
}

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

Type RowsType::parse(AsmParser &parser) {
  SmallVector<int64_t, 1> shape;
  Type elementType;
  int64_t warps = 0;
  std::optional<Combine> partial;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseShape(parser, 1, shape, elementType) ||
      parser.parseComma() || parseNumber(parser, "warps", warps))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    if (parser.parseKeyword("partial") || parser.parseEqual())
      return {};
    SMLoc kindLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    partial = symbolizeCombine(keyword);
    if (!partial) {
      parser.emitError(kindLoc) << "expects addf or maximumf, got " << keyword;
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RowsType>(loc, parser.getContext(), shape[0],
                                     elementType, warps, partial);
}

void RowsType::print(AsmPrinter &printer) const {
  printer << '<' << getRows() << 'x' << getElementType()
          << ", warps = " << getWarps();
  if (getPartial())
    printer << ", partial = " << stringifyCombine(*getPartial());
  printer << '>';
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

Type PendingType::parse(AsmParser &parser) {
  auto frag = dyn_cast_if_present<FragType>(FragType::parse(parser));
  return frag ? PendingType::get(frag) : Type();
}

void PendingType::print(AsmPrinter &printer) const { getFrag().print(printer); }

LogicalResult PendingType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  FragType frag) {
  // K26
  if (frag.getLayout() != FragLayout::Acc || !frag.getElementType().isF32())
    return emitError() << "expects an f32 accumulator, got " << frag;
  return success();
}

Type CursorType::parse(AsmParser &parser) {
  int64_t stages = 0;
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(stages) ||
      parser.parseComma() || parser.parseKeyword(&keyword) ||
      parser.parseGreater())
    return {};
  std::optional<Side> side = symbolizeSide(keyword);
  if (!side) {
    parser.emitError(loc) << "expects producer or consumer, got " << keyword;
    return {};
  }
  return parser.getChecked<CursorType>(loc, parser.getContext(), stages, *side);
}

void CursorType::print(AsmPrinter &printer) const {
  printer << '<' << getStages() << ", " << stringifySide(getSide()) << '>';
}

LogicalResult CursorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t stages, Side side) {
  // K22
  if (stages <= 0)
    return emitError() << "expects at least one stage, got " << stages;
  return success();
}

Type TensorMapType::parse(AsmParser &parser) {
  SmemBody body;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseSmemBody(parser, body) ||
      parser.parseGreater())
    return {};
  SmemType tile = makeTile(parser, loc, body, &body.rank);
  if (!tile)
    return {};
  return parser.getChecked<TensorMapType>(loc, parser.getContext(), tile,
                                          body.rank);
}

void TensorMapType::print(AsmPrinter &printer) const {
  printer << '<';
  printSmemBody(printer, getTile());
  printer << ", rank = " << getRank() << '>';
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
