// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the runtime's tests share: sample artefacts, and tensors to launch them
// with.
#ifndef FA_TEST_UNIT_RUNTIMETESTING_H
#define FA_TEST_UNIT_RUNTIMETESTING_H

#include "runtime/Json.h"
#include "runtime/Sha256.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <fstream>
#include <sstream>

namespace fa::test {

/// A manifest with everything that a version 1 manifest may have; "HASH" stands
/// for the body's hash.
inline const char *const sampleManifest = R"({
  "fa_manifest": 1,
  "name": "attention",
  "producer": "by hand",
  "target": {"kind": "ptx", "chip": "sm_80", "rule": "or_newer"},
  "body_sha256": "HASH",
  "problem": {
    "layout": "bhsd",
    "mask": {"alignment": "bottom_right", "causal": true, "left": null, "right": 7},
    "score_region": false, "mask_region": false, "reference": false
  },
  "tensors": [
    {"name": "q", "role": "in", "type": "f16", "dims": ["B", "Hq", "Sq", 64]},
    {"name": "k", "role": "in", "type": "f16", "dims": ["B", "Hkv", "Sk", 64]},
    {"name": "v", "role": "in", "type": "f16", "dims": ["B", "Hkv", "Sk", 64]},
    {"name": "o", "role": "out", "type": "f16", "dims": ["B", "Hq", "Sq", 64]},
    {"name": "lse", "role": "out", "type": "f32", "dims": ["B", "Hq", "Sq"]}
  ],
  "constraints": [
    {"expr": ["eq", ["mod", ["size", "q", 1], ["size", "k", 1]], 0],
     "text": "query heads must be a multiple of key/value heads"}
  ],
  "scalars": [{"name": "scale", "type": "f32", "default": 0.125, "class": "positive"}],
  "kernels": [
    {
      "name": "aligned", "note": "",
      "when": ["and", ["aligned", "q", 16], ["eq", ["mod", ["stride", "q", 2], 8], 0]],
      "params": [["pointer", "q"], ["size", "q", 2], ["stride", "k", 2], ["scalar", "scale"],
                 ["scratch", "counter"], ["pointer", "o"]],
      "grid": ["mul", ["ceildiv", ["size", "q", 2], 64], ["size", "q", 1], ["size", "q", 0]],
      "block": 128, "shared_bytes": 65536, "min_ptx": "7.0",
      "scratch": [{"name": "counter", "bytes": ["mul", 4, ["size", "q", 0]], "init": 0, "owner": "stream"}]
    },
    {
      "name": "plain", "note": "rows are not aligned to 16 bytes", "when": true,
      "params": [["pointer", "q"]], "grid": ["size", "q", 2],
      "block": 64, "shared_bytes": 1024, "min_ptx": "7.0", "scratch": []
    }
  ]
})";

inline const char *const sampleBody = ".version 7.0\n.target sm_80\n";

inline std::string replaced(std::string text, const std::string &from,
                            const std::string &to) {
  size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

/// The manifest without the hash as an artefact with the right one.
inline std::string makePtx(const std::string &manifest,
                           const std::string &body = sampleBody) {
  rt::Sha256 sha;
  sha.update(body);
  std::istringstream lines(replaced(manifest, "HASH", sha.finish()));
  std::string text = "// fa-manifest 1\n";
  for (std::string line; std::getline(lines, line);)
    text += "// " + line + "\n";
  return text + "// fa-manifest end\n" + body;
}

inline std::string slurp(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::stringstream stream;
  stream << file.rdbuf();
  return stream.str();
}

} // namespace fa::test

#endif
