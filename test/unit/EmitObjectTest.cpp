// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPU artefact as a file: its section, its hash, what it calls, who is
// refused.
#include "CpuKernel.h"

#include "lowering/Manifest.h"

#include "llvm/Object/ELFObjectFile.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace fa::test;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

const char *doubler = R"mlir(
module attributes {fa.stage = "outlined",
    fa.manifest = {fa_manifest = 1 : i64, name = "doubler", tensors = [], kernels = [], scalars = [
      {name = "x", default = unit, class = "any", type = "f32"}]}} {
  func.func @doubler(%p: memref<f32>, %n: index, %tile: index) attributes {fa.kernel} {
    %x = memref.reinterpret_cast %p to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32>
    %a = memref.load %x[%tile] : memref<?xf32>
    %b = arith.addf %a, %a : f32
    memref.store %b, %x[%tile] : memref<?xf32>
    return
  }
})mlir";

CpuKernel compileDoubler() {
  return CpuKernel(doubler, mlir::fa::buildCpuPipeline,
                   mlir::fa::Calls::Memory);
}

llvm::object::ELF64LEObjectFile open(const std::string &bytes) {
  return llvm::cantFail(llvm::object::ELF64LEObjectFile::create(
      llvm::MemoryBufferRef(bytes, "artefact")));
}

TEST(EmitObject, RunsAndCallsNothing) {
  CpuKernel kernel = compileDoubler();
  float x = 1.5f;
  void *pointer = &x;
  int64_t n = 1;
  kernel.runRaw("doubler", {&pointer, &n});
  EXPECT_EQ(x, 3.0f);
  auto object = open(kernel.bytes());
  for (auto symbol : object.getDynamicSymbolIterators())
    EXPECT_FALSE(llvm::cantFail(symbol.getFlags()) &
                     llvm::object::SymbolRef::SF_Undefined &&
                 !llvm::cantFail(symbol.getName()).empty())
        << llvm::cantFail(symbol.getName()).str();
}

TEST(EmitObject, HashCoversEverythingButTheManifest) {
  CpuKernel kernel = compileDoubler();
  auto elf = open(kernel.bytes());
  for (llvm::object::ELFSectionRef section : elf.sections()) {
    if (llvm::cantFail(section.getName()) != ".fa_manifest")
      continue;
    llvm::StringRef all(kernel.bytes());
    size_t begin = section.getOffset(), end = begin + section.getSize();
    std::string hash =
        mlir::fa::sha256Hex({all.take_front(begin), all.drop_front(end)});
    EXPECT_THAT(all.slice(begin, end).str(),
                AllOf(HasSubstr("\"body_sha256\": \"" + hash + "\""),
                      HasSubstr("\"kind\": \"cpu\""),
                      HasSubstr("\"default\": null"),
                      HasSubstr("\"features\": [")));
    return;
  }
  FAIL() << "no section .fa_manifest";
}

TEST(EmitObject, EqualInputGivesEqualBytes) {
  EXPECT_EQ(compileDoubler().bytes(), compileDoubler().bytes());
}

TEST(CpuTarget, RefusesWhatIsBelowV3OrUnknown) {
  auto message = [](const char *cpu) {
    auto target = mlir::fa::CpuTarget::get({cpu});
    return target ? std::string() : llvm::toString(target.takeError());
  };
  EXPECT_THAT(message("x86-64-v2"),
              HasSubstr("expects a cpu from x86-64-v3 on, "
                        "got 'x86-64-v2', which lacks avx2"));
  EXPECT_THAT(message("abacus"), HasSubstr("unknown cpu 'abacus'"));
}

TEST(CpuTarget, KnowsWidthAndFeatures) {
  auto v3 = llvm::cantFail(mlir::fa::CpuTarget::get({"x86-64-v3"}));
  EXPECT_EQ(v3.vectorBits, 256u);
  EXPECT_THAT(v3.required, ::testing::Contains("fma"));
  EXPECT_THAT(v3.required, ::testing::Not(::testing::Contains("avx512f")));
  auto v4 = llvm::cantFail(mlir::fa::CpuTarget::get({"x86-64-v4"}));
  EXPECT_EQ(v4.vectorBits, 512u);
  EXPECT_THAT(v4.required, ::testing::Contains("avx512f"));
}

} // namespace
