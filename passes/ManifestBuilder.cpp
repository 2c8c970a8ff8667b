// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/ManifestBuilder.h"

#include "dialect/Fa/FaDialect.h"
#include "dialect/Wg/WgOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fa;

ArrayAttr ManifestBuilder::expr(StringRef op, ArrayRef<Attribute> args) {
  SmallVector<Attribute> parts{b.getStringAttr(op)};
  llvm::append_range(parts, args);
  return b.getArrayAttr(parts);
}

ArrayAttr ManifestBuilder::size(StringRef tensor, int64_t dim) {
  return expr("size", {b.getStringAttr(tensor), number(dim)});
}

//===----------------------------------------------------------------------===//
// Index arithmetic as expressions
//===----------------------------------------------------------------------===//

StringRef mlir::fa::nameOf(AffineExprKind kind) {
  switch (kind) {
  case AffineExprKind::Add:
    return "add";
  case AffineExprKind::Mul:
    return "mul";
  case AffineExprKind::Mod:
    return "mod";
  case AffineExprKind::FloorDiv:
    return "floordiv";
  default:
    return "ceildiv";
  }
}

FailureOr<Attribute> ManifestBuilder::translateAffine(AffineExpr e,
                                                      ValueRange operands,
                                                      unsigned numDims,
                                                      func::FuncOp entry) {
  if (auto constant = dyn_cast<AffineConstantExpr>(e))
    return number(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(e))
    return translate(operands[dim.getPosition()], entry);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
    return translate(operands[numDims + symbol.getPosition()], entry);
  auto binary = cast<AffineBinaryOpExpr>(e);
  FailureOr<Attribute> lhs =
      translateAffine(binary.getLHS(), operands, numDims, entry);
  FailureOr<Attribute> rhs =
      translateAffine(binary.getRHS(), operands, numDims, entry);
  if (failed(lhs) || failed(rhs))
    return failure();
  return Attribute(expr(nameOf(e.getKind()), {*lhs, *rhs}));
}

FailureOr<Attribute> ManifestBuilder::translate(Value value,
                                                func::FuncOp entry) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return number(constant.getInt());
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<int64_t> position = dim.getConstantIndex();
    auto tensor = argument && argument.getOwner() == &entry.getBody().front()
                      ? entry.getArgAttrOfType<TensorAttr>(
                            argument.getArgNumber(), kTensorAttr)
                      : TensorAttr();
    if (tensor && position)
      return Attribute(size(tensor.getName(), *position));
  }
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op))
    return translateAffine(apply.getAffineMap().getResult(0),
                           apply.getMapOperands(),
                           apply.getAffineMap().getNumDims(), entry);
  return emitError(value.getLoc())
         << "expects the bounds of the parallel loop to be made of constants, "
            "sizes of the entry's tensors and affine.apply, got "
         << value;
}

//===----------------------------------------------------------------------===//
// The parts
//===----------------------------------------------------------------------===//

/// TMA moves panels of 128 bytes a row under the 128-byte swizzle.
static constexpr int64_t kPanelBytes = 128;

ArrayAttr ManifestBuilder::params(ArrayRef<Attribute> params, TypeRange types) {
  SmallVector<Attribute> list;
  for (auto [attr, type] : llvm::zip_equal(params, types)) {
    auto param = dyn_cast<ParamAttr>(attr);
    if (!param) { // a computed value, as the manifest writes it
      list.push_back(attr);
      continue;
    }
    SmallVector<Attribute> args{b.getStringAttr(param.getName())};
    if (param.getDim() >= 0)
      args.push_back(number(param.getDim()));
    if (auto map = dyn_cast<wg::TensorMapType>(type)) {
      wg::SmemType tile = map.getTile();
      int64_t columns =
          kPanelBytes * 8 / tile.getElementType().getIntOrFloatBitWidth();
      args.append(
          {number(tile.getRows()), number(columns), number(kPanelBytes)});
    }
    list.push_back(expr(stringifyParamKind(param.getKind()), args));
  }
  return b.getArrayAttr(list);
}

DictionaryAttr ManifestBuilder::kernel(StringRef name, StringRef note,
                                       Attribute when,
                                       ArrayRef<Attribute> params,
                                       TypeRange types, Attribute grid,
                                       int64_t block) {
  return b.getDictionaryAttr({
      b.getNamedAttr("name", b.getStringAttr(name)),
      b.getNamedAttr("note", b.getStringAttr(note)),
      b.getNamedAttr("when", when),
      b.getNamedAttr("params", this->params(params, types)),
      b.getNamedAttr("grid", grid),
      b.getNamedAttr("block", number(block)),
      b.getNamedAttr("shared_bytes", number(0)),
      b.getNamedAttr("min_ptx", b.getStringAttr("")),
      b.getNamedAttr("scratch", b.getArrayAttr({})),
  });
}

static std::string typeName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

ArrayAttr ManifestBuilder::tensors(func::FuncOp entry) {
  SmallVector<Attribute> list;
  for (BlockArgument argument : entry.getArguments()) {
    auto tensor = entry.getArgAttrOfType<TensorAttr>(argument.getArgNumber(),
                                                     kTensorAttr);
    if (!tensor)
      continue;
    Type element = cast<ShapedType>(argument.getType()).getElementType();
    list.push_back(b.getDictionaryAttr({
        b.getNamedAttr("name", b.getStringAttr(tensor.getName())),
        b.getNamedAttr("role",
                       b.getStringAttr(tensor.getOutput() ? "out" : "in")),
        b.getNamedAttr("type", b.getStringAttr(typeName(element))),
        b.getNamedAttr("dims", b.getArrayAttr(tensor.getDims())),
    }));
  }
  return b.getArrayAttr(list);
}

