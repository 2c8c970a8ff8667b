// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Expr.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace fa::rt;
using testing::HasSubstr;

namespace {

class ExprTest : public testing::Test {
protected:
  ExprTest() {
    scope.tensors = {{"q", 2}, {"k", 1}};
    values[0].rank = 2;
    values[0].sizes[0] = 7;
    values[0].sizes[1] = 64;
    values[0].strides[0] = -5;
    values[0].strides[1] = 1;
    values[0].data = reinterpret_cast<void *>(0x1010);
    values[1].rank = 1;
    values[1].sizes[0] = INT64_MAX;
  }

  Status parse(const std::string &text, bool wantBool, Expr &expr) {
    Json json;
    EXPECT_FALSE(parseJson(text, json)) << text;
    return Expr::parse(json, scope, wantBool, "there", expr);
  }

  int64_t number(const std::string &text) {
    Expr expr;
    Status status = parse(text, false, expr);
    EXPECT_FALSE(status) << text << ": " << status.text();
    int64_t value = -999;
    EXPECT_EQ(expr.evaluate({values, 132}, value), Expr::Fault::None) << text;
    return value;
  }

  bool truth(const std::string &text) {
    Expr expr;
    Status status = parse(text, true, expr);
    EXPECT_FALSE(status) << text << ": " << status.text();
    int64_t value = -999;
    EXPECT_EQ(expr.evaluate({values}, value), Expr::Fault::None) << text;
    EXPECT_TRUE(value == 0 || value == 1) << text;
    return value;
  }

  Expr::Fault fault(const std::string &text) {
    Expr expr;
    EXPECT_FALSE(parse(text, false, expr)) << text;
    int64_t value = 0;
    return expr.evaluate({values}, value);
  }

  std::string refusal(const std::string &text, bool wantBool) {
    Expr expr;
    Status status = parse(text, wantBool, expr);
    return status ? status.text() : "no error";
  }

