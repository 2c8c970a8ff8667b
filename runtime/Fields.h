// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a JSON object field by field. The first thing wrong is kept and later
// reads give harmless values, so that readers need no check after each field.
#ifndef FA_RUNTIME_FIELDS_H
#define FA_RUNTIME_FIELDS_H

#include "runtime/Json.h"

#include <initializer_list>
#include <optional>

namespace fa::rt {

/// A name that kernels, tensors and scalars may have.
bool isIdentifier(std::string_view name);
/// A name that sizes may have, such as Sq or B+1. It is a name, not a sum.
bool isSizeSymbol(std::string_view name);

class Fields {
public:
  /// Failures go to `status`, which outlives this object.
  Fields(const Json &json, std::string path, Status &status);

  const Json *any(const char *name);
  std::string string(const char *name);
  std::string identifier(const char *name);
  /// One of `choices`.
  std::string choice(const char *name,
                     std::initializer_list<const char *> choices);
  bool boolean(const char *name);
  int64_t count(const char *name, int64_t least, int64_t most);
  std::optional<int64_t> countOrNull(const char *name);
  std::optional<double> numberOrNull(const char *name);
  const std::vector<Json> &array(const char *name, size_t most);
  Fields object(const char *name);
  std::vector<Fields> objects(const char *name, size_t most);

  /// Refuses fields that nobody asked for.
  void finish();

  std::string pathOf(const std::string &name) const;
  void fail(const char *name, const std::string &text);
  void fail(Status failure);

private:
  const Json *typed(const char *name, Json::Kind kind);

  const Json *json; // null where reading has failed
  std::string path;
  Status *status;
  std::vector<bool> used;
};

} // namespace fa::rt

#endif