ArrayAttr ManifestBuilder::scalars(func::FuncOp entry) {
  SmallVector<Attribute> list;
  for (BlockArgument argument : entry.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto name = entry.getArgAttrOfType<StringAttr>(number, kNameAttr);
    if (!name || isa<ShapedType>(argument.getType()))
      continue;
    Attribute byDefault = entry.getArgAttr(number, kDefaultAttr);
    Attribute kind = entry.getArgAttr(number, kClassAttr);
    list.push_back(b.getDictionaryAttr({
        b.getNamedAttr("name", name),
        b.getNamedAttr("type", b.getStringAttr(typeName(argument.getType()))),
        b.getNamedAttr("default", byDefault ? byDefault : b.getUnitAttr()),
        b.getNamedAttr("class", kind ? kind : b.getStringAttr("any")),
    }));
  }
  return b.getArrayAttr(list);
}

/// What must hold between the sizes of the tensors but is only known at launch.
ArrayAttr ManifestBuilder::constraints(func::FuncOp entry) {
  SmallVector<Attribute> list;
  auto add = [&](Attribute holds, StringRef text) {
    list.push_back(b.getDictionaryAttr({
        b.getNamedAttr("expr", holds),
        b.getNamedAttr("text", b.getStringAttr(text)),
    }));
  };
  if (Attribute multiple = headsAreGrouped(entry))
    add(multiple, "the query heads must be a multiple of the key/value heads");
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (auto tensor = entry.getArgAttrOfType<TensorAttr>(i, kTensorAttr))
      if (tensor.getName() == "q_offsets" && !tensor.getDims().empty() &&
          isa<StringAttr>(tensor.getDims()[0]))
        add(expr("ge", {size("q_offsets", 0), number(1)}),
            "q_offsets must have an entry more than there are sequences");
  return b.getArrayAttr(list);
}

/// Query heads are a multiple of key/value heads; null where that is known.
Attribute ManifestBuilder::headsAreGrouped(func::FuncOp entry) {
  auto problem = entry->getAttrOfType<DictionaryAttr>(kProblemAttr);
  auto layout = problem ? problem.getAs<StringAttr>("layout") : StringAttr();
  int64_t head = layout && layout.getValue() == "bshd" ? 2 : 1;
  bool dynamic = false;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i)
    if (auto tensor = entry.getArgAttrOfType<TensorAttr>(i, kTensorAttr))
      if (tensor.getName() == "q" || tensor.getName() == "k")
        dynamic |= head < static_cast<int64_t>(tensor.getDims().size()) &&
                   isa<StringAttr>(tensor.getDims()[head]);
  if (!dynamic)
    return {};
  ArrayAttr hq = size("q", head), hkv = size("k", head);
  Attribute none = expr("eq", {hq, number(0)});
  Attribute some = expr("gt", {hkv, number(0)});
  Attribute multiple =
      expr("eq", {expr("mod", {hq, expr("max", {hkv, number(1)})}), number(0)});
  return expr("or", {none, expr("and", {some, multiple})});
}

Attribute ManifestBuilder::both(Attribute a, Attribute other) {
  if (!a || a == b.getBoolAttr(true))
    return other;
  return expr("and", {a, other});
}

DictionaryAttr ManifestBuilder::manifest(func::FuncOp entry,
                                         ArrayRef<Attribute> kernels) {
  auto problem = entry->getAttrOfType<DictionaryAttr>(kProblemAttr);
  auto name = entry->getAttrOfType<StringAttr>(kEntryAttr);
  return b.getDictionaryAttr({
      b.getNamedAttr("fa_manifest", number(1)),
      b.getNamedAttr("name", name ? name : entry.getSymNameAttr()),
      b.getNamedAttr("problem", problem ? problem : b.getDictionaryAttr({})),
      b.getNamedAttr("tensors", tensors(entry)),
      b.getNamedAttr("constraints", constraints(entry)),
      b.getNamedAttr("scalars", scalars(entry)),
      b.getNamedAttr("kernels", b.getArrayAttr(kernels)),
  });
}

void mlir::fa::replaceKernelEntries(
    ModuleOp module, function_ref<KernelEntries(NamedAttrList)> replace) {
  auto manifest = module->getAttrOfType<DictionaryAttr>(kManifestAttr);
  auto kernels = manifest ? manifest.getAs<ArrayAttr>("kernels") : ArrayAttr();
  if (!kernels)
    return;
  SmallVector<Attribute> list;
  for (Attribute entry : kernels) {
    auto fields = dyn_cast<DictionaryAttr>(entry);
    if (!fields) {
      list.push_back(entry);
      continue;
    }
    for (NamedAttrList &made : replace(NamedAttrList(fields)))
      list.push_back(made.getDictionary(module.getContext()));
  }
  NamedAttrList fields(manifest);
  fields.set("kernels", ArrayAttr::get(module.getContext(), list));
  module->setAttr(kManifestAttr, fields.getDictionary(module.getContext()));
}

void mlir::fa::replaceKernelEntry(
    ModuleOp module, StringRef name,
    function_ref<KernelEntries(NamedAttrList)> replace) {
  replaceKernelEntries(module, [&](NamedAttrList fields) {
    auto named = dyn_cast_or_null<StringAttr>(fields.get("name"));
    return named && named.getValue() == name ? replace(fields)
                                             : KernelEntries{fields};
  });
}
