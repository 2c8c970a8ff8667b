// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Json.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace fa::rt {

const Json *Json::find(std::string_view key) const {
  for (const auto &[name, value] : members)
    if (name == key)
      return &value;
  return nullptr;
}

const char *describe(Json::Kind kind) {
  switch (kind) {
  case Json::Kind::Null:
    return "null";
  case Json::Kind::Bool:
    return "a boolean";
  case Json::Kind::Int:
    return "an integer";
  case Json::Kind::Real:
    return "a number";
  case Json::Kind::String:
    return "a string";
  case Json::Kind::Array:
    return "an array";
  case Json::Kind::Object:
    return "an object";
  }
  return "a value";
}

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// The length of the UTF-8 sequence at the start of `text`, 0 where it is
/// invalid.
size_t utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first < 0x80)
    return 1;
  size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80)
      return 0;
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if ((first == 0xE0 && byte(1) < 0xA0) || (first == 0xED && byte(1) > 0x9F) ||
      (first == 0xF0 && byte(1) < 0x90) || (first == 0xF4 && byte(1) > 0x8F))
    return 0;
  return length;
}

void appendUtf8(std::string &out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

class Parser {
public:
  Parser(std::string_view text, const JsonLimits &limits)
      : text(text), limits(limits) {}

  Status parse(Json &result) {
    if (text.size() > limits.bytes)
      return failure(FA_INVALID_ARTIFACT, "expects JSON of at most ",
                     limits.bytes, " bytes, got ", text.size());
    if (Status s = value(result, 0))
      return s;
    skipSpace();
    return pos == text.size() ? Status() : error("expects the end of the text");
  }

private:
  Status error(std::string_view what) const {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < pos && i < text.size(); ++i) {
      bool newLine = text[i] == '\n';
      line += newLine;
      column = newLine ? 1 : column + 1;
    }
    return failure(FA_INVALID_ARTIFACT, "JSON line ", line, " column ", column,
                   ": ", what);
  }

  void skipSpace() {
    while (pos < text.size() && (text[pos] == ' ' || text[pos] == '\n' ||
                                 text[pos] == '\r' || text[pos] == '\t'))
      ++pos;
  }

  bool eat(char c) {
    if (pos == text.size() || text[pos] != c)
      return false;
    ++pos;
    return true;
  }

  bool eatWord(std::string_view word) {
    if (text.substr(pos, word.size()) != word)
      return false;
    pos += word.size();
    return true;
  }

  Status value(Json &out, unsigned depth) {
    if (depth > limits.depth)
      return error("nested too deep");
    if (++values > limits.values)
      return error("too many values");
    skipSpace();
    if (pos == text.size())
      return error("expects a value, got the end of the text");
    switch (text[pos]) {
    case '{':
      return object(out, depth);
    case '[':
      return array(out, depth);
    case '"':
      out.kind = Json::Kind::String;
      return stringLiteral(out.string);
    default:
      return word(out);
    }
  }

  Status word(Json &out) {
    if (eatWord("null")) {
      out.kind = Json::Kind::Null;
      return {};
    }
    if (eatWord("true") || eatWord("false")) {
      out.kind = Json::Kind::Bool;
      out.boolean = text[pos - 2] == 'u';
      return {};
    }
    if (text[pos] == '-' || isDigit(text[pos]))
      return number(out);
    return error("expects a value");
  }

  Status object(Json &out, unsigned depth) {
    ++pos;
    out.kind = Json::Kind::Object;
    skipSpace();
    if (eat('}'))
      return {};
    do {
      skipSpace();
      std::string key;
      if (pos == text.size() || text[pos] != '"')
        return error("expects a field name in quotes");
      if (Status s = stringLiteral(key))
        return s;
      if (out.find(key))
        return error(concat("the field '", key, "' stands twice"));
      skipSpace();
      if (!eat(':'))
        return error("expects ':'");
      out.members.emplace_back(std::move(key), Json());
      if (Status s = value(out.members.back().second, depth + 1))
        return s;
      skipSpace();
    } while (eat(','));
    return eat('}') ? Status() : error("expects ',' or '}'");
  }

  Status array(Json &out, unsigned depth) {
    ++pos;
    out.kind = Json::Kind::Array;
    skipSpace();
    if (eat(']'))
      return {};
    do {
      out.items.emplace_back();
      if (Status s = value(out.items.back(), depth + 1))
        return s;
      skipSpace();
    } while (eat(','));
    return eat(']') ? Status() : error("expects ',' or ']'");
  }

  Status stringLiteral(std::string &out) {
    ++pos;
    while (pos < text.size() && text[pos] != '"') {
      if (static_cast<unsigned char>(text[pos]) < 0x20)
        return error("a control character in a string");
      if (text[pos] == '\\') {
        if (Status s = escape(out))
          return s;
        continue;
      }
      size_t length = utf8Length(text.substr(pos));
      if (length == 0)
        return error("invalid UTF-8");
      out.append(text.substr(pos, length));
      pos += length;
    }
    return eat('"') ? Status() : error("a string without an end");
  }

  Status escape(std::string &out) {
    ++pos;
    static constexpr std::string_view from = "\"\\/bfnrt";
    static constexpr std::string_view to = "\"\\/\b\f\n\r\t";
    if (pos == text.size())
      return error("a string without an end");
    char c = text[pos++];
    if (size_t i = from.find(c); i != from.npos) {
      out += to[i];
      return {};
    }
    uint32_t code = 0;
    if (c != 'u' || !hex4(code))
      return error("an unknown escape");
    if (code >= 0xD800 && code < 0xDC00) {
      uint32_t low = 0;
      if (!eatWord("\\u") || !hex4(low) || low < 0xDC00 || low > 0xDFFF)
        return error("half a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code < 0xE000) {
      return error("half a surrogate pair");
    }
    if (code == 0)
      return error("a NUL in a string");
    appendUtf8(out, code);
    return {};
  }

  bool hex4(uint32_t &code) {
    if (text.size() - pos < 4)
      return false;
    const char *begin = text.data() + pos;
    // from_chars would take a sign.
    if (*begin == '-')
      return false;
    auto [end, ec] = std::from_chars(begin, begin + 4, code, 16);
    if (ec != std::errc() || end != begin + 4)
      return false;
    pos += 4;
    return true;
  }

  Status number(Json &out) {
    size_t start = pos;
    bool integral = true;
    eat('-');
    if (!digits())
      return error("expects a digit");
    size_t first = text[start] == '-' ? start + 1 : start;
    if (text[first] == '0' && pos - first > 1)
      return error("a number with a leading zero");
    if (eat('.')) {
      integral = false;
      if (!digits())
        return error("expects a digit after the point");
    }
    if (pos < text.size() && (text[pos] == 'e' || text[pos] == 'E')) {
      integral = false;
      ++pos;
      if (!eat('+'))
        eat('-');
      if (!digits())
        return error("expects a digit in the exponent");
    }
    return convert(out, start, integral);
  }

  bool digits() {
    size_t start = pos;
    while (pos < text.size() && isDigit(text[pos]))
      ++pos;
    return pos > start;
  }

  Status convert(Json &out, size_t start, bool integral) {
    const char *begin = text.data() + start, *end = text.data() + pos;
    out.kind = integral ? Json::Kind::Int : Json::Kind::Real;
    std::errc ec;
    if (integral) {
      ec = std::from_chars(begin, end, out.integer).ec;
      out.real = static_cast<double>(out.integer);
    } else {
      ec = std::from_chars(begin, end, out.real).ec;
    }
    return ec == std::errc() ? Status() : error("a number out of range");
  }

  std::string_view text;
  const JsonLimits &limits;
  size_t pos = 0;
  size_t values = 0;
};

} // namespace

Status parseJson(std::string_view text, Json &result,
                 const JsonLimits &limits) {
  result = Json();
  return Parser(text, limits).parse(result);
}

std::string quoteJson(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", c);
      out += buffer;
    } else {
      out += c;
    }
  }
  return out + '"';
}

} // namespace fa::rt
