// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Overlap.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace fa::rt;

namespace {

TensorValue tensor(uintptr_t data, std::vector<int64_t> sizes,
                   std::vector<int64_t> strides) {
  TensorValue value;
  value.data = reinterpret_cast<void *>(data);
  value.rank = static_cast<int>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), value.sizes);
  std::copy(strides.begin(), strides.end(), value.strides);
  return value;
}

/// The addresses of all elements, by going through them.
std::vector<int64_t> addresses(const TensorValue &t, int64_t bytes) {
  std::vector<int64_t> all = {
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(t.data))};
  for (int d = 0; d < t.rank; ++d) {
    std::vector<int64_t> next;
    for (int64_t a : all)
      for (int64_t i = 0; i < t.sizes[d]; ++i)
        next.push_back(a + i * t.strides[d] * bytes);
    all = next;
  }
  return all;
}

std::set<int64_t> bytesOf(const TensorValue &t, int64_t bytes) {
  std::set<int64_t> all;
  for (int64_t a : addresses(t, bytes))
    for (int64_t i = 0; i < bytes; ++i)
      all.insert(a + i);
  return all;
}

TEST(Overlap, AgreesWithEnumeration) {
  std::mt19937 random(7);
  auto below = [&](int n) { return static_cast<int64_t>(random() % n); };
  int yes = 0;
  for (int round = 0; round < 20000; ++round) {
    auto make = [&] {
      int rank = static_cast<int>(below(4));
      std::vector<int64_t> sizes, strides;
      for (int d = 0; d < rank; ++d) {
        sizes.push_back(below(5));
        strides.push_back(below(15) - 5);
      }
      return tensor(1000 + below(60), sizes, strides);
    };
    TensorValue a = make(), b = make();
    int64_t aBytes = 1 << below(3), bBytes = 1 << below(3);
    std::set<int64_t> aSet = bytesOf(a, aBytes), bSet = bytesOf(b, bBytes);
    bool meet = false;
    for (int64_t byte : aSet)
      meet |= bSet.count(byte) > 0;
    ASSERT_EQ(overlap(a, aBytes, b, bBytes), meet ? Answer::Yes : Answer::No)
        << round;
    bool self = aSet.size() < addresses(a, aBytes).size() * aBytes;
    ASSERT_EQ(overlapsItself(a, aBytes), self ? Answer::Yes : Answer::No)
        << round;
    int64_t low, high,
        base = static_cast<int64_t>(reinterpret_cast<uintptr_t>(a.data));
    ASSERT_TRUE(byteRange(a, aBytes, low, high));
    if (aSet.empty()) {
      ASSERT_EQ(low, high);
    } else {
      ASSERT_EQ(base + low, *aSet.begin());
      ASSERT_EQ(base + high, *aSet.rbegin() + 1);
    }
    yes += meet;
  }
  EXPECT_GT(yes, 1000);
}

TEST(Overlap, InterleavedViewsDoNotMeet) {
  // q and o as slices of one [B, S, 3, H, D] buffer, with sizes as in real use.
  int64_t H = 16, D = 128, row = 3 * H * D;
  auto slice = [&](int64_t third) {
    return tensor(0x10000 + third * H * D * 2, {8, H, 4096, D},
                  {4096 * row, D, row, 1});
  };
  EXPECT_EQ(overlap(slice(0), 2, slice(1), 2), Answer::No);
  EXPECT_EQ(overlap(slice(0), 2, slice(2), 2), Answer::No);
  EXPECT_EQ(overlap(slice(1), 2, slice(1), 2), Answer::Yes);
  TensorValue shifted = slice(0);
  shifted.data = reinterpret_cast<void *>(0x10000 + 2);
  EXPECT_EQ(overlap(shifted, 2, slice(1), 2), Answer::Yes);
}

TEST(Overlap, BroadcastOutputsMeetThemselves) {
  EXPECT_EQ(overlapsItself(tensor(0, {4, 8}, {0, 1}), 2), Answer::Yes);
  EXPECT_EQ(overlapsItself(tensor(0, {1, 8}, {0, 1}), 2), Answer::No);
  EXPECT_EQ(overlapsItself(tensor(0, {4, 8}, {7, 1}), 2), Answer::Yes);
  EXPECT_EQ(overlapsItself(tensor(0, {3, 2}, {2, 3}), 2), Answer::No);
}

TEST(Overlap, RangesBeyond64BitsAreFound) {
  int64_t low, high;
  EXPECT_FALSE(byteRange(tensor(0, {3}, {INT64_MAX / 2}), 2, low, high));
  EXPECT_FALSE(byteRange(
      tensor(0, {2, 2, 2}, {INT64_MAX / 4, INT64_MAX / 4, 9}), 2, low, high));
  EXPECT_TRUE(byteRange(tensor(0, {1, 2}, {INT64_MAX, 1}), 2, low, high));
}

} // namespace
