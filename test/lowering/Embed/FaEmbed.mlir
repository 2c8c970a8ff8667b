// What becomes of attention in a foreign module. (That it computes the right thing: execute.mlir, launch.mlir.)
// RUN: fa-opt %s --split-input-file --fa-embed=chip=sm_80 | FileCheck %s
// RUN: fa-opt %s --split-input-file --fa-embed="chip=sm_80 host=launch_func" | FileCheck %s --check-prefix=LAUNCH
// RUN: sed '1,/^\/\/ -----/d' %s | fa-opt --fa-embed="chip=sm_90a host=launch_func" -o %t.maps.mlir
// RUN: FileCheck %s --check-prefix=MAPS <%t.maps.mlir

// On tensors: the host's bufferization decides where the result lives. Two ops that differ in their scale share a
// function, and one with a mask has its own.
// CHECK-LABEL: func.func @tensors(
// CHECK-SAME: %[[Q:.*]]: tensor<1x2x33x64xf16>, %[[K:.*]]: tensor<1x2x40x64xf16>, %[[V:.*]]: tensor<1x2x40x64xf16>
// CHECK: %[[QB:.*]] = bufferization.to_buffer %[[Q]] read_only : tensor<1x2x33x64xf16> to memref<1x2x33x64xf16, strided<[?, ?, ?, 1], offset: ?>>
// CHECK: %[[DEST:.*]] = bufferization.alloc_tensor() : tensor<1x2x33x64xf16>
// CHECK: bufferization.to_buffer %[[DEST]] : tensor<1x2x33x64xf16>
// CHECK: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: call @fa_attention_0(%[[QB]], {{.*}}, %[[HALF]])
// CHECK: bufferization.to_tensor %{{.*}} restrict writable
// CHECK: %[[SCALE:.*]] = arith.constant 2.500000e-01 : f32
// CHECK: call @fa_attention_0({{.*}}, %[[SCALE]])
// CHECK: call @fa_attention_1(
// CHECK-NOT: fa.attention
// CHECK: memref.global "private" constant @fa_attention_0_artifact : memref<{{[0-9]+}}xi8> = dense<"0x2F2F2066612D6D616E6966657374
// CHECK: memref.global "private" @fa_attention_0_state : memref<1xi64> = dense<0>
// CHECK: func.func private @fa_attention_0(%arg0: memref<1x2x33x64xf16, strided<[?, ?, ?, 1], offset: ?>>
// CHECK: %[[STATUS:.*]] = call @fa_embedded_launch(
// CHECK: call @fa_embedded_check(%[[STATUS]])

