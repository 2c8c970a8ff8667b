// Attention among other code, run on the CPU: on tensors and on memrefs, with code before and after, in a branch, with a
// region that reads the function's values, and one kernel for ops that differ in their scale only. Each result is
// compared with a plain loop.
// mlir-runner has not got the sanitizer's run-time library that a sanitized libfa_runtime wants.
// UNSUPPORTED: sanitized
// REQUIRES: cpu-v3

// RUN: fa-opt %s --fa-embed=chip=cpu -o %t.embedded.mlir
// RUN: FileCheck %s --check-prefix=EMBEDDED <%t.embedded.mlir
// EMBEDDED-NOT: fa.attention
// EMBEDDED-COUNT-3: memref.global "private" constant @fa_attention_{{.*}}_artifact
// EMBEDDED-NOT: memref.global "private" constant

// RUN: mlir-opt %t.embedded.mlir --pass-pipeline='builtin.module( \
// RUN:     one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map}, \
// RUN:     func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf, \
// RUN:     convert-math-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-to-llvm, \
// RUN:     reconcile-unrealized-casts)' -o %t.llvm.mlir
// RUN: mlir-runner %t.llvm.mlir -e main --entry-point-result=void \
// RUN:   --shared-libs=%mlir_lib_dir/libmlir_c_runner_utils.so,%fa_obj/lib/libfa_runtime.so | FileCheck %s
// CHECK-COUNT-5: 1
// CHECK-NOT: {{[01]}}

!half = memref<1x2x?x64xf16>
!single = memref<1x2x?x64xf32>
#all = affine_map<(b, h, i, d) -> (b, h, i, d)>

func.func private @printI64(i64)
func.func private @printNewline()

