// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Reference.h"

#include "runtime/Half.h"
#include "runtime/Pool.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

namespace fa::rt {
namespace {

constexpr double infinity = HUGE_VAL;

float toFloat(uint16_t bits, fa_type type) {
  return type == FA_F16 ? halfToFloat(bits) : bfloatToFloat(bits);
}

float roundTo(float value, fa_type type) {
  return type == FA_F16 ? roundToHalf(value) : roundToBfloat(value);
}

int64_t clampLength(int32_t length, int64_t extent) {
  return std::min<int64_t>(std::max<int64_t>(length, 0), extent);
}

/// The keys and values of one sequence and head as floats (which hold both
/// types exactly), keys with the positions innermost.
struct KeyValues {
  KeyValues(const AttentionProblem &p, int64_t b, int64_t hk)
      : count(p.keyCount(b)), keys(count * p.headDim),
        values(count * p.valueDim) {
    int64_t first = p.isPacked() ? p.kvOffsets[b] : 0;
    for (int64_t j = 0; j < count; ++j) {
      const uint16_t *k =
          p.k.data + b * p.k.batch + hk * p.k.head + (first + j) * p.k.row;
      const uint16_t *v =
          p.v.data + b * p.v.batch + hk * p.v.head + (first + j) * p.v.row;
      for (int64_t d = 0; d < p.headDim; ++d)
        keys[d * count + j] = toFloat(k[d], p.type);
      for (int64_t d = 0; d < p.valueDim; ++d)
        values[j * p.valueDim + d] = toFloat(v[d], p.type);
    }
  }

  int64_t count;
  std::vector<float> keys, values;
};

/// One row's score for each key of [first, last), and the largest.
template <typename Real> struct Scores {
  std::vector<Real> s;
  Real max = -std::numeric_limits<Real>::infinity();
};

template <typename Real>
Scores<Real> dotKeys(const AttentionProblem &p, const KeyValues &kv,
                     const std::vector<float> &query, int64_t first,
                     int64_t last) {
  Scores<Real> scores;
  scores.s.assign(last - first, 0);
  Real *s = scores.s.data();
  for (int64_t d = 0; d < p.headDim; ++d) {
    const float *key = kv.keys.data() + d * kv.count + first;
    Real x = query[d];
    for (int64_t j = 0; j < last - first; ++j)
      s[j] += x * static_cast<Real>(key[j]);
  }
  return scores;
}

class RowEvaluator {
public:
  RowEvaluator(const AttentionProblem &p, const KeyValues &kv, RowId row)
      : p(p), kv(kv), row(row), query(p.headDim) {
    const uint16_t *q = p.q.data + row.b * p.q.batch + row.h * p.q.head +
                        p.rowIndex(row.b, row.i) * p.q.row;
    for (int64_t d = 0; d < p.headDim; ++d)
      query[d] = toFloat(q[d], p.type);
    p.keptKeys(row.b, row.i, first, last);
  }

  /// The definition. Gives the largest |s|.
  double exact(double *o, double &lse) const {
    Scores<double> scores = dotKeys<double>(p, kv, query, first, last);
    double largest = 0, m = sink();
    for (double &s : scores.s) {
      s *= static_cast<double>(p.scale);
      largest = std::max(largest, std::fabs(s));
      m = std::max(m, s);
    }
    std::fill(o, o + p.valueDim, 0.0);
    lse = -infinity;
    if (m == -infinity)
      return largest;
    double l = std::exp(sink() - m);
    for (size_t j = 0; j < scores.s.size(); ++j) {
      double probability = std::exp(scores.s[j] - m);
      l += probability;
      addValue(o, probability, first + static_cast<int64_t>(j));
    }
    for (int64_t d = 0; d < p.valueDim; ++d)
      o[d] /= l;
    lse = m + std::log(l);
    return largest;
  }

