// RUN: fa-opt %s --split-input-file --verify-diagnostics --fa-cpu-check-buffers

func.func @fine() {
  %a = memref.alloca() : memref<64x64xf32>
  return
}

// -----

func.func @heap() {
  // expected-error @+1 {{is left in a CPU kernel: expects every buffer of a tile to be of static size and small enough for the stack}}
  %a = memref.alloc() : memref<64x64xf32>
  return
}

// -----

func.func @growing(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @+1 {{is inside a loop of a CPU kernel, where it would grow the stack at every trip}}
    %a = memref.alloca() : memref<64x64xf32>
  }
  return
}
