// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass: finds candidates, lets the matcher decide, builds, cleans up.
#include "passes/Raise/Build.h"
#include "passes/Raise/FrontEnds.h"
#include "passes/Raise/Inline.h"
#include "passes/Raise/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/Support/FormatVariadic.h"

namespace mlir::fa {
#define GEN_PASS_DEF_FARAISE
#include "passes/Raise/Passes.h.inc"
} // namespace mlir::fa

using namespace mlir;
using namespace mlir::fa;
using namespace mlir::fa::raising;

namespace {
/// One attempt at one product.
class Attempt {
public:
  Attempt(Value product, const BuildOptions &options)
      : product(product), options(options), matcher(graph) {}

  bool isCandidate() { return matcher.isSecondProduct(product); }
  /// Why a fused operator is no candidate.
  StringRef refusal() const {
    return graph.refusal.empty()
               ? "expects operands of static ranks and shapes "
                 "that belong together"
               : StringRef(graph.refusal);
  }
  Operation *raise();
  /// Erases what the attempt made in vain, after a success also what is no
  /// longer used.
  void clean(bool raised, llvm::DenseSet<Operation *> &erased);
  std::string reason;

private:
  SmallVector<std::pair<Value, double>> roots();
  std::optional<double> continues(Value value, Value next);
  bool select();
  void peel();

  Value product;
  const BuildOptions &options;
  Graph graph;
  Matcher matcher;
  Attention best;
  std::optional<Plan> plan;
};
} // namespace

static Operation *onlyUser(Value value) {
  Operation *only = nullptr;
  for (Operation *user : value.getUsers()) {
    if (user->use_empty() && mlir::fa::raising::isPure(user))
      continue;
    if (only && user != only)
      return nullptr;
    only = user;
  }
  return only;
}

/// What the view costs by which `next` is `value` in another arrangement or
/// element type, or divided by a sum of exponentials.
std::optional<double> Attempt::continues(Value value, Value next) {
  Coords at = graph.dimensions(cast<ShapedType>(next.getType()));
  Expr *made = graph.expand(graph.load(next, at));
  if (!made)
    return std::nullopt;
  made = stripCasts(made);
  auto reads = [&](Expr *expr) {
    expr = stripCasts(expr);
    return expr->kind == Kind::Load && expr->source == value;
  };
  if (reads(made))
    return stepCost(made->at, at);
  if (!made->is(Fn::Div) && !made->is(Fn::Mul))
    return std::nullopt;
  for (unsigned side : {0, 1}) {
    Expr *other = stripCasts(made->args[1 - side]);
    // By its reciprocal, too.
    if (other->is(Fn::Div) && graph.constantOf(other->args[0]) == 1.0)
      other = stripCasts(other->args[1]);
    if (reads(made->args[side]) && other->kind == Kind::Load &&
        matcher.leadsToExp(other->source))
      return kCopy;
  }
  return std::nullopt;
}

/// The values that could be replaced, the product and what follows it, each
/// with the cost of what would be left behind it.
SmallVector<std::pair<Value, double>> Attempt::roots() {
  SmallVector<std::pair<Value, double>> all{{product, 0}};
  while (Operation *user = onlyUser(all.back().first)) {
    if (user->getNumResults() != 1 ||
        user->getBlock() != product.getDefiningOp()->getBlock() ||
        !isa<RankedTensorType>(user->getResult(0).getType()))
      break;
    auto cost = continues(all.back().first, user->getResult(0));
    if (!cost)
      break;
    for (auto &[value, behind] : all)
      behind += *cost;
    all.push_back({user->getResult(0), 0});
  }
  return all;
}

/// Finds the root with the cheapest plan.
bool Attempt::select() {
  for (auto [root, behind] : roots()) {
    Attention attention;
    if (!matcher.match(root, attention)) {
      if (!plan)
        reason = matcher.reason;
      continue;
    }
    auto own = choosePlan(graph, attention, reason, /*allowF32=*/true);
    if (!own)
      continue;
    // A result of the operands' type needs no rounding afterwards.
    auto elementOf = [](Value value) {
      return cast<ShapedType>(value.getType()).getElementType();
    };
    own->cost += behind;
    if (elementOf(root) != elementOf(own->q->value))
      own->cost += 0.5;
    if (plan && plan->cost <= own->cost)
      continue;
    // The plan points into the chains.
    size_t places[] = {size_t(own->q - attention.q.data()),
                       size_t(own->k - attention.k.data()),
                       size_t(own->v - attention.v.data())};
    best = attention;
    plan = own;
    plan->q = &best.q[places[0]];
    plan->k = &best.k[places[1]];
    plan->v = &best.v[places[2]];
  }
  return plan.has_value();
}

