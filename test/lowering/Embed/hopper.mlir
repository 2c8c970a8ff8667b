// Kernels of sm_90a by the host's own GPU runtime: the tensor maps, the grid of blocks that stay and the choice are what
// libfa_runtime makes of the same module, whether the host has a context current or not. The driver is a stand-in.
// mlir-runner has not got the sanitizer's run-time library that a sanitized libfa_standin_cuda wants.
// UNSUPPORTED: sanitized
// RUN: %cc -shared -fPIC %S/Inputs/GpuRuntime.c -o %t.gpu.so
// RUN: %cxx -shared -fPIC -I%fa_src %S/Inputs/ShowLaunches.cpp -o %t.show.so
// DEFINE: %{host} =
// DEFINE: %{lower} = fa-opt %s --fa-embed="chip=sm_90a host=%{host}" | mlir-opt --pass-pipeline='builtin.module( \
// DEFINE:   expand-strided-metadata,lower-affine,convert-scf-to-cf,gpu-to-llvm,finalize-memref-to-llvm, \
// DEFINE:   convert-func-to-llvm,convert-to-llvm,reconcile-unrealized-casts)'
// DEFINE: %{driver} = %fa_obj/lib/libfa_standin_cuda.so
// DEFINE: %{facts} = FA_STANDIN=major=9,units=5,shared_optin=232448,param_count=12
// DEFINE: %{run} = mlir-runner -e main --entry-point-result=void \
// DEFINE:   --shared-libs=%{driver},%t.gpu.so,%t.show.so,%fa_obj/lib/libfa_runtime.so

// REDEFINE: %{host} = runtime
// RUN: %{lower} -o %t.runtime.mlir
// RUN: env %{facts} FA_CUDA_DRIVER=%{driver} GPU_CONTEXT=1 %{run} %t.runtime.mlir >%t.runtime.txt
// REDEFINE: %{host} = launch_func
// RUN: %{lower} -o %t.own.mlir
// RUN: env %{facts} GPU_CONTEXT=1 %{run} %t.own.mlir >%t.current.txt
// RUN: env %{facts} %{run} %t.own.mlir >%t.own.txt
// RUN: diff %t.runtime.txt %t.current.txt
// RUN: diff %t.runtime.txt %t.own.txt
// RUN: FileCheck %s <%t.own.txt

// Maps of dense tensors; of single batch entries and heads; of bf16 in another layout; of packed rows.
// CHECK:      map 0 type 6 at 0 sizes 128 300 3 2 strides 256 76800 230400 box 64 128 1 1
// CHECK:      map 5 type 6 at 2000000 sizes 128 200 1 1 strides 256 16 16 box 64 128 1 1
// CHECK:      map 8 type 9 at 0 sizes 64 200 8 1 strides 1024 128 16 box 64 128 1 1
// CHECK:      map 12 type 6 at 0 sizes 64 300 2 strides 256 128 box 64 192 1
// Of 18 tiles five stay, as many as there are multiprocessors; three are fewer.
// CHECK:      launch fa_attention_short_tma grid 5 block 384 shared 229536 params 0 {{.*}} 1 {{.*}} 2
// An odd address, a stride of zero and no keys want other kernels. No queries, no launch.
// CHECK-NEXT: launch fa_attention grid 18 block 128 shared 57344
// CHECK-NEXT: launch fa_attention_wide grid 18 block 128 shared 57344
// CHECK-NEXT: launch fa_attention_short_tma grid 3 block 384
// CHECK-NEXT: launch fa_attention_wide grid 3 block 128
// CHECK-NEXT: launch fa_attention_short_tma grid 5 block 384
// CHECK-NEXT: launch fa_attention_tma grid 5 block 512
// CHECK-NEXT: opted in to 114848 bytes

// The primary context of a device that nobody else uses is made once, for all launches.
// RUN: env %{facts},devices=2,pointer_device=1 %{run} %t.own.mlir | FileCheck %s --check-prefix=KEPT
// KEPT-COUNT-7: launch fa_attention
// KEPT: primary contexts made: 2

// RUN: env %{facts},fail_cuTensorMapEncodeTiled=3:1 stdbuf -oL not --crash %{run} %t.own.mlir 2>&1 | FileCheck %s --check-prefix=MAP
// MAP: fa.attention: cuTensorMapEncodeTiled makes no map of v
// RUN: env %{facts},fail_cuDeviceGetAttribute=1:1 stdbuf -oL not --crash %{run} %t.own.mlir 2>&1 | FileCheck %s --check-prefix=UNITS
// UNITS: fa.attention: cuDeviceGetAttribute fails
// RUN: env %{facts},fail_cuCtxGetDevice=1:1 GPU_CONTEXT=1 stdbuf -oL not --crash %{run} %t.own.mlir 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: fa.attention: cuCtxGetDevice fails

!wide = memref<?x?x?x128xf16, strided<[?, ?, ?, 1], offset: ?>>
!queries = memref<?x?x8x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
!keys = memref<?x?x2x64xbf16, strided<[?, ?, ?, 1], offset: ?>>
!rows = memref<?x2x64xf16, strided<[?, ?, 1], offset: ?>>
!offsets = memref<?xi32, strided<[1], offset: ?>>
!bytes = memref<?xi8>

func.func private @showLaunches(!bytes)

func.func @plain(%q: !wide, %k: !wide, %v: !wide, %o: !wide) {
  fa.attention ins(%q, %k, %v : !wide, !wide, !wide) outs(%o : !wide) {scale = 0.5 : f32}
  return
}

