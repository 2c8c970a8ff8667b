// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/EntryRoles.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fa;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The names that the artefact's own tensors and scalars have: no capture has
/// one of them, also where the op at hand does without, since whoever reads a
/// manifest takes them for what they are in every other one.
static constexpr llvm::StringLiteral kRoleNames[] = {
    "q",          "k",         "v",          "o",    "lse",  "q_lengths",
    "kv_lengths", "q_offsets", "kv_offsets", "sink", "scale"};

static bool isName(StringRef name, StringRef others) {
  auto letter = [](char c) { return llvm::isAlpha(c) || c == '_'; };
  return !name.empty() && name.size() <= 256 && letter(name[0]) &&
         llvm::all_of(name, [&](char c) {
           return letter(c) || llvm::isDigit(c) || others.contains(c);
         });
}

bool mlir::fa::isIdentifier(StringRef name) { return isName(name, ""); }

std::optional<std::string> mlir::fa::artefactName(StringRef symbol) {
  std::string name = symbol.str();
  for (char &c : name)
    if (c == '.' || c == '$')
      c = '_';
  if (!isIdentifier(name))
    return std::nullopt;
  return name;
}

EntryRoles::EntryRoles(AttentionOp op)
    : op(op), func(cast<func::FuncOp>(op->getParentOp())) {
  SmallVector<StringRef> q, kv, lse{"B", "Hq", "Sq"};
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
  // A tensor in two roles keeps the first; checkOperand refuses it.
  auto add = [&](Value value, StringRef name, ArrayRef<StringRef> symbols) {
    if (value)
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

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

LogicalResult EntryRoles::checkName(StringRef name, unsigned number) {
  if (!isIdentifier(name))
    return func.emitError()
           << "expects fa.name of argument #" << number << " to be "
           << kIdentifierRule << ", got '" << name << "'";
  if (llvm::is_contained(kRoleNames, name)) {
    InFlightDiagnostic diag = func.emitError();
    diag << "expects fa.name of argument #" << number
         << " to differ from the names of the attention op's operands (";
    llvm::interleaveComma(kRoleNames, diag);
    return diag << "), got '" << name << "'";
  }
  for (auto &[value, role] : roles)
    if (role.name == name)
      return func.emitError() << "expects every argument to have a name of its "
                                 "own, found '"
                              << name << "' twice";
  return success();
}

/// The names of a capture's extents: what `fa.dims` says, else none.
FailureOr<SmallVector<StringRef>>
EntryRoles::captureSymbols(BlockArgument argument) {
  auto type = dyn_cast<ShapedType>(argument.getType());
  int64_t rank = type ? type.getRank() : 0;
  SmallVector<StringRef> symbols(rank);
  Attribute attr = func.getArgAttr(argument.getArgNumber(), kDimsAttr);
  if (!attr)
    return symbols;
  auto given = dyn_cast<ArrayAttr>(attr);
  bool fits = given && static_cast<int64_t>(given.size()) == rank;
  for (int64_t i = 0; fits && i < rank; ++i) {
    auto symbol = dyn_cast<StringAttr>(given[i]);
    fits = symbol && (symbol.empty() || isName(symbol, "+"));
    symbols[i] = fits ? symbol.getValue() : "";
  }
  if (fits)
    return symbols;
  return func.emitError()
         << "expects " << kDimsAttr << " of argument #"
         << argument.getArgNumber() << " to name each extent of "
         << argument.getType()
         << R"( ("B", "Hq", "Sq", "Sk", ..., or "" for one of its own), got )"
         << attr;
}

LogicalResult EntryRoles::addCapture(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  auto name = func.getArgAttrOfType<StringAttr>(number, kNameAttr);
  if (!name)
    return emitError(argument.getLoc())
           << "expects argument #" << number << " of type "
           << argument.getType()
           << " to be an operand of fa.attention or to have a name (attribute "
              "fa.name), so that callers can pass it";
  if (failed(checkName(name, number)))
    return failure();
  FailureOr<SmallVector<StringRef>> symbols = captureSymbols(argument);
  if (succeeded(symbols))
    roles[argument] = Role{name, *symbols, /*isCapture=*/true};
  return symbols;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult EntryRoles::check() {
  if (op.isTile())
    return op.emitOpError() << "expects no `at`, which says where a tile of a "
                               "larger problem stands";
  for (Value operand : op->getOperands())
    if (failed(checkOperand(operand)) || failed(checkExtents(operand)))
      return failure();
  for (BlockArgument argument : func.getArguments()) {
    if (!roles.contains(argument) && failed(addCapture(argument)))
      return failure();
    if (failed(checkType(argument)) || failed(checkExtents(argument)))
      return failure();
  }
  return checkRegions();
}

LogicalResult EntryRoles::checkOperand(Value operand) {
  StringRef name = nameOf(operand);
  auto argument = dyn_cast<BlockArgument>(operand);
  if (!argument && !llvm::is_contained(op.getOuts(), operand))
    return op.emitOpError()
           << "expects " << name
           << " to be an argument of the entry function, got " << operand;
  unsigned uses = llvm::count(op->getOperands(), operand);
  if (argument && uses > 1)
    return op.emitOpError()
           << "uses argument #" << argument.getArgNumber() << " " << uses
           << " times: expects an argument of its own for each operand";
  return success();
}

LogicalResult EntryRoles::checkExtents(Value value) {
  if (!isa<RankedTensorType, MemRefType>(value.getType()))
    return success();
  for (auto [name, extent] :
       llvm::zip(roles.at(value).symbols, launchType(value).getShape())) {
    if (ShapedType::isDynamic(extent) || name.empty())
      continue;
    int64_t known = extents.try_emplace(name, extent).first->second;
    if (known != extent)
      return op.emitOpError() << "expects one extent " << name << ", got "
                              << known << " and " << extent;
  }
  return success();
}

/// The tensor or memref that `value` is another type of.
static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOpInterface>())
    value = cast->getOperand(0);
  return value;
}

/// A25: regions do not read what the artefact writes. On tensors they would see
/// the old values, which no buffer keeps.
LogicalResult EntryRoles::checkRegions() {
  WalkResult result = op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      for (Value out : op.getOuts())
        if (inner != op && withoutCasts(operand) == withoutCasts(out)) {
          inner->emitOpError() << "reads " << nameOf(out)
                               << ", which the artefact writes: expects a "
                                  "region that does not touch it";
          return WalkResult::interrupt();
        }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// What a runtime that knows no MLIR can pass.
LogicalResult EntryRoles::checkType(BlockArgument argument) {
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

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// K and V that state that there are no keys say so at launch instead: their
/// tiles would be subviews at offset 0 of an extent of 0, which upstream takes
/// for out of bounds.
ShapedType EntryRoles::launchType(Value value) const {
  auto type = cast<ShapedType>(value.getType());
  unsigned seq = AttentionOp(op).getSeqDim();
  StringRef name = nameOf(value);
  if ((name != "k" && name != "v") || type.getDimSize(seq) != 0)
    return type;
  SmallVector<int64_t> shape(type.getShape());
  shape[seq] = ShapedType::kDynamic;
  return type.clone(shape);
}

MemRefType EntryRoles::bufferType(Value value) const {
  ShapedType type = launchType(value);
  SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
  if (!roles.at(value).isCapture && !strides.empty())
    strides.back() = 1;
  auto layout =
      StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic, strides);
  return MemRefType::get(type.getShape(), type.getElementType(), layout);
}

/// An extent is a number where some tensor states one, else the name that it
/// shares with others, else one of its own.
TensorAttr EntryRoles::describe(Value value, bool output) const {
  const Role &role = roles.at(value);
  ShapedType type = launchType(value);
  Builder b(type.getContext());
  SmallVector<Attribute> dims;
  for (auto [i, stated, symbol] :
       llvm::enumerate(type.getShape(), role.symbols)) {
    auto known = extents.find(symbol);
    if (!ShapedType::isDynamic(stated))
      dims.push_back(b.getI64IntegerAttr(stated));
    else if (known != extents.end())
      dims.push_back(b.getI64IntegerAttr(known->second));
    else if (!symbol.empty())
      dims.push_back(b.getStringAttr(symbol));
    else
      dims.push_back(b.getStringAttr(role.name + "_" + Twine(i)));
  }
  return TensorAttr::get(b.getContext(), role.name, output, dims);
}
