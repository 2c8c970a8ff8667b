// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C ABI on the CPU: a hand-made artefact, every check of the arguments.
#include "runtime/fa_runtime.h"

#include "runtime/Half.h"
#include "test/unit/RuntimeTesting.h"

#include <atomic>
#include <thread>

using namespace fa::test;
using testing::HasSubstr;

extern "C" const char *fa_test_c_program(const char *path);

namespace {

constexpr fa_device cpu = {FA_CPU, 0};

class RuntimeTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(fa_artifact_open(FA_TEST_ARTEFACT, &artifact), FA_OK)
        << fa_last_error();
    for (uint16_t &x : q)
      x = fa::rt::doubleToHalf(1);
    for (uint16_t &x : k)
      x = fa::rt::doubleToHalf(0.5);
    for (size_t i = 0; i < v.size(); ++i)
      v[i] = fa::rt::doubleToHalf(double(i / 64 % 5));
    tensors = {heads("q", q, 4, 3),
               heads("k", k, 2, 5),
               heads("v", v, 2, 5),
               heads("o", o, 4, 3),
               {"lse", lse.data(), FA_F32, 3, {1, 4, 3}, {12, 3, 1}, cpu}};
  }
  void TearDown() override {
    fa_plan_destroy(plan);
    fa_artifact_close(artifact);
  }

  static fa_tensor heads(const char *name, std::vector<uint16_t> &data,
                         int64_t heads, int64_t rows) {
    return {name, data.data(),          FA_F16,
            4,    {1, heads, rows, 64}, {heads * rows * 64, rows * 64, 64, 1},
            cpu};
  }

  fa_status prepare(std::vector<fa_scalar> scalars = {},
                    const fa_prepare_options *options = nullptr) {
    fa_plan_destroy(plan);
    plan = nullptr;
    return fa_prepare(artifact, cpu, tensors.data(), tensors.size(),
                      scalars.data(), scalars.size(), options, &plan);
  }

  /// The refusal of a preparation, which must be for a wrong argument.
  std::string refusal(std::vector<fa_scalar> scalars = {}) {
    EXPECT_EQ(prepare(std::move(scalars)), FA_INVALID_ARGUMENT);
    EXPECT_EQ(plan, nullptr);
    return fa_last_error();
  }

  fa_artifact *artifact = nullptr;
  fa_plan *plan = nullptr;
  std::vector<uint16_t> q = std::vector<uint16_t>(4 * 3 * 64), o = q;
  std::vector<uint16_t> k = std::vector<uint16_t>(2 * 5 * 64), v = k;
  std::vector<float> lse = std::vector<float>(12);
  std::vector<fa_tensor> tensors;
};

TEST_F(RuntimeTest, FromC) {
  EXPECT_STREQ(fa_test_c_program(FA_TEST_ARTEFACT), nullptr);
}

TEST_F(RuntimeTest, Launches) {
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  ASSERT_EQ(fa_launch(plan, nullptr), FA_OK) << fa_last_error();
  for (uint16_t x : o)
    EXPECT_EQ(fa::rt::halfToFloat(x), 2.0f);
  for (float x : lse)
    EXPECT_NEAR(x, 4 + std::log(5.0), 1e-5);
  const char *name = nullptr, *note = nullptr;
  int64_t grid = 0;
  EXPECT_EQ(fa_plan_kernel_name(plan, &name), FA_OK);
  EXPECT_STREQ(name, "attention");
  EXPECT_EQ(fa_plan_note(plan, &note), FA_OK);
  EXPECT_STREQ(note, "");
  EXPECT_EQ(fa_plan_grid(plan, &grid), FA_OK);
  EXPECT_EQ(grid, 12);
}

TEST_F(RuntimeTest, TheCpuIsOneUnit) {
  fa_artifact_close(artifact);
  ASSERT_EQ(fa_artifact_open(FA_TEST_UNITS_ARTEFACT, &artifact), FA_OK)
      << fa_last_error();
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  int64_t grid = 0;
  EXPECT_EQ(fa_plan_grid(plan, &grid), FA_OK);
  EXPECT_EQ(grid, 12);
}

TEST_F(RuntimeTest, OtherAddresses) {
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  std::vector<uint16_t> other(o.size());
  void *data[5] = {nullptr, nullptr, nullptr, other.data(), nullptr};
  ASSERT_EQ(fa_launch_with(plan, data, 5, nullptr), FA_OK) << fa_last_error();
  EXPECT_EQ(other[0], fa::rt::doubleToHalf(2));
  EXPECT_EQ(o[0], 0);
  EXPECT_EQ(fa_launch_with(plan, data, 4, nullptr), FA_INVALID_ARGUMENT);
  data[3] = q.data();
  EXPECT_EQ(fa_launch_with(plan, data, 5, nullptr), FA_INVALID_ARGUMENT);
  EXPECT_THAT(fa_last_error(), HasSubstr("o: overlaps q"));
  data[3] = reinterpret_cast<char *>(other.data()) + 1;
  EXPECT_EQ(fa_launch_with(plan, data, 5, nullptr), FA_INVALID_ARGUMENT);
  EXPECT_THAT(fa_last_error(),
              HasSubstr("o: expects an address aligned to 2 bytes"));
}

