// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches on the stand-in for the CUDA driver.
#ifndef FA_TEST_UNIT_CUDATESTING_H
#define FA_TEST_UNIT_CUDATESTING_H

#include "runtime/fa_runtime.h"

#include "test/unit/RuntimeTesting.h"
#include "test/unit/StandInDriver.h"

#include <cstdlib>

namespace fa::test {

inline constexpr fa_device gpu = {FA_CUDA, 0};

class CudaTest : public testing::Test {
protected:
  void SetUp() override {
    standin_reset();
    modules = standin_live_modules(); // of compiled modules, which stay
    setenv("FA_CUDA_DRIVER", FA_TEST_STANDIN, 1);
    standin_set("param_count", 6);
    ASSERT_EQ(fa_device_use(gpu), FA_OK) << fa_last_error();
    open(makePtx(sampleManifest));
    for (void *&data : memory)
      ASSERT_EQ(fa_memory_alloc(gpu, 1 << 18, &data), FA_OK);
    tensors = {
        {"q", memory[0], FA_F16, 4, {2, 4, 100, 64}, {25600, 6400, 64, 1}, gpu},
        {"k", memory[1], FA_F16, 4, {2, 2, 80, 64}, {10240, 5120, 64, 1}, gpu},
        {"v", memory[2], FA_F16, 4, {2, 2, 80, 64}, {10240, 5120, 64, 1}, gpu},
        {"o", memory[3], FA_F16, 4, {2, 4, 100, 64}, {25600, 6400, 64, 1}, gpu},
        {"lse", memory[4], FA_F32, 3, {2, 4, 100}, {400, 100, 1}, gpu}};
  }

  void TearDown() override {
    fa_plan_destroy(plan);
    fa_artifact_close(artifact);
    EXPECT_EQ(standin_live_modules(), modules);
    for (void *data : memory)
      EXPECT_EQ(fa_memory_free(gpu, data), FA_OK) << fa_last_error();
    EXPECT_EQ(standin_live_memory(), 0u);
    EXPECT_EQ(fa_device_release(gpu), FA_OK);
  }

  void open(const std::string &text) {
    fa_artifact_close(artifact);
    artifact = nullptr;
    ASSERT_EQ(fa_artifact_open_memory(text.data(), text.size(), &artifact),
              FA_OK)
        << fa_last_error();
  }

  fa_status prepare(const fa_prepare_options *options = nullptr) {
    fa_plan_destroy(plan);
    plan = nullptr;
    return fa_prepare(artifact, gpu, tensors.data(), tensors.size(), nullptr, 0,
                      options, &plan);
  }

  /// Makes the nth call of an entry point fail and expects prepare to say so.
  void expectFailure(const char *entry, int result, fa_status status,
                     const char *text) {
    standin_fail(entry, 1, result);
    EXPECT_EQ(prepare(), status) << entry;
    EXPECT_THAT(fa_last_error(), testing::HasSubstr(text));
    EXPECT_EQ(plan, nullptr);
  }

  uint64_t address(int tensor) const {
    return reinterpret_cast<uintptr_t>(memory[tensor]);
  }

  fa_artifact *artifact = nullptr;
  fa_plan *plan = nullptr;
  void *memory[5] = {};
  std::vector<fa_tensor> tensors;
  size_t modules = 0;
  int streamObject = 0;
  void *stream = &streamObject;
};

} // namespace fa::test

#endif
