// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one matcher: is this value softmax(scale Q K^T, changed and masked) V?
#ifndef FA_PASSES_RAISE_MATCH_H
#define FA_PASSES_RAISE_MATCH_H

#include "passes/Raise/Graph.h"

namespace mlir::fa::raising {

/// A tensor that an operand may be taken from. The later ones of a chain are
/// further up: before views, casts and constant factors.
struct Candidate {
  Value value;
  Coords at;
  double factor = 1; // the operand is `factor` times this tensor
  double path = 0;   // cost of the views above it, if it is taken
};
using Chain = llvm::SmallVector<Candidate, 4>;

/// The cost of a new copy, in reshapes, and of one that the program makes and
/// would go on making.
inline constexpr double kCopy = 100, kOldCopy = 40;
/// Of a view between tensors with these coordinates: little for a reshape.
double stepCost(const Coords &from, const Coords &to);

/// Keeps a score where `keep` holds, else gives it `fill`.
struct MaskLayer {
  Expr *keep;
  double fill;
  bool isExact() const { return fill == -INFINITY; }
};

/// `root` at `at` is attention, of the operands that the chains name.
struct Attention {
  Value root;
  Coords at;
  Chain q, k, v;
  Axes batch, row, key, depth, width; // atoms; `row` has query groups too
  Expr *dot = nullptr;
  double dotFactor = 1;      // constants inside of the product
  Value product;             // the tensor of `dot`, where it is one
  Expr *allScores = nullptr; // over `dot`
  Expr *scores = nullptr;    // the same without the layers below
  llvm::SmallVector<MaskLayer> layers;
  Expr *sum = nullptr; // the denominator, with a sink where there is one
  /// What the exponent adds to the scores, the same for a whole row: minus the
  /// maximum, as a rule.
  struct Term {
    double factor;
    Expr *expr;
  };
  llvm::SmallVector<Term> shifts;
  bool natural = true; // to the base e, with no constant among the shifts
  /// A logit that joins the sum without a key; null where there is none.
  Expr *sink = nullptr;
  /// The logarithm of the sum of exponentials, where the program reads it.
  Value logSum;
  Coords logSumAt;
  bool roundsWeights = true; // to a 16-bit type, before the product with V
};

class Matcher {
public:
  explicit Matcher(Graph &graph) : graph(graph) {}

  /// Matches `root`. On failure `reason` says which condition does not hold.
  bool match(Value root, Attention &attention);

  /// Whether `root` is a product that something made of exponentials and of a
  /// reduction goes into, so that a reader would expect it to be raised.
  bool isSecondProduct(Value root);
  /// Whether exponentials reach `value` without a product of two tensors in
  /// between.
  bool leadsToExp(Value value);

  /// Whether `value` is what the op has as LSE; gives its coordinates.
  bool isLogSum(Value value, const Attention &attention, Coords &at);

  /// Moves masks from the scores to the layers; those with a finite fill only
  /// if `finiteToo`.
  void peelMasks(Attention &attention, bool finiteToo) {
    found = &attention;
    keys = attention.key;
    dotLeads.clear();
    attention.layers.clear();
    attention.scores = peel(attention.allScores, finiteToo, 1);
  }

  std::string reason;

private:
  struct Product {
    llvm::SmallVector<Expr *> above, below;
    llvm::SmallVector<std::pair<Expr *, bool>> guards; // 0 where == second
    double constant = 1;
  };
  using Term = Attention::Term;
  using Terms = llvm::SmallVector<Term>;

  bool decline(const llvm::Twine &why) {
    reason = why.str();
    return false;
  }

  /// The expression below views and casts between float types.
  Expr *below(Expr *expr);
  bool reaches(Expr *expr, llvm::function_ref<bool(Expr *)> wanted);

  // Softmax.cpp: from the result down to the scores.
  void collect(Expr *expr, bool inverted, bool top, Product &product);
  bool collectGuard(Expr *select, bool inverted, bool top, Product &product);
  Expr *maskedExponential(Expr *condition, Expr *rest, bool keepsWhenTrue);
  bool readOutput(Expr *expr);
  std::string changing(const Product &body);
  bool readBody(const Product &top, const Product &body);
  bool readDenominator(Expr *sum);
  bool readLogSum(const Terms &all);
  bool readExponent();
  bool readGuards(const Product &top, const Product &body);
  bool isEmptyRow(Expr *condition, bool whenTrue);
  bool isShift(Expr *expr);
  void terms(Expr *expr, double factor, Terms &all);
  bool termsOfChoice(Expr *select, double factor, Terms &all);
  bool weightsRounded(Expr *body);
  void findRows();

  // Sink.cpp: what joins the sum beside the keys.
  Expr *splitSink(Expr *sum);
  Expr *splitColumn(Expr *sum);
  bool readSink();

  // Scores.cpp: from the scores to the operands.
  bool readScores(Expr *scores);
  std::string unknownIn(Expr *scores);
  void findDots(Expr *expr, llvm::SmallVectorImpl<Expr *> &dots);
  bool isDot(Expr *expr);
  bool hasDot(Expr *expr);
  Expr *peel(Expr *expr, bool finiteToo, double factor);
  Expr *peelSum(Expr *expr, bool finiteToo, double factor);
  void addends(Expr *expr, double sign, Terms &all);
  std::optional<MaskLayer> asLayer(Expr *expr, double factor);
  Expr *asCondition(Expr *flag);
  bool readOperands();
  void chainOf(Expr *expr, Chain &chain);
  bool assignAxes();

  Graph &graph;
  Attention *found = nullptr;
  Expr *exponential = nullptr;  // of the weights: Exp or Exp2
  Expr *sinkExponent = nullptr; // of what else is in the sum
  Expr *values = nullptr;
  Axes keys;
  llvm::DenseMap<Value, bool> expLeads;
  llvm::DenseMap<Expr *, bool> dotLeads;
};

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_MATCH_H
