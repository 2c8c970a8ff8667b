// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What fa-embed adds to a host's module so that it can ask the CUDA driver (DriverCode.cpp builds the calls). Names and
// numbers are those of the driver's public documentation. Functions with llvm.alloca are no_inline: MLIR's inliner does
// not give their stack back, so that a loop around the call would use it up.

llvm.func @cuCtxGetCurrent(!llvm.ptr) -> i32
llvm.func @cuCtxGetDevice(!llvm.ptr) -> i32
llvm.func @cuCtxPopCurrent_v2(!llvm.ptr) -> i32
llvm.func @cuCtxPushCurrent_v2(!llvm.ptr) -> i32
llvm.func @cuDeviceGetAttribute(!llvm.ptr, i32, i32) -> i32
llvm.func @cuDevicePrimaryCtxGetState(i32, !llvm.ptr, !llvm.ptr) -> i32
llvm.func @cuDevicePrimaryCtxRelease_v2(i32) -> i32
llvm.func @cuDevicePrimaryCtxRetain(!llvm.ptr, i32) -> i32
llvm.func @cuPointerGetAttribute(!llvm.ptr, i32, i64) -> i32
llvm.func @cuTensorMapEncodeTiled(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr,
                                  i32, i32, i32, i32) -> i32

// The primary context of %device, made current until @fa_leave_device. One that nobody holds is retained once more and
// so kept for good: else every launch would build it and destroy it.
func.func private @fa_enter_primary_context(%device: i32) attributes {no_inline} {
  %success = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %flags = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %held = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %context = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %told = llvm.call @cuDevicePrimaryCtxGetState(%device, %flags, %held) : (i32, !llvm.ptr, !llvm.ptr) -> i32
  %known = arith.cmpi eq, %told, %success : i32
  cf.assert %known, "fa.attention: cuDevicePrimaryCtxGetState fails"
  %holders = llvm.load %held : !llvm.ptr -> i32
  %zero = arith.constant 0 : i32
  %nobody = arith.cmpi eq, %holders, %zero : i32
  %two = arith.constant 2 : i32
  %times = arith.select %nobody, %two, %one : i32
  scf.for %i = %zero to %times step %one : i32 {
    %retained = llvm.call @cuDevicePrimaryCtxRetain(%context, %device) : (!llvm.ptr, i32) -> i32
    %usable = arith.cmpi eq, %retained, %success : i32
    cf.assert %usable, "fa.attention: cuDevicePrimaryCtxRetain fails"
  }
  %primary = llvm.load %context : !llvm.ptr -> !llvm.ptr
  %pushed = llvm.call @cuCtxPushCurrent_v2(%primary) : (!llvm.ptr) -> i32
  %entered = arith.cmpi eq, %pushed, %success : i32
  cf.assert %entered, "fa.attention: cuCtxPushCurrent fails"
  return
}

// The device of the current context. Where none is current, as between the calls of MLIR's own GPU runtime, the
// primary context of the device with the memory at %address (else of the first one) is, until @fa_leave_device.
func.func private @fa_enter_device(%address: i64) -> (i32, i1) attributes {no_inline} {
  %success = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %context = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
  %place = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %asked = llvm.call @cuCtxGetCurrent(%context) : (!llvm.ptr) -> i32
  %answered = arith.cmpi eq, %asked, %success : i32
  cf.assert %answered, "fa.attention: cuCtxGetCurrent fails"
  %current = llvm.load %context : !llvm.ptr -> !llvm.ptr
  %none = llvm.mlir.zero : !llvm.ptr
  %missing = llvm.icmp "eq" %current, %none : !llvm.ptr
  %device = scf.if %missing -> (i32) {
    %ordinal = arith.constant 9 : i32
    %found = llvm.call @cuPointerGetAttribute(%place, %ordinal, %address) : (!llvm.ptr, i32, i64) -> i32
    %known = arith.cmpi eq, %found, %success : i32
    %its = llvm.load %place : !llvm.ptr -> i32
    %first = arith.constant 0 : i32
    %number = arith.select %known, %its, %first : i32
    func.call @fa_enter_primary_context(%number) : (i32) -> ()
    scf.yield %number : i32
  } else {
    %status = llvm.call @cuCtxGetDevice(%place) : (!llvm.ptr) -> i32
    %known = arith.cmpi eq, %status, %success : i32
    cf.assert %known, "fa.attention: cuCtxGetDevice fails"
    %its = llvm.load %place : !llvm.ptr -> i32
    scf.yield %its : i32
  }
  return %device, %missing : i32, i1
}

