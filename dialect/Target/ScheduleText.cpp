// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/ScheduleText.h"

#include <charconv>
#include <functional>
#include <map>
#include <set>

using namespace fa::target;

namespace {
/// Says what a value should have been; empty where it was that.
using Setter = std::function<std::string(std::string_view)>;
using Setters = std::map<std::string, Setter, std::less<>>;
} // namespace

static std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// The parts of `text` between separators, trimmed.
static std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (size_t at; (at = text.find(by)) != std::string_view::npos;
       text.remove_prefix(at + 1))
    parts.push_back(trim(text.substr(0, at)));
  parts.push_back(trim(text));
  return parts;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Setter word(std::string &field, std::set<std::string_view> known = {}) {
  return [&field, known](std::string_view text) -> std::string {
    if (text.empty() || (!known.empty() && !known.count(text))) {
      std::string names;
      for (std::string_view name : known)
        (names += names.empty() ? "" : ", ") += name;
      return names.empty() ? "a name" : "one of " + names;
    }
    field = text;
    return {};
  };
}

static Setter number(int64_t &field, int64_t least) {
  return [&field, least](std::string_view text) -> std::string {
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() ||
        value < least)
      return "a number from " + std::to_string(least);
    field = value;
    return {};
  };
}

/// One of `names`, which stand for `values`.
template <typename T>
static Setter choice(T &field, std::vector<std::string_view> names,
                     std::vector<T> values) {
  return [&field, names, values](std::string_view text) -> std::string {
    std::string known;
    for (size_t i = 0; i < names.size(); ++i) {
      if (names[i] == text) {
        field = values[i];
        return {};
      }
      (known += known.empty() ? "" : ", ") += names[i];
    }
    return "one of " + known;
  };
}

static Setter flag(bool &field) {
  return choice<bool>(field, {"true", "false"}, {true, false});
}

static Setter maskSet(unsigned &field) {
  return [&field](std::string_view text) -> std::string {
    unsigned masks = 0;
    for (std::string_view name : split(text, '|')) {
      unsigned one = 0;
      std::string wrong = choice<unsigned>(
          one, {"any", "none", "causal", "window", "left"},
          {AnyMask, Unmasked, CausalMask, WindowMask, LeftMask})(name);
      if (!wrong.empty())
        return wrong + ", or several with | between them";
      masks |= one;
    }
    field = masks;
    return {};
  };
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

static Setters conditionsOf(ScheduleRow &row) {
  return {{"chip", word(row.chip)},
          {"type", word(row.type, {"any", "f16", "bf16"})},
          {"qk_dim", number(row.maxQkDim, 8)},
          {"v_dim", number(row.maxVDim, 8)},
          {"dim_multiple", number(row.dimMultiple, 8)},
          {"mask", maskSet(row.masks)},
          {"most_keys", number(row.mostKeys, 1)},
          {"tma", flag(row.tma)},
          {"wide", flag(row.wide)},
          {"region", flag(row.region)}};
}

static Setters fieldsOf(ScheduleRow &row) {
  using R = ScheduleRow;
  return {{"query_tile", number(row.queryTile, 1)},
          {"key_tile", number(row.keyTile, 8)},
          {"warps", number(row.warps, 1)},
          {"stages", number(row.stages, 1)},
          {"mask", choice<R::MaskStyle>(row.mask, {"every", "guard", "split"},
                                        {R::Every, R::Guard, R::Split})},
          {"walk",
           choice<bool>(row.backward, {"forward", "backward"}, {false, true})},
          {"q_buffers", number(row.qBuffers, 1)},
          {"rotate", flag(row.rotate)},
          {"threshold", number(row.threshold, 0)},
          {"v_wait", number(row.vWait, 0)},
          {"ping_pong", flag(row.pingPong)},
          {"grid", choice<R::Grid>(row.grid, {"blocks", "strided", "counter"},
                                   {R::Blocks, R::Strided, R::Counter})},
          {"tma_store", flag(row.tmaStore)},
          {"head_group", number(row.headGroup, 0)},
          {"overlap_tiles", flag(row.overlapTiles)},
          {"q_registers", number(row.qRegisters, 0)}};
}

/// Reads `name = value, ...`; the names in `needed` have to be there.
static std::string readFields(std::string_view text, const Setters &setters,
                              std::initializer_list<const char *> needed) {
  std::set<std::string, std::less<>> seen;
  for (std::string_view part : split(text, ',')) {
    size_t equals = part.find('=');
    if (equals == std::string_view::npos)
      return "expects 'field = value', got '" + std::string(part) + "'";
    std::string name(trim(part.substr(0, equals)));
    std::string_view value = trim(part.substr(equals + 1));
    auto setter = setters.find(name);
    if (setter == setters.end())
      return "unknown field '" + name + "'";
    if (!seen.insert(name).second)
      return "field '" + name + "' stands there twice";
    if (std::string wanted = setter->second(value); !wanted.empty())
      return "field '" + name + "' expects " + wanted + ", got '" +
             std::string(value) + "'";
  }
  for (const char *name : needed)
    if (!seen.count(name))
      return std::string("field '") + name + "' is missing";
  return {};
}

static std::string readLine(std::string_view line, int number,
                            ScheduleTable &table) {
  size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    LikeChip like;
    std::string wrong = readFields(
        line, {{"chip", word(like.chip)}, {"like", word(like.other)}},
        {"chip", "like"});
    table.likes.push_back(like);
    return wrong;
  }
  ScheduleRow row;
  row.line = number;
  row.fields = trim(line.substr(colon + 1));
  std::string wrong = readFields(line.substr(0, colon), conditionsOf(row),
                                 {"chip", "qk_dim", "v_dim"});
  if (wrong.empty())
    wrong = readFields(line.substr(colon + 1), fieldsOf(row),
                       {"query_tile", "key_tile"});
  table.rows.push_back(row);
  return wrong;
}

std::string fa::target::readSchedules(std::string_view text,
                                      ScheduleTable &table) {
  int number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trim(line.substr(0, line.find('#')));
    if (line.empty())
      continue;
    if (std::string wrong = readLine(line, number, table); !wrong.empty())
      return "line " + std::to_string(number) + ": " + wrong;
  }
  return {};
}
