// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that take tensor maps and a grid that depends on the chip.
#include "runtime/TensorMap.h"

#include "test/unit/CudaTesting.h"

#include <algorithm>
#include <cstring>

using namespace fa::test;
using testing::ElementsAreArray;
using testing::HasSubstr;
namespace cuda = fa::rt::cuda;

namespace {

/// The sample with a persistent kernel first: tensor maps of q and k, the
/// number of tiles, a counter.
std::string persistent() {
  std::string text = replaced(
      sampleManifest,
      R"([["pointer", "q"], ["size", "q", 2], ["stride", "k", 2], ["scalar", "scale"],
                 ["scratch", "counter"], ["pointer", "o"]])",
      R"([["tensor_map", "q", 2, 64, 64, 128], ["tensor_map", "k", 2, 128, 32, 64],
                 ["expr", ["mul", ["ceildiv", ["size", "q", 2], 64], ["size", "q", 1], ["size", "q", 0]]],
                 ["scratch", "counter"], ["pointer", "o"]])");
  text = replaced(
      text,
      R"(["mul", ["ceildiv", ["size", "q", 2], 64], ["size", "q", 1], ["size", "q", 0]],
      "block")",
      R"(["min", ["units"], ["mul", ["ceildiv", ["size", "q", 2], 64], ["size", "q", 1], ["size", "q", 0]]],
      "block")");
  return replaced(text, R"(["mul", 4, ["size", "q", 0]])", "4");
}

class TensorMapTest : public CudaTest {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    standin_set("param_count", 5);
    open(makePtx(persistent()));
  }

  /// Prepares and launches once.
  void launch() {
    ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
    ASSERT_EQ(fa_launch(plan, stream), FA_OK) << fa_last_error();
  }

  void expectRefusal(fa_status status, const char *text) {
    EXPECT_EQ(prepare(), status);
    EXPECT_THAT(fa_last_error(), HasSubstr(text));
    EXPECT_EQ(plan, nullptr);
  }
};

void expectLayout(const StandInTensorMap &map, std::vector<uint64_t> sizes,
                  std::vector<uint64_t> strides, std::vector<uint32_t> box) {
  EXPECT_EQ(map.rank, sizes.size());
  sizes.resize(5);
  strides.resize(4);
  box.resize(5);
  EXPECT_THAT(map.sizes, ElementsAreArray(sizes));
  EXPECT_THAT(map.strides, ElementsAreArray(strides));
  EXPECT_THAT(map.box, ElementsAreArray(box));
}

TEST_F(TensorMapTest, DescribesTheTensor) {
  launch();
  ASSERT_EQ(standin_tensor_maps(), 2u);
  StandInTensorMap q = standin_tensor_map(0), k = standin_tensor_map(1);
  EXPECT_EQ(q.address, address(0));
  EXPECT_EQ(q.type, cuda::TensorMapF16);
  expectLayout(q, {64, 100, 4, 2}, {128, 12800, 51200}, {64, 64, 1, 1});
  EXPECT_EQ(q.swizzle, cuda::TensorMapSwizzle128);
  EXPECT_EQ(q.interleave, cuda::TensorMapInterleaveNone);
  EXPECT_EQ(q.promotion, cuda::TensorMapPromoteTo256);
  EXPECT_EQ(q.fill, cuda::TensorMapFillZeros);
  for (unsigned i = 0; i < q.rank; ++i)
    EXPECT_EQ(q.element_strides[i], 1u);
  EXPECT_EQ(k.address, address(1));
  expectLayout(k, {64, 80, 2, 2}, {128, 10240, 20480}, {32, 128, 1, 1});
  EXPECT_EQ(k.swizzle, cuda::TensorMapSwizzle64);
  // By value, in their places.
  EXPECT_EQ(standin_launch(0).params[0], 0u);
  EXPECT_EQ(standin_launch(0).params[1], 1u);
  EXPECT_EQ(standin_launch(0).params[4], address(3));
}

TEST_F(TensorMapTest, RowsAlongAnotherDimension) {
  open(makePtx(replaced(
      replaced(persistent(), R"("q", 2, 64, 64, 128)", R"("q", 0, 2, 64, 128)"),
      R"("k", 2, 128, 32, 64)", R"("lse", 1, 8, 32, 128)")));
  launch();
  expectLayout(standin_tensor_map(0), {64, 2, 100, 4}, {51200, 128, 12800},
               {64, 2, 1, 1});
  EXPECT_EQ(standin_tensor_map(1).type, cuda::TensorMapF32);
  expectLayout(standin_tensor_map(1), {100, 4, 2}, {400, 1600}, {32, 8, 1});
}

