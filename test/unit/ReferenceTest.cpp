// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference against a second evaluation that shares nothing with it: one
// key at a time, in long double, each position asked whether it is kept.
#include "runtime/Reference.h"

#include "runtime/Half.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace fa::rt;

namespace {

struct Case {
  AttentionProblem p;
  std::vector<uint16_t> q, k, v;
};

bool exists(const AttentionProblem &p, int64_t b, bool query,
            int64_t position) {
  const auto &offsets = query ? p.qOffsets : p.kvOffsets;
  if (!offsets.empty())
    return position < offsets[b + 1] - offsets[b];
  const auto &lengths = query ? p.qLengths : p.kvLengths;
  return position < (query ? p.queries : p.keys) &&
         (lengths.empty() || position < lengths[b]);
}

int64_t countOf(const AttentionProblem &p, int64_t b, bool query) {
  int64_t n = 0;
  while (exists(p, b, query, n))
    ++n;
  return n;
}

bool kept(const AttentionProblem &p, int64_t b, int64_t i, int64_t j) {
  int64_t off = p.bottomRight ? countOf(p, b, false) - countOf(p, b, true) : 0;
  return exists(p, b, false, j) && !(p.causal && j > i + off) &&
         !(p.left && j < i + off - *p.left) &&
         !(p.right && j > i + off + *p.right);
}

float element(const Case &c, char which, int64_t b, int64_t h, int64_t row,
              int64_t d) {
  const AttentionProblem &p = c.p;
  const HeadsView &view = which == 'q' ? p.q : which == 'k' ? p.k : p.v;
  if (p.isPacked())
    row += which == 'q' ? p.qOffsets[b] : p.kvOffsets[b];
  uint16_t bits =
      view.data[b * view.batch + h * view.head + row * view.row + d];
  return p.type == FA_F16 ? halfToFloat(bits) : bfloatToFloat(bits);
}

void evaluate(const Case &c, RowId row, std::vector<double> &o, double &lse) {
  const AttentionProblem &p = c.p;
  o.assign(p.valueDim, 0);
  lse = -INFINITY;
  if (!exists(p, row.b, true, row.i))
    return;
  int64_t hk = row.h / (p.heads / p.kvHeads);
  long double l = p.sink.empty() ? 0 : std::exp((long double)p.sink[row.h]);
  std::vector<long double> sum(p.valueDim);
  for (int64_t j = 0; j < p.keys; ++j) {
    if (!kept(p, row.b, row.i, j))
      continue;
    long double s = 0;
    for (int64_t d = 0; d < p.headDim; ++d)
      s += (long double)element(c, 'q', row.b, row.h, row.i, d) *
           element(c, 'k', row.b, hk, j, d);
    // Scores are small enough here that no maximum is needed.
    long double weight = std::exp(s * p.scale);
    l += weight;
    for (int64_t d = 0; d < p.valueDim; ++d)
      sum[d] += weight * element(c, 'v', row.b, hk, j, d);
  }
  if (l == 0)
    return;
  for (int64_t d = 0; d < p.valueDim; ++d)
    o[d] = double(sum[d] / l);
  lse = double(std::log(l));
}

/// Fills q, k and v in a memory order of their own, rows padded.
void fillData(Case &c, std::mt19937 &random, bool sequenceMajor) {
  AttentionProblem &p = c.p;
  std::normal_distribution<float> normal;
  auto fill = [&](HeadsView &view, std::vector<uint16_t> &data, int64_t heads,
                  int64_t rows, int64_t dim) {
    int64_t padded = dim + 3;
    view.row = sequenceMajor ? heads * padded : padded;
    view.head = sequenceMajor ? padded : rows * padded;
    view.batch = p.isPacked() ? 0 : rows * heads * padded;
    data.assign(std::max<int64_t>(1, (p.isPacked() ? 1 : p.batch) * rows *
                                         heads * padded),
                0);
    for (uint16_t &bits : data)
      bits = p.type == FA_F16 ? doubleToHalf(normal(random))
                              : doubleToBfloat(normal(random));
    view.data = data.data();
  };
  fill(p.q, c.q, p.heads, p.queries, p.headDim);
  fill(p.k, c.k, p.kvHeads, p.keys, p.headDim);
  fill(p.v, c.v, p.kvHeads, p.keys, p.valueDim);
}

void randomProblem(Case &c, std::mt19937 &random) {
  AttentionProblem &p = c.p;
  auto below = [&](int n) { return static_cast<int64_t>(random() % n); };
  p.type = below(2) ? FA_F16 : FA_BF16;
  p.batch = 1 + below(3);
  p.kvHeads = 1 + below(2);
  p.heads = p.kvHeads * (1 + below(3));
  p.queries = below(12);
  p.keys = below(14);
  p.headDim = 8 * (1 + below(2));
  p.valueDim = 8 * (1 + below(3));
  p.scale = below(5) == 0 ? -0.25f : 0.3f;
  p.bottomRight = below(2);
  p.causal = below(3) == 0;
  if (below(3) == 0)
    p.left = below(6);
  if (below(3) == 0)
    p.right = below(6);
  auto lengths = [&](std::vector<int32_t> &list, int64_t extent) {
    for (int64_t b = 0; b < p.batch; ++b)
      list.push_back(
          static_cast<int32_t>(below(static_cast<int>(extent) + 4) - 2));
  };
  auto offsets = [&](std::vector<int32_t> &list, int64_t &total) {
    list.push_back(0);
    for (int64_t b = 0; b < p.batch; ++b)
      list.push_back(list.back() + static_cast<int32_t>(below(7)));
    total = list.back() + below(3);
  };
  if (below(4) == 0) {
    offsets(p.qOffsets, p.queries);
    offsets(p.kvOffsets, p.keys);
  } else {
    if (below(2))
      lengths(p.qLengths, p.queries);
    if (below(2))
      lengths(p.kvLengths, p.keys);
  }
  if (below(3) == 0)
    for (int64_t h = 0; h < p.heads; ++h)
      p.sink.push_back(float(below(100)) / 20 - 3);
  fillData(c, random, below(2));
}

TEST(Reference, AgreesWithAStraightEvaluation) {
  std::mt19937 random(11);
  int rowsSeen = 0, dead = 0;
  for (int round = 0; round < 600; ++round) {
    Case c;
    randomProblem(c, random);
    std::vector<RowId> rows;
    for (int64_t b = 0; b < c.p.batch; ++b)
      for (int64_t h = 0; h < c.p.heads; ++h)
        for (int64_t i = 0; i < c.p.rowCount(b); ++i)
          rows.push_back({b, h, i});
    RowValues found = evaluateRows(c.p, rows);
    double pairs = 0;
    for (size_t r = 0; r < rows.size(); ++r, ++rowsSeen) {
      std::vector<double> o;
      double lse;
      evaluate(c, rows[r], o, lse);
      if (std::isinf(lse)) {
        ASSERT_EQ(found.lse[r], lse) << round;
        ++dead;
      } else {
        ASSERT_NEAR(found.lse[r], lse, 1e-12) << round;
      }
      for (int64_t d = 0; d < c.p.valueDim; ++d) {
        ASSERT_NEAR(found.o[r * c.p.valueDim + d], o[d], 1e-12) << round;
        ASSERT_NEAR(found.low[r * c.p.valueDim + d], o[d],
                    c.p.type == FA_F16 ? 0.02 : 0.15);
      }
      for (int64_t j = 0; j < c.p.keys; ++j)
        pairs += exists(c.p, rows[r].b, true, rows[r].i) &&
                 kept(c.p, rows[r].b, rows[r].i, j);
    }
    ASSERT_EQ(c.p.attendedPairs(), pairs) << round;
  }
  EXPECT_GT(rowsSeen, 10000);
  EXPECT_GT(dead, 500);
}

TEST(Reference, LargeScoresStayFinite) {
  Case c;
  AttentionProblem &p = c.p;
  p.batch = p.heads = p.kvHeads = p.queries = 1;
  p.keys = 2;
  p.headDim = p.valueDim = 8;
  std::mt19937 random(1);
  fillData(c, random, false);
  std::fill(c.q.begin(), c.q.end(), doubleToHalf(30000));
  std::fill(c.k.begin(), c.k.end(), doubleToHalf(30000));
  std::fill(c.k.begin(), c.k.begin() + 11, doubleToHalf(-30000));
  RowValues found = evaluateRows(p, {{0, 0, 0}});
  for (int d = 0; d < 8; ++d)
    EXPECT_EQ(found.o[d], halfToFloat(c.v[11 + d]));
  EXPECT_EQ(found.maxScore, found.lse[0]);
}

TEST(Accuracy, SaysWhatIsWrong) {
  double reference[] = {1, 2, 0}, low[] = {1.001, 2, 0};
  double good[] = {1.0005, 2, 0}, far[] = {1.1, 2, 0}, nan[] = {1, 2, NAN};
  EXPECT_TRUE(judgeOutput(good, reference, low, 3, FA_F16, FA_F16).ok());
  EXPECT_FALSE(judgeOutput(far, reference, low, 3, FA_F16, FA_F16).ok());
  EXPECT_EQ(judgeOutput(nan, reference, low, 3, FA_F16, FA_F16).notFinite, 1);
  EXPECT_FALSE(judgeOutput(nan, reference, low, 3, FA_F16, FA_F16).ok());
  double zero[] = {0, 0, 0};
  EXPECT_TRUE(judgeOutput(zero, zero, zero, 3, FA_F16, FA_F16).ok());
  EXPECT_FALSE(judgeOutput(low, zero, zero, 3, FA_F16, FA_F16).ok());
  // The element-wise limit is that of low.
  double large[] = {1, 2, 1e-3}, largeReference[] = {1, 2, 0};
  EXPECT_FALSE(
      judgeOutput(large, largeReference, largeReference, 3, FA_F16, FA_F16)
          .ok());
  // What is not finite is not left out of the error that is shown.
  EXPECT_EQ(judgeOutput(nan, reference, low, 3, FA_F16, FA_F16).frobenius,
            INFINITY);
  double dead[] = {-INFINITY, 1}, alive[] = {-5, 1};
  EXPECT_TRUE(judgeLse(dead, dead, 2, 1).ok());
  EXPECT_FALSE(judgeLse(alive, dead, 2, 1).ok());
  EXPECT_FALSE(judgeLse(dead, alive, 2, 1).ok());
  EXPECT_FALSE(judgeLse(nan, reference, 3, 1).ok());
  // A reference that is no number vouches for nothing.
  EXPECT_FALSE(judgeLse(reference, nan, 3, 1).ok());
  EXPECT_FALSE(judgeLse(nan, nan, 3, 1).ok());
}

TEST(Accuracy, AsksNothingOfSumsThatF32Loses) {
  // Two scores of 2^28, one of them less a bias of 2: in f32 they are equal.
  double all64 = 1 / (1 + std::exp(-2.0)), all32 = 0.5;
  Accuracy found = judgeOutput(&all32, &all64, &all32, 1, FA_F16, FA_F16);
  EXPECT_FALSE(found.ok());
  found.allowForRoundedScores(5000);
  EXPECT_FALSE(found.ok());
  found.allowForRoundedScores(0x1p28);
  EXPECT_TRUE(found.ok());
  // Elements that are not finite stay wrong.
  double nan = NAN;
  found = judgeOutput(&nan, &all64, &all32, 1, FA_F16, FA_F16);
  found.allowForRoundedScores(0x1p28);
  EXPECT_FALSE(found.ok());
}

TEST(Accuracy, AsksNoMoreThanTheTypeHolds) {
  double zero[] = {0, 0}, under[] = {6e-78, 1e-78};
  EXPECT_TRUE(judgeOutput(zero, under, under, 2, FA_BF16, FA_F32).ok());
  // Subnormal numbers of f16, rounded to steps of 2^-24.
  double exact[] = {1.01e-5, 2e-5}, rounded[] = {0x1.52p-17, 0x1.5p-16};
  EXPECT_TRUE(judgeOutput(rounded, exact, exact, 2, FA_F16, FA_F16).ok());
  EXPECT_FALSE(judgeOutput(rounded, exact, exact, 2, FA_F16, FA_F32).ok());
}

} // namespace
