// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Artifact.h"

#include "test/unit/RuntimeTesting.h"

#include <functional>

using namespace fa::rt;
using namespace fa::test;
using testing::AllOf;
using testing::HasSubstr;

namespace {

const std::string someHash(64, 'a');

std::string refusal(const std::string &text) {
  Manifest manifest;
  Status status = parseManifest(text, manifest);
  EXPECT_TRUE(!status || status.code() == FA_INVALID_ARTIFACT);
  return status ? status.text() : "no error";
}

std::string sample() { return replaced(sampleManifest, "HASH", someHash); }

/// The refusal of the sample with one piece of text replaced.
std::string refusalWith(const std::string &from, const std::string &to) {
  return refusal(replaced(sample(), from, to));
}

std::string dump(const Json &json) {
  std::string text;
  switch (json.kind) {
  case Json::Kind::Null:
    return "null";
  case Json::Kind::Bool:
    return json.boolean ? "true" : "false";
  case Json::Kind::Int:
    return std::to_string(json.integer);
  case Json::Kind::Real:
    return std::to_string(json.real);
  case Json::Kind::String:
    return quoteJson(json.string);
  case Json::Kind::Array:
    for (const Json &item : json.items)
      text += (text.empty() ? "" : ",") + dump(item);
    return "[" + text + "]";
  case Json::Kind::Object:
    for (const auto &[name, value] : json.members)
      text += (text.empty() ? "" : ",") + quoteJson(name) + ":" + dump(value);
    return "{" + text + "}";
  }
  return text;
}

/// Calls visit for every object of the tree, with its path in the messages'
/// words.
void forEachObject(
    Json &json, const std::string &path,
    const std::function<void(Json &, const std::string &)> &visit) {
  if (json.kind == Json::Kind::Object) {
    visit(json, path);
    for (auto &[name, value] : json.members)
      forEachObject(value, path.empty() ? name : path + "." + name, visit);
  }
  for (size_t i = 0; i < json.items.size(); ++i)
    forEachObject(json.items[i], path + "[" + std::to_string(i) + "]", visit);
}

TEST(Manifest, ReadsTheSample) {
  Manifest m;
  Status status = parseManifest(sample(), m);
  ASSERT_FALSE(status) << status.text();
  EXPECT_EQ(m.name, "attention");
  EXPECT_EQ(m.target.kind, FA_CUDA);
  EXPECT_EQ(m.target.chipMajor, 8);
  EXPECT_EQ(m.target.chipMinor, 0);
  EXPECT_FALSE(m.target.exact);
  EXPECT_TRUE(m.problem.bottomRight);
  EXPECT_TRUE(m.problem.causal);
  EXPECT_EQ(m.problem.left, std::nullopt);
  EXPECT_EQ(m.problem.right, 7);
  ASSERT_EQ(m.tensors.size(), 5u);
  EXPECT_EQ(m.tensors[1].dims[1].symbol, "Hkv");
  EXPECT_EQ(m.tensors[1].dims[3].size, 64);
  EXPECT_TRUE(m.tensors[3].output);
  ASSERT_EQ(m.kernels.size(), 2u);
  EXPECT_EQ(m.kernels[0].params.size(), 6u);
  EXPECT_EQ(m.kernels[0].params[4].kind, ParamSpec::Kind::Scratch);
  EXPECT_EQ(m.kernels[0].ptxVersion, 70);
  EXPECT_EQ(m.kernels[0].sharedBytes, 65536);
  EXPECT_EQ(m.kernels[1].note, "rows are not aligned to 16 bytes");
}

/// The sample with a tensor map in place of the first kernel's pointer to o.
std::string withMap(const std::string &map) {
  return replaced(sample(), R"(["pointer", "o"])", map);
}

TEST(Manifest, ReadsTensorMapsAndExpressions) {
  Manifest m;
  Status status = parseManifest(
      withMap(R"(["tensor_map", "o", 2, 128, 64, 128], ["expr", ["units"]])"),
      m);
  ASSERT_FALSE(status) << status.text();
  const std::vector<ParamSpec> &params = m.kernels[0].params;
  ASSERT_EQ(params.size(), 7u);
  EXPECT_EQ(params[5].kind, ParamSpec::Kind::TensorMap);
  EXPECT_EQ(params[5].index, 3);
  EXPECT_EQ(params[5].dim, 2);
  EXPECT_EQ(params[5].box.rows, 128);
  EXPECT_EQ(params[5].box.columns, 64);
  EXPECT_EQ(params[5].box.swizzleBytes, 128);
  EXPECT_EQ(params[6].kind, ParamSpec::Kind::Value);
}

TEST(Manifest, RefusesTensorMapsThatCannotBe) {
  const std::pair<const char *, const char *> cases[] = {
      {R"(["tensor_map", "o", 2, 128, 64])", "expects 5 operands"},
      {R"(["tensor_map", "x", 2, 128, 64, 128])", "there is no tensor 'x'"},
      {R"(["tensor_map", "o", 4, 128, 64, 128])", "no such dimension"},
      {R"(["tensor_map", "o", 3, 128, 64, 128])", "which are the last"},
      {R"(["tensor_map", "o", 2, 257, 64, 128])", "1 to 256 rows and columns"},
      {R"(["tensor_map", "o", 2, 0, 64, 128])", "1 to 256 rows and columns"},
      {R"(["tensor_map", "o", 2, 64, 512, 0])", "1 to 256 rows and columns"},
      {R"(["tensor_map", "o", 2, 64, 12, 0])", "multiple of 16 bytes, got 24"},
      {R"(["tensor_map", "o", 2, 64, 64, 16])", "0, 32, 64 or 128 bytes"},
      {R"(["tensor_map", "o", 2, 64, 64, "x"])", "0, 32, 64 or 128 bytes"},
      {R"(["tensor_map", "o", 2, 64, 128, 128])", "at most 128 bytes, "},
      {R"(["tensor_map", "lse", 1, 64, 64, 128])", "at most 128 bytes, "}};
  for (auto [map, text] : cases)
    EXPECT_THAT(refusal(withMap(map)),
                AllOf(HasSubstr("kernels[0].params[5]: "), HasSubstr(text)))
        << map;
  std::string map = R"(["tensor_map", "o", 2, 64, 64, 128])";
  EXPECT_THAT(
      refusal(replaced(withMap(map), R"("o", "role": "out", "type": "f16")",
                       R"("o", "role": "out", "type": "i16")")),
      HasSubstr("f16, bf16 or f32, 'o' is of i16"));
  EXPECT_THAT(
      refusal(replaced(
          withMap(map), R"("o", "role": "out", "type": "f16", "dims": [)",
          R"("o", "role": "out", "type": "f16", "dims": [1, 1, )")),
      HasSubstr("rank 2 to 5, 'o' has rank 6"));
  std::string many = map;
  for (int i = 0; i < 31; ++i)
    many += ", " + map;
  EXPECT_THAT(refusal(withMap(many)),
              HasSubstr("kernels[0].params: expects at most 4096 bytes of "
                        "parameters, got 4160"));
}

TEST(Manifest, RefusesEachFieldThatIsMissing) {
  Json json;
  ASSERT_FALSE(parseJson(sample(), json));
  int fields = 0;
  forEachObject(json, "", [&](Json &object, const std::string &path) {
    for (size_t i = 0; i < object.members.size(); ++i, ++fields) {
      auto saved = object.members[i];
      object.members.erase(object.members.begin() + i);
      std::string full = path.empty() ? saved.first : path + "." + saved.first;
      EXPECT_THAT(refusal(dump(json)), HasSubstr(full + ": missing"));
      object.members.insert(object.members.begin() + i, saved);
    }
  });
  EXPECT_GT(fields, 60);
}

TEST(Manifest, RefusesUnknownFieldsEverywhere) {
  Json json;
  ASSERT_FALSE(parseJson(sample(), json));
  forEachObject(json, "", [&](Json &object, const std::string &path) {
    object.members.push_back({"extra", Json()});
    EXPECT_THAT(
        refusal(dump(json)),
        HasSubstr((path.empty() ? "" : path + ".") + "extra: unknown field"));
    object.members.pop_back();
  });
}

TEST(Manifest, RefusesEachFieldOfAnotherType) {
  Json json;
  ASSERT_FALSE(parseJson(sample(), json));
  forEachObject(json, "", [&](Json &object, const std::string &) {
    for (auto &[name, value] : object.members) {
      Json saved = value;
      for (const char *other : {"{}", "[]", "\"\\u0001\"", "-1", "1.5"}) {
        ASSERT_FALSE(parseJson(other, value));
        // A list may be empty, a text hold anything and a default be any
        // number.
        bool harmless = (saved.kind == Json::Kind::Array &&
                         value.kind == Json::Kind::Array) ||
                        name == "note" || name == "text" ||
                        name == "producer" || name == "default" ||
                        ((name == "grid" || name == "bytes") &&
                         value.kind == Json::Kind::Int);
        if (!harmless)
          EXPECT_THAT(refusal(dump(json)), HasSubstr(name))
              << name << " = " << other;
        value = Json();
      }
      value = saved;
    }
  });
}

TEST(Manifest, RefusesOtherVersions) {
  EXPECT_THAT(refusalWith("\"fa_manifest\": 1", "\"fa_manifest\": 2"),
              HasSubstr("expects version 1, got 2"));
}

TEST(Manifest, SaysWhatIsWrong) {
  EXPECT_THAT(refusalWith("\"sm_80\"", "\"gfx90a\""),
              HasSubstr("target.chip: expects a name such"));
  EXPECT_THAT(refusalWith("\"sm_80\"", "\"sm_90a\""),
              HasSubstr("target.rule: expects 'exact'"));
  EXPECT_THAT(refusalWith("\"or_newer\"", "\"older\""),
              HasSubstr("'or_newer' or 'exact', got 'older'"));
  EXPECT_THAT(refusalWith("\"bhsd\"", "\"sbhd\""), HasSubstr("problem.layout"));
  EXPECT_THAT(refusalWith("\"right\": 7", "\"right\": -7"),
              HasSubstr("problem.mask.right"));
  EXPECT_THAT(
      refusalWith("\"type\": \"f32\", \"dims\"", "\"type\": \"f8\", \"dims\""),
      HasSubstr("tensors[4].type: unknown type 'f8'"));
  EXPECT_THAT(refusalWith("\"Sq\", 64]", "\"Sq\", -64]"),
              HasSubstr("tensors[0].dims"));
  EXPECT_THAT(refusalWith("\"Sq\", 64]", "\"S q\", 64]"),
              HasSubstr("tensors[0].dims"));
  EXPECT_EQ(refusalWith("\"Sq\", 64]", "\"S+1\", 64]"), "no error");
  EXPECT_THAT(refusalWith("{\"name\": \"k\"", "{\"name\": \"q\""),
              HasSubstr("tensors: the name 'q' stands twice"));
  EXPECT_THAT(refusalWith("\"name\": \"plain\"", "\"name\": \"aligned\""),
              HasSubstr("kernels: the name 'aligned' stands twice"));
  EXPECT_THAT(refusalWith("\"name\": \"attention\"", "\"name\": \"a b\""),
              HasSubstr("name: expects a name of letters"));
  EXPECT_THAT(refusalWith("[\"size\", \"q\", 2], [\"stride\"",
                          "[\"size\", \"q\", 4], [\"stride\""),
              HasSubstr("kernels[0].params[1]: 'q' has no such dimension"));
  EXPECT_THAT(refusalWith("[\"pointer\", \"o\"]", "[\"pointer\", \"x\"]"),
              HasSubstr("kernels[0].params[5]: there is no tensor 'x'"));
  EXPECT_THAT(refusalWith("[\"scratch\", \"counter\"]", "[\"scratch\", \"x\"]"),
              HasSubstr("there is no scratch 'x'"));
  EXPECT_THAT(refusalWith("[\"scalar\", \"scale\"]", "[\"map\", \"scale\"]"),
              HasSubstr("unknown kind 'map'"));
  EXPECT_THAT(refusalWith("[\"scalar\", \"scale\"]", "[\"expr\", true]"),
              HasSubstr("kernels[0].params[3][1]: expects a number"));
  EXPECT_THAT(refusalWith("[\"scalar\", \"scale\"]", "[\"scalar\", 1]"),
              HasSubstr("kernels[0].params[3]: expects a name"));
  EXPECT_THAT(refusalWith("[\"size\", \"k\", 1]], 0]", "[\"units\"]], 0]"),
              HasSubstr("constraints[0].expr[1][2]: expects no 'units' here"));
  EXPECT_THAT(
      refusalWith("\"block\": 128", "\"block\": 2048"),
      HasSubstr("kernels[0].block: expects a number from 1 to 1024, got 2048"));
  EXPECT_THAT(refusalWith("\"min_ptx\": \"7.0\"", "\"min_ptx\": \"7\""),
              HasSubstr("min_ptx"));
  EXPECT_THAT(
      refusalWith("[\"aligned\", \"q\", 16]", "[\"aligned\", \"q\", 17]"),
      HasSubstr("kernels[0].when[1]: expects a power of two"));
  EXPECT_THAT(refusalWith("\"grid\": [\"size\", \"q\", 2]", "\"grid\": true"),
              HasSubstr("kernels[1].grid: expects a number"));
  EXPECT_THAT(refusalWith("\"class\": \"positive\"", "\"class\": \"big\""),
              HasSubstr("scalars[0].class"));
  EXPECT_THAT(refusalWith(someHash, "abc"), HasSubstr("body_sha256"));
  EXPECT_THAT(refusalWith("\"name\": \"attention\",",
                          "\"name\": \"attention\", \"name\": \"a\","),
              HasSubstr("'name' stands twice"));
  EXPECT_THAT(refusal("[]"), HasSubstr("expects an object"));
}

std::string artefactRefusal(std::string bytes) {
  ArtifactImage image;
  Status status = readArtifact(std::move(bytes), image);
  EXPECT_TRUE(!status || status.code() == FA_INVALID_ARTIFACT);
  return status ? status.text() : "no error";
}

TEST(Artifact, ReadsPtx) {
  ArtifactImage image;
  Status status = readArtifact(makePtx(sampleManifest), image);
  ASSERT_FALSE(status) << status.text();
  EXPECT_STREQ(image.ptx(), sampleBody);
}

TEST(Artifact, RefusesDamagedPtx) {
  std::string good = makePtx(sampleManifest);
  EXPECT_EQ(artefactRefusal(good), "no error");
  for (size_t size = 0; size < good.size(); ++size)
    ASSERT_NE(artefactRefusal(good.substr(0, size)), "no error") << size;
  // Flips in texts for people and in names go unnoticed by the hash, which is
  // over the body; the body's own must not.
  size_t body = good.size() - std::string(sampleBody).size();
  for (size_t i = 0; i < good.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = good;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      std::string refusal = artefactRefusal(flipped);
      if (i >= body)
        ASSERT_NE(refusal, "no error") << i;
    }
  }
  EXPECT_THAT(artefactRefusal(good + " "), HasSubstr("damaged or was edited"));
  EXPECT_THAT(artefactRefusal(replaced(good, "manifest 1", "manifest 2")),
              HasSubstr("expects manifest version 1"));
  EXPECT_THAT(artefactRefusal(sampleBody),
              HasSubstr("expects PTX that starts"));
  EXPECT_THAT(artefactRefusal(makePtx(sampleManifest, std::string("a\0b", 3))),
              HasSubstr("NUL"));
}

