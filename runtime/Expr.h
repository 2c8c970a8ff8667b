// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest's expressions over sizes, strides, addresses and the device:
// grid rules, launch predicates, constraints and parameters. Evaluated in
// int64; an overflow is a fault.
#ifndef FA_RUNTIME_EXPR_H
#define FA_RUNTIME_EXPR_H

#include "runtime/Json.h"

#include <vector>

namespace fa::rt {

/// A tensor as expressions and kernels see it, in the manifest's order.
struct TensorValue {
  void *data = nullptr;
  int rank = 0;
  int64_t sizes[FA_MAX_RANK] = {};
  int64_t strides[FA_MAX_RANK] = {}; // in elements
};

/// What a launch's expressions are evaluated for.
struct ExprContext {
  const TensorValue *tensors;
  int64_t units = 0; // multiprocessors of the device, 1 on the CPU
};

/// What an expression may name.
struct ExprScope {
  struct Tensor {
    std::string name;
    int rank;
  };
  std::vector<Tensor> tensors;
  bool units = true; // whether the device is known where it is evaluated

  /// The index of a tensor, -1 where there is none.
  int find(std::string_view name) const;
};

class Expr {
public:
  enum class Fault { None, Overflow, Division };

  /// Reads an expression that yields a number (`wantBool` false) or a truth
  /// value. `path` says where it stands in the manifest.
  static Status parse(const Json &json, const ExprScope &scope, bool wantBool,
                      const std::string &path, Expr &result);

  /// The value; 0 and 1 for truth values. Faults are those of what is
  /// evaluated: `and` and `or` stop where the result is known.
  Fault evaluate(const ExprContext &context, int64_t &value) const;

  /// Whether the value depends on addresses.
  bool usesAddresses() const;

private:
  enum class Op {
    Constant, // a
    Size,     // tensor a, dimension b
    Stride,   // tensor a, dimension b
    Aligned,  // tensor a, b bytes
    Units,
    Add,
    Sub,
    Mul,
    CeilDiv,
    FloorDiv,
    Mod,
    Min,
    Max,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    Not
  };
  struct OpInfo;
  friend class ExprParser;

  static const OpInfo *findOp(std::string_view name);
  static Fault combine(Op op, int64_t a, int64_t b, int64_t &value);
  int64_t evaluateLeaf(const ExprContext &context) const;

  Op op = Op::Constant;
  int64_t a = 0, b = 0;
  std::vector<Expr> operands;
};

/// "overflows" or "divides by zero".
const char *describe(Expr::Fault fault);

} // namespace fa::rt

#endif
