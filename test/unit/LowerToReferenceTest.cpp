// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference artefact against the definition written down once more, in C++.
#include "CpuKernel.h"

#include "lowering/Reference/Passes.h"

#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <random>

using namespace fa::test;

namespace {

constexpr double inf = HUGE_VAL;

/// Whole numbers of eighths below 4 are exact in f16: no rounding in the
/// inputs.
uint16_t halfBits(float x) {
  _Float16 h = x;
  uint16_t bits;
  __builtin_memcpy(&bits, &h, 2);
  return bits;
}
double fromHalf(uint16_t bits) {
  _Float16 h;
  __builtin_memcpy(&h, &bits, 2);
  return h;
}

struct Tensor {
  std::vector<uint16_t> data;
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;

  Tensor(std::vector<int64_t> shape, unsigned seed)
      : sizes(shape), strides(packedStrides(shape)) {
    int64_t n = 1;
    for (int64_t size : shape)
      n *= size;
    std::mt19937 random(seed);
    for (int64_t i = 0; i < n; ++i)
      data.push_back(halfBits((int(random() % 33) - 16) / 8.0f));
  }
  double at(std::vector<int64_t> i) const {
    int64_t place = 0;
    for (size_t d = 0; d < i.size(); ++d)
      place += i[d] * strides[d];
    return fromHalf(data[place]);
  }
  Argument argument() { return {data.data(), sizes, strides}; }
};

/// One row of the output by the definition; `q(d)`, `k(j, d)` and `v(j, d)`
/// read the inputs, `kept(j)` the mask, `region` maps a score.
struct RowProblem {
  int64_t keys, qkDim, vDim;
  double scale;
  std::function<double(int64_t)> q;
  std::function<double(int64_t, int64_t)> k, v;
  std::function<bool(int64_t)> kept;
  std::function<double(double, int64_t)> region;
  double sink = -inf;
};

std::vector<double> solve(const RowProblem &row, double &lse) {
  std::vector<double> s, o(row.vDim);
  std::vector<int64_t> js;
  double m = row.sink;
  for (int64_t j = 0; j < row.keys; ++j) {
    if (!row.kept(j))
      continue;
    double dot = 0;
    for (int64_t d = 0; d < row.qkDim; ++d)
      dot += row.q(d) * row.k(j, d);
    s.push_back(row.region(row.scale * dot, j));
    js.push_back(j);
    m = std::max(m, s.back());
  }
  double l = row.sink == -inf ? 0 : std::exp(row.sink - m);
  for (double x : s)
    l += m == -inf ? 0 : std::exp(x - m);
  for (size_t n = 0; n < s.size() && l > 0; ++n)
    for (int64_t d = 0; d < row.vDim; ++d)
      o[d] += std::exp(s[n] - m) * row.v(js[n], d) / l;
  lse = l > 0 ? m + std::log(l) : -inf;
  return o;
}

void expectSame(double got, double want, double tolerance) {
  if (got != want)
    EXPECT_NEAR(got, want, tolerance);
}

//===----------------------------------------------------------------------===//
// bhsd: lengths, sink, grouped heads, a window, bottom right
//===----------------------------------------------------------------------===//

const char *grouped = R"mlir(
module attributes {fa.stage = "buffers"} {
  func.func @attention(
      %q: memref<2x4x?x16xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"q", in, [2, 4, "Sq", 16]>},
      %k: memref<2x2x?x16xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"k", in, [2, 2, "Sk", 16]>},
      %v: memref<2x2x?x8xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"v", in, [2, 2, "Sk", 8]>},
      %qn: memref<2xi32, strided<[1], offset: ?>> {fa.tensor = #fa.tensor<"q_lengths", in, [2]>},
      %kn: memref<2xi32, strided<[1], offset: ?>> {fa.tensor = #fa.tensor<"kv_lengths", in, [2]>},
      %sink: memref<4xf32, strided<[1], offset: ?>> {fa.tensor = #fa.tensor<"sink", in, [4]>},
      %o: memref<2x4x?x8xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"o", out, [2, 4, "Sq", 8]>},
      %lse: memref<2x4x?xf32, strided<[?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"lse", out, [2, 4, "Sq"]>},
      %scale: f32 {fa.name = "scale", fa.default = 0.25 : f32, fa.class = "positive"})
      attributes {fa.problem = {}} {
    fa.attention
      ins(%q, %k, %v : memref<2x4x?x16xf16, strided<[?, ?, ?, 1], offset: ?>>,
          memref<2x2x?x16xf16, strided<[?, ?, ?, 1], offset: ?>>, memref<2x2x?x8xf16, strided<[?, ?, ?, 1], offset: ?>>)
      outs(%o, %lse : memref<2x4x?x8xf16, strided<[?, ?, ?, 1], offset: ?>>, memref<2x4x?xf32, strided<[?, ?, 1], offset: ?>>)
      q_lengths(%qn : memref<2xi32, strided<[1], offset: ?>>)
      kv_lengths(%kn : memref<2xi32, strided<[1], offset: ?>>)
      sink(%sink : memref<4xf32, strided<[1], offset: ?>>)
      scale(%scale) {mask = #fa.mask<bottom_right, window = [5, 1]>}
    return
  }
})mlir";