TEST(Artifact, ReadsAndRefusesElf) {
  std::string good = slurp(FA_TEST_ARTEFACT);
  EXPECT_EQ(artefactRefusal(good), "no error");
  size_t offset = 0, size = 0;
  ASSERT_FALSE(findElfSection(good, ".fa_manifest", offset, size));
  for (size_t length = 0; length < good.size(); length += length < 256 ? 1 : 61)
    ASSERT_NE(artefactRefusal(good.substr(0, length)), "no error") << length;
  for (size_t i = 0; i < good.size();
       i += i < 64 || i + 2048 > good.size() ? 1 : 53) {
    std::string flipped = good;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << i % 8));
    std::string refusal = artefactRefusal(flipped);
    bool inManifest = i >= offset && i < offset + size;
    if (!inManifest)
      ASSERT_NE(refusal, "no error") << i;
  }
  EXPECT_THAT(artefactRefusal(slurp(FA_TEST_PLAIN_OBJECT)),
              HasSubstr("expects one section '.fa_manifest', got 0"));
}

TEST(Artifact, TargetMustFitTheContainer) {
  std::string cpu = replaced(
      sampleManifest, R"({"kind": "ptx", "chip": "sm_80", "rule": "or_newer"})",
      R"({"kind": "cpu", "triple": "t", "cpu": "c", "features": []})");
  EXPECT_NE(artefactRefusal(makePtx(cpu)), "no error");
}

} // namespace
