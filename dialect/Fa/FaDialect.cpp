// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect's registration and its attributes' text.
#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fa;

#include "dialect/Fa/FaDialect.cpp.inc"
#include "dialect/Fa/FaEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/Fa/FaAttrs.cpp.inc"

void FaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Fa/FaAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/Fa/FaOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #fa.mask
//===----------------------------------------------------------------------===//

/// One side of a window: a count of keys, or `none`.
static ParseResult parseBound(AsmParser &parser,
                              std::optional<int64_t> &bound) {
  bound = std::nullopt;
  if (succeeded(parser.parseOptionalKeyword("none")))
    return success();
  int64_t count;
  if (parser.parseInteger(count))
    return failure();
  bound = count;
  return success();
}

static void printBound(AsmPrinter &printer, std::optional<int64_t> bound) {
  if (bound)
    printer << *bound;
  else
    printer << "none";
}

Attribute MaskAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseLess() || parser.parseKeyword(&keyword))
    return {};
  std::optional<Alignment> alignment = symbolizeAlignment(keyword);
  if (!alignment) {
    parser.emitError(loc) << "expects top_left or bottom_right, got "
                          << keyword;
    return {};
  }
  bool causal = false, window = false;
  std::optional<int64_t> left, right;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc partLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return {};
    if (keyword == "causal" && !causal && !window) {
      causal = true;
      continue;
    }
    if (keyword != "window" || window) {
      parser.emitError(partLoc) << "expects `causal`, then `window = [left, "
                                   "right]`, each at most once, got "
                                << keyword;
      return {};
    }
    window = true;
    if (parser.parseEqual() || parser.parseLSquare() ||
        parseBound(parser, left) || parser.parseComma() ||
        parseBound(parser, right) || parser.parseRSquare())
      return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<MaskAttr>(loc, parser.getContext(), *alignment,
                                     causal, left, right);
}

void MaskAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyAlignment(getAlignment());
  if (getCausal())
    printer << ", causal";
  if (getLeft() || getRight()) {
    printer << ", window = [";
    printBound(printer, getLeft());
    printer << ", ";
    printBound(printer, getRight());
    printer << "]";
  }
  printer << ">";
}

// M1 (the keyword of the alignment is the parser's, M2).
LogicalResult MaskAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               Alignment, bool, std::optional<int64_t> left,
                               std::optional<int64_t> right) {
  // Bounds are added to 64-bit coordinates: a quarter of the range each leaves
  // no sum of the two that could wrap.
  constexpr int64_t kLargest = int64_t(1) << 61;
  for (std::optional<int64_t> bound : {left, right})
    if (bound && (*bound < 0 || *bound > kLargest))
      return emitError() << "expects window bounds to be counts from 0 to 2^61 "
                            "or none, got "
                         << *bound;
  return success();
}

//===----------------------------------------------------------------------===//
// #fa.schedule
//===----------------------------------------------------------------------===//

// S1 to S4.
LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   int64_t queryTile, int64_t keyTile,
                                   int64_t warps, int64_t stages, MaskStyle,
                                   TileOrder, KeyOrder, int64_t qBuffers, bool,
                                   int64_t threshold, int64_t vWait, bool, Grid,
                                   bool, int64_t headGroup, bool,
                                   int64_t qRegisters) {
  auto inRange = [&](StringRef name, int64_t value, int64_t low, int64_t high,
                     int64_t multiple) -> LogicalResult {
    if (value >= low && value <= high && value % multiple == 0)
      return success();
    InFlightDiagnostic diag = emitError();
    diag << "expects " << name << " from " << low << " to " << high;
    if (multiple > 1)
      diag << " in steps of " << multiple;
    return diag << ", got " << value;
  };
  if (failed(inRange("query_tile", queryTile, 1, 1024, 1)) ||
      failed(inRange("key_tile", keyTile, 8, 1024, 8)) ||
      failed(inRange("warps", warps, 1, 32, 1)) ||
      failed(inRange("stages", stages, 1, 8, 1)) ||
      failed(inRange("q_buffers", qBuffers, 1, 8, 1)) ||
      failed(inRange("threshold", threshold, 0, 8, 1)) ||
      failed(inRange("v_wait", vWait, 0, keyTile, 8)) ||
      failed(inRange("head_group", headGroup, 0, 4096, 1)) ||
      failed(inRange("q_registers", qRegisters, 0, 256, 16)))
    return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// #fa.param and #fa.tensor
//===----------------------------------------------------------------------===//

Attribute ParamAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  std::string name;
  int64_t dim = -1;
  if (parser.parseLess() || parser.parseKeyword(&keyword) ||
      parser.parseString(&name))
    return {};
  std::optional<ParamKind> kind = symbolizeParamKind(keyword);
  if (!kind) {
    parser.emitError(loc) << "expects pointer, size, stride, scalar, "
                             "tensor_map or scratch, got "
                          << keyword;
    return {};
  }
  bool hasDim = *kind == ParamKind::Size || *kind == ParamKind::Stride ||
                *kind == ParamKind::TensorMap;
  if (hasDim && (parser.parseLSquare() || parser.parseInteger(dim) ||
                 parser.parseRSquare()))
    return {};
  if (parser.parseGreater())
    return {};
  if (hasDim && dim < 0) {
    parser.emitError(loc) << "expects a dimension from 0 on, got " << dim;
    return {};
  }
  return ParamAttr::get(parser.getContext(), *kind, name, dim);
}

void ParamAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyParamKind(getKind()) << " ";
  printer.printString(getName());
  if (getDim() >= 0)
    printer << "[" << getDim() << "]";
  printer << ">";
}

Attribute TensorAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  StringRef direction;
  SmallVector<Attribute> dims;
  auto parseDim = [&]() -> ParseResult {
    std::string symbol;
    if (succeeded(parser.parseOptionalString(&symbol))) {
      dims.push_back(parser.getBuilder().getStringAttr(symbol));
      return success();
    }
    int64_t extent;
    if (parser.parseInteger(extent))
      return failure();
    if (extent < 0)
      return parser.emitError(loc)
             << "expects extents from 0 on, got " << extent;
    dims.push_back(parser.getBuilder().getI64IntegerAttr(extent));
    return success();
  };
  if (parser.parseLess() || parser.parseString(&name) || parser.parseComma() ||
      parser.parseKeyword(&direction) || parser.parseComma() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim) ||
      parser.parseGreater())
    return {};
  if (direction != "in" && direction != "out") {
    parser.emitError(loc) << "expects in or out, got " << direction;
    return {};
  }
  return TensorAttr::get(parser.getContext(), name, direction == "out", dims);
}

void TensorAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printString(getName());
  printer << ", " << (getOutput() ? "out" : "in") << ", [";
  llvm::interleaveComma(getDims(), printer, [&](Attribute dim) {
    if (auto extent = dyn_cast<IntegerAttr>(dim))
      printer << extent.getInt();
    else
      printer.printString(cast<StringAttr>(dim).getValue());
  });
  printer << "]>";
}