TEST_F(RuntimeTest, PlansOutliveTheArtefact) {
  ASSERT_EQ(prepare(), FA_OK);
  fa_artifact_close(artifact);
  artifact = nullptr;
  EXPECT_EQ(fa_launch(plan, nullptr), FA_OK);
  EXPECT_EQ(o[0], fa::rt::doubleToHalf(2));
}

TEST_F(RuntimeTest, SeveralThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      std::vector<uint16_t> out(o.size());
      std::vector<float> sums(lse.size());
      std::vector<fa_tensor> mine = tensors;
      mine[3].data = out.data();
      mine[4].data = sums.data();
      for (int i = 0; i < 20; ++i) {
        fa_plan *own = nullptr;
        failures += fa_prepare(artifact, cpu, mine.data(), 5, nullptr, 0,
                               nullptr, &own) != FA_OK;
        failures += fa_launch(own, nullptr) != FA_OK ||
                    out.back() != fa::rt::doubleToHalf(2);
        fa_plan_destroy(own);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(RuntimeTest, FromMemory) {
  std::string bytes = slurp(FA_TEST_ARTEFACT);
  fa_artifact_close(artifact);
  ASSERT_EQ(fa_artifact_open_memory(bytes.data(), bytes.size(), &artifact),
            FA_OK);
  bytes.clear();
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  EXPECT_EQ(fa_launch(plan, nullptr), FA_OK);
}

TEST_F(RuntimeTest, Names) {
  tensors[0].name = "query";
  EXPECT_EQ(refusal(),
            "the artefact has no tensor 'query'; it has q, k, v, o, lse");
  tensors[0].name = "k";
  EXPECT_EQ(refusal(), "k: given twice");
  tensors[0].name = nullptr;
  EXPECT_EQ(refusal(), "a tensor without a name");
  tensors.erase(tensors.begin());
  EXPECT_EQ(refusal(), "missing tensor 'q'");
}

TEST_F(RuntimeTest, TypesAndRanks) {
  tensors[1].type = FA_BF16;
  EXPECT_EQ(refusal(), "k: expects type f16, got bf16");
  tensors[1].type = static_cast<fa_type>(77);
  EXPECT_EQ(refusal(), "k: expects type f16, got unknown type");
  tensors[1].type = FA_F16;
  tensors[1].rank = 3;
  EXPECT_EQ(refusal(), "k: expects rank 4, got 3");
  tensors[1].rank = 4;
  tensors[1].device = {FA_CUDA, 1};
  EXPECT_EQ(refusal(), "k: expects memory of the CPU, got cuda:1");
}

TEST_F(RuntimeTest, Sizes) {
  tensors[2].sizes[2] = 6;
  EXPECT_EQ(refusal(), "v: size 2 (Sk): expects 5 as in size 2 of k, got 6");
  tensors[2].sizes[2] = -1;
  EXPECT_EQ(refusal(), "v: size 2 is negative: -1");
  tensors[2].sizes[2] = 5;
  tensors[0].sizes[3] = 32;
  EXPECT_EQ(refusal(), "q: size 3: expects 64, got 32");
  tensors[0].sizes[3] = 64;
  tensors[0].sizes[1] = tensors[3].sizes[1] = tensors[4].sizes[1] = 3;
  EXPECT_EQ(refusal(), "query heads must be a multiple of key/value heads");
  tensors[1].sizes[1] = tensors[2].sizes[1] = 0;
  EXPECT_THAT(refusal(), HasSubstr("divides by a number that is not positive"));
}

TEST_F(RuntimeTest, Strides) {
  tensors[0].strides[3] = 2;
  EXPECT_EQ(refusal(), "q: expects stride 1 in the last dimension, got 2");
  tensors[0].strides[3] = 1;
  tensors[0].strides[2] = INT64_MAX / 2;
  EXPECT_EQ(refusal(), "q: sizes and strides reach beyond 64 bits");
  tensors[0].strides[2] = -INT64_MAX / 32;
  EXPECT_EQ(refusal(), "q: sizes and strides reach beyond the address space");
  tensors[0].strides[2] = 64;
  tensors[3].strides[1] = 0;
  EXPECT_EQ(refusal(), "o: an output whose elements overlap each other");
  tensors[3].strides[1] = 192;
  // Broadcast inputs are allowed.
  tensors[1].strides[1] = 0;
  EXPECT_EQ(prepare(), FA_OK) << fa_last_error();
}

TEST_F(RuntimeTest, Addresses) {
  tensors[1].data = nullptr;
  EXPECT_EQ(refusal(), "k: the data pointer is NULL");
  tensors[1].data = reinterpret_cast<char *>(k.data()) + 1;
  EXPECT_THAT(refusal(), HasSubstr("k: expects an address aligned to 2 bytes"));
  tensors[1].data = k.data();
  tensors[3].data = v.data();
  EXPECT_EQ(refusal(), "o: overlaps v");
  tensors[3].data = lse.data();
  EXPECT_EQ(refusal(), "o: overlaps lse");
}

TEST_F(RuntimeTest, EmptyTensorsNeedNoMemory) {
  for (int t : {1, 2}) {
    tensors[t].sizes[2] = 0;
    tensors[t].data = nullptr;
  }
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  ASSERT_EQ(fa_launch(plan, nullptr), FA_OK);
  EXPECT_EQ(lse[0], -INFINITY);
  for (int t : {0, 3, 4}) {
    tensors[t].sizes[2] = 0;
    tensors[t].data = nullptr;
  }
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  ASSERT_EQ(fa_launch(plan, nullptr), FA_OK);
}

fa_scalar real(const char *name, double value) {
  fa_scalar scalar = {name, FA_F64, {value}};
  return scalar;
}

TEST_F(RuntimeTest, Scalars) {
  EXPECT_EQ(
      refusal({real("scale", -1)}),
      "scale: the artefact was compiled for a value that is positive, got -1");
  EXPECT_THAT(refusal({real("scale", 0)}), HasSubstr("that is positive"));
  EXPECT_EQ(refusal({real("scale", 1e39)}),
            "scale: expects a finite f32, got 1e+39");
  EXPECT_THAT(refusal({real("scale", NAN)}), HasSubstr("finite"));
  EXPECT_EQ(refusal({real("size", 1)}),
            "the artefact has no launch parameter 'size'");
  EXPECT_EQ(refusal({real("scale", 1), real("scale", 1)}),
            "scale: given twice");
  fa_scalar integer = {"scale", FA_I64, {}};
  integer.value.i = 3;
  EXPECT_EQ(prepare({integer}), FA_OK) << fa_last_error();
  integer.type = FA_F32;
  EXPECT_EQ(refusal({integer}), "scale: expects the value as FA_F64 or FA_I64");
}

TEST_F(RuntimeTest, Options) {
  fa_prepare_options options = {sizeof(options), "attention", nullptr};
  EXPECT_EQ(prepare({}, &options), FA_OK);
  options.kernel = "other";
  EXPECT_EQ(prepare({}, &options), FA_INVALID_ARGUMENT);
  EXPECT_THAT(fa_last_error(),
              HasSubstr("no kernel 'other'; it has attention"));
  options.struct_size = 4;
  EXPECT_EQ(prepare({}, &options), FA_INVALID_ARGUMENT);
  EXPECT_THAT(fa_last_error(), HasSubstr("struct_size"));
}

TEST_F(RuntimeTest, Devices) {
  EXPECT_EQ(fa_prepare(artifact, {FA_CUDA, 0}, tensors.data(), 5, nullptr, 0,
                       nullptr, &plan),
            FA_UNSUPPORTED);
  EXPECT_THAT(fa_last_error(), HasSubstr("the artefact is for the CPU"));
  EXPECT_EQ(fa_prepare(artifact, {FA_CPU, 3}, tensors.data(), 5, nullptr, 0,
                       nullptr, &plan),
            FA_INVALID_ARGUMENT);
  EXPECT_EQ(fa_prepare(artifact, {static_cast<fa_device_kind>(9), 0},
                       tensors.data(), 5, nullptr, 0, nullptr, &plan),
            FA_INVALID_ARGUMENT);
  ASSERT_EQ(prepare(), FA_OK);
  EXPECT_EQ(fa_launch(plan, &plan), FA_INVALID_ARGUMENT);
}

TEST_F(RuntimeTest, NullArguments) {
  fa_tensor_info info;
  size_t count = 0;
  EXPECT_EQ(fa_artifact_open(nullptr, &artifact), FA_INVALID_ARGUMENT);
  EXPECT_STREQ(fa_last_error(), "the argument 'path' is NULL");
  EXPECT_EQ(fa_artifact_open("x", nullptr), FA_INVALID_ARGUMENT);
  EXPECT_EQ(fa_artifact_tensor(artifact, 5, &info), FA_INVALID_ARGUMENT);
  EXPECT_EQ(fa_artifact_tensor(nullptr, 0, &info), FA_INVALID_ARGUMENT);
  EXPECT_EQ(fa_artifact_tensor_count(artifact, nullptr), FA_INVALID_ARGUMENT);
  EXPECT_EQ(fa_artifact_tensor_count(artifact, &count), FA_OK);
  EXPECT_EQ(count, 5u);
  EXPECT_EQ(fa_prepare(artifact, cpu, nullptr, 5, nullptr, 0, nullptr, &plan),
            FA_INVALID_ARGUMENT);
  EXPECT_STREQ(fa_last_error(), "tensors: expects 5, got NULL");
  EXPECT_EQ(fa_prepare(artifact, cpu, nullptr, 0, nullptr, 2, nullptr, &plan),
            FA_INVALID_ARGUMENT);
  EXPECT_STREQ(fa_last_error(), "scalars: expects 2, got NULL");
  EXPECT_EQ(fa_launch(nullptr, nullptr), FA_INVALID_ARGUMENT);
  EXPECT_EQ(fa_plan_destroy(nullptr), FA_OK);
  EXPECT_EQ(fa_artifact_close(nullptr), FA_OK);
  EXPECT_EQ(fa_artifact_open("no/such/file", &artifact), FA_IO_ERROR);
  EXPECT_THAT(fa_last_error(), HasSubstr("cannot open 'no/such/file'"));
}

TEST_F(RuntimeTest, Queries) {
  fa_target_info target;
  fa_problem_info problem;
  fa_scalar_info scalar;
  fa_kernel_info kernel;
  fa_tensor_info tensor;
  const char *json = nullptr;
  ASSERT_EQ(fa_artifact_target(artifact, &target), FA_OK);
  EXPECT_EQ(target.kind, FA_CPU);
  EXPECT_STREQ(target.chip, "x86-64-v3");
  ASSERT_EQ(fa_artifact_problem(artifact, &problem), FA_OK);
  EXPECT_EQ(problem.window_left, -1);
  ASSERT_EQ(fa_artifact_scalar(artifact, 0, &scalar), FA_OK);
  EXPECT_EQ(scalar.default_value, 0.125);
  ASSERT_EQ(fa_artifact_kernel(artifact, 0, &kernel), FA_OK);
  EXPECT_STREQ(kernel.name, "attention");
  ASSERT_EQ(fa_artifact_tensor(artifact, 1, &tensor), FA_OK);
  EXPECT_STREQ(tensor.symbols[1], "Hkv");
  EXPECT_EQ(tensor.dims[1], -1);
  EXPECT_EQ(tensor.dims[3], 64);
  EXPECT_EQ(tensor.symbols[3], nullptr);
  ASSERT_EQ(fa_artifact_manifest_json(artifact, &json), FA_OK);
  EXPECT_THAT(json, HasSubstr("\"fa_manifest\": 1"));
}

TEST_F(RuntimeTest, ErrorsBelongToTheThread) {
  EXPECT_EQ(fa_artifact_open("no/such/file", &artifact), FA_IO_ERROR);
  std::string other = "?";
  std::thread([&] { other = fa_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_THAT(fa_last_error(), HasSubstr("no/such/file"));
}

TEST_F(RuntimeTest, Memory) {
  void *data = nullptr;
  ASSERT_EQ(fa_memory_alloc(cpu, 100, &data), FA_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u);
  EXPECT_EQ(fa_memory_fill(cpu, data, 7, 100), FA_OK);
  char back[100];
  EXPECT_EQ(fa_memory_copy(cpu, back, cpu, data, 100), FA_OK);
  EXPECT_EQ(back[99], 7);
  EXPECT_EQ(fa_memory_free(cpu, data), FA_OK);
  EXPECT_EQ(fa_memory_alloc(cpu, SIZE_MAX / 2, &data), FA_OUT_OF_MEMORY);
  EXPECT_EQ(fa_memory_alloc(cpu, 0, &data), FA_OK);
  EXPECT_EQ(data, nullptr);
}

/// An artefact that this machine or its loader does not take.
TEST_F(RuntimeTest, ForeignArtefacts) {
  for (auto [path, text] :
       {std::pair{FA_TEST_FOREIGN_ARTEFACT, "for riscv64-unknown-linux-gnu"},
        {FA_TEST_FEATURE_ARTEFACT, "needs the CPU feature 'sve9000'"}}) {
    fa_artifact_close(artifact);
    ASSERT_EQ(fa_artifact_open(path, &artifact), FA_OK) << fa_last_error();
    EXPECT_EQ(prepare(), FA_UNSUPPORTED);
    EXPECT_THAT(fa_last_error(), HasSubstr(text));
  }
  fa_artifact_close(artifact);
  ASSERT_EQ(fa_artifact_open(FA_TEST_NAMELESS_ARTEFACT, &artifact), FA_OK);
  EXPECT_EQ(prepare(), FA_INVALID_ARTIFACT);
  EXPECT_THAT(fa_last_error(), HasSubstr("no symbol 'attention2'"));
}

} // namespace