  ExprScope scope;
  TensorValue values[2];
};

TEST_F(ExprTest, Leaves) {
  EXPECT_EQ(number("42"), 42);
  EXPECT_EQ(number(R"(["size","q",1])"), 64);
  EXPECT_EQ(number(R"(["stride","q",0])"), -5);
  EXPECT_EQ(number(R"(["units"])"), 132);
  EXPECT_EQ(number(R"(["min",["units"],["size","q",1]])"), 64);
  EXPECT_TRUE(truth("true"));
  EXPECT_FALSE(truth("false"));
  EXPECT_TRUE(truth(R"(["aligned","q",16])"));
  EXPECT_FALSE(truth(R"(["aligned","q",32])"));
}

TEST_F(ExprTest, Arithmetic) {
  EXPECT_EQ(number("[\"add\",1,2,3]"), 6);
  EXPECT_EQ(number("[\"sub\",1,3]"), -2);
  EXPECT_EQ(number("[\"mul\",2,3,-4]"), -24);
  EXPECT_EQ(number("[\"min\",2,-3,4]"), -3);
  EXPECT_EQ(number("[\"max\",2,-3,4]"), 4);
  for (int64_t a = -9; a <= 9; ++a) {
    for (int64_t b = 1; b <= 4; ++b) {
      std::string operands = concat(a, ",", b, "]");
      double exact = double(a) / double(b);
      EXPECT_EQ(number("[\"floordiv\"," + operands), std::floor(exact));
      EXPECT_EQ(number("[\"ceildiv\"," + operands), std::ceil(exact));
      EXPECT_EQ(number("[\"mod\"," + operands),
                a - b * int64_t(std::floor(exact)));
    }
  }
}

TEST_F(ExprTest, Logic) {
  EXPECT_TRUE(truth(R"(["eq",["size","q",0],7])"));
  EXPECT_TRUE(truth(R"(["ne",1,2])"));
  EXPECT_TRUE(truth(R"(["lt",1,2])"));
  EXPECT_FALSE(truth(R"(["gt",1,2])"));
  EXPECT_TRUE(truth(R"(["le",2,2])"));
  EXPECT_TRUE(truth(R"(["ge",2,2])"));
  EXPECT_TRUE(truth(R"(["and",true,true,["not",false]])"));
  EXPECT_FALSE(truth(R"(["and",true,false,true])"));
  EXPECT_TRUE(truth(R"(["or",false,false,true])"));
  EXPECT_FALSE(truth(R"(["or",false,["and",false]])"));
  // What is not evaluated has no faults.
  EXPECT_FALSE(truth(R"(["and",false,["eq",["mod",1,0],0]])"));
  EXPECT_TRUE(truth(R"(["or",true,["eq",["mod",1,0],0]])"));
}

TEST_F(ExprTest, Faults) {
  EXPECT_EQ(fault(R"(["add",["size","k",0],1])"), Expr::Fault::Overflow);
  EXPECT_EQ(fault(R"(["mul",["size","k",0],2])"), Expr::Fault::Overflow);
  EXPECT_EQ(fault(R"(["sub",-2,["size","k",0]])"), Expr::Fault::Overflow);
  EXPECT_EQ(fault(R"(["sub",["mul",1,-9223372036854775808],1])"),
            Expr::Fault::Overflow);
  EXPECT_EQ(fault(R"(["mod",1,0])"), Expr::Fault::Division);
  EXPECT_EQ(fault(R"(["ceildiv",1,-1])"), Expr::Fault::Division);
  EXPECT_EQ(fault(R"(["ceildiv",9223372036854775807,1])"), Expr::Fault::None);
}

TEST_F(ExprTest, KnowsWhetherAddressesMatter) {
  Expr expr;
  ASSERT_FALSE(parse(R"(["and",true,["not",["aligned","k",4]]])", true, expr));
  EXPECT_TRUE(expr.usesAddresses());
  ASSERT_FALSE(parse(R"(["eq",["size","q",0],1])", true, expr));
  EXPECT_FALSE(expr.usesAddresses());
}

TEST_F(ExprTest, Refusals) {
  EXPECT_THAT(refusal("[]", false), HasSubstr("there: expects"));
  EXPECT_THAT(refusal("\"q\"", false), HasSubstr("got a string"));
  EXPECT_THAT(refusal("1.5", false), HasSubstr("got a number"));
  EXPECT_THAT(refusal("[\"pow\",1,2]", false),
              HasSubstr("unknown operator 'pow'"));
  EXPECT_THAT(refusal("[\"size\",\"w\",0]", false), HasSubstr("no tensor 'w'"));
  EXPECT_THAT(refusal("[\"size\",\"k\",1]", false),
              HasSubstr("no dimension 1"));
  EXPECT_THAT(refusal("[\"size\",\"k\",-1]", false),
              HasSubstr("no dimension -1"));
  EXPECT_THAT(refusal("[\"size\",\"k\"]", false),
              HasSubstr("expects [\"size\", tensor"));
  EXPECT_THAT(refusal("[\"aligned\",\"k\",3]", true),
              HasSubstr("power of two"));
  EXPECT_THAT(refusal("[\"aligned\",\"k\",0]", true),
              HasSubstr("power of two"));
  EXPECT_THAT(refusal("[\"mod\",1]", false),
              HasSubstr("expects 2 operands, got 1"));
  EXPECT_THAT(refusal("[\"add\",1]", false), HasSubstr("at least 2 operands"));
  EXPECT_THAT(refusal("[\"not\",true,true]", true),
              HasSubstr("expects 1 operands"));
  EXPECT_THAT(refusal("[\"units\",0]", false),
              HasSubstr("there: expects [\"units\"]"));
  EXPECT_THAT(refusal("[\"units\"]", true),
              HasSubstr("expects a truth value, got a number"));
  scope.units = false;
  EXPECT_THAT(refusal("[\"units\"]", false), HasSubstr("no device is known"));
  EXPECT_THAT(refusal("true", false), HasSubstr("expects a number"));
  EXPECT_THAT(refusal("[\"add\",1,2]", true),
              HasSubstr("expects a truth value"));
  EXPECT_THAT(refusal("[\"add\",1,true]", false),
              HasSubstr("there[2]: expects a number"));
}

} // namespace