// embed: begin foreign
// Keys are halved before the attention, and one is added to its result.
func.func @tensors(%q: tensor<1x2x?x64xf16>, %k: tensor<1x2x?x64xf16>, %v: tensor<1x2x?x64xf16>)
    -> tensor<1x2x?x64xf16> {
  %half = arith.constant 0.5 : f16
  %one = arith.constant 1.0 : f16
  %halved = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    outs(%k : tensor<1x2x?x64xf16>) {
  ^bb0(%x: f16):
    %y = arith.mulf %x, %half : f16
    linalg.yield %y : f16
  } -> tensor<1x2x?x64xf16>
  %c2 = arith.constant 2 : index
  %sq = tensor.dim %q, %c2 : tensor<1x2x?x64xf16>
  %init = tensor.empty(%sq) : tensor<1x2x?x64xf16>
  %o = fa.attention
    ins(%q, %halved, %v : tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>)
    outs(%init : tensor<1x2x?x64xf16>)
    {mask = #fa.mask<bottom_right, causal>, scale = 0.5 : f32}
  %more = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    outs(%o : tensor<1x2x?x64xf16>) {
  ^bb0(%x: f16):
    %y = arith.addf %x, %one : f16
    linalg.yield %y : f16
  } -> tensor<1x2x?x64xf16>
  return %more : tensor<1x2x?x64xf16>
}
// embed: end foreign

// The same kernel with another scale, on memrefs; another one in a branch.
func.func @memrefs(%q: !half, %k: !half, %v: !half, %o: !half, %full: i1) {
  scf.if %full {
    fa.attention ins(%q, %k, %v : !half, !half, !half) outs(%o : !half) {scale = 0.25 : f32}
  } else {
    fa.attention ins(%q, %k, %v : !half, !half, !half) outs(%o : !half)
      {mask = #fa.mask<bottom_right, causal>, scale = 0.25 : f32}
  }
  return
}

// The region reads a constant, an index, a scalar and a tensor of the function around it.
func.func @region(%q: !half, %k: !half, %v: !half, %o: !half, %slopes: memref<2xf32>, %limit: index, %add: f32) {
  %cap = arith.constant -20.0 : f32
  fa.attention ins(%q, %k, %v : !half, !half, !half) outs(%o : !half) {scale = 0.25 : f32}
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %slope = memref.load %slopes[%h] : memref<2xf32>
      %t = arith.addf %s, %slope : f32
      %far = arith.cmpi sge, %j, %limit : index
      %u = arith.select %far, %cap, %t : f32
      %y = arith.addf %u, %add : f32
      fa.yield %y : f32
    }
  return
}

// The definition: %kind 0 keeps all, 1 is causal, 2 is the region above.
func.func @plain(%q: !half, %k: !half, %v: !half, %o: !single, %scale: f32, %kind: i32, %slopes: memref<2xf32>,
                 %limit: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e30 : f32
  %cap = arith.constant -20.0 : f32
  %k1 = arith.constant 1 : i32
  %k2 = arith.constant 2 : i32
  %causal = arith.cmpi eq, %kind, %k1 : i32
  %region = arith.cmpi eq, %kind, %k2 : i32
  %sq = memref.dim %q, %c2 : !half
  %sk = memref.dim %k, %c2 : !half
  %off = arith.subi %sk, %sq : index
  %p = memref.alloc(%sk) : memref<?xf32>
  scf.for %h = %c0 to %c2 step %c1 {
    %slope = memref.load %slopes[%h] : memref<2xf32>
    scf.for %i = %c0 to %sq step %c1 {
      %last = arith.addi %i, %off : index
      scf.for %j = %c0 to %sk step %c1 {
        %dot = scf.for %d = %c0 to %c64 step %c1 iter_args(%sum = %zero) -> (f32) {
          %x = memref.load %q[%c0, %h, %i, %d] : !half
          %y = memref.load %k[%c0, %h, %j, %d] : !half
          %xf = arith.extf %x : f16 to f32
          %yf = arith.extf %y : f16 to f32
          %xy = arith.mulf %xf, %yf : f32
          %next = arith.addf %sum, %xy : f32
          scf.yield %next : f32
        }
        %s0 = arith.mulf %dot, %scale : f32
        %biased = arith.addf %s0, %slope : f32
        %far = arith.cmpi sge, %j, %limit : index
        %capped = arith.select %far, %cap, %biased : f32
        %s1 = arith.select %region, %capped, %s0 : f32
        %late = arith.cmpi sgt, %j, %last : index
        %dropped = arith.andi %late, %causal : i1
        %s = arith.select %dropped, %low, %s1 : f32
        memref.store %s, %p[%j] : memref<?xf32>
      }
      %max = scf.for %j = %c0 to %sk step %c1 iter_args(%m = %low) -> (f32) {
        %s = memref.load %p[%j] : memref<?xf32>
        %n = arith.maximumf %m, %s : f32
        scf.yield %n : f32
      }
      %l = scf.for %j = %c0 to %sk step %c1 iter_args(%sum = %zero) -> (f32) {
        %s = memref.load %p[%j] : memref<?xf32>
        %t = arith.subf %s, %max : f32
        %e = math.exp %t : f32
        memref.store %e, %p[%j] : memref<?xf32>
        %n = arith.addf %sum, %e : f32
        scf.yield %n : f32
      }
      scf.for %d = %c0 to %c64 step %c1 {
        %acc = scf.for %j = %c0 to %sk step %c1 iter_args(%sum = %zero) -> (f32) {
          %e = memref.load %p[%j] : memref<?xf32>
          %x = memref.load %v[%c0, %h, %j, %d] : !half
          %xf = arith.extf %x : f16 to f32
          %ex = arith.mulf %e, %xf : f32
          %n = arith.addf %sum, %ex : f32
          scf.yield %n : f32
        }
        %r = arith.divf %acc, %l : f32
        memref.store %r, %o[%c0, %h, %i, %d] : !single
      }
    }
  }
  memref.dealloc %p : memref<?xf32>
  return
}

func.func @fill(%m: !half, %seed: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c23 = arith.constant 23 : index
  %c64 = arith.constant 64 : index
  %eleven = arith.constant 11.0 : f32
  %rows = memref.dim %m, %c2 : !half
  scf.for %h = %c0 to %c2 step %c1 {
    scf.for %i = %c0 to %rows step %c1 {
      scf.for %d = %c0 to %c64 step %c1 {
        %a = arith.muli %i, %seed : index
        %b = arith.muli %d, %a : index
        %ab = arith.addi %a, %b : index
        %abh = arith.addi %ab, %h : index
        %n = arith.remui %abh, %c23 : index
        %int = arith.index_cast %n : index to i32
        %float = arith.sitofp %int : i32 to f32
        %centred = arith.subf %float, %eleven : f32
        %x = arith.divf %centred, %eleven : f32
        %xh = arith.truncf %x : f32 to f16
        memref.store %xh, %m[%c0, %h, %i, %d] : !half
      }
    }
  }
  return
}

// Prints 1 where %a - %shift is %b, to half precision.
func.func @compare(%a: !half, %b: !single, %shift: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %limit = arith.constant 4.0e-3 : f32
  %rows = memref.dim %a, %c2 : !half
  %worst = scf.for %h = %c0 to %c2 step %c1 iter_args(%wh = %zero) -> (f32) {
    %0 = scf.for %i = %c0 to %rows step %c1 iter_args(%wi = %wh) -> (f32) {
      %1 = scf.for %d = %c0 to %c64 step %c1 iter_args(%wd = %wi) -> (f32) {
        %x = memref.load %a[%c0, %h, %i, %d] : !half
        %y = memref.load %b[%c0, %h, %i, %d] : !single
        %xf = arith.extf %x : f16 to f32
        %moved = arith.subf %xf, %shift : f32
        %diff = arith.subf %moved, %y : f32
        %abs = math.absf %diff : f32
        %w = arith.maximumf %wd, %abs : f32
        scf.yield %w : f32
      }
      scf.yield %1 : f32
    }
    scf.yield %0 : f32
  }
  %right = arith.cmpf olt, %worst, %limit : f32
  %bit = arith.extui %right : i1 to i64
  func.call @printI64(%bit) : (i64) -> ()
  func.call @printNewline() : () -> ()
  return
}

func.func @main() {
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %sq = arith.constant 33 : index
  %sk = arith.constant 75 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %limit = arith.constant 50 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %quarter = arith.constant 0.25 : f32
  %slope0 = arith.constant 0.75 : f32
  %all = arith.constant 0 : i32
  %causal = arith.constant 1 : i32
  %region = arith.constant 2 : i32
  %true = arith.constant true
  %false = arith.constant false
  %q = memref.alloc(%sq) : !half
  %k = memref.alloc(%sk) : !half
  %v = memref.alloc(%sk) : !half
  %o = memref.alloc(%sq) : !half
  %expected = memref.alloc(%sq) : !single
  %slopes = memref.alloc() : memref<2xf32>
  memref.store %slope0, %slopes[%c0] : memref<2xf32>
  memref.store %one, %slopes[%c1] : memref<2xf32>
  call @fill(%q, %c3) : (!half, index) -> ()
  call @fill(%k, %c5) : (!half, index) -> ()
  call @fill(%v, %c7) : (!half, index) -> ()

  // 0.5 * 0.5 k: the scale of the other causal one
  call @plain(%q, %k, %v, %expected, %quarter, %causal, %slopes, %limit)
    : (!half, !half, !half, !single, f32, i32, memref<2xf32>, index) -> ()
  call @memrefs(%q, %k, %v, %o, %false) : (!half, !half, !half, !half, i1) -> ()
  call @compare(%o, %expected, %zero) : (!half, !single, f32) -> ()
  %qt = bufferization.to_tensor %q restrict : !half to tensor<1x2x?x64xf16>
  %kt = bufferization.to_tensor %k restrict : !half to tensor<1x2x?x64xf16>
  %vt = bufferization.to_tensor %v restrict : !half to tensor<1x2x?x64xf16>
  %ot = call @tensors(%qt, %kt, %vt)
    : (tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>) -> tensor<1x2x?x64xf16>
  %ob = bufferization.to_buffer %ot : tensor<1x2x?x64xf16> to !half
  call @compare(%ob, %expected, %one) : (!half, !single, f32) -> ()

  call @plain(%q, %k, %v, %expected, %quarter, %all, %slopes, %limit)
    : (!half, !half, !half, !single, f32, i32, memref<2xf32>, index) -> ()
  call @memrefs(%q, %k, %v, %o, %true) : (!half, !half, !half, !half, i1) -> ()
  call @compare(%o, %expected, %zero) : (!half, !single, f32) -> ()
  // A second call launches a plan that is there already.
  call @memrefs(%q, %k, %v, %o, %true) : (!half, !half, !half, !half, i1) -> ()
  call @compare(%o, %expected, %zero) : (!half, !single, f32) -> ()

  // What is added to each score changes nothing.
  call @plain(%q, %k, %v, %expected, %quarter, %region, %slopes, %limit)
    : (!half, !half, !half, !single, f32, i32, memref<2xf32>, index) -> ()
  call @region(%q, %k, %v, %o, %slopes, %limit, %one)
    : (!half, !half, !half, !half, memref<2xf32>, index, f32) -> ()
  call @compare(%o, %expected, %zero) : (!half, !single, f32) -> ()
  return
}
