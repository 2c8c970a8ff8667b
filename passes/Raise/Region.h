// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes expressions as the ops of a score or mask region.
#ifndef FA_PASSES_RAISE_REGION_H
#define FA_PASSES_RAISE_REGION_H

#include "passes/Raise/Masks.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fa::raising {

/// The constants that the scores multiply the product of Q and K by.
class ScoreReader {
public:
  ScoreReader(Graph &graph, const Attention &attention)
      : graph(graph), attention(attention) {}
  /// f where `expr` is f times the product.
  std::optional<double> multipleOf(Expr *expr);
  /// The factor that all places of the product have in common, 1 if there is
  /// none.
  double commonFactor();
  bool hasDot(Expr *expr);

private:
  void gather(Expr *expr, llvm::SmallVectorImpl<double> &factors);
  void keepCap(Expr *tanh);
  Graph &graph;
  const Attention &attention;
  llvm::DenseMap<Expr *, bool> known;
  llvm::DenseSet<Expr *> caps; // divisions that belong to a softcap
};

class RegionWriter {
public:
  /// `arguments`: b, h, i, j. `score` is what stands for `factor` times the
  /// product; null in a mask region.
  RegionWriter(Graph &graph, const Plan &plan, ImplicitLocOpBuilder &builder,
               ValueRange arguments, ScoreReader *reader = nullptr,
               Value score = nullptr, double factor = 1)
      : graph(graph), plan(plan), b(builder), arguments(arguments),
        reader(reader), score(score), factor(factor) {}

  /// The value of `expr`, floats in f32; null where a region cannot say it.
  Value write(Expr *expr);
  Value write(const Condition &condition);

private:
  Value writeLoad(Expr *load);
  Value writeOp(Expr *expr);
  Value writeFloat(Expr *expr, ArrayRef<Value> args);
  Value writeInteger(Expr *expr, ArrayRef<Value> args);
  Value writeCast(Expr *expr, Value value);
  Value writeExtract(Value tensor, const Coords &at);
  Value toFloat(Value value);
  Value writeIndex(const Coord &at);
  AffineExpr coordinate(const Coord &at);
  bool isPositional(Expr *expr, unsigned depth);
  bool isSmall(Expr *expr);

  Graph &graph;
  const Plan &plan;
  ImplicitLocOpBuilder &b;
  ValueRange arguments;
  ScoreReader *reader;
  Value score;
  double factor;
  llvm::DenseMap<Expr *, Value> written;
};

} // namespace mlir::fa::raising

#endif // FA_PASSES_RAISE_REGION_H
