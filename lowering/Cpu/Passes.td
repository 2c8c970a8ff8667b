// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_LOWERING_CPU_PASSES_TD
#define FA_LOWERING_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def FaCpuPack : Pass<"fa-cpu-pack", "::mlir::ModuleOp"> {
  let summary = "Widen the operands of tile products to f32, K transposed at once";
  let description = [{
    Stage `outlined` to `packed`. A matrix product of f16 or bf16 tiles becomes a
    product of f32 tiles whose operands are widened by a `linalg.generic` where they
    come into being: a tile that is defined outside the key loop (Q) is widened
    there, once. An operand that is read transposed (K) is transposed by the same
    generic, so that every product is a plain row-major one.

    ```mlir
    %s = linalg.matmul indexing_maps = [(m,n,k)->(m,k), (m,n,k)->(n,k), (m,n,k)->(m,n)]
           ins(%q, %k : tensor<64x128xf16>, tensor<32x128xf16>) outs(%z : tensor<64x32xf32>)
    ```
    ==>
    ```mlir
    %qw = linalg.generic ins(%q) outs(%e0 : tensor<64x128xf32>)   // extf
    %kt = linalg.generic ins(%k) outs(%e1 : tensor<128x32xf32>)   // extf, (d0,d1) -> (d1,d0)
    %s  = linalg.matmul ins(%qw, %kt) outs(%z : tensor<64x32xf32>)
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect", "tensor::TensorDialect"];
}

def FaExpandMath : Pass<"fa-expand-math", "::mlir::ModuleOp"> {
  let summary = "Write exp, log, powf, tanh... of scalars out in arith";
  let description = [{
    Replaces the `math` ops that would end in a call of the C library by arithmetic
    that vectorises: exp, exp2, log, log2, powf, tanh and rsqrt on f32 (f16 and bf16
    by way of f32). What is left (absf, ceil, copysign, floor, fma, roundeven, sqrt)
    is an instruction on every CPU that the lowering accepts. An op on another type
    is refused.

    Errors against the exact value, in units of the last place: exp, exp2 below 2, log,
    log2, powf below 2, tanh below 6; infinities, NaN and signed zeros as the C library
    has them; powers below 2^-126 are 0.
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect", "vector::VectorDialect"];
}

def FaExpandBf16 : Pass<"fa-expand-bf16", "::mlir::ModuleOp"> {
  let summary = "Write conversions from and to bf16 out in integer arithmetic";
  let description = [{
    For CPUs without AVX512_BF16, where LLVM would call the compiler's runtime library.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def FaCpuVectorize : Pass<"fa-cpu-vectorize", "::mlir::ModuleOp"> {
  let summary = "Tile products, transposes and row reductions to registers and vectorise them";
  let description = [{
    Stage `packed` to `vectors`. Every f32 `linalg.matmul` is cut along N into
    segments that the register-tile table has a tile for (RegisterTiles.h) and tiled to
    MR x NR; a tile becomes a loop over k that carries its rows as vectors. Transposing
    generics are vectorised by 8x8 blocks, sums and maxima of rows by 4 rows, and
    elementwise generics by one vector. What reads memory or coordinates (masks,
    regions) stays a loop nest, which LLVM vectorises.

    ```mlir
    %s = linalg.matmul ins(%q, %k : tensor<64x128xf32>, tensor<128x32xf32>) outs(%z : tensor<64x32xf32>)
    ```
    ==>
    ```mlir
    scf.for %i = 0 to 64 step 4 { scf.for %j = 0 to 32 step 16 {
      scf.for %k = 0 to 128 iter_args(%r0 .. %r3) -> vector<16xf32>, ... {
        %b = vector.transfer_read %kt[%k, 0] ...
        %x = vector.broadcast (tensor.extract %qt[0, %k]) ...
        %n0 = vector.fma %x, %b, %r0 ...
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256", "width of a vector register in bits">
  ];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect", "linalg::LinalgDialect",
                           "scf::SCFDialect", "tensor::TensorDialect",
                           "vector::VectorDialect"];
}

def FaCpuBufferize : Pass<"fa-cpu-bufferize", "::mlir::ModuleOp"> {
  let summary = "One-shot bufferisation of the kernel bodies";
  let description = [{
    As `one-shot-bufferize`, after a step that makes it succeed for every loop: where
    a loop carries a tile whose next value was made in another buffer, the value is
    copied back into the carried one at the end of the trip.

    ```mlir
    scf.for ... iter_args(%m = %m0) {
      %n = linalg.generic ins(%m, %x) outs(%empty) ...    // max
      scf.yield %n }
    ```
    ==>
    ```mlir
    scf.for ... {
      linalg.generic ins(%m, %x) outs(%n) ...
      linalg.copy ins(%n) outs(%m) }
    ```
  }];
  let dependentDialects = ["bufferization::BufferizationDialect", "linalg::LinalgDialect",
                           "memref::MemRefDialect"];
}

def FaCpuLowerCopies : Pass<"fa-cpu-lower-copies", "::mlir::ModuleOp"> {
  let summary = "memref.copy to linalg.copy";
  let description = [{
    A `memref.copy` of a strided buffer would become a call of MLIR's runtime library;
    a `linalg.copy` becomes a loop. Runs late: only copies of a buffer to itself that
    are still `memref.copy` are folded away.
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def FaCpuCheckBuffers : Pass<"fa-cpu-check-buffers", "::mlir::ModuleOp"> {
  let summary = "Refuse kernels that would use the heap or grow the stack in a loop";
  let description = [{
    An error at each `memref.alloc` that is left and at each `memref.alloca` inside a
    loop: the first would leak or need malloc, the second overflows the stack on long
    sequences.
  }];
}

def FaCpuExportKernels : Pass<"fa-cpu-export-kernels", "::mlir::ModuleOp"> {
  let summary = "Give kernels the signature NAME(void **params, int64_t tile)";
  let description = [{
    The end of stage `llvm`. Each function with the attribute `fa.kernel` takes its
    arguments from an array of pointers, as CUDA's launches give them: params[i]
    points to argument i. The last argument, the index of the tile, stays one.

    ```mlir
    llvm.func @f(%q: !llvm.ptr, %n: i64, %tile: i64) attributes {fa.kernel}
    ```
    ==>
    ```mlir
    llvm.func @f(%params: !llvm.ptr, %tile: i64) attributes {fa.kernel} {
      %a0 = llvm.load %params : !llvm.ptr -> !llvm.ptr
      %q  = llvm.load %a0 : !llvm.ptr -> !llvm.ptr ...
    ```
  }];
  let dependentDialects = ["LLVM::LLVMDialect"];
}

#endif // FA_LOWERING_CPU_PASSES_TD
