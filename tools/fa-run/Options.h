// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fa-run's command line.
#ifndef FA_TOOLS_RUN_OPTIONS_H
#define FA_TOOLS_RUN_OPTIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

namespace fa::run {

/// The exit statuses, as --help documents them.
enum ExitStatus {
  ExitRight = 0,
  ExitWrong = 1,
  ExitUsage = 2,
  ExitNoDevice = 3
};

/// Ends the program with a message.
struct Failure : std::runtime_error {
  Failure(int status, const std::string &text)
      : std::runtime_error(text), status(status) {}
  int status;
};

struct Options {
  std::string artefact, reference, kernel;
  std::string device = "auto";

  std::optional<int64_t> batch, heads, kvHeads, seqlenQ, seqlenK;
  std::map<std::string, int64_t> sizes; // by symbol
  std::map<std::string, std::string> args;
  std::optional<double> scale;

  std::string order;                     // memory order; "" = the artefact's
  std::map<std::string, int64_t> pad;    // elements after each row; "" = all
  std::map<std::string, int64_t> base;   // elements before the first; "" = all
  std::map<std::string, int64_t> offset; // bytes before the first element
  std::map<std::string, std::string> strides; // lists, in elements

  uint64_t seed = 0;
  std::string data = "normal";
  double amplitude = 1;
  bool poison = true;

  std::string check = "auto";
  std::optional<int64_t> repeat;
  int64_t warmup = 1;
  bool sustained = false;

  bool info = false, json = false, quiet = false, help = false;
};

/// Reads the command line; throws Failure.
Options parseOptions(int argc, char **argv);

/// What --help prints.
extern const char *const helpText;

/// A whole number, else a Failure that names `what`.
int64_t parseInteger(const std::string &text, const std::string &what);
double parseNumber(const std::string &text, const std::string &what);

} // namespace fa::run

#endif