class Grouped : public ::testing::TestWithParam<const char *> {};

TEST_P(Grouped, MatchesTheDefinition) {
  const int64_t sq = 9, sk = 13;
  Tensor q({2, 4, sq, 16}, 1), k({2, 2, sk, 16}, 2), v({2, 2, sk, 8}, 3);
  // The second batch's lengths are out of range and are clamped.
  std::vector<int32_t> qn = {6, 100}, kn = {11, -3};
  std::vector<float> sink = {0.5f, -HUGE_VALF, 2.0f, -1.0f};
  std::vector<double> o(2 * 4 * sq * 8, NAN), lse(2 * 4 * sq, NAN);
  float scale = 0.25f;
  CpuKernel kernel(grouped, mlir::fa::buildReferencePipeline,
                   mlir::fa::Calls::MathLibrary);
  kernel.run(GetParam(), 2 * 4 * sq,
             {{"q", q.argument()},
              {"k", k.argument()},
              {"v", v.argument()},
              {"q_lengths", {qn.data(), {2}, {1}}},
              {"kv_lengths", {kn.data(), {2}, {1}}},
              {"sink", {sink.data(), {4}, {1}}},
              {"o", {o.data(), {2, 4, sq, 8}, packedStrides({2, 4, sq, 8})}},
              {"lse", {lse.data(), {2, 4, sq}, packedStrides({2, 4, sq})}},
              {"scale", {&scale, {}, {}}}});

  double tolerance = GetParam() == std::string("low") ? 4e-3 : 1e-12;
  for (int64_t b = 0; b < 2; ++b)
    for (int64_t h = 0; h < 4; ++h)
      for (int64_t i = 0; i < sq; ++i) {
        int64_t queries = b == 0 ? 6 : sq, keys = b == 0 ? 11 : 0;
        bool exists = i < queries;
        RowProblem row;
        row.keys = exists ? keys : 0;
        row.qkDim = 16;
        row.vDim = 8;
        row.scale = scale;
        row.q = [&](int64_t d) { return q.at({b, h, i, d}); };
        row.k = [&](int64_t j, int64_t d) { return k.at({b, h / 2, j, d}); };
        row.v = [&](int64_t j, int64_t d) { return v.at({b, h / 2, j, d}); };
        row.kept = [&](int64_t j) {
          int64_t diagonal = i + keys - queries;
          return j >= diagonal - 5 && j <= diagonal + 1;
        };
        row.region = [](double s, int64_t) { return s; };
        row.sink = exists ? sink[h] : -inf;
        double wantLse;
        std::vector<double> want = solve(row, wantLse);
        int64_t at = (b * 4 + h) * sq + i;
        expectSame(lse[at], wantLse, tolerance);
        for (int64_t d = 0; d < 8; ++d)
          expectSame(o[at * 8 + d], want[d], tolerance);
      }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Grouped,
                         ::testing::Values("reference", "low"));

