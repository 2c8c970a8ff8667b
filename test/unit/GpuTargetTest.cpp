// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialect/Target/GpuTarget.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace fa::target;

namespace {

TEST(GpuTarget, RowsAreFoundByName) {
  const GpuTarget *ampere = findGpuTarget("sm_80");
  ASSERT_NE(ampere, nullptr);
  EXPECT_EQ(ampere->sharedBytesPerBlock, 166912);
  EXPECT_FALSE(ampere->hasTma);
  const GpuTarget *hopper = findGpuTarget("sm_90a");
  ASSERT_NE(hopper, nullptr);
  EXPECT_EQ(hopper->sharedBytesPerBlock, 232448);
  EXPECT_TRUE(hopper->hasTma && hopper->hasWgmma && hopper->hasCpAsync);
}

TEST(GpuTarget, UnknownChipsAreNotFound) {
  EXPECT_EQ(findGpuTarget("sm_90"), nullptr);
  EXPECT_EQ(findGpuTarget(""), nullptr);
}

TEST(GpuTarget, EveryListedNameHasARow) {
  std::string known = knownGpuTargets();
  std::string_view names = known;
  while (!names.empty()) {
    std::string_view name = names.substr(0, names.find(", "));
    const GpuTarget *target = findGpuTarget(name);
    ASSERT_NE(target, nullptr) << name;
    // A resident block costs 1 KB besides what it asks for.
    EXPECT_EQ(target->sharedBytesPerBlock + 1024, target->sharedBytesPerSm);
    names.remove_prefix(std::min(names.size(), name.size() + 2));
  }
}

} // namespace
