// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fa-run/Options.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

namespace fa::run {

const char *const helpText =
    R"(usage: fa-run ARTEFACT [options]

Runs an artefact of fa-compile on random inputs, checks the result against a
float64 reference and times it.

Sizes (defaults: what the artefact fixes, else 1 batch, 2 heads, 128 queries)
  --batch N --heads N --kv-heads N --seqlen-q N --seqlen-k N
                       packed form: lengths of each sequence
  --size NAME=N        the size that the manifest calls NAME
  --order bhsd|bshd    memory order of q, k, v and o (default: the artefact's)
  --pad [NAME=]N       N elements of padding behind each row of q, k, v and o
  --base [NAME=]N      q, k, v and o start N elements behind a 256-byte boundary
  --offset NAME=BYTES  the same in bytes
  --strides NAME=S,S,. strides in elements

Inputs
  --arg NAME=WHAT      WHAT: a value, a list 1,2,3, a range LOW:HIGH, @FILE
                       (captures, q_lengths, kv_lengths, q_offsets, kv_offsets,
                       sink, and the other launch parameters)
  --scale X            the softmax scale (default: the artefact's)
  --data KIND          normal, growing (the maximum moves along the keys), sharp
                       (one key takes all), negative (all scores far below 0),
                       large (+-8192), needle (one key far above the others,
                       which together still count)
  --amplitude X        factor on q and k and v (default 1)
  --seed N             (default: a new one each time; it is printed)
  --no-poison          no NaN behind lengths and in the gaps of padded inputs

Running
  --device WHERE       cpu, cuda, cuda:N or auto (default)
  --kernel NAME        this kernel instead of the first that fits
  --reference REF.so   check against this artefact (fa-compile --reference);
                       needed for ops with regions
  --check HOW          all, sample or none (default: all rows where that is quick)
  --warmup N           launches before timing (default 1)
  --repeat N           timed launches (default: up to 10 in half a second); their
                       results must be equal bit for bit
  --time               also a sustained measurement of about two seconds

Output
  --info               print the manifest and stop
  --json               one JSON object instead of the table
  --quiet              only errors
  --help

Exit status: 0 the result is right, 1 it is wrong, 2 usage or artefact error (also
a check that could not be made), 3 no device.
)";

int64_t parseInteger(const std::string &text, const std::string &what) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno)
    throw Failure(ExitUsage,
                  what + ": expects a whole number, got '" + text + "'");
  return value;
}

double parseNumber(const std::string &text, const std::string &what) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end)
    throw Failure(ExitUsage, what + ": expects a number, got '" + text + "'");
  return value;
}

