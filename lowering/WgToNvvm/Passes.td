// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_WGTONVVM_PASSES_TD
#define FA_LOWERING_WGTONVVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def FaWgToNvvm : Pass<"fa-wg-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Give every thread its registers and instructions";
  let description = [{
    Replaces the wg ops of each `gpu.func` (stage `addressed`) by what one thread
    does: fragments become their registers, shared tiles addresses, `wg.map`
    bodies are inlined for each element, products become ldmatrix and mma.sync.
    scf, arith, math and memref ops stay.

    ```mlir
    %s = wg.mma %q, %k, %zero {transpose_b} : !wg.smem<64x16xf16>, !wg.smem<8x16xf16>, !wg.frag<64x8xf32, acc, warps = 4>
    // ==>
    %a = nvvm.ldmatrix %pa {num = 4 : i32, ...}
    %b = nvvm.ldmatrix %pb {num = 2 : i32, ...}
    %d = nvvm.mma.sync A[...] B[...] C[...] {shape = #nvvm.shape<m = 16, n = 8, k = 16>, ...}
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def FaCanonicalizeScalars : Pass<"fa-canonicalize-scalars", "::mlir::ModuleOp"> {
  let summary = "Canonicalize all but loops and branches";
  let description = [{
    The canonicalizer, in each `gpu.module`, without the patterns of ops that
    branch into their regions. On a loop that carries a thread's registers those
    take longer than the rest of the compiler.

    ```mlir
    %a = arith.addi %x, %c1 : i32
    %b = arith.addi %a, %c2 : i32
    // ==>
    %b = arith.addi %x, %c3 : i32
    ```
  }];
}

def FaNarrowCompares : Pass<"fa-narrow-compares", "::mlir::ModuleOp"> {
  let summary = "Compare coordinates in 32 bits";
  let description = [{
    Comparisons of `index` sums of which some terms are small (made of the
    thread's number) become 32-bit comparisons with a constant: the other terms are
    the same for all elements of a tile, and are summed and clamped once. Sums of
    indices are taken not to overflow.

    ```mlir
    %kept = arith.cmpi sle, %j0 + %col + 8, %i0 + %row : index   // written as a sum
    // ==>
    %d = clamp(%j0 - %i0) : i32
    %e = %d + %col - %row : i32
    %kept = arith.cmpi sle, %e, -8 : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FaFloatCoordinates : Pass<"fa-float-coordinates", "::mlir::ModuleOp"> {
  let summary = "Convert coordinates to f32 once a tile";
  let description = [{
    Conversions to f32 of four or more `index` sums (by way of i64) in one block that
    differ by constants below 2^12 only, and hold a small term (made of the thread's
    number), become one conversion and f32 arithmetic. Sums of indices are taken not
    to overflow. Needs CSE in front.

    ```mlir
    %x = arith.sitofp %base + 9 : i64 to f32
    %y = arith.mulf %slope, %x : f32
    %t = arith.addf (arith.mulf %s, %scale), %y : f32
    // ==>
    %b = arith.mulf %slope, (arith.sitofp %base) : f32    // one for all elements
    %y = math.fma %slope, 9.0, %b : f32
    %t = math.fma %s, %scale, %y : f32
    ```

    A product with a factor that four elements share is within
    2^-23 |factor| (|base| + 2^12) of the exact one. A coordinate that is used otherwise is
    (high + (low + constant)), where low = base mod 2^12: bit by bit what the
    conversion gave for bases below 2^36.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"
  ];
}

def FaMergeCompares : Pass<"fa-merge-compares", "::mlir::ModuleOp"> {
  let summary = "Ask a mask's elements for one limit, not for two";
  let description = [{
    Where four or more elements compare the same two 32-bit values with constants
    that are equally far apart, and want both, one of the values is moved by that
    distance, the larger of the two (for lower limits the smaller) is taken once,
    and each element compares it alone. Needs CSE in front.

    ```mlir
    %a0 = arith.cmpi sle, %diagonal, %c-8 : i32
    %a1 = arith.cmpi slt, %end, %c-8 : i32
    %kept = arith.andi %a0, %a1 : i1
    // ==>
    %moved = arith.addi %end, %c1 : i32
    %both = arith.maxsi %diagonal, %moved : i32
    %kept = arith.cmpi sle, %both, %c-8 : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FaNarrowDivisions : Pass<"fa-narrow-divisions", "::mlir::ModuleOp"> {
  let summary = "Divide block numbers in 32 bits";
  let description = [{
    Unsigned divisions and remainders of a `gpu.block_id`, and of their results,
    become 32-bit ones: the dividend has 31 bits, and a divisor with more may be
    clamped to them. 64-bit divisions are subroutines, and their results take two
    registers each.

    ```mlir
    %q = arith.divui %block, %n : index
    // ==>
    %q32 = arith.divui %block32, min(%n, 2147483647) : i32
    %q = arith.index_castui %q32 : i32 to index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FaRecomputeBehindLoops : Pass<"fa-recompute-behind-loops", "::mlir::ModuleOp"> {
  let summary = "Compute a tile's place again where it is stored";
  let description = [{
    Arithmetic in front of a kernel's last loop that follows from the block's or the
    thread's number, and is used behind the loop, is done again there, from
    a number that neither LLVM nor ptxas can tell to be the same: registers that it
    would hold, or be spilled from, are the loop's.

    ```mlir
    %row = arith.muli %block, %c128 : index
    scf.for ... { ... }
    use(%row)
    // ==>
    %row = arith.muli %block, %c128 : index
    scf.for ... { ... }
    %again = arith.addi (gpu.block_id x), %unknown_zero : index
    %row1 = arith.muli %again, %c128 : index
    use(%row1)
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"
  ];
}

def FaExpandGpuMath : Pass<"fa-expand-gpu-math", "::mlir::ModuleOp"> {
  let summary = "Expand maths to native instructions and polynomials";
  let description = [{
    In every `gpu.module`: `math` ops and f32 divisions become the chip's
    approximate instructions (ex2, lg2, rcp, sqrt, rsqrt, div.full) where they are
    accurate, with corrections and polynomials around them where they are not;
    f16 and bf16 go through f32. Relative errors are below 3e-7, log's and log2's
    near 1 absolute ones; results of exp and exp2 below 2^-126 are 0. Any other
    `math` op is an error.

    `fastmath<afn>` on `math.exp` leaves the correction for large arguments out, on
    `math.tanh` the polynomial for small ones (its error is then 3e-7 absolute);
    `fastmath<arcp>` on `arith.divf` multiplies by the reciprocal.

    ```mlir
    %p = math.exp2 %x : f32
    // ==>
    %p = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"
  ];
}

def FaKernelToLlvm : Pass<"fa-kernel-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turn kernels into LLVM functions (stage nvvm)";
  let description = [{
    Converts what is left in each `gpu.module`, scf, arith, memref and gpu ops, to
    the LLVM and NVVM dialects. A kernel's arguments stay what they are: an
    address for a `memref<T>`, an i64 for an index, scalars as such. Its
    `known_block_size` becomes `nvvm.reqntid`, `wg.min_blocks` becomes
    `nvvm.minctasm`.

    ```mlir
    gpu.func @f(%q: memref<f16>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>}
    // ==>
    llvm.func @f(%q: !llvm.ptr<1>, %n: i64) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::cf::ControlFlowDialect"
  ];
}

#endif // FA_LOWERING_WGTONVVM_PASSES_TD
