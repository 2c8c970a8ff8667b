// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the types are read and printed, after the dialect's name for them.
#include "dialect/Wg/WgTypes.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace mlir::wg;

//===----------------------------------------------------------------------===//
// What several types are made of
//===----------------------------------------------------------------------===//

/// `64x128xf16` or `64xf32`: `rank` extents and an element type.
static ParseResult parseShape(AsmParser &parser, unsigned rank,
                              SmallVectorImpl<int64_t> &shape,
                              Type &elementType) {
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
static ParseResult parseNumber(AsmParser &parser, StringRef key,
                               int64_t &number) {
  return failure(parser.parseKeyword(key) || parser.parseEqual() ||
                 parser.parseInteger(number));
}

namespace {
/// The body of a shared tile's type, and the comma in front of what follows it.
struct SmemBody {
  SmallVector<int64_t, 2> shape;
  Type elementType;
  Swizzle swizzle = Swizzle::Xor;
  int64_t panelRows = 0;
  int64_t consumers = 0;
  int64_t rank = 0;
};
} // namespace

/// `64x128xf16 (, sw128)? (, panel = 128)? (, consumers = 2)? (, rank = 4)?`
static ParseResult parseSmemBody(AsmParser &parser, SmemBody &body) {
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

static void printSmemBody(AsmPrinter &printer, SmemType tile) {
  printer << tile.getRows() << 'x' << tile.getCols() << 'x'
          << tile.getElementType();
  if (tile.getSwizzle() != Swizzle::Xor)
    printer << ", " << stringifySwizzle(tile.getSwizzle());
  if (tile.getPanelRows() != tile.getRows())
    printer << ", panel = " << tile.getPanelRows();
}

/// The tile that a body describes; an error where it has what only a ring
/// (`allowed` is its place for consumers) or a tensor map has.
static SmemType makeTile(AsmParser &parser, SMLoc loc, const SmemBody &body,
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

//===----------------------------------------------------------------------===//
// Shared tiles, rings and tensor maps
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

//===----------------------------------------------------------------------===//
// What is in flight
//===----------------------------------------------------------------------===//

Type PendingType::parse(AsmParser &parser) {
  auto frag = dyn_cast_if_present<FragType>(FragType::parse(parser));
  return frag ? PendingType::get(frag) : Type();
}

void PendingType::print(AsmPrinter &printer) const { getFrag().print(printer); }

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