//===----------------------------------------------------------------------===//
// bshd: regions that capture, negative scale
//===----------------------------------------------------------------------===//

const char *regions = R"mlir(
module attributes {fa.stage = "buffers"} {
  func.func @attention(
      %q: memref<1x7x2x8xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"q", in, [1, 7, 2, 8]>},
      %k: memref<1x10x2x8xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"k", in, [1, 10, 2, 8]>},
      %v: memref<1x10x2x8xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"v", in, [1, 10, 2, 8]>},
      %bias: memref<10xf32, strided<[?], offset: ?>> {fa.tensor = #fa.tensor<"bias", in, [10]>},
      %o: memref<1x7x2x8xf16, strided<[?, ?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"o", out, [1, 7, 2, 8]>},
      %cap: f32 {fa.name = "cap"})
      attributes {fa.problem = {}} {
    fa.attention
      ins(%q, %k, %v : memref<1x7x2x8xf16, strided<[?, ?, ?, 1], offset: ?>>,
          memref<1x10x2x8xf16, strided<[?, ?, ?, 1], offset: ?>>, memref<1x10x2x8xf16, strided<[?, ?, ?, 1], offset: ?>>)
      outs(%o : memref<1x7x2x8xf16, strided<[?, ?, ?, 1], offset: ?>>)
      {mask = #fa.mask<top_left, causal>, scale = -0.5 : f32, layout = #fa.layout<bshd>}
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %x = arith.divf %s, %cap : f32
        %t = math.tanh %x : f32
        %c = arith.mulf %t, %cap : f32
        %bits = arith.bitcast %c : f32 to i32
        %back = arith.bitcast %bits : i32 to f32
        %e = memref.load %bias[%j] : memref<10xf32, strided<[?], offset: ?>>
        %r = arith.addf %back, %e : f32
        fa.yield %r : f32
      }
      mask {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %n = arith.cmpi ne, %j, %i : index
        fa.yield %n : i1
      }
    return
  }
})mlir";

TEST(Reference, EvaluatesRegions) {
  Tensor q({1, 7, 2, 8}, 4), k({1, 10, 2, 8}, 5), v({1, 10, 2, 8}, 6);
  std::vector<float> bias;
  for (int j = 0; j < 10; ++j)
    bias.push_back(0.125f * j);
  float cap = 3.0f;
  std::vector<double> o(7 * 2 * 8, NAN);
  CpuKernel kernel(regions, mlir::fa::buildReferencePipeline,
                   mlir::fa::Calls::MathLibrary);
  kernel.run("reference", 2 * 7,
             {{"q", q.argument()},
              {"k", k.argument()},
              {"v", v.argument()},
              {"bias", {bias.data(), {10}, {1}}},
              {"o", {o.data(), {1, 7, 2, 8}, packedStrides({1, 7, 2, 8})}},
              {"cap", {&cap, {}, {}}}});
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t i = 0; i < 7; ++i) {
      RowProblem row;
      row.keys = 10;
      row.qkDim = row.vDim = 8;
      row.scale = -0.5;
      row.q = [&](int64_t d) { return q.at({0, i, h, d}); };
      row.k = [&](int64_t j, int64_t d) { return k.at({0, j, h, d}); };
      row.v = [&](int64_t j, int64_t d) { return v.at({0, j, h, d}); };
      row.kept = [&](int64_t j) { return j <= i && j != i; };
      row.region = [&](double s, int64_t j) {
        return float(cap * std::tanh(s / cap)) + double(bias[j]);
      };
      double lse;
      std::vector<double> want = solve(row, lse);
      for (int64_t d = 0; d < 8; ++d)
        expectSame(o[(i * 2 + h) * 8 + d], want[d], 1e-12);
    }
}

//===----------------------------------------------------------------------===//
// packed
//===----------------------------------------------------------------------===//

