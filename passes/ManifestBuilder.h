// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launch manifest as attributes: what the host's side of a kernel becomes.
// lowering/Manifest.h writes it as JSON; runtime/README.md has the schema.
#ifndef FA_PASSES_MANIFESTBUILDER_H
#define FA_PASSES_MANIFESTBUILDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::fa {
/// Name of the module attribute that holds the manifest.
inline constexpr llvm::StringLiteral kManifestAttr = "fa.manifest";
/// Name of the attribute that says what a kernel's argument carries: a
/// ParamAttr, or `["expr", ...]` for what the host computes from the sizes.
inline constexpr llvm::StringLiteral kParamAttr = "fa.param";
/// Name of the gpu.module's attribute that names the chip.
inline constexpr llvm::StringLiteral kTargetAttr = "fa.target";
/// Name of the kernel's attribute with the widest access to global memory, in
/// bytes, that its launch predicate allows; an element where absent.
inline constexpr llvm::StringLiteral kAccessAttr = "fa.access";
/// Name of the attribute that marks a kernel whose tiles come by TMA.
inline constexpr llvm::StringLiteral kTmaAttr = "fa.tma";
/// Name of the attribute with the entry function that a function is a version
/// of, and of that with the most keys that the version is for.
inline constexpr llvm::StringLiteral kEntryAttr = "fa.entry";
inline constexpr llvm::StringLiteral kMostKeysAttr = "fa.most_keys";
/// Name of the attribute of a version, and of its kernel, that is for rows of
/// aligned tensors alone.
inline constexpr llvm::StringLiteral kWideAttr = "fa.wide";
/// Names of the attributes with a scalar argument's default and class.
inline constexpr llvm::StringLiteral kDefaultAttr = "fa.default";
inline constexpr llvm::StringLiteral kClassAttr = "fa.class";
/// Name of the attribute that marks a kernel function.
inline constexpr llvm::StringLiteral kKernelAttr = "fa.kernel";
/// Name of the attribute with a kernel's, or a parallel loop's, schedule.
inline constexpr llvm::StringLiteral kScheduleAttr = "fa.schedule";
/// Name of the entry function's attribute that describes the problem.
inline constexpr llvm::StringLiteral kProblemAttr = "fa.problem";

class ManifestBuilder {
public:
  explicit ManifestBuilder(MLIRContext *context) : b(context) {}

  /// `["op", args...]`
  ArrayAttr expr(StringRef op, ArrayRef<Attribute> args);
  /// Both conditions; `a` may be `true` or null, which says nothing.
  Attribute both(Attribute a, Attribute other);
  Attribute number(int64_t value) { return b.getI64IntegerAttr(value); }
  /// Extent, in elements, of dimension `dim` of a named tensor.
  ArrayAttr size(StringRef tensor, int64_t dim);

  /// `value`, an index computed from the sizes of `entry`'s arguments, as an
  /// expression over the named tensors; an error at what it cannot say.
  FailureOr<Attribute> translate(Value value, func::FuncOp entry);

  /// A kernel's arguments, from their `fa.param` attributes and types.
  ArrayAttr params(ArrayRef<Attribute> params, TypeRange types);

  /// One entry of `kernels`, for arguments of these `fa.param` attributes and
  /// types.
  DictionaryAttr kernel(StringRef name, StringRef note, Attribute when,
                        ArrayRef<Attribute> params, TypeRange types,
                        Attribute grid, int64_t block);

  /// The whole: what the entry function's attributes say of the problem, its
  /// tensors and scalars, and `kernels`.
  DictionaryAttr manifest(func::FuncOp entry, ArrayRef<Attribute> kernels);

private:
  ArrayAttr tensors(func::FuncOp entry);
  ArrayAttr scalars(func::FuncOp entry);
  ArrayAttr constraints(func::FuncOp entry);
  Attribute headsAreGrouped(func::FuncOp entry);
  FailureOr<Attribute> translateAffine(AffineExpr expr, ValueRange operands,
                                       unsigned numDims, func::FuncOp entry);

  Builder b;
};

/// The manifest's name for an affine expression of two operands.
StringRef nameOf(AffineExprKind kind);

/// What becomes of one entry of the manifest's `kernels`: none, one or several.
using KernelEntries = SmallVector<NamedAttrList, 2>;

/// Replaces each entry of the module's manifest by what `replace` makes of it.
/// Nothing where there is no manifest; one that is malformed stays as it is,
/// for checkManifest to refuse.
void replaceKernelEntries(ModuleOp module,
                          function_ref<KernelEntries(NamedAttrList)> replace);

/// The same for the entry of kernel `name`; the others stay.
void replaceKernelEntry(ModuleOp module, StringRef name,
                        function_ref<KernelEntries(NamedAttrList)> replace);
} // namespace mlir::fa

#endif // FA_PASSES_MANIFESTBUILDER_H