// LAUNCH-LABEL: func.func @tensors(
// LAUNCH: call @fa_attention_0(
// LAUNCH: func.func private @fa_attention_0(
// LAUNCH: scf.if
// LAUNCH: gpu.launch_func @fa_attention_0_kernels::@fa_attention_wide blocks in ({{.*}}) threads in ({{.*}}) dynamic_shared_memory_size
// LAUNCH: } else {
// LAUNCH: gpu.launch_func @fa_attention_0_kernels::@fa_attention blocks
// LAUNCH: gpu.binary @fa_attention_0_kernels
func.func @tensors(%q: tensor<1x2x33x64xf16>, %k: tensor<1x2x40x64xf16>, %v: tensor<1x2x40x64xf16>)
    -> (tensor<1x2x33x64xf16>, tensor<1x2x33x64xf16>, tensor<1x2x33x64xf16>) {
  %init = tensor.empty() : tensor<1x2x33x64xf16>
  %a = fa.attention ins(%q, %k, %v : tensor<1x2x33x64xf16>, tensor<1x2x40x64xf16>, tensor<1x2x40x64xf16>)
    outs(%init : tensor<1x2x33x64xf16>) {scale = 0.5 : f32}
  %b = fa.attention ins(%a, %k, %v : tensor<1x2x33x64xf16>, tensor<1x2x40x64xf16>, tensor<1x2x40x64xf16>)
    outs(%init : tensor<1x2x33x64xf16>) {scale = 0.25 : f32}
  %c = fa.attention ins(%q, %k, %v : tensor<1x2x33x64xf16>, tensor<1x2x40x64xf16>, tensor<1x2x40x64xf16>)
    outs(%init : tensor<1x2x33x64xf16>) {mask = #fa.mask<top_left, causal>}
  return %a, %b, %c : tensor<1x2x33x64xf16>, tensor<1x2x33x64xf16>, tensor<1x2x33x64xf16>
}

// -----

// Packed rows past the last offset keep what they held, so the destination starts as a copy. A name that is taken is
// left alone.
// CHECK-LABEL: func.func @packed(
// CHECK: bufferization.alloc_tensor() copy(%{{.*}}) : tensor<?x2x64xf16>
// CHECK: call @fa_attention_1(
//
// The fast kernel of sm_90a takes tensor maps by value, and its grid is no larger than the device.
// MAPS-LABEL: func.func private @fa_attention_1(
// MAPS: %[[DEVICE:.*]]:2 = func.call @fa_enter_device(%{{.*}})
// MAPS: %[[UNITS:.*]] = func.call @fa_count_units(%[[DEVICE]]#0)
// MAPS: %[[GRID:.*]] = arith.minsi %{{.*}}, %[[UNITS]] : i64
// MAPS: scf.if
// MAPS: gpu.alloc async
// MAPS: %[[Q:.*]]:2 = func.call @fa_make_tensor_map(
// MAPS: %[[GOOD:.*]] = arith.cmpi eq, %[[Q]]#1, %{{.*}}
// MAPS: cf.assert %[[GOOD]], "fa.attention: cuTensorMapEncodeTiled makes no map of q"
// MAPS: %[[BLOCKS:.*]] = arith.index_cast %[[GRID]] : i64 to index
// MAPS: gpu.launch_func @fa_attention_1_kernels::@fa_attention_tma blocks in (%[[BLOCKS]], {{.*}} args(%[[Q]]#0 : !llvm.array<16 x i64>
// MAPS: gpu.dealloc async
// MAPS: func.call @fa_leave_device(%[[DEVICE]]#0, %[[DEVICE]]#1)
// MAPS: gpu.binary @fa_attention_1_kernels
// MAPS: llvm.func @cuTensorMapEncodeTiled(
//
// Every function that takes memory on the stack is called still where MLIR inlines what it may.
// RUN: mlir-opt --inline %t.maps.mlir | FileCheck %s --check-prefix=INLINED
// INLINED-LABEL: func.func @packed(
// INLINED: call @fa_attention_1(
// INLINED-LABEL: func.func private @fa_attention_1(
// INLINED: call @fa_enter_device(
// INLINED: call @fa_count_units(
// INLINED: call @fa_make_tensor_map(
// INLINED: call @fa_leave_device(
// RUN: sed '1,/^\/\/ -----/d' %s | fa-opt --fa-embed=chip=sm_80 | mlir-opt --inline | FileCheck %s --check-prefix=RUNTIME
// RUNTIME-LABEL: func.func @packed(
// RUNTIME: call @fa_attention_1(
func.func private @fa_attention_0()
func.func @packed(%q: tensor<?x2x64xf16>, %k: tensor<?x2x64xf16>, %v: tensor<?x2x64xf16>, %o: tensor<?x2x64xf16>,
                  %qo: tensor<?xi32>, %ko: tensor<?xi32>) -> tensor<?x2x64xf16> {
  %r = fa.attention ins(%q, %k, %v : tensor<?x2x64xf16>, tensor<?x2x64xf16>, tensor<?x2x64xf16>)
    outs(%o : tensor<?x2x64xf16>) q_offsets(%qo : tensor<?xi32>) kv_offsets(%ko : tensor<?xi32>)
  return %r : tensor<?x2x64xf16>
}
