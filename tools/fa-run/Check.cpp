// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/Check.h"

#include "tools/fa-run/Progress.h"
#include "tools/fa-run/Session.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <set>

namespace fa::run {
namespace {

using rt::RowId;

rt::HeadsView view(const HostTensor &tensor, const Shapes &shapes) {
  const std::vector<int64_t> &strides = tensor.strides();
  rt::HeadsView view;
  view.data = static_cast<const uint16_t *>(tensor.data());
  view.batch = shapes.packed ? 0 : strides[0];
  view.head = strides[shapes.headAxis()];
  view.row = strides[shapes.rowAxis()];
  return view;
}

std::vector<int32_t> lengths(std::vector<HostTensor> &tensors,
                             const char *name) {
  std::vector<double> values = vectorOf(tensors, name);
  return std::vector<int32_t>(values.begin(), values.end());
}

std::vector<RowId> allRows(const rt::AttentionProblem &problem) {
  std::vector<RowId> rows;
  for (int64_t b = 0; b < problem.batch; ++b)
    for (int64_t h = 0; h < problem.heads; ++h)
      for (int64_t i = 0; i < problem.rowCount(b); ++i)
        rows.push_back({b, h, i});
  return rows;
}

/// First, last, both sides of tile edges, and random ones, over random heads.
std::vector<RowId> sampleRows(const rt::AttentionProblem &problem,
                              uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % uint64_t(n));
  };
  auto less = [](const RowId &x, const RowId &y) {
    return std::tie(x.b, x.h, x.i) < std::tie(y.b, y.h, y.i);
  };
  std::set<RowId, decltype(less)> rows(less);
  if (problem.batch == 0 || problem.heads == 0)
    return {};
  for (int head = 0; head < 8; ++head) {
    int64_t b = below(problem.batch), h = below(problem.heads),
            n = problem.rowCount(b);
    for (int64_t i :
         {int64_t(0), int64_t(63), int64_t(64), int64_t(127), int64_t(128),
          n / 128 * 128 - 1, n / 128 * 128, n / 64 * 64, n - 2, n - 1})
      if (i >= 0 && i < n)
        rows.insert({b, h, i});
    for (int i = 0; i < 22 && n > 0; ++i)
      rows.insert({b, h, below(n)});
  }
  return {rows.begin(), rows.end()};
}

/// Reads O and LSE row by row.
class Reader {
public:
  Reader(const Shapes &shapes, const rt::AttentionProblem &problem)
      : shapes(shapes), problem(problem) {}

  std::vector<double> output(const HostTensor &o,
                             const std::vector<RowId> &rows) const {
    std::vector<double> values;
    values.reserve(rows.size() * shapes.valueDim);
    const std::vector<int64_t> &s = o.strides();
    for (const RowId &row : rows) {
      int64_t at = row.h * s[shapes.headAxis()] +
                   index(row) * s[shapes.rowAxis()] +
                   (shapes.packed ? 0 : row.b * s[0]);
      for (int64_t d = 0; d < shapes.valueDim; ++d)
        values.push_back(o.get(at + d * s.back()));
    }
    return values;
  }

  std::vector<double> lse(const HostTensor &tensor,
                          const std::vector<RowId> &rows) const {
    std::vector<double> values;
    const std::vector<int64_t> &s = tensor.strides();
    for (const RowId &row : rows)
      values.push_back(tensor.get(
          shapes.packed ? row.h * s[0] + index(row) * s[1]
                        : row.b * s[0] + row.h * s[1] + index(row) * s[2]));
    return values;
  }

private:
  int64_t index(const RowId &row) const {
    return problem.rowIndex(row.b, row.i);
  }

  const Shapes &shapes;
  const rt::AttentionProblem &problem;
};

class Checker {
public:
  Checker(const Options &options, const Artefact &artefact,
          const Shapes &shapes, std::vector<HostTensor> &tensors,
          const std::vector<fa_scalar> &scalars,
          const rt::AttentionProblem &problem)
      : options(options), artefact(artefact), shapes(shapes), tensors(tensors),
        scalars(scalars), problem(problem), reader(shapes, problem) {}

