// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the arguments of an entry function are called in the artefact, and what
// their shapes are there.
#ifndef FA_PASSES_ENTRYROLES_H
#define FA_PASSES_ENTRYROLES_H

#include "dialect/Fa/FaDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::fa {
/// Name of the argument attribute that relates a capture's extents to others:
/// an array of their names ("B", "Hq", "Sq", "Sk", ...; "" for one of its own).
inline constexpr llvm::StringLiteral kDimsAttr = "fa.dims";

/// A letter or '_', then letters, digits and '_', 256 at most: what
/// runtime/Fields.cpp takes for the names in a manifest.
bool isIdentifier(StringRef name);

/// What people read where a name is none of these.
inline constexpr llvm::StringLiteral kIdentifierRule =
    "a name of letters, digits and '_' that starts with no digit";

/// The artefact's name for a function of this name: '.' and '$', which MLIR
/// allows besides, become '_'. Nothing where that is no identifier.
std::optional<std::string> artefactName(StringRef symbol);

/// The names and shapes of one attention op's entry function.
class EntryRoles {
public:
  explicit EntryRoles(AttentionOp op);

  /// The op's inputs are the artefact's tensors; every other argument has a
  /// name of its own; what one tensor states about an extent holds for all that
  /// share it. The others below are for an entry that passed this.
  LogicalResult check();

  /// The name of an operand of the op or an argument of the entry.
  StringRef nameOf(Value value) const { return roles.at(value).name; }

  /// The shape that the artefact's tensor has.
  ShapedType launchType(Value value) const;

  /// A memref of that shape with any strides; the innermost stride of the
  /// attention op's own operands is 1.
  MemRefType bufferType(Value value) const;

  /// The `#fa.tensor` of an operand or a capture.
  TensorAttr describe(Value value, bool output) const;

private:
  /// A tensor or scalar of the artefact: its name and the names of its extents.
  struct Role {
    StringRef name;
    SmallVector<StringRef> symbols;
    bool isCapture = false;
  };

  LogicalResult checkOperand(Value operand);
  LogicalResult checkExtents(Value value);
  LogicalResult checkType(BlockArgument argument);
  LogicalResult checkName(StringRef name, unsigned number);
  LogicalResult addCapture(BlockArgument argument);
  FailureOr<SmallVector<StringRef>> captureSymbols(BlockArgument argument);
  LogicalResult checkRegions();

  AttentionOp op;
  func::FuncOp func;
  llvm::DenseMap<Value, Role> roles;
  /// Extents that some tensor states statically, by their names.
  llvm::StringMap<int64_t> extents;
};
} // namespace mlir::fa

#endif // FA_PASSES_ENTRYROLES_H