void Attempt::peel() {
  MaskReader masks(graph, *plan);
  matcher.peelMasks(best, /*finiteToo=*/true);
  bool finite = llvm::any_of(
      best.layers, [](const MaskLayer &layer) { return !layer.isExact(); });
  // A row without a key averages V under a finite fill, and gives 0 under a
  // mask.
  if (finite && !masks.keepsInEachRow(best.layers))
    matcher.peelMasks(best, /*finiteToo=*/false);
}

Operation *Attempt::raise() {
  if (!select())
    return nullptr;
  // What an operator computes scores in has no tensor of them.
  if (!best.product)
    best.product = product;
  OpSet inner;
  Operation *other = findOtherUse(graph, best, inner);
  if (other && findLogSum(matcher, best)) {
    inner.clear();
    Operation *besides = findOtherUse(graph, best, inner);
    if (besides || readersMaySink(best))
      other = besides;
  }
  if (other) {
    reason =
        llvm::formatv("expects scores and weights that nothing else reads, "
                      "got another use in {0}",
                      other->getName().getStringRef())
            .str();
    return nullptr;
  }
  peel();
  Operation *op = buildAttention(graph, best, *plan, options, reason);
  if (!op)
    return nullptr;
  for (auto [result, by] : graph.aliases)
    result.replaceAllUsesWith(by);
  resolveDims(inner);
  return op;
}

void Attempt::clean(bool raised, llvm::DenseSet<Operation *> &erased) {
  OpSet dead(graph.helpers.begin(), graph.helpers.end());
  if (raised)
    for (Value value : graph.visited)
      dead.insert(value.getDefiningOp());
  eraseDead(dead, erased);
  if (raised && best.logSum)
    sinkReaders(best.logSum);
}

static bool isFusedAttention(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name == "onnx.Attention" || name == "tm_tensor.attention" ||
         name == "iree_linalg_ext.attention" ||
         name == "iree_linalg_ext.online_attention";
}

namespace {
struct FaRaise : mlir::fa::impl::FaRaiseBase<FaRaise> {
  using FaRaiseBase::FaRaiseBase;

  void runOnOperation() override {
    if (allowNarrowing.getValue() == "f16") {
      options.narrowTo = Float16Type::get(&getContext());
    } else if (allowNarrowing.getValue() == "bf16") {
      options.narrowTo = BFloat16Type::get(&getContext());
    } else if (!allowNarrowing.empty()) {
      getOperation().emitError("fa-raise: allow-narrowing expects f16 or bf16, "
                               "got ")
          << allowNarrowing;
      return signalPassFailure();
    }
    SmallVector<FunctionOpInterface> functions(
        getOperation().getOps<FunctionOpInterface>());
    for (FunctionOpInterface function : functions)
      if (!function.isExternal())
        raiseFunction(function);
    if (tookBody)
      eraseUncalled(getOperation());
  }

  /// With called helpers in place where that makes a raising possible.
  void raiseFunction(FunctionOpInterface function) {
    Operation *clone = cloneInlined(function);
    if (!clone) {
      raiseAll(function);
      return;
    }
    if (raiseAll(clone)) {
      takeBody(function, cast<FunctionOpInterface>(clone));
      tookBody = true;
    }
    clone->erase();
  }

  bool raiseAll(Operation *function) {
    SmallVector<Operation *> ops;
    function->walk([&](Operation *op) {
      if (op->getNumResults() > 0 && op->getNumOperands() > 1 &&
          isa<RankedTensorType>(op->getResult(0).getType()))
        ops.push_back(op);
    });
    llvm::DenseSet<Operation *> erased;
    bool any = false;
    for (Operation *op : ops)
      if (!erased.contains(op))
        any |= raiseOne(op->getResult(0), erased);
    return any;
  }

  bool raiseOne(Value product, llvm::DenseSet<Operation *> &erased) {
    Operation *op = product.getDefiningOp();
    Attempt attempt(product, options);
    bool raised = false;
    if (!attempt.isCandidate()) {
      if (isFusedAttention(op))
        op->emitRemark("not raised: ") << attempt.refusal();
    } else {
      raised = attempt.raise();
      if (!raised)
        op->emitRemark("not raised: ") << attempt.reason;
    }
    attempt.clean(raised, erased);
    return raised;
  }

  BuildOptions options;
  bool tookBody = false;
};
} // namespace