  CheckResult run() {
    bool regions =
        artefact.problem.has_score_region || artefact.problem.has_mask_region;
    if (options.check == "none")
      return notMade("--check none");
    if (regions && options.reference.empty())
      return notMade("the op has regions: give --reference, or --check none");
    if (artefact.problem.is_reference)
      return notMade("the artefact is itself a reference: use --check none");
    HostTensor *o = findTensor(tensors, "o"), *lse = findTensor(tensors, "lse");
    if (!o)
      return notMade("the artefact has no tensor 'o'");
    result.made = true;
    for (int64_t b = 0; b < problem.batch; ++b)
      result.allRows += problem.heads * problem.rowCount(b);
    checkMemory(*o, lse);
    std::vector<RowId> rows =
        takesSample() ? sampleRows(problem, options.seed) : allRows(problem);
    result.rows = static_cast<int64_t>(rows.size());
    rt::RowValues expected =
        options.reference.empty() ? builtIn(rows) : fromArtefact(rows);
    std::vector<double> out = reader.output(*o, rows);
    result.o =
        rt::judgeOutput(out.data(), expected.o.data(), expected.low.data(),
                        out.size(), problem.type, o->type());
    if (artefact.problem.has_score_region)
      result.o.allowForRoundedScores(expected.maxScore);
    result.hasLse = lse;
    if (lse)
      result.lse =
          rt::judgeLse(reader.lse(*lse, rows).data(), expected.lse.data(),
                       rows.size(), expected.maxScore);
    return result;
  }

private:
  CheckResult notMade(const std::string &why) {
    result.notMade = why;
    return result;
  }

  bool takesSample() const {
    if (options.check != "auto" || !options.reference.empty())
      return options.check == "sample";
    double work =
        problem.attendedPairs() * double(problem.headDim + problem.valueDim);
    return work > 2e9;
  }

  rt::RowValues builtIn(const std::vector<RowId> &rows) {
    result.against = "the built-in float64 reference";
    Progress progress("checking", !options.quiet);
    return rt::evaluateRows(problem, rows,
                            [&](double done) { progress.show(done); });
  }

  /// Runs the reference artefact's two kernels on the same inputs.
  rt::RowValues fromArtefact(const std::vector<RowId> &rows) {
    result.against = options.reference;
    Artefact reference(options.reference);
    if (!reference.problem.is_reference)
      throw Failure(ExitUsage,
                    options.reference + ": is no reference artefact");
    rt::RowValues values;
    values.o = runReference(reference, "reference", rows, &values);
    values.low = runReference(reference, "low", rows, nullptr);
    return values;
  }

  std::vector<double> runReference(const Artefact &reference,
                                   const char *kernel,
                                   const std::vector<RowId> &rows,
                                   rt::RowValues *lseTo) {
    constexpr fa_device cpu = {FA_CPU, 0};
    std::vector<HostTensor> outputs;
    outputs.reserve(reference.tensors.size());
    std::vector<fa_tensor> all;
    for (const fa_tensor_info &info : reference.tensors) {
      HostTensor *own = findTensor(tensors, info.name);
      if (!own)
        throw Failure(ExitUsage, options.reference + ": has the tensor '" +
                                     info.name + "', the artefact has not");
      if (info.is_output) {
        outputs.push_back(contiguous(info, own->sizes()));
        own = &outputs.back();
      }
      all.push_back(own->describe(cpu, own->storage()));
    }
    std::vector<fa_scalar> given = referenceScalars(reference);
    fa_prepare_options prepare = {sizeof(fa_prepare_options), kernel, nullptr};
    fa_plan *made = nullptr;
    check(fa_prepare(reference.get(), cpu, all.data(), all.size(), given.data(),
                     given.size(), &prepare, &made));
    PlanHandle plan(made);
    check(fa_launch(plan.get(), nullptr));
    if (HostTensor *lse = findTensor(outputs, "lse"); lse && lseTo) {
      lseTo->lse = reader.lse(*lse, rows);
      // The scores stay inside the artefact; the sums' logarithms tell their
      // size.
      for (double value : lseTo->lse)
        if (std::isfinite(value))
          lseTo->maxScore = std::max(lseTo->maxScore, std::fabs(value));
    }
    HostTensor *o = findTensor(outputs, "o");
    if (!o)
      throw Failure(ExitUsage, options.reference + ": has no output 'o'");
    return reader.output(*o, rows);
  }

  static HostTensor contiguous(const fa_tensor_info &info,
                               std::vector<int64_t> sizes) {
    std::vector<int64_t> strides(sizes.size());
    int64_t step = 1;
    for (size_t d = sizes.size(); d-- > 0;
         step *= std::max<int64_t>(sizes[d], 1))
      strides[d] = step;
    return HostTensor(info, std::move(sizes), std::move(strides), 0,
                      poisonByte);
  }