const char *packed = R"mlir(
module attributes {fa.stage = "buffers"} {
  func.func @attention(
      %q: memref<?x2x8xf16, strided<[?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"q", in, ["Tq", 2, 8]>},
      %k: memref<?x1x8xf16, strided<[?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"k", in, ["Tk", 1, 8]>},
      %v: memref<?x1x8xf16, strided<[?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"v", in, ["Tk", 1, 8]>},
      %qo: memref<?xi32, strided<[1], offset: ?>> {fa.tensor = #fa.tensor<"q_offsets", in, ["B+1"]>},
      %ko: memref<?xi32, strided<[1], offset: ?>> {fa.tensor = #fa.tensor<"kv_offsets", in, ["B+1"]>},
      %o: memref<?x2x8xf16, strided<[?, ?, 1], offset: ?>> {fa.tensor = #fa.tensor<"o", out, ["Tq", 2, 8]>},
      %lse: memref<2x?xf32, strided<[?, 1], offset: ?>> {fa.tensor = #fa.tensor<"lse", out, [2, "Tq"]>})
      attributes {fa.problem = {}} {
    fa.attention
      ins(%q, %k, %v : memref<?x2x8xf16, strided<[?, ?, 1], offset: ?>>,
          memref<?x1x8xf16, strided<[?, ?, 1], offset: ?>>, memref<?x1x8xf16, strided<[?, ?, 1], offset: ?>>)
      outs(%o, %lse : memref<?x2x8xf16, strided<[?, ?, 1], offset: ?>>, memref<2x?xf32, strided<[?, 1], offset: ?>>)
      q_offsets(%qo : memref<?xi32, strided<[1], offset: ?>>)
      kv_offsets(%ko : memref<?xi32, strided<[1], offset: ?>>)
      {mask = #fa.mask<bottom_right, causal>, scale = 1.0 : f32}
    return
  }
})mlir";

TEST(Reference, TakesPackedSequences) {
  const int64_t tq = 12, tk = 9;
  Tensor q({tq, 2, 8}, 7), k({tk, 1, 8}, 8), v({tk, 1, 8}, 9);
  // Three sequences: the second has no query, the third no key; two rows at the
  // end are in none.
  std::vector<int32_t> qo = {0, 6, 6, 10}, ko = {0, 5, 9, 9};
  std::vector<double> o(tq * 2 * 8, -7), lse(2 * tq, -7);
  CpuKernel kernel(packed, mlir::fa::buildReferencePipeline,
                   mlir::fa::Calls::MathLibrary);
  kernel.run("reference", 2 * tq,
             {{"q", q.argument()},
              {"k", k.argument()},
              {"v", v.argument()},
              {"q_offsets", {qo.data(), {4}, {1}}},
              {"kv_offsets", {ko.data(), {4}, {1}}},
              {"o", {o.data(), {tq, 2, 8}, packedStrides({tq, 2, 8})}},
              {"lse", {lse.data(), {2, tq}, {tq, 1}}}});
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t t = 0; t < tq; ++t) {
      if (t >= 10) {
        EXPECT_EQ(lse[h * tq + t], -7);
        EXPECT_EQ(o[(t * 2 + h) * 8], -7);
        continue;
      }
      int64_t b = t < 6 ? 0 : 2;
      int64_t i = t - qo[b], queries = qo[b + 1] - qo[b];
      RowProblem row;
      row.keys = ko[b + 1] - ko[b];
      row.qkDim = row.vDim = 8;
      row.scale = 1;
      row.q = [&](int64_t d) { return q.at({t, h, d}); };
      row.k = [&](int64_t j, int64_t d) { return k.at({ko[b] + j, 0, d}); };
      row.v = [&](int64_t j, int64_t d) { return v.at({ko[b] + j, 0, d}); };
      row.kept = [&](int64_t j) { return j <= i + row.keys - queries; };
      row.region = [](double s, int64_t) { return s; };
      double wantLse;
      std::vector<double> want = solve(row, wantLse);
      expectSame(lse[h * tq + t], wantLse, 1e-12);
      for (int64_t d = 0; d < 8; ++d)
        expectSame(o[(t * 2 + h) * 8 + d], want[d], 1e-12);
    }
}

} // namespace
