// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Expr.h"

#include <algorithm>

namespace fa::rt {

int ExprScope::find(std::string_view name) const {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name)
      return static_cast<int>(i);
  return -1;
}

const char *describe(Expr::Fault fault) {
  return fault == Expr::Fault::Division
             ? "divides by a number that is not positive"
             : "overflows";
}

struct Expr::OpInfo {
  std::string_view name;
  Op op;
  bool boolOperands;
  bool boolResult;
  size_t minOperands;
  size_t maxOperands;
};

const Expr::OpInfo *Expr::findOp(std::string_view name) {
  static constexpr size_t many = 1000;
  static constexpr OpInfo table[] = {
      {"add", Op::Add, false, false, 2, many},
      {"sub", Op::Sub, false, false, 2, 2},
      {"mul", Op::Mul, false, false, 2, many},
      {"ceildiv", Op::CeilDiv, false, false, 2, 2},
      {"floordiv", Op::FloorDiv, false, false, 2, 2},
      {"mod", Op::Mod, false, false, 2, 2},
      {"min", Op::Min, false, false, 2, many},
      {"max", Op::Max, false, false, 2, many},
      {"eq", Op::Eq, false, true, 2, 2},
      {"ne", Op::Ne, false, true, 2, 2},
      {"lt", Op::Lt, false, true, 2, 2},
      {"le", Op::Le, false, true, 2, 2},
      {"gt", Op::Gt, false, true, 2, 2},
      {"ge", Op::Ge, false, true, 2, 2},
      {"and", Op::And, true, true, 1, many},
      {"or", Op::Or, true, true, 1, many},
      {"not", Op::Not, true, true, 1, 1},
  };
  for (const OpInfo &info : table)
    if (info.name == name)
      return &info;
  return nullptr;
}

class ExprParser {
public:
  explicit ExprParser(const ExprScope &scope) : scope(scope) {}

  Status parse(const Json &json, bool wantBool, const std::string &path,
               Expr &out) {
    if (json.kind == Json::Kind::Bool || json.kind == Json::Kind::Int) {
      out.op = Expr::Op::Constant;
      out.a = json.kind == Json::Kind::Bool ? json.boolean : json.integer;
      return checkKind(json.kind == Json::Kind::Bool, wantBool, path);
    }
    if (json.kind != Json::Kind::Array || json.items.empty() ||
        json.items[0].kind != Json::Kind::String)
      return failure(FA_INVALID_ARTIFACT, path,
                     ": expects a constant or an array that starts with an "
                     "operator's name, got ",
                     describe(json.kind));
    const std::string &name = json.items[0].string;
    if (name == "size" || name == "stride" || name == "aligned")
      return leaf(json, wantBool, path, out);
    if (name == "units")
      return units(json, wantBool, path, out);
    const Expr::OpInfo *info = Expr::findOp(name);
    if (!info)
      return failure(FA_INVALID_ARTIFACT, path, ": unknown operator '", name,
                     "'");
    return operation(json, *info, wantBool, path, out);
  }

private:
  Status checkKind(bool isBool, bool wantBool, const std::string &path) {
    if (isBool == wantBool)
      return {};
    return failure(FA_INVALID_ARTIFACT, path, ": expects ",
                   wantBool ? "a truth value" : "a number", ", got ",
                   isBool ? "a truth value" : "a number");
  }

  Status leaf(const Json &json, bool wantBool, const std::string &path,
              Expr &out) {
    const std::string &name = json.items[0].string;
    if (json.items.size() != 3 || json.items[1].kind != Json::Kind::String ||
        json.items[2].kind != Json::Kind::Int)
      return failure(FA_INVALID_ARTIFACT, path, ": expects [\"", name,
                     "\", tensor, integer]");
    int tensor = scope.find(json.items[1].string);
    if (tensor < 0)
      return failure(FA_INVALID_ARTIFACT, path, ": there is no tensor '",
                     json.items[1].string, "'");
    out.a = tensor;
    out.b = json.items[2].integer;
    if (name == "aligned") {
      out.op = Expr::Op::Aligned;
      if (out.b < 1 || out.b > 4096 || (out.b & (out.b - 1)))
        return failure(FA_INVALID_ARTIFACT, path,
                       ": expects a power of two up to 4096, got ", out.b);
      return checkKind(true, wantBool, path);
    }
    out.op = name == "size" ? Expr::Op::Size : Expr::Op::Stride;
    if (out.b < 0 || out.b >= scope.tensors[tensor].rank)
      return failure(FA_INVALID_ARTIFACT, path, ": '", json.items[1].string,
                     "' has no dimension ", out.b);
    return checkKind(false, wantBool, path);
  }

