// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Raise/Plan.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fa;
using namespace mlir::fa::raising;

Axes Plan::queryHeads() const {
  Axes heads = head;
  heads.append(group.begin(), group.end());
  return heads;
}

SmallVector<Axes, 4> Plan::shape(const Axes &heads, const Axes &sequence,
                                 const Axes &last) const {
  if (layout == Layout::BHSD)
    return {batch, heads, sequence, last};
  return {batch, sequence, heads, last};
}

double mlir::fa::raising::viewCost(const Coords &have, ArrayRef<Axes> want) {
  Axes from, to;
  bool exact = have.size() == want.size();
  for (auto [i, coord] : llvm::enumerate(have)) {
    Axes atoms = atomsOf(coord.digits);
    exact = exact && atoms == atomsOf(want[i]);
    from.append(atoms);
  }
  for (const Axes &dim : want)
    to.append(atomsOf(dim));
  if (exact)
    return 0;
  return from == to ? 1 : kCopy;
}

namespace {
class Chooser {
public:
  Chooser(Graph &graph, const Attention &attention, bool allowF32)
      : graph(graph), attention(attention), allowF32(allowF32) {}
  std::optional<Plan> choose();
  std::string reason;

private:
  bool prepare();
  Chain usable(const Chain &chain, ArrayRef<Axes> groups);
  Axes inOrder(const Candidate &candidate, const Axes &axes);
  void gatherIndexed(Expr *expr, AxisSet &axes, llvm::DenseSet<Expr *> &seen);
  bool looksLikeGroup(Axis *axis);
  void tryRows(Plan plan);
  void tryBatch(Plan plan, double penalty);
  void tryLayout(Plan plan, double penalty);
  const Candidate *cheapest(const Chain &chain, ArrayRef<Axes> want,
                            double &cost);

  Graph &graph;
  const Attention &attention;
  bool allowF32;
  Chain q, k, v;
  Axes batch, row;
  AxisSet mustBeRow, ofSink;
  std::optional<Plan> best;
};
} // namespace

/// Candidates that have exactly these axes and an element type the op takes.
Chain Chooser::usable(const Chain &chain, ArrayRef<Axes> groups) {
  AxisSet wanted;
  for (const Axes &group : groups)
    for (Axis *axis : atomsOf(group))
      wanted.insert(axis);
  Chain result;
  for (const Candidate &candidate : chain) {
    size_t count = 0;
    bool fits = true;
    auto shape = cast<ShapedType>(candidate.value.getType()).getShape();
    for (auto [at, extent] : llvm::zip(candidate.at, shape)) {
      // Not a part of the tensor only, nor perhaps one: of a size that is known
      // on one side alone nobody says that it is the other.
      fits &= at.offset == 0 && extentOf(at.digits) == extent;
      for (Axis *axis : atomsOf(at.digits)) {
        fits &= wanted.contains(axis);
        ++count;
      }
    }
    Type type = cast<ShapedType>(candidate.value.getType()).getElementType();
    fits &= type.isF16() || type.isBF16() || (allowF32 && type.isF32());
    if (fits && count == wanted.size())
      result.push_back(candidate);
  }
  // One type: what is above a rounding to 16 bits is another tensor.
  auto elementOf = [](const Candidate &candidate) {
    return cast<ShapedType>(candidate.value.getType()).getElementType();
  };
  auto narrow = llvm::find_if(result, [&](const Candidate &candidate) {
    return !elementOf(candidate).isF32();
  });
  if (narrow != result.end()) {
    Type type = elementOf(*narrow);
    llvm::erase_if(result, [&](const Candidate &candidate) {
      return elementOf(candidate) != type;
    });
  }
  return result;
}

Axes Chooser::inOrder(const Candidate &candidate, const Axes &axes) {
  Axes ordered;
  for (const Coord &at : candidate.at)
    for (Axis *axis : atomsOf(at.digits))
      if (llvm::is_contained(axes, axis))
        ordered.push_back(axis);
  return ordered;
}

bool Chooser::prepare() {
  q = usable(attention.q, {attention.batch, attention.row, attention.depth});
  k = usable(attention.k, {attention.batch, attention.key, attention.depth});
  v = usable(attention.v, {attention.batch, attention.key, attention.width});
  if (q.empty() || k.empty() || v.empty()) {
    reason = llvm::formatv("expects {0} of f16 or bf16 with batch, heads, "
                           "sequence and head dimension of their own",
                           q.empty()   ? "queries"
                           : k.empty() ? "keys"
                                       : "values")
                 .str();
    return false;
  }
  batch = inOrder(q.back(), attention.batch);
  row = inOrder(q.back(), attention.row);
  llvm::DenseSet<Expr *> seen;
  gatherIndexed(attention.scores, mustBeRow, seen);
  if (attention.sink)
    ofSink = graph.axesOf(graph.seeThrough(attention.sink));
  return true;
}