  /// Unfused: S, P and O rounded to the type, f32 sums.
  void low(double *o) const {
    Scores<float> scores = dotKeys<float>(p, kv, query, first, last);
    float m = static_cast<float>(sink());
    for (float &s : scores.s) {
      s = roundTo(s * p.scale, p.type);
      m = std::max(m, s);
    }
    std::vector<float> sum(p.valueDim);
    if (m != -infinity) {
      float l = std::exp(static_cast<float>(sink()) - m);
      for (float &s : scores.s)
        l += s = std::exp(s - m);
      for (size_t j = 0; j < scores.s.size(); ++j)
        addValue(sum.data(), roundTo(scores.s[j] / l, p.type),
                 first + static_cast<int64_t>(j));
    }
    for (int64_t d = 0; d < p.valueDim; ++d)
      o[d] = roundTo(sum[d], p.type);
  }

private:
  double sink() const { return p.sink.empty() ? -infinity : p.sink[row.h]; }

  template <typename Real>
  void addValue(Real *o, Real weight, int64_t j) const {
    const float *value = kv.values.data() + j * p.valueDim;
    for (int64_t d = 0; d < p.valueDim; ++d)
      o[d] += weight * static_cast<Real>(value[d]);
  }

  const AttentionProblem &p;
  const KeyValues &kv;
  RowId row;
  std::vector<float> query;
  int64_t first = 0, last = 0;
};

/// Evaluates rows into their places of the result, from several threads.
class Evaluation {
public:
  Evaluation(const AttentionProblem &p, const std::vector<RowId> &rows,
             const std::function<void(double)> &progress)
      : p(p), rows(rows), progress(progress) {
    result.o.resize(rows.size() * p.valueDim);
    result.low.resize(rows.size() * p.valueDim);
    result.lse.resize(rows.size());
  }

  RowValues run() {
    std::vector<size_t> starts; // of the groups that share keys
    for (size_t r = 0; r < rows.size(); ++r)
      if (r == 0 || !sameKeys(rows[r - 1], rows[r]))
        starts.push_back(r);
    starts.push_back(rows.size());
    size_t groups = starts.size() - 1;
    // Many groups: one a thread. Few: the rows of each are shared out.
    if (groups >= 4u * poolThreads()) {
      parallelFor(groups, [&](int64_t g) {
        KeyValues kv = load(starts[g]);
        for (size_t r = starts[g]; r < starts[g + 1]; ++r)
          evaluate(kv, r);
      });
      return std::move(result);
    }
    for (size_t g = 0; g < groups; ++g) {
      KeyValues kv = load(starts[g]);
      parallelFor(starts[g + 1] - starts[g],
                  [&](int64_t r) { evaluate(kv, starts[g] + r); });
    }
    return std::move(result);
  }

private:
  int64_t kvHead(int64_t h) const { return h / (p.heads / p.kvHeads); }
  bool sameKeys(const RowId &x, const RowId &y) const {
    return x.b == y.b && kvHead(x.h) == kvHead(y.h);
  }
  KeyValues load(size_t r) const {
    return KeyValues(p, rows[r].b, kvHead(rows[r].h));
  }

  void evaluate(const KeyValues &kv, size_t r) {
    double *o = result.o.data() + r * p.valueDim;
    double *low = result.low.data() + r * p.valueDim;
    if (rows[r].i >= p.queryCount(rows[r].b)) { // past a query length
      result.lse[r] = -infinity;
      return finished(0);
    }
    RowEvaluator row(p, kv, rows[r]);
    double largest = row.exact(o, result.lse[r]);
    row.low(low);
    finished(largest);
  }

  void finished(double largest) {
    size_t count = done.fetch_add(1) + 1;
    std::lock_guard<std::mutex> lock(mutex);
    result.maxScore = std::max(result.maxScore, largest);
    if (progress)
      progress(double(count) / double(rows.size()));
  }