func.func private @fa_leave_device(%device: i32, %entered: i1) attributes {no_inline} {
  scf.if %entered {
    %success = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %context = llvm.alloca %one x !llvm.ptr : (i32) -> !llvm.ptr
    %popped = llvm.call @cuCtxPopCurrent_v2(%context) : (!llvm.ptr) -> i32
    %left = arith.cmpi eq, %popped, %success : i32
    cf.assert %left, "fa.attention: cuCtxPopCurrent fails"
    %status = llvm.call @cuDevicePrimaryCtxRelease_v2(%device) : (i32) -> i32
    %released = arith.cmpi eq, %status, %success : i32
    cf.assert %released, "fa.attention: cuDevicePrimaryCtxRelease fails"
  }
  return
}

func.func private @fa_count_units(%device: i32) -> i64 attributes {no_inline} {
  %success = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %place = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
  %multiprocessors = arith.constant 16 : i32
  %status = llvm.call @cuDeviceGetAttribute(%place, %multiprocessors, %device) : (!llvm.ptr, i32, i32) -> i32
  %known = arith.cmpi eq, %status, %success : i32
  cf.assert %known, "fa.attention: cuDeviceGetAttribute fails"
  %count = llvm.load %place : !llvm.ptr -> i32
  %wide = arith.extsi %count : i32 to i64
  return %wide : i64
}

llvm.mlir.global internal constant @fa_element_strides(dense<1> : tensor<5xi32>) : !llvm.array<5 x i32>

// A tensor map and the driver's verdict on it. Sizes, strides (in elements) and box stand innermost dimension first;
// the first two are overwritten.
func.func private @fa_make_tensor_map(%type: i32, %bytes: i64, %rank: i32, %address: i64, %sizes: !llvm.ptr,
                                      %strides: !llvm.ptr, %box: !llvm.ptr, %swizzle: i32)
    -> (!llvm.array<16 x i64>, i32) attributes {no_inline} {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %sixteen = arith.constant 16 : i64
  %false = arith.constant false
  %dims = arith.extui %rank : i32 to i64
  %empty = scf.for %i = %zero to %dims step %one iter_args(%any = %false) -> (i1) : i64 {
    %at = llvm.getelementptr %sizes[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %size = llvm.load %at : !llvm.ptr -> i64
    %none = arith.cmpi eq, %size, %zero : i64
    %or = arith.ori %any, %none : i1
    scf.yield %or : i1
  }
  // Nothing is read through the map of an empty tensor, but it has to be one. A single element's stride may be anything.
  scf.for %i = %zero to %dims step %one : i64 {
    %size_at = llvm.getelementptr %sizes[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %given = llvm.load %size_at : !llvm.ptr -> i64
    %size = arith.select %empty, %one, %given : i64
    llvm.store %size, %size_at : i64, !llvm.ptr
    %stride_at = llvm.getelementptr %strides[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    %elements = llvm.load %stride_at : !llvm.ptr -> i64
    %taken = arith.muli %elements, %bytes : i64
    %single = arith.cmpi eq, %size, %one : i64
    %stride = arith.select %single, %sixteen, %taken : i64
    llvm.store %stride, %stride_at : i64, !llvm.ptr
  }
  %minus_sixteen = arith.constant -16 : i64
  %aligned = arith.andi %address, %minus_sixteen : i64
  %base = arith.select %empty, %aligned, %address : i64
  %pointer = llvm.inttoptr %base : i64 to !llvm.ptr
  // The innermost stride is always that of one element.
  %outer = llvm.getelementptr %strides[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %ones = llvm.mlir.addressof @fa_element_strides : !llvm.ptr
  %map = llvm.alloca %one x !llvm.array<16 x i64> {alignment = 64 : i64} : (i64) -> !llvm.ptr
  %no_interleave = arith.constant 0 : i32
  %promote_to_256 = arith.constant 3 : i32
  %fill_zeros = arith.constant 0 : i32
  %status = llvm.call @cuTensorMapEncodeTiled(%map, %type, %rank, %pointer, %sizes, %outer, %box, %ones,
                                              %no_interleave, %swizzle, %promote_to_256, %fill_zeros)
    : (!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32, i32, i32) -> i32
  %value = llvm.load %map : !llvm.ptr -> !llvm.array<16 x i64>
  return %value, %status : !llvm.array<16 x i64>, i32
}
