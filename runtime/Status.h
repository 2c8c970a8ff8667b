// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the runtime's own functions report failure: a code and a text, no
// exceptions.
#ifndef FA_RUNTIME_STATUS_H
#define FA_RUNTIME_STATUS_H

#include "runtime/fa_runtime.h"

#include <locale>
#include <sstream>
#include <string>
#include <utility>

namespace fa::rt {

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(fa_status code, std::string text)
      : theCode(code), theText(std::move(text)) {}

  /// True where something went wrong, so that `if (Status s = f()) return s;`
  /// reads as "stop on failure".
  explicit operator bool() const { return theCode != FA_OK; }
  fa_status code() const { return theCode; }
  const std::string &text() const { return theText; }

private:
  fa_status theCode = FA_OK;
  std::string theText;
};

/// Joins its arguments as a stream prints them, in the C locale.
template <typename... Args> std::string concat(const Args &...args) {
  std::ostringstream stream;
  stream.imbue(std::locale::classic());
  (stream << ... << args);
  return stream.str();
}

template <typename... Args>
Status failure(fa_status code, const Args &...args) {
  return Status(code, concat(args...));
}

} // namespace fa::rt

#endif
