// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Sha256.h"

#include "gtest/gtest.h"

using fa::rt::Sha256;

namespace {

std::string hash(const std::string &text) {
  Sha256 sha;
  sha.update(text);
  return sha.finish();
}

// The examples of FIPS 180 and its companion page.
TEST(Sha256, PublishedVectors) {
  EXPECT_EQ(hash("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(
      hash("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmno"
           "ijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(hash(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesGiveTheSame) {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text += static_cast<char>(i * 7);
  for (size_t piece = 1; piece < 140; piece += 3) {
    Sha256 sha;
    for (size_t i = 0; i < text.size(); i += piece)
      sha.update(std::string_view(text).substr(i, piece));
    EXPECT_EQ(sha.finish(), hash(text)) << piece;
  }
}

} // namespace