TEST_F(TensorMapTest, BF16) {
  open(makePtx(replaced(persistent(), R"("in", "type": "f16")",
                        R"("in", "type": "bf16")")));
  tensors[0].type = FA_BF16;
  launch();
  EXPECT_EQ(standin_tensor_map(0).type, cuda::TensorMapBF16);
}

TEST_F(TensorMapTest, TheGridFollowsTheChip) {
  for (unsigned units : {4, 132}) {
    standin_set("units", units);
    launch();
    StandInLaunch seen = standin_launch(standin_launches() - 1);
    EXPECT_EQ(seen.grid, std::min(units, 16u));
    EXPECT_EQ(seen.params[2], 16u); // tiles, whatever the grid
    uint32_t counter = 1;
    std::memcpy(&counter, reinterpret_cast<void *>(seen.params[3]), 4);
    EXPECT_EQ(counter, 0u);
  }
  expectFailure("cuDeviceGetAttribute", 1, FA_DRIVER_ERROR,
                "cuDeviceGetAttribute");
}

TEST_F(TensorMapTest, OnlyOtherAddressesAreEncodedAgain) {
  launch();
  ASSERT_EQ(fa_launch(plan, stream), FA_OK);
  void *data[5] = {memory[0]};
  ASSERT_EQ(fa_launch_with(plan, data, 5, stream), FA_OK) << fa_last_error();
  EXPECT_EQ(standin_tensor_maps(), 2u);
  data[1] = static_cast<char *>(memory[1]) + 32;
  ASSERT_EQ(fa_launch_with(plan, data, 5, stream), FA_OK) << fa_last_error();
  ASSERT_EQ(standin_tensor_maps(), 3u);
  StandInTensorMap moved = standin_tensor_map(2);
  EXPECT_EQ(moved.address, address(1) + 32);
  expectLayout(moved, {64, 80, 2, 2}, {128, 10240, 20480}, {32, 128, 1, 1});
  EXPECT_EQ(standin_launch(3).params[0], 0u);
  EXPECT_EQ(standin_launch(3).params[1], 2u);
  // The plan itself has not changed.
  ASSERT_EQ(fa_launch(plan, stream), FA_OK);
  EXPECT_EQ(standin_launch(4).params[1], 1u);
  data[1] = static_cast<char *>(memory[1]) + 8;
  EXPECT_EQ(fa_launch_with(plan, data, 5, stream), FA_INVALID_ARGUMENT);
  EXPECT_THAT(
      fa_last_error(),
      HasSubstr("k: for a tensor map expects an address aligned to 16"));
}

TEST_F(TensorMapTest, StridesOfSingleElementsMayBeAnything) {
  for (int t : {0, 1, 2, 3, 4})
    tensors[t].sizes[0] = 1;
  tensors[0].strides[0] = -3;
  tensors[1].strides[0] = int64_t(1) << 60;
  launch();
  expectLayout(standin_tensor_map(0), {64, 100, 4, 1}, {128, 12800, 16},
               {64, 64, 1, 1});
  expectLayout(standin_tensor_map(1), {64, 80, 2, 1}, {128, 10240, 16},
               {32, 128, 1, 1});
}

TEST_F(TensorMapTest, BroadcastTensorsKeepTheirStride) {
  tensors[1].strides[0] = tensors[1].strides[1] = 0;
  launch();
  expectLayout(standin_tensor_map(1), {64, 80, 2, 2}, {128, 0, 0},
               {32, 128, 1, 1});
}

TEST_F(TensorMapTest, StridesThatDoNotFit) {
  tensors[1].strides[2] = 68;
  expectRefusal(FA_UNSUPPORTED,
                "k: for a tensor map expects strides of a multiple of 16 bytes "
                "from 0 to below 2^40, got 68 elements of 2 bytes in dimension "
                "2");
  tensors[1].strides[2] = -64;
  tensors[1].data = static_cast<char *>(memory[1]) + 128 * 100;
  expectRefusal(FA_UNSUPPORTED, "got -64 elements of 2 bytes in dimension 2");
  tensors[1].data = memory[1];
  tensors[1].strides[2] = 64;
  tensors[1].strides[0] = int64_t(1) << 39;
  expectRefusal(FA_UNSUPPORTED, "2 bytes in dimension 0");
  tensors[1].strides[0] -= 8;
  EXPECT_EQ(prepare(), FA_OK) << fa_last_error();
}

