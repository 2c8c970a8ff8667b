// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches as compiled modules make them, on a hand-made CPU artefact.
#include "runtime/fa_runtime.h"

#include "runtime/Half.h"
#include "test/unit/CudaTesting.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <thread>

using namespace fa::test;
using testing::HasSubstr;

namespace {

/// A module's state lives as long as the process.
void *&newState() {
  static auto *states = new std::deque<void *>;
  return states->emplace_back(nullptr);
}

class EmbeddedTest : public testing::Test {
protected:
  template <typename T> static int64_t address(const T *data) {
    return static_cast<int64_t>(reinterpret_cast<intptr_t>(data));
  }

  static void add(std::vector<int64_t> &values, const void *data,
                  std::vector<int64_t> sizes) {
    values.push_back(address(data));
    values.insert(values.end(), sizes.begin(), sizes.end());
    std::vector<int64_t> strides(sizes.size(), 1);
    for (size_t d = sizes.size() - 1; d > 0; --d)
      strides[d - 1] = strides[d] * sizes[d];
    values.insert(values.end(), strides.begin(), strides.end());
  }

  /// What a module passes for `rows` queries, the result going to `o`.
  std::vector<int64_t> call(int64_t rows, std::vector<uint16_t> &o) {
    std::vector<int64_t> values;
    add(values, q.data(), {1, 4, rows, 64});
    add(values, k.data(), {1, 2, 5, 64});
    add(values, v.data(), {1, 2, 5, 64});
    add(values, o.data(), {1, 4, rows, 64});
    add(values, lse.data(), {1, 4, rows});
    double scale = 0.125;
    int64_t bits;
    memcpy(&bits, &scale, sizeof bits);
    values.push_back(bits);
    return values;
  }

  fa_status launch(const std::vector<int64_t> &values) {
    return fa_embedded_launch(address(bytes.data()),
                              static_cast<int64_t>(bytes.size()),
                              address(&state), address(values.data()),
                              static_cast<int64_t>(values.size()), 0);
  }

  std::string bytes = slurp(FA_TEST_ARTEFACT);
  void *&state = newState();
  std::vector<uint16_t> q = std::vector<uint16_t>(4 * 100 * 64);
  std::vector<uint16_t> k = std::vector<uint16_t>(2 * 5 * 64);
  std::vector<uint16_t> v =
      std::vector<uint16_t>(2 * 5 * 64, fa::rt::doubleToHalf(2));
  std::vector<float> lse = std::vector<float>(400);
};

TEST_F(EmbeddedTest, LaunchesEveryShape) {
  // More shapes than there are plans kept, twice.
  for (int64_t rows = 1; rows < 160; ++rows) {
    std::vector<uint16_t> o(4 * 100 * 64);
    ASSERT_EQ(launch(call(rows % 80 + 1, o)), FA_OK) << fa_last_error();
    EXPECT_EQ(fa::rt::halfToFloat(o[4 * (rows % 80 + 1) * 64 - 1]), 2.0f);
  }
}

TEST_F(EmbeddedTest, LaunchesFromSeveralThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<uint16_t> o(4 * 100 * 64);
      for (int i = 0; i < 20; ++i)
        right += launch(call(t + 1, o)) == FA_OK &&
                 fa::rt::halfToFloat(o[0]) == 2.0f;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 80);
}

TEST_F(EmbeddedTest, RefusesWhatIsNotTheArtefacts) {
  std::vector<uint16_t> o(4 * 100 * 64);
  std::vector<int64_t> values = call(3, o);
  values.pop_back();
  EXPECT_EQ(launch(values), FA_INVALID_ARGUMENT);
  EXPECT_THAT(fa_last_error(), HasSubstr("expects 44 values for this artefact, "
                                         "got 43"));
  values = call(3, o);
  values[2] = 3; // query heads
  EXPECT_EQ(launch(values), FA_INVALID_ARGUMENT);
  EXPECT_THAT(fa_last_error(), HasSubstr("o: size 1 (Hq): expects 3"));
  EXPECT_EQ(fa_embedded_launch(0, 0, address(&state), 0, 0, 0),
            FA_INVALID_ARGUMENT);
  EXPECT_THAT(fa_last_error(), HasSubstr("'artifact' is NULL"));
}

TEST_F(EmbeddedTest, RefusesDamage) {
  std::vector<uint16_t> o(4 * 100 * 64);
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_EQ(launch(call(3, o)), FA_INVALID_ARTIFACT);
  EXPECT_EQ(state, nullptr);
}

/// The same on the stand-in for the driver.
class EmbeddedCudaTest : public CudaTest {
protected:
  /// What a module's artefact has loaded stays as long as the process.
  void TearDown() override {
    fa_artifact_close(artifact);
    for (void *data : memory)
      EXPECT_EQ(fa_memory_free(gpu, data), FA_OK) << fa_last_error();
    EXPECT_EQ(fa_device_release(gpu), FA_OK);
  }

  static int64_t address(const void *data) {
    return static_cast<int64_t>(reinterpret_cast<intptr_t>(data));
  }

  fa_status launch(void *on) {
    std::vector<int64_t> values;
    for (const fa_tensor &tensor : tensors) {
      values.push_back(address(tensor.data));
      values.insert(values.end(), tensor.sizes, tensor.sizes + tensor.rank);
      values.insert(values.end(), tensor.strides, tensor.strides + tensor.rank);
    }
    values.push_back(0x3fc0000000000000); // the scale, 0.125
    return fa_embedded_launch(address(bytes.data()),
                              static_cast<int64_t>(bytes.size()),
                              address(&state), address(values.data()),
                              static_cast<int64_t>(values.size()), address(on));
  }

  std::string bytes = makePtx(sampleManifest);
  void *&state = newState();
};

TEST_F(EmbeddedCudaTest, LaunchesOnTheThreadsStream) {
  int other = 0;
  EXPECT_EQ(fa_embedded_use_stream(stream), nullptr);
  ASSERT_EQ(launch(nullptr), FA_OK) << fa_last_error();
  ASSERT_EQ(launch(&other), FA_OK) << fa_last_error(); // its own comes first
  std::thread([&] { // another thread has the default stream
    ASSERT_EQ(fa_device_use(gpu), FA_OK);
    ASSERT_EQ(launch(nullptr), FA_OK) << fa_last_error();
    EXPECT_EQ(fa_device_release(gpu), FA_OK);
  })
      .join();
  EXPECT_EQ(fa_embedded_use_stream(nullptr), stream);
  ASSERT_EQ(launch(nullptr), FA_OK) << fa_last_error();
  ASSERT_EQ(standin_launches(), 4u);
  EXPECT_EQ(standin_launch(0).stream, stream);
  EXPECT_EQ(standin_launch(1).stream, &other);
  EXPECT_EQ(standin_launch(2).stream, nullptr);
  EXPECT_EQ(standin_launch(3).stream, nullptr);
}

TEST_F(EmbeddedTest, TheCpuIgnoresTheStream) {
  std::vector<uint16_t> o(4 * 100 * 64);
  int stream = 0;
  fa_embedded_use_stream(&stream);
  EXPECT_EQ(launch(call(3, o)), FA_OK) << fa_last_error();
  fa_embedded_use_stream(nullptr);
}

TEST_F(EmbeddedTest, CheckEndsTheProcess) {
  fa_embedded_check(FA_OK);
  EXPECT_DEATH(
      {
        launch({0});
        fa_embedded_check(FA_INVALID_ARGUMENT);
      },
      "fa: attention failed: FA_INVALID_ARGUMENT: expects 44 values");
}

} // namespace
