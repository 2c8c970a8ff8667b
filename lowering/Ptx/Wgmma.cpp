// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lowering/Ptx/Wgmma.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::fa::ptx;

/// "{$4, $5, $6, $7}".
static std::string registerList(int64_t first, int64_t count) {
  std::string list = "{";
  for (int64_t i = 0; i < count; ++i)
    list += (i ? ", $" : "$") + llvm::utostr(first + i);
  return list + "}";
}

/// Constraints of `count` outputs, or of the inputs that are tied to them.
static void addOutputs(std::string &constraints, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    constraints += i ? ",=f" : "=f";
}
static void addTied(std::string &constraints, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    constraints += "," + llvm::utostr(i);
}

static std::string constraintsOf(const WgmmaProduct &product) {
  std::string constraints;
  addOutputs(constraints, product.accRegisters());
  if (product.accumulate)
    addTied(constraints, product.accRegisters());
  for (int64_t i = 0; i < product.aRegisters(); ++i)
    constraints += ",r";
  if (!product.aSteps.empty())
    constraints += ",l";
  return constraints + ",l";
}

ShapedPtx mlir::fa::ptx::wgmmaProduct(const WgmmaProduct &product) {
  int64_t acc = product.accRegisters();
  int64_t a = product.accumulate ? 2 * acc : acc;
  int64_t descriptor = a + product.aRegisters();
  int64_t b = descriptor + !product.aSteps.empty();

  std::string text = "{\n"
                     ".reg .pred first, others;\n"
                     ".reg .b64 da, db;\n"
                     ".reg .b32 low, high, moved;\n";
  text += llvm::formatv("setp.ne.b32 first, {0}, 0;\n"
                        "setp.ne.b32 others, 1, 0;\n",
                        int(product.accumulate));
  // A's descriptor is often the same in a whole loop. Steps in its low word
  // alone, which cannot carry, cost ptxas one instruction each, not two or
  // three.
  if (!product.aSteps.empty())
    text += llvm::formatv("mov.b64 {{low, high}, ${0};\n", descriptor);
  text += "wgmma.fence.sync.aligned;\n";
  for (auto [step, bUnits] : llvm::enumerate(product.bSteps)) {
    std::string operandA = "da";
    bool inRegisters = int64_t(step) < product.registerSteps();
    if (inRegisters)
      operandA = registerList(a + 4 * step, 4);
    else
      text += llvm::formatv("add.u32 moved, low, {0};\n"
                            "mov.b64 da, {{moved, high};\n",
                            product.aSteps[step - product.registerSteps()]);
    text += llvm::formatv("add.s64 db, ${0}, {1};\n", b, bUnits);
    // Scales of A and B, then which of those in shared memory are transposed.
    text += llvm::formatv(
        "wgmma.mma_async.sync.aligned.m64n{0}k16.f32.{1}.{1} {2}, {3}, db, "
        "{4}, 1, 1{5}, {6};\n",
        product.n, product.type, registerList(0, acc), operandA,
        step == 0 ? "first" : "others", inRegisters ? "" : ", 0",
        int(product.transposeB));
  }
  text += "wgmma.commit_group.sync.aligned;\n}";
  return {text, constraintsOf(product)};
}

ShapedPtx mlir::fa::ptx::wgmmaWait(int64_t newer, int64_t registers) {
  ShapedPtx ptx;
  ptx.text = llvm::formatv("wgmma.wait_group.sync.aligned {0};", newer);
  addOutputs(ptx.constraints, registers);
  addTied(ptx.constraints, registers);
  return ptx;
}
