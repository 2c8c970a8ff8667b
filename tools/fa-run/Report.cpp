// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/Report.h"

#include "runtime/Json.h"

#include <cmath>
#include <cstdio>

namespace fa::run {
namespace {

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return text;
}

/// JSON has no infinity.
std::string jsonNumber(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return std::isfinite(value) ? text : "null";
}

std::string boolean(bool value) { return value ? "true" : "false"; }

/// Joins name and value pairs to a JSON object.
class ObjectText {
public:
  ObjectText &add(const std::string &name, const std::string &value) {
    text += (text.empty() ? "" : ", ") + rt::quoteJson(name) + ": " + value;
    return *this;
  }
  ObjectText &add(const std::string &name, int64_t value) {
    return add(name, std::to_string(value));
  }
  ObjectText &quoted(const std::string &name, const std::string &value) {
    return add(name, rt::quoteJson(value));
  }
  std::string str() const { return "{" + text + "}"; }

private:
  std::string text;
};

} // namespace

double Report::teraflops(const Spread &spread) const {
  double flops =
      2 * problem.attendedPairs() * double(problem.headDim + problem.valueDim);
  return spread.median > 0 ? flops / (spread.median * 1e9) : 0;
}

std::string Report::maskText() const {
  const fa_problem_info &p = artefact.problem;
  std::string text;
  if (p.causal)
    text += ", causal";
  auto side = [](int64_t n) {
    return n < 0 ? std::string("-") : std::to_string(n);
  };
  if (p.window_left >= 0 || p.window_right >= 0)
    text +=
        ", window [" + side(p.window_left) + "," + side(p.window_right) + "]";
  if (!text.empty())
    text += p.bottom_right ? " (bottom right)" : " (top left)";
  if (p.has_score_region)
    text += ", score region";
  if (p.has_mask_region)
    text += ", mask region";
  if (shapes.packed)
    text += ", " + std::to_string(shapes.batch) + " sequences";
  for (const char *name : {"q_lengths", "kv_lengths", "sink"})
    if (artefact.find(name))
      text += std::string(", ") + name;
  return text;
}

ExitStatus Report::status() const {
  if (!timing.bitEqual)
    return ExitWrong;
  if (!check.made)
    return options.check == "none" ? ExitRight : ExitUsage;
  return check.ok() ? ExitRight : ExitWrong;
}

const char *Report::verdict() const {
  if (status() == ExitWrong)
    return "FAIL";
  return check.made ? "PASS" : "NOT CHECKED";
}

void Report::printTable() const {
  const Shapes &s = shapes;
  std::printf("artefact   %s, %s%s, body sha256 %.12s\n",
              options.artefact.c_str(), artefact.target.chip,
              artefact.target.exact ? " exactly" : "",
              artefact.target.body_sha256);
  std::printf("device     %s, %d %s\n", device.name, device.units,
              device.major ? "multiprocessors" : "threads");
  std::printf(
      "problem    %s %s, batch %lld, heads %lld/%lld, queries %lld, keys %lld, "
      "head dim %lld/%lld%s\n",
      artefact.problem.layout, typeName(problem.type), (long long)s.batch,
      (long long)s.heads, (long long)s.kvHeads, (long long)s.queries,
      (long long)s.keys, (long long)s.headDim, (long long)s.valueDim,
      maskText().c_str());
  std::printf("inputs     %s, scale %s, seed %llu\n", options.data.c_str(),
              number(problem.scale).c_str(), (unsigned long long)options.seed);
  std::printf("kernel     %s, %lld tiles%s%s\n", kernel.c_str(),
              (long long)grid, note.empty() ? "" : "; note: ", note.c_str());
  auto timeLine = [&](const char *name, const Spread &t) {
    if (!t.count)
      return;
    std::printf("%-10s median %s ms (%s to %s, %lld times)  %s TFLOP/s", name,
                number(t.median).c_str(), number(t.least).c_str(),
                number(t.most).c_str(), (long long)t.count,
                number(teraflops(t)).c_str());
    if (t.clock)
      std::printf("  SM clock %u MHz", *t.clock);
    std::printf("\n");
  };
  timeLine("burst", timing.burst);
  timeLine("sustained", timing.sustained);
  if (!timing.bitEqual)
    std::printf("repeat     the results of two launches differ\n");
  if (!check.made) {
    std::printf("check      not made: %s\n", check.notMade.c_str());
  } else {
    std::printf("check      %lld of %lld rows against %s\n",
                (long long)check.rows, (long long)check.allRows,
                check.against.c_str());
    std::printf(
        "  o        relative error %s (limit %s), largest %s (limit %s)\n",
        number(check.o.frobenius).c_str(),
        number(check.o.frobeniusLimit).c_str(), number(check.o.largest).c_str(),
        number(check.o.largestLimit).c_str());
    if (check.hasLse)
      std::printf("  lse      largest error %s (limit %s)%s\n",
                  number(check.lse.largest).c_str(),
                  number(check.lse.limit).c_str(),
                  check.lse.wrongInfinity ? ", wrong infinities" : "");
    for (const std::string &fault : check.faults)
      std::printf("  fault    %s\n", fault.c_str());
  }
  std::printf("%s\n", verdict());
}