namespace {

int64_t parseCount(const std::string &text, const std::string &what) {
  int64_t value = parseInteger(text, what);
  if (value < 0)
    throw Failure(ExitUsage, what + ": expects 0 or more, got " + text);
  return value;
}

/// A distance in memory, so small that no sum with sizes overflows.
int64_t parseDistance(const std::string &text, const std::string &what) {
  int64_t value = parseCount(text, what), most = int64_t(1) << 40;
  if (value > most)
    throw Failure(ExitUsage, what + ": expects at most " +
                                 std::to_string(most) + ", got " + text);
  return value;
}

/// Splits NAME=VALUE; the name is empty where there is no '='.
std::pair<std::string, std::string> splitPair(const std::string &text) {
  size_t at = text.find('=');
  if (at == text.npos)
    return {"", text};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::pair<std::string, std::string> namedPair(const std::string &text,
                                              const std::string &what) {
  auto pair = splitPair(text);
  if (pair.first.empty())
    throw Failure(ExitUsage, what + ": expects NAME=VALUE, got '" + text + "'");
  return pair;
}

std::string choice(const std::string &text, const std::string &what,
                   const std::vector<std::string> &choices) {
  std::string list;
  for (const std::string &one : choices) {
    if (text == one)
      return text;
    list += (list.empty() ? "" : ", ") + one;
  }
  throw Failure(ExitUsage,
                what + ": expects one of " + list + ", got '" + text + "'");
}

using Action = std::function<void(const std::string &)>;

/// What each option that takes a value does with it.
std::map<std::string, Action> valueActions(Options &o) {
  std::map<std::string, Action> actions;
  auto count = [&](const char *name, std::optional<int64_t> &to) {
    actions[name] = [&to, name](const std::string &v) {
      to = parseCount(v, name);
    };
  };
  count("--batch", o.batch);
  count("--heads", o.heads);
  count("--kv-heads", o.kvHeads);
  count("--seqlen-q", o.seqlenQ);
  count("--seqlen-k", o.seqlenK);
  count("--repeat", o.repeat);
  actions["--warmup"] = [&](auto &v) { o.warmup = parseCount(v, "--warmup"); };
  actions["--seed"] = [&](auto &v) { o.seed = parseCount(v, "--seed"); };
  actions["--scale"] = [&](auto &v) { o.scale = parseNumber(v, "--scale"); };
  actions["--amplitude"] = [&](auto &v) {
    o.amplitude = parseNumber(v, "--amplitude");
    if (!std::isfinite(o.amplitude))
      throw Failure(ExitUsage,
                    "--amplitude: expects a finite number, got " + v);
  };
  actions["--reference"] = [&](auto &v) { o.reference = v; };
  actions["--kernel"] = [&](auto &v) { o.kernel = v; };
  actions["--device"] = [&](auto &v) { o.device = v; };
  actions["--order"] = [&](auto &v) {
    o.order = choice(v, "--order", {"bhsd", "bshd"});
  };
  actions["--data"] = [&](auto &v) {
    o.data =
        choice(v, "--data",
               {"normal", "growing", "sharp", "negative", "large", "needle"});
  };
  actions["--check"] = [&](auto &v) {
    o.check = choice(v, "--check", {"auto", "all", "sample", "none"});
  };
  actions["--size"] = [&](auto &v) {
    auto [name, value] = namedPair(v, "--size");
    o.sizes[name] = parseCount(value, "--size " + name);
  };
  actions["--arg"] = [&](auto &v) {
    auto [name, value] = namedPair(v, "--arg");
    o.args[name] = value;
  };
  actions["--strides"] = [&](auto &v) {
    auto [name, value] = namedPair(v, "--strides");
    o.strides[name] = value;
  };
  actions["--pad"] = [&](auto &v) {
    auto [name, value] = splitPair(v);
    o.pad[name] = parseDistance(value, "--pad");
  };
  actions["--base"] = [&](auto &v) {
    auto [name, value] = splitPair(v);
    o.base[name] = parseDistance(value, "--base");
  };
  actions["--offset"] = [&](auto &v) {
    auto [name, value] = namedPair(v, "--offset");
    o.offset[name] = parseDistance(value, "--offset");
  };
  return actions;
}

std::map<std::string, bool *> flags(Options &o) {
  return {{"--info", &o.info},      {"--json", &o.json}, {"--quiet", &o.quiet},
          {"--time", &o.sustained}, {"--help", &o.help}, {"-h", &o.help}};
}

} // namespace

Options parseOptions(int argc, char **argv) {
  Options options;
  options.seed = std::random_device()() % 1000000;
  auto actions = valueActions(options);
  auto switches = flags(options);
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.size() < 2 || word[0] != '-') {
      if (!options.artefact.empty())
        throw Failure(ExitUsage,
                      "expects one artefact, got also '" + word + "'");
      options.artefact = word;
      continue;
    }
    if (auto it = switches.find(word); it != switches.end()) {
      *it->second = true;
      continue;
    }
    if (word == "--poison" || word == "--no-poison") {
      options.poison = word == "--poison";
      continue;
    }
    // --name VALUE or --name=VALUE.
    auto [name, value] = splitPair(word);
    bool joined = !name.empty();
    auto action = actions.find(joined ? name : word);
    if (action == actions.end())
      throw Failure(ExitUsage,
                    "unknown option '" + word + "'; --help lists them");
    if (!joined && ++i == argc)
      throw Failure(ExitUsage, word + ": expects a value");
    action->second(joined ? value : argv[i]);
  }
  if (options.artefact.empty() && !options.help)
    throw Failure(ExitUsage, "expects an artefact; --help says more");
  return options;
}

} // namespace fa::run
