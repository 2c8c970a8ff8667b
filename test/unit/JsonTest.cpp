// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/RuntimeTesting.h"

using namespace fa::rt;
using testing::HasSubstr;

namespace {

std::string errorOf(std::string_view text, const JsonLimits &limits = {}) {
  Json json;
  Status status = parseJson(text, json, limits);
  return status ? status.text() : "no error";
}

TEST(Json, ReadsEveryKind) {
  Json json;
  ASSERT_FALSE(parseJson(
      R"( {"a": [1, -2.5e3, true, false, null], "b": {"c": "x\n\"\u00e9\ud83d\ude00"}} )",
      json));
  const Json &a = *json.find("a");
  ASSERT_EQ(a.items.size(), 5u);
  EXPECT_EQ(a.items[0].integer, 1);
  EXPECT_EQ(a.items[0].kind, Json::Kind::Int);
  EXPECT_EQ(a.items[1].real, -2500.0);
  EXPECT_TRUE(a.items[2].boolean);
  EXPECT_FALSE(a.items[3].boolean);
  EXPECT_EQ(a.items[4].kind, Json::Kind::Null);
  EXPECT_EQ(json.find("b")->find("c")->string, "x\n\"\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(json.find("z"), nullptr);
}

TEST(Json, ReadsTheEndsOfInt64) {
  Json json;
  ASSERT_FALSE(parseJson("[9223372036854775807, -9223372036854775808]", json));
  EXPECT_EQ(json.items[0].integer, INT64_MAX);
  EXPECT_EQ(json.items[1].integer, INT64_MIN);
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const char *text : {"",
                           " ",
                           "{",
                           "[",
                           "[1",
                           "[1,",
                           "[1,]",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "tru",
                           "nul",
                           "01",
                           "-",
                           "1.",
                           "1e",
                           ".5",
                           "+1",
                           "\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "\"\\u-123\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\u0000\"",
                           "\"\x01\"",
                           "1 2",
                           "[1] x",
                           "NaN",
                           "Infinity",
                           "9223372036854775808",
                           "1e999",
                           "\"\xff\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"",
                           "\"\xe2\x82\"",
                           "'a'"})
    EXPECT_NE(errorOf(text), "no error") << text;
}

TEST(Json, SaysWhere) {
  EXPECT_THAT(errorOf("{\n  \"a\": x}"), HasSubstr("line 2 column 8"));
  EXPECT_THAT(errorOf("{\"a\": 1, \"a\": 2}"), HasSubstr("'a' stands twice"));
}

TEST(Json, KeepsItsLimits) {
  EXPECT_THAT(errorOf(std::string(100000, '[')), HasSubstr("nested too deep"));
  std::string many = "[0";
  for (int i = 0; i < 20; ++i)
    many += ",0";
  EXPECT_THAT(errorOf(many + "]", {1000, 8, 10}), HasSubstr("too many values"));
  EXPECT_THAT(errorOf("[0,0,0,0]", {8, 8, 10}), HasSubstr("at most 8 bytes"));
}

TEST(Json, QuotesStrings) {
  std::string text = "a\"b\\c\n\x01é", back;
  Json json;
  ASSERT_FALSE(parseJson(quoteJson(text), json));
  EXPECT_EQ(json.string, text);
}

} // namespace