  Status units(const Json &json, bool wantBool, const std::string &path,
               Expr &out) {
    if (json.items.size() != 1)
      return failure(FA_INVALID_ARTIFACT, path, ": expects [\"units\"]");
    if (!scope.units)
      return failure(FA_INVALID_ARTIFACT, path,
                     ": expects no 'units' here, where no device is known");
    out.op = Expr::Op::Units;
    return checkKind(false, wantBool, path);
  }

  Status operation(const Json &json, const Expr::OpInfo &info, bool wantBool,
                   const std::string &path, Expr &out) {
    size_t count = json.items.size() - 1;
    if (count < info.minOperands || count > info.maxOperands)
      return failure(FA_INVALID_ARTIFACT, path, ": '", info.name, "' expects ",
                     info.maxOperands == info.minOperands ? "" : "at least ",
                     info.minOperands, " operands, got ", count);
    out.op = info.op;
    out.operands.resize(count);
    for (size_t i = 0; i < count; ++i)
      if (Status s = parse(json.items[i + 1], info.boolOperands,
                           concat(path, "[", i + 1, "]"), out.operands[i]))
        return s;
    return checkKind(info.boolResult, wantBool, path);
  }

  const ExprScope &scope;
};

Status Expr::parse(const Json &json, const ExprScope &scope, bool wantBool,
                   const std::string &path, Expr &result) {
  result = Expr();
  return ExprParser(scope).parse(json, wantBool, path, result);
}

int64_t Expr::evaluateLeaf(const ExprContext &context) const {
  switch (op) {
  case Op::Size:
    return context.tensors[a].sizes[b];
  case Op::Stride:
    return context.tensors[a].strides[b];
  case Op::Aligned:
    return reinterpret_cast<uintptr_t>(context.tensors[a].data) % b == 0;
  case Op::Units:
    return context.units;
  default:
    return a;
  }
}

Expr::Fault Expr::combine(Op op, int64_t x, int64_t y, int64_t &value) {
  bool overflow = false;
  switch (op) {
  case Op::Add:
    overflow = __builtin_add_overflow(x, y, &value);
    break;
  case Op::Sub:
    overflow = __builtin_sub_overflow(x, y, &value);
    break;
  case Op::Mul:
    overflow = __builtin_mul_overflow(x, y, &value);
    break;
  case Op::CeilDiv:
  case Op::FloorDiv:
  case Op::Mod: {
    if (y <= 0)
      return Fault::Division;
    // y > 0, so that the rest in [0, y) makes the quotient the floor.
    int64_t rest = x % y < 0 ? x % y + y : x % y;
    int64_t floor = x / y - (x % y < 0);
    value = op == Op::Mod        ? rest
            : op == Op::FloorDiv ? floor
                                 : floor + (rest != 0);
    break;
  }
  case Op::Min:
    value = std::min(x, y);
    break;
  case Op::Max:
    value = std::max(x, y);
    break;
  case Op::Eq:
    value = x == y;
    break;
  case Op::Ne:
    value = x != y;
    break;
  case Op::Lt:
    value = x < y;
    break;
  case Op::Le:
    value = x <= y;
    break;
  case Op::Gt:
    value = x > y;
    break;
  default:
    value = x >= y;
    break;
  }
  return overflow ? Fault::Overflow : Fault::None;
}

Expr::Fault Expr::evaluate(const ExprContext &context, int64_t &value) const {
  if (operands.empty()) {
    value = evaluateLeaf(context);
    return Fault::None;
  }
  Fault fault = operands[0].evaluate(context, value);
  if (op == Op::Not)
    value = !value;
  for (size_t i = 1; i < operands.size() && fault == Fault::None; ++i) {
    if ((op == Op::And && !value) || (op == Op::Or && value))
      return fault;
    int64_t right = 0;
    fault = operands[i].evaluate(context, right);
    if (fault != Fault::None)
      return fault;
    if (op == Op::And || op == Op::Or)
      value = right;
    else
      fault = combine(op, value, right, value);
  }
  return fault;
}

bool Expr::usesAddresses() const {
  if (op == Op::Aligned)
    return true;
  return std::any_of(operands.begin(), operands.end(),
                     [](const Expr &e) { return e.usesAddresses(); });
}

} // namespace fa::rt