/// Row axes whose coordinates the scores are compared by: positions, not heads.
void Chooser::gatherIndexed(Expr *expr, AxisSet &axes,
                            llvm::DenseSet<Expr *> &seen) {
  if (!seen.insert(expr).second || expr->kind == Kind::Reduce)
    return;
  // A table counts where it has rows and columns only.
  bool isTable = expr->kind == Kind::Literal &&
                 llvm::count_if(expr->at, [](const Coord &at) {
                   return !at.digits.empty();
                 }) == 2;
  if (expr->kind == Kind::Index || isTable)
    for (Axis *axis : graph.axesOf(expr))
      if (llvm::is_contained(row, axis))
        axes.insert(axis);
  if (Expr *inner = graph.expand(expr))
    gatherIndexed(inner, axes, seen);
  for (Expr *arg : expr->args)
    gatherIndexed(arg, axes, seen);
}

/// Whether keys were repeated along `axis`, or it is the lower part of what was
/// one dimension with a batch axis.
bool Chooser::looksLikeGroup(Axis *axis) {
  for (const Chain *chain : {&attention.k, &attention.v})
    for (const Candidate &candidate : *chain)
      if (!inOrder(candidate, {axis}).empty())
        return true;
  if (ShapedType::isDynamic(axis->extent) || axis->extent > 64)
    return false;
  for (const Candidate &candidate : attention.q)
    for (const Coord &at : candidate.at) {
      Axes atoms = atomsOf(at.digits);
      if (atoms.size() > 1 && atoms.back() == axis &&
          llvm::is_contained(batch, atoms[atoms.size() - 2]))
        return true;
    }
  return false;
}

const Candidate *Chooser::cheapest(const Chain &chain, ArrayRef<Axes> want,
                                   double &cost) {
  const Candidate *found = nullptr;
  double least = 0;
  for (const Candidate &candidate : chain) {
    double own = viewCost(candidate.at, want) + candidate.path;
    if (!found || own < least) {
      found = &candidate;
      least = own;
    }
  }
  cost += least;
  return found;
}

void Chooser::tryLayout(Plan plan, double penalty) {
  for (Layout layout : {Layout::BHSD, Layout::BSHD}) {
    plan.layout = layout;
    plan.cost = penalty;
    plan.q = cheapest(q, plan.qShape(), plan.cost);
    plan.k = cheapest(k, plan.kShape(), plan.cost);
    plan.v = cheapest(v, plan.vShape(), plan.cost);
    plan.cost += viewCost(attention.at, plan.oShape());
    if (!best || plan.cost < best->cost)
      best = plan;
  }
}

void Chooser::tryBatch(Plan plan, double penalty) {
  size_t n = batch.size();
  for (size_t split = 0; split <= n; ++split) {
    plan.batch.assign(batch.begin(), batch.begin() + split);
    plan.head.assign(batch.begin() + split, batch.end());
    // Heads are the last batch axis; a single axis is the batch, unless query
    // heads share it.
    size_t usual = n >= 2 ? n - 1 : plan.group.empty() ? n : 0;
    // A sink is one number a query head.
    bool fits =
        !attention.sink || (plan.queryHeads().size() == ofSink.size() &&
                            llvm::all_of(plan.queryHeads(), [&](Axis *axis) {
                              return ofSink.contains(axis);
                            }));
    tryLayout(plan,
              penalty + (split == usual ? 0 : 0.1) + (fits ? 0 : 10 * kCopy));
  }
}

void Chooser::tryRows(Plan plan) {
  if (row.size() > 8)
    return;
  for (unsigned bits = 0; bits < (1u << row.size()); ++bits) {
    plan.row.clear();
    plan.group.clear();
    double penalty = 0;
    for (auto [i, axis] : llvm::enumerate(row)) {
      bool grouped = bits >> i & 1;
      (grouped ? plan.group : plan.row).push_back(axis);
      if (grouped && mustBeRow.contains(axis))
        penalty += 10 * kCopy;
      bool expected = looksLikeGroup(axis) && !mustBeRow.contains(axis);
      penalty += grouped == expected ? 0 : 0.3;
      if (grouped)
        penalty += ShapedType::isDynamic(axis->extent) || axis->extent > 64
                       ? 0.2
                       : 0.0;
    }
    // One position axis is the rule, others are heads.
    if (row.size() > 1 && plan.row.size() != 1)
      penalty += 0.5;
    tryBatch(plan, penalty);
  }
}

std::optional<Plan> Chooser::choose() {
  if (!prepare())
    return std::nullopt;
  Plan plan;
  plan.key = inOrder(k.back(), attention.key);
  plan.depth = inOrder(k.back(), attention.depth);
  plan.width = inOrder(v.back(), attention.width);
  tryRows(plan);
  // The candidates are ours: hand out copies that live with the attention.
  auto original = [](const Chain &chain, const Candidate *chosen) {
    for (const Candidate &candidate : chain)
      if (candidate.value == chosen->value)
        return &candidate;
    return chosen;
  };
  if (best) {
    best->q = original(attention.q, best->q);
    best->k = original(attention.k, best->k);
    best->v = original(attention.v, best->v);
  }
  return best;
}

std::optional<Plan> mlir::fa::raising::choosePlan(Graph &graph,
                                                  const Attention &attention,
                                                  std::string &reason,
                                                  bool allowF32) {
  Chooser chooser(graph, attention, allowF32);
  auto plan = chooser.choose();
  if (!plan)
    reason = chooser.reason;
  return plan;
}
