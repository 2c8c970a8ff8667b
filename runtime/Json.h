// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small JSON reader for untrusted text: strict, with limits, without
// recursion beyond a fixed depth.
#ifndef FA_RUNTIME_JSON_H
#define FA_RUNTIME_JSON_H

#include "runtime/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fa::rt {

struct Json {
  enum class Kind { Null, Bool, Int, Real, String, Array, Object };

  Kind kind = Kind::Null;
  bool boolean = false;
  int64_t integer = 0; // Int
  double real = 0;     // Int and Real
  std::string string;
  std::vector<Json> items;                           // Array
  std::vector<std::pair<std::string, Json>> members; // Object, in text order

  const Json *find(std::string_view key) const;
};

/// What the value is, for messages: "an integer", "a string", ...
const char *describe(Json::Kind kind);

struct JsonLimits {
  size_t bytes = 4u << 20;
  unsigned depth = 64;
  size_t values = 200000;
};

/// Parses one JSON value with nothing but white space around it. Refused:
/// duplicate keys, numbers that overflow, invalid UTF-8, NUL in strings,
/// anything beyond the limits. Messages carry line and column.
Status parseJson(std::string_view text, Json &result,
                 const JsonLimits &limits = {});

/// The text as a JSON string, quotes included.
std::string quoteJson(std::string_view text);

} // namespace fa::rt

#endif
