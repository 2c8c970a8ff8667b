// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The intermediate of `fa-raise`: what one element of a tensor is, as a scalar
// expression over named axes. Views (transposes, reshapes, broadcasts) leave no
// trace in it but the coordinates at which a tensor is read.
#ifndef FA_PASSES_RAISE_EXPR_H
#define FA_PASSES_RAISE_EXPR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::fa::raising {

/// A dimension that coordinates run over. Reshapes split one into parts, after
/// which all earlier uses mean the parts; extent 1 is never an axis.
struct Axis {
  int64_t extent;
  llvm::SmallVector<Axis *, 2> parts; // most significant first
};
using Axes = llvm::SmallVector<Axis *, 4>;
using AxisSet = llvm::SmallSetVector<Axis *, 8>;

/// One index: axes as digits of a number of mixed radix, the most significant
/// first, plus a constant. No digits: index `offset`.
struct Coord {
  Axes digits;
  int64_t offset = 0;
};
using Coords = llvm::SmallVector<Coord, 4>;

enum class Kind {
  Constant, // `number`, rounded to the type
  Literal,  // element of a dense constant at `at`
  Index,    // the number that `at[0]` stands for
  Load,     // element of the tensor `source` at `at`; may have a definition
  Scalar,   // the scalar value `source`
  Reduce,   // `op` over all of `axes` of args[0]
  Fn,       // `op` of args
};

enum class Fn {
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min, // floats or integers
  Exp,
  Exp2,
  Log,
  Log2,
  Tanh,
  Sqrt,
  Rsqrt, // floats
  Abs,
  Floor,
  Ceil,
  Erf,
  Pow,
  And,
  Or,
  Xor, // booleans or integers
  FloorDiv,
  Rem,
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  IsNan, // ordered, signed; give i1
  Select,
  Cast,
};

struct Expr {
  Kind kind;
  Type type; // element type
  Fn op = Fn::Add;
  llvm::SmallVector<Expr *, 3> args;
  double number = 0;
  Value source;
  ElementsAttr literal;
  Coords at;
  Axes axes;

  bool is(Fn wanted) const { return kind == Kind::Fn && op == wanted; }
  bool isReduce(Fn wanted) const {
    return kind == Kind::Reduce && op == wanted;
  }
  bool isConstant() const { return kind == Kind::Constant; }
};

/// Appends the axes that `axis` consists of by now.
void appendAtoms(Axis *axis, Axes &atoms);
Axes atomsOf(const Axes &digits);
/// Product of the extents, ShapedType::kDynamic where one is dynamic.
int64_t extentOf(const Axes &digits);
/// The value of `number` after rounding to `type`.
double roundTo(Type type, double number);
/// What `op` gives on constants; nothing where it is not defined.
std::optional<double> evaluate(Fn op, llvm::ArrayRef<double> args, Type type);
/// The expression below casts between float types.
Expr *stripCasts(Expr *expr);
/// A float value at or below which a masked score has no weight beside a kept
/// one.
inline constexpr double kDropped = -3.0e4;

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_EXPR_H