  /// The values that the artefact ran with, so far as the reference has them
  /// too.
  std::vector<fa_scalar> referenceScalars(const Artefact &reference) {
    std::vector<fa_scalar> given;
    for (const fa_scalar_info &info : reference.scalars) {
      for (const fa_scalar &scalar : scalars)
        if (std::string(info.name) == scalar.name)
          given.push_back(scalar);
    }
    return given;
  }

  /// Everything that needs no reference: each element written and finite,
  /// nothing written elsewhere.
  void checkMemory(const HostTensor &o, const HostTensor *lse) {
    fault(count(o, false, [](double x) { return !std::isfinite(x); }),
          "elements of o are not finite");
    if (lse)
      fault(count(*lse, false, [](double x) { return std::isnan(x); }),
            "elements of lse are NaN");
    for (const HostTensor *tensor : {&o, lse}) {
      if (!tensor)
        continue;
      fault(tensor->spoiltGaps(),
            "bytes outside of " + tensor->name() + " were written");
      if (shapes.packed)
        fault(count(*tensor, true, [](double x) { return !std::isnan(x); }),
              "elements of " + tensor->name() +
                  " past the last offset were written");
    }
  }

  /// How many elements of an output are `bad`: of the rows that exist, or of
  /// those past the last offset of the packed form.
  template <typename Bad>
  int64_t count(const HostTensor &tensor, bool pastEnd, Bad bad) {
    bool isLse = tensor.name() == "lse";
    int64_t end = shapes.packed ? shapes.qOffsets.back() : INT64_MAX;
    int64_t length = tensor.sizes().back(), step = tensor.strides().back();
    std::atomic<int64_t> total{0};
    tensor.forEachRow([&](const int64_t *index, int64_t offset) {
      int64_t found = 0;
      for (int64_t d = 0; d < length; ++d) {
        // lse has the packed rows innermost, o outermost.
        int64_t row = isLse ? d : index[0];
        bool past = shapes.packed && row >= end;
        if (past == pastEnd)
          found += bad(tensor.get(offset + d * step));
      }
      total += found;
    });
    return total;
  }

  void fault(int64_t count, const std::string &text) {
    if (count)
      result.faults.push_back(std::to_string(count) + " " + text);
  }

  const Options &options;
  const Artefact &artefact;
  const Shapes &shapes;
  std::vector<HostTensor> &tensors;
  const std::vector<fa_scalar> &scalars;
  const rt::AttentionProblem &problem;
  Reader reader;
  CheckResult result;
};

} // namespace

bool CheckResult::ok() const {
  return made && faults.empty() && o.ok() && (!hasLse || lse.ok());
}

rt::AttentionProblem makeProblem(const Artefact &artefact, const Shapes &shapes,
                                 std::vector<HostTensor> &tensors,
                                 float scale) {
  rt::AttentionProblem problem;
  const HostTensor &q = *findTensor(tensors, "q");
  if (q.type() != FA_F16 && q.type() != FA_BF16)
    throw Failure(ExitUsage, "q: expects f16 or bf16");
  problem.type = q.type();
  problem.batch = shapes.batch;
  problem.heads = shapes.heads;
  problem.kvHeads = shapes.kvHeads;
  problem.queries = shapes.queries;
  problem.keys = shapes.keys;
  problem.headDim = shapes.headDim;
  problem.valueDim = shapes.valueDim;
  problem.q = view(q, shapes);
  problem.k = view(*findTensor(tensors, "k"), shapes);
  problem.v = view(*findTensor(tensors, "v"), shapes);
  problem.scale = scale;
  problem.bottomRight = artefact.problem.bottom_right;
  problem.causal = artefact.problem.causal;
  if (artefact.problem.window_left >= 0)
    problem.left = artefact.problem.window_left;
  if (artefact.problem.window_right >= 0)
    problem.right = artefact.problem.window_right;
  problem.qLengths = lengths(tensors, "q_lengths");
  problem.kvLengths = lengths(tensors, "kv_lengths");
  problem.qOffsets = shapes.qOffsets;
  problem.kvOffsets = shapes.kvOffsets;
  std::vector<double> sink = vectorOf(tensors, "sink");
  problem.sink.assign(sink.begin(), sink.end());
  return problem;
}

CheckResult checkResult(const Options &options, const Artefact &artefact,
                        const Shapes &shapes, std::vector<HostTensor> &tensors,
                        const std::vector<fa_scalar> &scalars,
                        const rt::AttentionProblem &problem) {
  return Checker(options, artefact, shapes, tensors, scalars, problem).run();
}

} // namespace fa::run