func.func @grouped(%q: !queries, %k: !keys, %v: !keys, %o: !queries) {
  fa.attention ins(%q, %k, %v : !queries, !keys, !keys) outs(%o : !queries)
    {layout = #fa.layout<bshd>, mask = #fa.mask<bottom_right, causal>}
  return
}

func.func @packed(%q: !rows, %k: !rows, %v: !rows, %o: !rows, %ends: !offsets) {
  fa.attention ins(%q, %k, %v : !rows, !rows, !rows) outs(%o : !rows)
    q_offsets(%ends : !offsets) kv_offsets(%ends : !offsets)
  return
}

// (batch, head, row, column) on `memory`, its heads dense.
func.func @view(%memory: memref<?xf16>, %at: index, %batches: index, %stride: index, %heads: index, %rows: index)
    -> !wide {
  %width = arith.constant 128 : index
  %head = arith.muli %rows, %width : index
  %view = memref.reinterpret_cast %memory to offset: [%at], sizes: [%batches, %heads, %rows, 128],
    strides: [%stride, %head, %width, 1] : memref<?xf16> to !wide
  return %view : !wide
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c200 = arith.constant 200 : index
  %c300 = arith.constant 300 : index
  %c512 = arith.constant 512 : index
  %far = arith.constant 8000000 : index
  %q_batch = arith.constant 115200 : index
  %k_batch = arith.constant 76800 : index
  %size = arith.constant 5000000 : index
  %start = gpu.wait async
  %bytes, %made = gpu.alloc async [%start] (%size) : !bytes
  gpu.wait [%made]
  %halves = arith.constant 2500000 : index
  %f16 = memref.view %bytes[%c0][%halves] : !bytes to memref<?xf16>
  %bf16 = memref.view %bytes[%c0][%halves] : !bytes to memref<?xbf16>
  %words = arith.constant 1250000 : index
  %i32 = memref.view %bytes[%c0][%words] : !bytes to memref<?xi32>

  %at_k = arith.constant 1000000 : index
  %at_v = arith.constant 1500000 : index
  %at_o = arith.constant 2000000 : index
  %q = call @view(%f16, %c0, %c2, %q_batch, %c3, %c300) : (memref<?xf16>, index, index, index, index, index) -> !wide
  %k = call @view(%f16, %at_k, %c2, %k_batch, %c3, %c200) : (memref<?xf16>, index, index, index, index, index) -> !wide
  %v = call @view(%f16, %at_v, %c2, %k_batch, %c3, %c200) : (memref<?xf16>, index, index, index, index, index) -> !wide
  %odd = call @view(%f16, %c1, %c2, %q_batch, %c3, %c300) : (memref<?xf16>, index, index, index, index, index) -> !wide
  %same = call @view(%f16, %at_k, %c2, %c0, %c3, %c200) : (memref<?xf16>, index, index, index, index, index) -> !wide
  %q1 = call @view(%f16, %c0, %c1, %far, %c1, %c300) : (memref<?xf16>, index, index, index, index, index) -> !wide
  %k1 = call @view(%f16, %at_k, %c1, %far, %c1, %c200) : (memref<?xf16>, index, index, index, index, index) -> !wide
  %k0 = call @view(%f16, %at_k, %c1, %far, %c1, %c0) : (memref<?xf16>, index, index, index, index, index) -> !wide
  %o = call @view(%f16, %at_o, %c2, %q_batch, %c3, %c300) : (memref<?xf16>, index, index, index, index, index) -> !wide
  %o1 = call @view(%f16, %at_o, %c1, %far, %c1, %c300) : (memref<?xf16>, index, index, index, index, index) -> !wide

  call @plain(%q, %k, %v, %o) : (!wide, !wide, !wide, !wide) -> ()
  call @plain(%odd, %k, %v, %o) : (!wide, !wide, !wide, !wide) -> ()
  call @plain(%q, %same, %v, %o) : (!wide, !wide, !wide, !wide) -> ()
  call @plain(%q1, %k1, %k1, %o1) : (!wide, !wide, !wide, !wide) -> ()
  call @plain(%q1, %k0, %k0, %o1) : (!wide, !wide, !wide, !wide) -> ()
  call @plain(%k0, %k1, %k1, %k0) : (!wide, !wide, !wide, !wide) -> ()

  %queries = memref.reinterpret_cast %bf16 to offset: [%c0], sizes: [%c1, %c200, 8, 64], strides: [%far, %c512, %c64, 1]
    : memref<?xbf16> to !queries
  %result = memref.reinterpret_cast %bf16 to offset: [%at_o], sizes: [%c1, %c200, 8, 64], strides: [%far, %c512, %c64, 1]
    : memref<?xbf16> to !queries
  %keys = memref.reinterpret_cast %bf16 to offset: [%at_k], sizes: [%c1, %c300, 2, 64], strides: [%far, %c128, %c64, 1]
    : memref<?xbf16> to !keys
  call @grouped(%queries, %keys, %keys, %result) : (!queries, !keys, !keys, !queries) -> ()

  %rows = memref.reinterpret_cast %f16 to offset: [%c0], sizes: [%c300, 2, 64], strides: [%c128, %c64, 1]
    : memref<?xf16> to !rows
  %out = memref.reinterpret_cast %f16 to offset: [%at_o], sizes: [%c300, 2, 64], strides: [%c128, %c64, 1]
    : memref<?xf16> to !rows
  %ends = memref.reinterpret_cast %i32 to offset: [%c0], sizes: [%c3], strides: [1]
    : memref<?xi32> to !offsets
  call @packed(%rows, %rows, %rows, %out, %ends) : (!rows, !rows, !rows, !rows, !offsets) -> ()

  call @showLaunches(%bytes) : (!bytes) -> ()
  return
}