TEST_F(TensorMapTest, TensorsThatDoNotFit) {
  open(makePtx(replaced(persistent(), R"("k", 2, 128, 32, 64)",
                        R"("lse", 1, 8, 32, 128)")));
  tensors[4].strides[0] = 1600;
  tensors[4].strides[1] = 400;
  tensors[4].strides[2] = 2;
  expectRefusal(FA_UNSUPPORTED,
                "lse: for a tensor map expects stride 1 in the last dimension, "
                "got 2");
  open(makePtx(persistent()));
  tensors[4].strides[0] = 400;
  tensors[4].strides[1] = 100;
  tensors[4].strides[2] = 1;
  tensors[1].data = static_cast<char *>(memory[1]) + 8;
  expectRefusal(FA_INVALID_ARGUMENT,
                "k: for a tensor map expects an address aligned to 16 bytes");
  tensors[1].data = memory[1];
  // All keys are the same rows.
  for (int t : {1, 2}) {
    tensors[t].sizes[2] = (int64_t(1) << 32) + 1;
    tensors[t].strides[2] = 0;
  }
  expectRefusal(FA_UNSUPPORTED, "k: for a tensor map expects sizes up to 2^32, "
                                "got 4294967297 in dimension 2");
}

TEST_F(TensorMapTest, WithoutKeysAnyMapWillDo) {
  for (int t : {1, 2}) {
    tensors[t].sizes[2] = 0;
    tensors[t].strides[1] = 3;
    tensors[t].data = reinterpret_cast<void *>(6);
  }
  launch();
  StandInTensorMap k = standin_tensor_map(1);
  EXPECT_EQ(k.address, 0u);
  expectLayout(k, {1, 1, 1, 1}, {16, 16, 16}, {32, 128, 1, 1});
  void *data[5] = {nullptr, memory[1]};
  ASSERT_EQ(fa_launch_with(plan, data, 5, stream), FA_OK) << fa_last_error();
  EXPECT_EQ(standin_tensor_maps(), 2u);
}

TEST_F(TensorMapTest, EmptyGridsNeedNoMaps) {
  for (int t : {0, 3, 4})
    tensors[t].sizes[2] = 0;
  tensors[1].strides[2] = 68;
  launch();
  EXPECT_EQ(standin_tensor_maps(), 0u);
  EXPECT_EQ(standin_launches(), 0u);
}

TEST_F(TensorMapTest, ThePredicateChoosesFirst) {
  tensors[0].data = static_cast<char *>(memory[0]) + 2;
  standin_set("param_count", 1); // the plain kernel's
  launch();
  EXPECT_STREQ(standin_launch(0).kernel, "plain");
  EXPECT_EQ(standin_tensor_maps(), 0u);
}

TEST_F(TensorMapTest, EncodingMayFail) {
  expectFailure("cuTensorMapEncodeTiled", 1, FA_DRIVER_ERROR,
                "q: cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE");
  launch();
  void *data[5] = {nullptr, static_cast<char *>(memory[1]) + 16};
  standin_fail("cuTensorMapEncodeTiled", 1, 1);
  EXPECT_EQ(fa_launch_with(plan, data, 5, stream), FA_DRIVER_ERROR);
  EXPECT_THAT(fa_last_error(), HasSubstr("k: cuTensorMapEncodeTiled"));
  EXPECT_EQ(standin_launches(), 1u);
}

TEST(TensorMaps, NeedADriverThatMakesThem) {
  fa::rt::Manifest manifest;
  fa::rt::Status parsed = fa::rt::parseManifest(
      replaced(persistent(), "HASH", std::string(64, 'a')), manifest);
  ASSERT_FALSE(parsed) << parsed.text();
  fa::rt::Driver old; // which has no entry point at all
  fa::rt::TensorValue values[5];
  fa::rt::TensorMaps maps;
  fa::rt::Status status =
      maps.build(old, manifest, manifest.kernels[0], values);
  EXPECT_EQ(status.code(), FA_UNSUPPORTED);
  EXPECT_EQ(
      status.text(),
      "kernel 'aligned' takes 'q' as a tensor map, and the CUDA driver "
      "has no cuTensorMapEncodeTiled: it needs one of CUDA 12.0 or newer");
}

} // namespace