void Report::printJson() const {
  auto spread = [&](const Spread &t) {
    ObjectText o;
    o.add("count", t.count).add("median_ms", jsonNumber(t.median));
    o.add("least_ms", jsonNumber(t.least)).add("most_ms", jsonNumber(t.most));
    o.add("tflops", jsonNumber(teraflops(t)));
    o.add("sm_clock_mhz", t.clock ? std::to_string(*t.clock) : "null");
    return o.str();
  };
  ObjectText o;
  o.quoted("artefact", options.artefact).quoted("chip", artefact.target.chip);
  o.quoted("body_sha256", artefact.target.body_sha256)
      .quoted("device", device.name);
  o.add("units", int64_t(device.units))
      .quoted("layout", artefact.problem.layout);
  o.quoted("type", typeName(problem.type)).add("batch", shapes.batch);
  o.add("heads", shapes.heads).add("kv_heads", shapes.kvHeads);
  o.add("queries", shapes.queries).add("keys", shapes.keys);
  o.add("head_dim", shapes.headDim).add("value_dim", shapes.valueDim);
  o.add("causal", boolean(artefact.problem.causal))
      .add("scale", jsonNumber(problem.scale));
  o.quoted("data", options.data).add("seed", int64_t(options.seed));
  o.quoted("kernel", kernel).quoted("note", note).add("tiles", grid);
  o.add("burst", timing.burst.count ? spread(timing.burst) : "null");
  o.add("sustained",
        timing.sustained.count ? spread(timing.sustained) : "null");
  o.add("bit_equal", boolean(timing.bitEqual))
      .add("checked", boolean(check.made));
  if (check.made) {
    o.quoted("against", check.against)
        .add("rows", check.rows)
        .add("all_rows", check.allRows);
    o.add("o_relative_error", jsonNumber(check.o.frobenius));
    o.add("o_relative_limit", jsonNumber(check.o.frobeniusLimit));
    o.add("o_largest_error", jsonNumber(check.o.largest));
    o.add("o_largest_limit", jsonNumber(check.o.largestLimit));
    if (check.hasLse) {
      o.add("lse_largest_error", jsonNumber(check.lse.largest));
      o.add("lse_limit", jsonNumber(check.lse.limit));
    }
    std::string faults;
    for (const std::string &fault : check.faults)
      faults += (faults.empty() ? "" : ", ") + rt::quoteJson(fault);
    o.add("faults", "[" + faults + "]");
  } else {
    o.quoted("not_checked", check.notMade);
  }
  o.quoted("result", verdict());
  std::printf("%s\n", o.str().c_str());
}

} // namespace fa::run