  const AttentionProblem &p;
  const std::vector<RowId> &rows;
  const std::function<void(double)> &progress;
  RowValues result;
  std::atomic<size_t> done{0};
  std::mutex mutex;
};

} // namespace

int64_t AttentionProblem::queryCount(int64_t b) const {
  if (isPacked())
    return int64_t(qOffsets[b + 1]) - qOffsets[b];
  return qLengths.empty() ? queries : clampLength(qLengths[b], queries);
}

int64_t AttentionProblem::keyCount(int64_t b) const {
  if (isPacked())
    return int64_t(kvOffsets[b + 1]) - kvOffsets[b];
  return kvLengths.empty() ? keys : clampLength(kvLengths[b], keys);
}

int64_t AttentionProblem::rowCount(int64_t b) const {
  return isPacked() ? queryCount(b) : queries;
}

int64_t AttentionProblem::rowIndex(int64_t b, int64_t i) const {
  return isPacked() ? qOffsets[b] + i : i;
}

void AttentionProblem::keptKeys(int64_t b, int64_t i, int64_t &first,
                                int64_t &last) const {
  int64_t count = keyCount(b);
  first = 0;
  last = count;
  int64_t centre = bottomRight ? i + count - queryCount(b) : i;
  // A window wider than any sequence is none; so nothing overflows.
  constexpr int64_t wide = int64_t(1) << 40;
  if (causal)
    last = std::min(last, centre + 1);
  if (right)
    last = std::min(last, centre + std::min(*right, wide) + 1);
  if (left)
    first = std::max(first, centre - std::min(*left, wide));
  first = std::min(first, count);
  last = std::max(last, first);
}

double AttentionProblem::attendedPairs() const {
  double pairs = 0;
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < queryCount(b); ++i) {
      int64_t first, last;
      keptKeys(b, i, first, last);
      pairs += double(last - first);
    }
  }
  return pairs * double(heads);
}

RowValues evaluateRows(const AttentionProblem &problem,
                       const std::vector<RowId> &rows,
                       const std::function<void(double)> &progress) {
  return Evaluation(problem, rows, progress).run();
}

bool Accuracy::ok() const {
  return notFinite == 0 && frobenius <= frobeniusLimit &&
         largest <= largestLimit;
}

void Accuracy::allowForRoundedScores(double maxScore) {
  if (maxScore * 0x1p-24 > frobeniusLimit)
    frobeniusLimit = infinity;
}

/// The smallest number of a type that has all its bits.
static double smallestNormal(fa_type type) {
  return type == FA_F16 ? 0x1p-14 : type == FA_F64 ? 0x1p-1022 : 0x1p-126;
}

Accuracy judgeOutput(const double *out, const double *reference,
                     const double *low, size_t count, fa_type type,
                     fa_type outType) {
  Accuracy accuracy;
  double error = 0, norm = 0, lowLargest = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!std::isfinite(out[i])) {
      ++accuracy.notFinite;
      continue;
    }
    double difference = std::fabs(out[i] - reference[i]);
    error += difference * difference;
    norm += reference[i] * reference[i];
    accuracy.largest = std::max(accuracy.largest, difference);
    // Where the rounded scores overflow, low is not finite and sets no limit.
    double lowDifference = std::fabs(low[i] - reference[i]);
    lowLargest = std::isfinite(lowDifference)
                     ? std::max(lowLargest, lowDifference)
                     : infinity;
  }
  double tiny = smallestNormal(outType);
  norm = std::max(norm, double(count) * tiny * tiny);
  accuracy.frobenius = error == 0 ? 0 : std::sqrt(error / norm);
  if (accuracy.notFinite)
    accuracy.frobenius = accuracy.largest = infinity;
  accuracy.frobeniusLimit = type == FA_BF16 ? 5e-3 : 6e-4;
  accuracy.largestLimit = 2 * lowLargest + 1e-5;
  return accuracy;
}

bool LseAccuracy::ok() const { return wrongInfinity == 0 && largest <= limit; }

LseAccuracy judgeLse(const double *out, const double *reference, size_t count,
                     double maxScore) {
  LseAccuracy accuracy;
  accuracy.limit = 1e-3 + 1e-6 * maxScore;
  for (size_t i = 0; i < count; ++i) {
    // What f32 cannot hold is infinite there.
    double expected = static_cast<float>(reference[i]);
    if (!std::isfinite(expected) ? out[i] != expected : !std::isfinite(out[i]))
      ++accuracy.wrongInfinity;
    else if (std::isfinite(expected))
      accuracy.largest =
          std::max(accuracy.largest, std::fabs(out[i] - reference[i]));
  }
  return accuracy;
}

} // namespace fa::rt
