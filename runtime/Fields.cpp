// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Fields.h"

#include <cmath>

namespace fa::rt {

namespace {

/// A letter or '_', then those, digits and what `others` has.
bool isName(std::string_view name, std::string_view others) {
  auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || name.size() > 256 || !letter(name[0]))
    return false;
  for (char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9') && others.find(c) == others.npos)
      return false;
  return true;
}

} // namespace

bool isIdentifier(std::string_view name) { return isName(name, ""); }

bool isSizeSymbol(std::string_view name) { return isName(name, "+"); }

Fields::Fields(const Json &json, std::string path, Status &status)
    : json(&json), path(std::move(path)), status(&status) {
  if (json.kind == Json::Kind::Object) {
    used.resize(json.members.size());
    return;
  }
  this->json = nullptr;
  fail(failure(FA_INVALID_ARTIFACT,
               "manifest: ", this->path.empty() ? "the text" : this->path,
               ": expects an object, got ", describe(json.kind)));
}

void Fields::fail(Status failure) {
  if (!*status)
    *status = std::move(failure);
}

void Fields::fail(const char *name, const std::string &text) {
  fail(failure(FA_INVALID_ARTIFACT, pathOf(name), ": ", text));
}

std::string Fields::pathOf(const std::string &name) const {
  return concat(path.empty() ? "manifest: " : path + ".", name);
}

const Json *Fields::any(const char *name) {
  if (!json)
    return nullptr;
  for (size_t i = 0; i < json->members.size(); ++i) {
    if (json->members[i].first == name) {
      used[i] = true;
      return &json->members[i].second;
    }
  }
  fail(name, "missing");
  return nullptr;
}

const Json *Fields::typed(const char *name, Json::Kind kind) {
  const Json *value = any(name);
  if (!value || value->kind == kind)
    return value;
  fail(name,
       concat("expects ", describe(kind), ", got ", describe(value->kind)));
  return nullptr;
}

std::string Fields::string(const char *name) {
  const Json *value = typed(name, Json::Kind::String);
  return value ? value->string : std::string();
}

std::string Fields::identifier(const char *name) {
  std::string value = string(name);
  if (!isIdentifier(value))
    fail(name, concat("expects a name of letters, digits and '_', got '", value,
                      "'"));
  return value;
}

std::string Fields::choice(const char *name,
                           std::initializer_list<const char *> choices) {
  std::string value = string(name), list;
  for (const char *choice : choices) {
    if (value == choice)
      return value;
    list += concat(list.empty() ? "" : " or ", "'", choice, "'");
  }
  fail(name, concat("expects ", list, ", got '", value, "'"));
  return value;
}

bool Fields::boolean(const char *name) {
  const Json *value = typed(name, Json::Kind::Bool);
  return value && value->boolean;
}

int64_t Fields::count(const char *name, int64_t least, int64_t most) {
  const Json *value = typed(name, Json::Kind::Int);
  if (!value)
    return least;
  if (value->integer >= least && value->integer <= most)
    return value->integer;
  fail(name, concat("expects a number from ", least, " to ", most, ", got ",
                    value->integer));
  return least;
}

std::optional<int64_t> Fields::countOrNull(const char *name) {
  const Json *value = any(name);
  if (!value || value->kind == Json::Kind::Null)
    return std::nullopt;
  return count(name, 0, INT64_MAX);
}

std::optional<double> Fields::numberOrNull(const char *name) {
  const Json *value = any(name);
  if (!value || value->kind == Json::Kind::Null)
    return std::nullopt;
  if (value->kind == Json::Kind::Int || value->kind == Json::Kind::Real)
    return value->real;
  fail(name, concat("expects a number, got ", describe(value->kind)));
  return std::nullopt;
}

const std::vector<Json> &Fields::array(const char *name, size_t most) {
  static const std::vector<Json> none;
  const Json *value = typed(name, Json::Kind::Array);
  if (!value)
    return none;
  if (value->items.size() <= most)
    return value->items;
  fail(name,
       concat("expects at most ", most, " items, got ", value->items.size()));
  return none;
}

Fields Fields::object(const char *name) {
  static const Json none = [] {
    Json json;
    json.kind = Json::Kind::Object;
    return json;
  }();
  const Json *value = any(name);
  return Fields(value ? *value : none, pathOf(name), *status);
}

std::vector<Fields> Fields::objects(const char *name, size_t most) {
  std::vector<Fields> result;
  for (const Json &item : array(name, most))
    result.emplace_back(item, concat(pathOf(name), "[", result.size(), "]"),
                        *status);
  return result;
}

void Fields::finish() {
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      fail(json->members[i].first.c_str(), "unknown field");
}

} // namespace fa::rt
