// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way to a CUDA device and each of its failures, against the stand-in
// driver.
#include "test/unit/CudaTesting.h"

#include "runtime/CudaApi.h"
#include "runtime/Driver.h"

#include <atomic>
#include <cstring>
#include <thread>

using namespace fa::test;
using testing::HasSubstr;
namespace cuda = fa::rt::cuda;

namespace {

TEST_F(CudaTest, LaunchesWithTheRightParameters) {
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  ASSERT_EQ(fa_launch(plan, stream), FA_OK) << fa_last_error();
  ASSERT_EQ(standin_launches(), 1u);
  StandInLaunch launch = standin_launch(0);
  EXPECT_STREQ(launch.kernel, "aligned");
  EXPECT_EQ(launch.grid, 2u * 4 * 2);
  EXPECT_EQ(launch.block, 128u);
  EXPECT_EQ(launch.shared, 65536u);
  EXPECT_EQ(launch.stream, stream);
  EXPECT_EQ(launch.params[0], address(0));
  EXPECT_EQ(launch.params[1], 100u);
  EXPECT_EQ(launch.params[2], 64u);
  float scale;
  std::memcpy(&scale, &launch.params[3], 4);
  EXPECT_EQ(scale, 0.125f);
  EXPECT_EQ(launch.params[5], address(3));
  EXPECT_EQ(standin_shared_opted_in(), 65536);
  // The scratch buffer: 8 zero bytes.
  const char *scratch = reinterpret_cast<const char *>(launch.params[4]);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(scratch[i], 0);
}

TEST_F(CudaTest, FallsBackWithANote) {
  tensors[0].data = static_cast<char *>(tensors[0].data) + 2;
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  const char *name = nullptr, *note = nullptr;
  ASSERT_EQ(fa_plan_kernel_name(plan, &name), FA_OK);
  EXPECT_STREQ(name, "plain");
  ASSERT_EQ(fa_plan_note(plan, &note), FA_OK);
  EXPECT_STREQ(note, "rows are not aligned to 16 bytes");
  fa_prepare_options options = {sizeof(options), "aligned", nullptr};
  EXPECT_EQ(prepare(&options), FA_UNSUPPORTED);
  EXPECT_THAT(fa_last_error(), HasSubstr("'aligned' does not take these"));
}

TEST_F(CudaTest, OtherAddressesMustFitTheKernel) {
  ASSERT_EQ(prepare(), FA_OK);
  void *data[5] = {static_cast<char *>(memory[0]) + 32};
  ASSERT_EQ(fa_launch_with(plan, data, 5, stream), FA_OK) << fa_last_error();
  EXPECT_EQ(standin_launch(0).params[0], address(0) + 32);
  data[0] = static_cast<char *>(memory[0]) + 2;
  EXPECT_EQ(fa_launch_with(plan, data, 5, stream), FA_INVALID_ARGUMENT);
  EXPECT_THAT(fa_last_error(), HasSubstr("does not take the alignment"));
  EXPECT_EQ(standin_launches(), 1u);
}

TEST_F(CudaTest, EmptyGridsDoNothing) {
  for (int t : {0, 3, 4})
    tensors[t].sizes[2] = 0;
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  ASSERT_EQ(fa_launch(plan, stream), FA_OK);
  EXPECT_EQ(standin_launches(), 0u);
}

TEST_F(CudaTest, ModulesAreLoadedOnceAContext) {
  ASSERT_EQ(prepare(), FA_OK);
  ASSERT_EQ(prepare(), FA_OK);
  EXPECT_EQ(standin_count("cuModuleLoadDataEx"), 1);
  // The same bytes opened again, while the first are loaded.
  fa_artifact *other = nullptr;
  std::string text = makePtx(sampleManifest);
  ASSERT_EQ(fa_artifact_open_memory(text.data(), text.size(), &other), FA_OK);
  fa_plan *otherPlan = nullptr;
  ASSERT_EQ(fa_prepare(other, gpu, tensors.data(), 5, nullptr, 0, nullptr,
                       &otherPlan),
            FA_OK);
  EXPECT_EQ(standin_count("cuModuleLoadDataEx"), 1);
  fa_plan_destroy(otherPlan);
  fa_artifact_close(other);
  EXPECT_EQ(standin_live_modules(), modules + 1);
}

TEST_F(CudaTest, KernelsAreCompiledInThreadsWhereTheDriverCan) {
  standin_set("driver_version", 12090);
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  EXPECT_EQ(standin_count("CU_JIT_SPLIT_COMPILE"), 0);
  standin_set("driver_version", 13000);
  open(makePtx(replaced(sampleManifest, "\"min_ptx\": \"7.0\"",
                        "\"min_ptx\": \"7.1\"")));
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error();
  EXPECT_EQ(standin_count("CU_JIT_SPLIT_COMPILE"), 1);
}

TEST_F(CudaTest, SeveralDevices) {
  standin_set("devices", 2);
  ASSERT_EQ(prepare(), FA_OK);
  // Another device's context is current now.
  ASSERT_EQ(fa_device_use({FA_CUDA, 1}), FA_OK);
  EXPECT_EQ(fa_launch(plan, stream), FA_INVALID_ARGUMENT);
  EXPECT_THAT(fa_last_error(), HasSubstr("belongs to another context"));
  fa_plan *second = nullptr;
  EXPECT_EQ(fa_prepare(artifact, gpu, tensors.data(), 5, nullptr, 0, nullptr,
                       &second),
            FA_INVALID_ARGUMENT);
  EXPECT_THAT(fa_last_error(),
              HasSubstr("to belong to cuda:0, it belongs to cuda:1"));
  std::vector<fa_tensor> there = tensors;
  for (fa_tensor &tensor : there)
    tensor.device.index = 1;
  EXPECT_EQ(fa_prepare(artifact, {FA_CUDA, 1}, there.data(), 5, nullptr, 0,
                       nullptr, &second),
            FA_INVALID_ARGUMENT);
  EXPECT_STREQ(fa_last_error(),
               "q: expects memory of cuda:1, got memory of cuda:0");
  standin_set("pointer_device", 1);
  ASSERT_EQ(fa_prepare(artifact, {FA_CUDA, 1}, there.data(), 5, nullptr, 0,
                       nullptr, &second),
            FA_OK)
      << fa_last_error();
  EXPECT_EQ(standin_count("cuModuleLoadDataEx"), 2);
  EXPECT_EQ(fa_launch(second, stream), FA_OK);
  fa_plan_destroy(second);
  ASSERT_EQ(fa_device_use(gpu), FA_OK);
  EXPECT_EQ(fa_launch(plan, stream), FA_OK);
}

TEST_F(CudaTest, HostMemoryIsRefused) {
  static uint16_t host[64];
  tensors[1].data = host;
  EXPECT_EQ(prepare(), FA_INVALID_ARGUMENT);
  EXPECT_STREQ(fa_last_error(), "k: expects memory of cuda:0, got host memory");
}

TEST_F(CudaTest, ChipRules) {
  standin_set("major", 7);
  standin_set("minor", 5);
  EXPECT_EQ(prepare(), FA_UNSUPPORTED);
  EXPECT_STREQ(fa_last_error(),
               "the artefact runs on sm_80 or newer, cuda:0 is sm_75");
  standin_set("major", 12);
  EXPECT_EQ(prepare(), FA_OK) << fa_last_error();
  std::string exact = replaced(sampleManifest, R"("sm_80", "rule": "or_newer")",
                               R"("sm_90a", "rule": "exact")");
  open(makePtx(exact));
  EXPECT_EQ(prepare(), FA_UNSUPPORTED);
  EXPECT_STREQ(fa_last_error(),
               "the artefact runs on exactly sm_90a, cuda:0 is sm_125");
  standin_set("major", 9);
  standin_set("minor", 0);
  EXPECT_EQ(prepare(), FA_OK) << fa_last_error();
}

TEST_F(CudaTest, DriverTooOld) {
  std::string newer =
      replaced(sampleManifest, "\"min_ptx\": \"7.0\"", "\"min_ptx\": \"8.0\"");
  open(makePtx(newer));
  standin_set("driver_version", 11080);
  EXPECT_EQ(prepare(), FA_UNSUPPORTED);
  EXPECT_THAT(
      fa_last_error(),
      HasSubstr("needs a driver for PTX 8.0; this one (CUDA 11.8) is too "
                "old, it takes PTX up to 7.8"));
  standin_set("driver_version", 12000);
  EXPECT_EQ(prepare(), FA_OK) << fa_last_error();
  EXPECT_EQ(fa::rt::newestPtx(10020), 0);
  EXPECT_EQ(fa::rt::newestPtx(14000), 99);
}

TEST_F(CudaTest, TooMuchSharedMemory) {
  standin_set("shared_optin", 49152);
  EXPECT_EQ(prepare(), FA_UNSUPPORTED);
  EXPECT_STREQ(
      fa_last_error(),
      "kernel 'aligned' needs 65536 bytes of shared memory, cuda:0 has 49152");
}

TEST_F(CudaTest, EveryCallMayFail) {
  expectFailure(
      "cuModuleLoadDataEx", cuda::ErrorInvalidPtx, FA_DRIVER_ERROR,
      "CUDA_ERROR_INVALID_PTX (218, as the test asked)\nptxas fatal: line 7");
  expectFailure("cuModuleLoadDataEx", cuda::ErrorUnsupportedPtxVersion,
                FA_UNSUPPORTED, "error 222");
  expectFailure("cuModuleLoadDataEx", cuda::ErrorOutOfMemory, FA_OUT_OF_MEMORY,
                "cuModuleLoadDataEx");
  expectFailure("cuModuleLoadDataEx", 900, FA_IN_CAPTURE,
                "CAPTURE_UNSUPPORTED");
  expectFailure("cuModuleGetFunction", 500, FA_DRIVER_ERROR,
                "kernel 'aligned': cuModuleGetFunction");
  expectFailure("cuFuncSetAttribute", 1, FA_DRIVER_ERROR, "cuFuncSetAttribute");
  expectFailure("cuDeviceGetCount", 999, FA_DRIVER_ERROR, "cuDeviceGetCount");
  expectFailure("cuCtxGetCurrent", 201, FA_NO_DEVICE, "cuCtxGetCurrent");
  expectFailure("cuCtxGetDevice", 201, FA_NO_DEVICE, "cuCtxGetDevice");
  expectFailure("cuDeviceGetAttribute", 1, FA_DRIVER_ERROR,
                "cuDeviceGetAttribute");
  expectFailure("cuDriverGetVersion", 1, FA_DRIVER_ERROR, "cuDriverGetVersion");
  expectFailure("cuCtxGetId", 1, FA_DRIVER_ERROR, "cuCtxGetId");
  expectFailure("cuStreamIsCapturing", 1, FA_DRIVER_ERROR,
                "cuStreamIsCapturing");
  ASSERT_EQ(prepare(), FA_OK);
  standin_fail("cuLaunchKernel", 1, 700);
  EXPECT_EQ(fa_launch(plan, stream), FA_DRIVER_ERROR);
  EXPECT_THAT(
      fa_last_error(),
      HasSubstr("kernel 'aligned': cuLaunchKernel: CUDA_ERROR_ILLEGAL"));
}

TEST_F(CudaTest, ScratchRunsOutOfMemory) {
  size_t before = standin_live_memory();
  fa_prepare_options options = {sizeof(options), nullptr, stream};
  standin_fail("cuMemAlloc_v2", 1, cuda::ErrorOutOfMemory);
  EXPECT_EQ(prepare(&options), FA_OUT_OF_MEMORY);
  EXPECT_THAT(fa_last_error(),
              HasSubstr("scratch buffer 'counter' of 8 bytes: cuMemAlloc"));
  standin_fail("cuMemsetD8Async", 1, 1);
  EXPECT_EQ(prepare(&options), FA_DRIVER_ERROR);
  EXPECT_EQ(standin_live_memory(), before);
  ASSERT_EQ(prepare(), FA_OK);
  standin_fail("cuMemAlloc_v2", 1, cuda::ErrorOutOfMemory);
  EXPECT_EQ(fa_launch(plan, stream), FA_OUT_OF_MEMORY);
  EXPECT_EQ(fa_launch(plan, stream), FA_OK);
}

TEST_F(CudaTest, ScratchBelongsToAStream) {
  fa_prepare_options options = {sizeof(options), nullptr, stream};
  ASSERT_EQ(prepare(&options), FA_OK);
  int allocations = standin_count("cuMemAlloc_v2");
  for (void *on : {stream, stream, static_cast<void *>(&options)})
    ASSERT_EQ(fa_launch(plan, on), FA_OK);
  EXPECT_EQ(standin_count("cuMemAlloc_v2"), allocations + 1);
  EXPECT_EQ(standin_launch(0).params[4], standin_launch(1).params[4]);
  EXPECT_NE(standin_launch(0).params[4], standin_launch(2).params[4]);
}

// Another plan of the kernel works on the same scratch, which stays when a plan
// goes: its launches may still be under way.
TEST_F(CudaTest, PlansShareScratch) {
  ASSERT_EQ(prepare(), FA_OK);
  ASSERT_EQ(fa_launch(plan, stream), FA_OK);
  size_t memory = standin_live_memory();
  tensors[0].sizes[2] = tensors[3].sizes[2] = tensors[4].sizes[2] = 90;
  ASSERT_EQ(prepare(), FA_OK) << fa_last_error(); // destroys the first one
  EXPECT_EQ(standin_live_memory(), memory);
  ASSERT_EQ(fa_launch(plan, stream), FA_OK);
  EXPECT_EQ(standin_live_memory(), memory);
  EXPECT_EQ(standin_launch(0).params[4], standin_launch(1).params[4]);
}

TEST_F(CudaTest, Captures) {
  ASSERT_EQ(prepare(), FA_OK);
  ASSERT_EQ(fa_launch(plan, stream), FA_OK);
  EXPECT_EQ(standin_filled_on(), stream);
  standin_set("capturing", cuda::CaptureActive);
  // A launch inside a capture works, with scratch of the graph's own.
  ASSERT_EQ(fa_launch(plan, stream), FA_OK) << fa_last_error();
  ASSERT_EQ(fa_launch(plan, stream), FA_OK);
  standin_set("capture_id", 2);
  ASSERT_EQ(fa_launch(plan, stream), FA_OK);
  EXPECT_NE(standin_launch(0).params[4], standin_launch(1).params[4]);
  EXPECT_EQ(standin_launch(1).params[4], standin_launch(2).params[4]);
  EXPECT_NE(standin_launch(2).params[4], standin_launch(3).params[4]);
  // Initialised once: not in the graph, which may be launched again and again.
  EXPECT_EQ(standin_count("cuMemsetD8Async"), 3);
  EXPECT_EQ(standin_count("cuStreamSynchronize"), 2);
  EXPECT_NE(standin_filled_on(), stream);
  // Preparing does not, whichever stream is being captured.
  fa_prepare_options options = {sizeof(options), nullptr, stream};
  EXPECT_EQ(prepare(&options), FA_IN_CAPTURE);
  EXPECT_THAT(fa_last_error(), HasSubstr("prepare before the capture"));
  standin_set("capturing", 0);
  standin_set("legacy_blocked", 1);
  EXPECT_EQ(prepare(), FA_IN_CAPTURE);
  EXPECT_EQ(prepare(&options), FA_IN_CAPTURE);
}

TEST_F(CudaTest, ScratchOfACaptureMayFail) {
  ASSERT_EQ(prepare(), FA_OK);
  standin_set("capturing", cuda::CaptureActive);
  size_t before = standin_live_memory();
  for (const char *entry :
       {"cuStreamCreate", "cuMemsetD8Async", "cuStreamSynchronize"}) {
    standin_fail(entry, 1, 700);
    EXPECT_EQ(fa_launch(plan, stream), FA_DRIVER_ERROR);
    EXPECT_THAT(fa_last_error(), HasSubstr(entry));
    EXPECT_EQ(standin_live_memory(), before);
  }
  EXPECT_EQ(fa_launch(plan, stream), FA_OK) << fa_last_error();
}

TEST_F(CudaTest, NoCurrentContext) {
  std::thread([&] {
    fa_plan *other = nullptr;
    EXPECT_EQ(fa_prepare(artifact, gpu, tensors.data(), 5, nullptr, 0, nullptr,
                         &other),
              FA_NO_DEVICE);
    EXPECT_THAT(fa_last_error(), HasSubstr("no CUDA context is current"));
  }).join();
}

TEST_F(CudaTest, NoSuchDevice) {
  EXPECT_EQ(fa_device_use({FA_CUDA, 3}), FA_NO_DEVICE);
  EXPECT_STREQ(fa_last_error(), "there is no cuda:3; the driver has 1 device");
  EXPECT_EQ(fa_device_use({FA_CUDA, -1}), FA_NO_DEVICE);
}

TEST_F(CudaTest, SeveralThreads) {
  ASSERT_EQ(prepare(), FA_OK);
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      failures += fa_device_use(gpu) != FA_OK;
      fa_plan *own = nullptr;
      for (int i = 0; i < 30; ++i) {
        failures += fa_prepare(artifact, gpu, tensors.data(), 5, nullptr, 0,
                               nullptr, &own) != FA_OK;
        failures +=
            fa_launch(own, reinterpret_cast<void *>(uintptr_t(16 + t))) !=
            FA_OK;
        failures +=
            fa_launch(plan, reinterpret_cast<void *>(uintptr_t(16 + i % 3))) !=
            FA_OK;
        fa_plan_destroy(own);
      }
      failures += fa_device_release(gpu) != FA_OK;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(standin_launches(), 240u);
  EXPECT_EQ(standin_count("cuModuleLoadDataEx"), 1);
}

TEST_F(CudaTest, Helpers) {
  fa_device_info info;
  ASSERT_EQ(fa_device_query(gpu, &info), FA_OK);
  EXPECT_STREQ(info.name, "Stand-in GPU");
  EXPECT_EQ(info.major, 8);
  int32_t count = 0;
  EXPECT_EQ(fa_device_count(FA_CUDA, &count), FA_OK);
  EXPECT_EQ(count, 1);
  constexpr fa_device cpu = {FA_CPU, 0};
  char text[] = "there and back", back[sizeof(text)];
  ASSERT_EQ(fa_memory_copy(gpu, memory[0], cpu, text, sizeof(text)), FA_OK);
  ASSERT_EQ(fa_memory_copy(gpu, memory[1], gpu, memory[0], sizeof(text)),
            FA_OK);
  ASSERT_EQ(fa_memory_copy(cpu, back, gpu, memory[1], sizeof(text)), FA_OK);
  EXPECT_STREQ(back, text);
  ASSERT_EQ(fa_memory_fill(gpu, memory[1], 'x', 3), FA_OK);
  ASSERT_EQ(fa_memory_copy(cpu, back, gpu, memory[1], sizeof(text)), FA_OK);
  EXPECT_STREQ(back, "xxxre and back");
  EXPECT_EQ(fa_memory_copy({FA_CUDA, 1}, memory[1], gpu, memory[0], 1),
            FA_UNSUPPORTED);
  standin_set("memory", 100);
  void *data = nullptr;
  EXPECT_EQ(fa_memory_alloc(gpu, 101, &data), FA_OUT_OF_MEMORY);
  EXPECT_THAT(fa_last_error(), HasSubstr("101 bytes on cuda:0: cuMemAlloc"));
  void *created = nullptr, *start = nullptr, *stop = nullptr;
  float milliseconds = 0;
  ASSERT_EQ(fa_stream_create(&created), FA_OK);
  ASSERT_EQ(fa_event_create(&start), FA_OK);
  ASSERT_EQ(fa_event_create(&stop), FA_OK);
  EXPECT_EQ(fa_event_record(start, created), FA_OK);
  EXPECT_EQ(fa_event_record(stop, created), FA_OK);
  EXPECT_EQ(fa_event_elapsed(start, stop, &milliseconds), FA_OK);
  EXPECT_EQ(milliseconds, 0.5f);
  EXPECT_EQ(fa_stream_synchronize(created), FA_OK);
  standin_fail("cuStreamSynchronize", 1, 700);
  EXPECT_EQ(fa_stream_synchronize(created), FA_DRIVER_ERROR);
  EXPECT_EQ(fa_event_destroy(start), FA_OK);
  EXPECT_EQ(fa_event_destroy(stop), FA_OK);
  EXPECT_EQ(fa_stream_destroy(created), FA_OK);
}

} // namespace
