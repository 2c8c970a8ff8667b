// RUN: fa-opt %s --split-input-file --verify-diagnostics --fa-cpu-check-buffers

func.func @fine() {
  %a = memref.alloca() : memref<64x64xf32>
  return
}

// -----

func.func @heap() {
  // expected-error @+1 {{needs 4194304 bytes for a tile of 'memref<1024x1024xf32>', a CPU kernel has 1048576 of the stack for each: smaller query or key tiles may fit}}
  %a = memref.alloc() : memref<1024x1024xf32>
  return
}

// -----

func.func @dynamic(%n: index) {
  // expected-error @+1 {{expects tiles of static size in a CPU kernel, got 'memref<?xf32>'}}
  %a = memref.alloc(%n) : memref<?xf32>
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
