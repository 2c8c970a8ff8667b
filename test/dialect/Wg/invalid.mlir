// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One case or more for each constraint of dialect/README.md's list, named after
// it.
// RUN: fa-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expects a positive shape with rows of a multiple of 16 bytes, got 64x12 'f16'}}
func.func private @K1(!wg.smem<64x12xf16>)

// -----

// expected-error @below {{expects elements of whole bytes, got 'i1'}}
func.func private @K1_elements(!wg.smem<64x128xi1>)

// -----

// expected-error @below {{expects 16-bit elements and rows in multiples of 8 with sw128, got 12x64 'f16'}}
func.func private @K2(!wg.smem<12x64xf16, sw128>)

// -----

// expected-error @below {{expects panel on sw128 only and at least 64 in multiples of 8, got 128}}
func.func private @K2_panel(!wg.smem<64x64xf16, panel = 128>)

// -----

// expected-error @below {{expects at least one stage and no negative count of consumers, got 0 and 0}}
func.func private @K3(!wg.ring<0 x 64x64xf16>)

// -----

// expected-error @below {{expects rows in multiples of 16 * warps and columns in multiples of 8, got 32x64 with 4 warps}}
func.func private @K4(!wg.frag<32x64xf32, acc, warps = 4>)

// -----

// expected-error @below {{expects f16 or bf16, or f32 in layout acc, got 'f32' in layout a}}
func.func private @K4_elements(!wg.frag<64x64xf32, a, warps = 4>)

// -----

// expected-error @below {{expects rows in multiples of 16 * warps, got 32 with 4 warps}}
func.func private @K5(!wg.rows<32xf32, warps = 4>)

// -----

// expected-error @below {{expects f32 elements, got 'f16'}}
func.func private @K5_elements(!wg.rows<64xf16, warps = 4>)

// -----

func.func @K6(%mem: memref<?x64xf16, strided<[?, 1], offset: ?>>, %n: index) {
  // expected-error @below {{expects global rows of 128 'f16', got 'memref<?x64xf16, strided<[?, 1], offset: ?>>'}}
  %t = wg.load %mem rows %n : memref<?x64xf16, strided<[?, 1], offset: ?>> -> !wg.smem<64x128xf16>
  return
}

// -----

func.func @K6_stride(%mem: memref<?x64xf16, strided<[?, 2], offset: ?>>, %f: !wg.frag<64x64xf16, acc, warps = 4>, %n: index) {
  // expected-error @below {{expects a unit stride along the columns}}
  wg.store %f, %mem rows %n : !wg.frag<64x64xf16, acc, warps = 4>, memref<?x64xf16, strided<[?, 2], offset: ?>>
  return
}

// -----

func.func @K6_bytes(%mem: memref<?x64xf16, strided<[?, 1]>>, %t: !wg.smem<64x64xf16>, %n: index) {
  // expected-error @below {{expects bytes of 4, 8, 16 or the element's 2 that divide a row, got 3}}
  wg.copy %mem, %t rows %n {bytes = 3 : i64} : memref<?x64xf16, strided<[?, 1]>>, !wg.smem<64x64xf16>
  return
}

// -----

func.func @K7(%a: !wg.smem<64x128xf16>, %b: !wg.smem<64x128xf16>, %c: !wg.frag<64x64xf32, acc, warps = 4>) {
  // expected-error @below {{expects [M, K] times [K, N] giving [M, N], got 64x128 times 64x128 giving 64x64}}
  %d = wg.mma %a, %b, %c : !wg.smem<64x128xf16>, !wg.smem<64x128xf16>, !wg.frag<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K7_elements(%a: !wg.smem<64x128xf16>, %b: !wg.smem<64x128xbf16>, %c: !wg.frag<64x64xf32, acc, warps = 4>) {
  // expected-error @below {{expects f16 or bf16 for both a and b, got 'f16' and 'bf16'}}
  %d = wg.mma %a, %b, %c {transpose_b} : !wg.smem<64x128xf16>, !wg.smem<64x128xbf16>, !wg.frag<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K7_accumulator(%a: !wg.smem<64x128xf16>, %b: !wg.smem<64x128xf16>, %c: !wg.frag<64x64xf16, acc, warps = 4>) {
  // expected-error @below {{expects an f32 accumulator in layout acc}}
  %d = wg.mma %a, %b, %c {transpose_b} : !wg.smem<64x128xf16>, !wg.smem<64x128xf16>, !wg.frag<64x64xf16, acc, warps = 4>
  return
}

// -----

func.func @K7_operand(%a: !wg.frag<64x128xf16, acc, warps = 4>, %b: !wg.smem<64x128xf16>, %c: !wg.frag<64x64xf32, acc, warps = 4>) {
  // expected-error @below {{expects a fragment a in layout a with 4 warps}}
  %d = wg.mma %a, %b, %c {transpose_b} : !wg.frag<64x128xf16, acc, warps = 4>, !wg.smem<64x128xf16>, !wg.frag<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K8(%f: !wg.frag<64x64xf32, acc, warps = 4>, %r: !wg.rows<128xf32, warps = 4>) {
  // expected-error @below {{expects operands of the result's rows, columns, layout and warps, got '!wg.rows<128xf32, warps = 4>'}}
  %x = wg.map(%f, %r : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<128xf32, warps = 4>) -> !wg.frag<64x64xf32, acc, warps = 4> {
  ^bb0(%a: f32, %b: f32, %row: index, %col: index):
    wg.yield %a : f32
  }
  return
}

// -----

func.func @K9(%f: !wg.frag<64x64xf16, acc, warps = 4>) {
  // expected-error @below {{expects region arguments 'f16', 'index', 'index', got 'f32', 'index', 'index'}}
  %x = wg.map(%f : !wg.frag<64x64xf16, acc, warps = 4>) -> !wg.frag<64x64xf16, acc, warps = 4> {
  ^bb0(%a: f32, %row: index, %col: index):
    %b = arith.truncf %a : f32 to f16
    wg.yield %b : f16
  }
  return
}

// -----

func.func @K9_yield(%f: !wg.frag<64x64xf32, acc, warps = 4>) {
  // expected-error @below {{expects its region to end in wg.yield of one 'f16'}}
  %x = wg.map(%f : !wg.frag<64x64xf32, acc, warps = 4>) -> !wg.frag<64x64xf16, acc, warps = 4> {
  ^bb0(%a: f32, %row: index, %col: index):
    wg.yield %a : f32
  }
  return
}

// -----

func.func @K9_writes(%f: !wg.frag<64x64xf32, acc, warps = 4>, %mem: memref<64xf32>) {
  %x = wg.map(%f : !wg.frag<64x64xf32, acc, warps = 4>) -> !wg.frag<64x64xf32, acc, warps = 4> {
  ^bb0(%a: f32, %row: index, %col: index):
    // expected-error @below {{is not expected in a wg.map, which writes nothing}}
    memref.store %a, %mem[%row] : memref<64xf32>
    wg.yield %a : f32
  }
  return
}

// -----

func.func @K10(%l: !wg.rows<64xf32, warps = 4, partial = addf>) {
  // expected-error @below {{expects one operand of the result's type where that is partial}}
  %x = wg.map(%l : !wg.rows<64xf32, warps = 4, partial = addf>) -> !wg.rows<64xf32, warps = 4, partial = addf> {
  ^bb0(%a: f32, %row: index):
    %e = math.exp %a : f32
    wg.yield %e : f32
  }
  return
}

// -----

func.func @K10_whole(%l: !wg.rows<64xf32, warps = 4, partial = addf>, %s: !wg.rows<64xf32, warps = 4>) {
  // expected-error @below {{expects one operand of the result's type where that is partial}}
  %x = wg.map(%l, %s : !wg.rows<64xf32, warps = 4, partial = addf>, !wg.rows<64xf32, warps = 4>) -> !wg.rows<64xf32, warps = 4> {
  ^bb0(%a: f32, %b: f32, %row: index):
    %e = arith.mulf %a, %b : f32
    wg.yield %e : f32
  }
  return
}

// -----

// Parts of maxima: the map has to be increasing.
func.func @K10_falls(%m: !wg.rows<64xf32, warps = 4, partial = maximumf>) {
  // expected-error @below {{of partial = maximumf as the first one of an increasing map}}
  %x = wg.map(%m : !wg.rows<64xf32, warps = 4, partial = maximumf>) -> !wg.rows<64xf32, warps = 4, partial = maximumf> {
  ^bb0(%a: f32, %row: index):
    %e = arith.negf %a : f32
    wg.yield %e : f32
  }
  return
}

// -----

func.func @K10_second(%m: !wg.rows<64xf32, warps = 4, partial = maximumf>, %s: !wg.rows<64xf32, warps = 4>) {
  // expected-error @below {{of partial = maximumf as the first one of an increasing map}}
  %x = wg.map(%s, %m : !wg.rows<64xf32, warps = 4>, !wg.rows<64xf32, warps = 4, partial = maximumf>) -> !wg.rows<64xf32, warps = 4, partial = maximumf> attributes {increasing} {
  ^bb0(%a: f32, %b: f32, %row: index):
    %e = arith.addf %a, %b : f32
    wg.yield %e : f32
  }
  return
}

// -----

func.func @K10_two(%m: !wg.rows<64xf32, warps = 4, partial = maximumf>) {
  // expected-error @below {{expects one operand of the result's type where that is partial}}
  %x = wg.map(%m, %m : !wg.rows<64xf32, warps = 4, partial = maximumf>, !wg.rows<64xf32, warps = 4, partial = maximumf>) -> !wg.rows<64xf32, warps = 4, partial = maximumf> attributes {increasing} {
  ^bb0(%a: f32, %b: f32, %row: index):
    %e = arith.addf %a, %b : f32
    wg.yield %e : f32
  }
  return
}

// -----

// The sum's parts are no maxima.
func.func @K10_sum(%l: !wg.rows<64xf32, warps = 4, partial = addf>) {
  // expected-error @below {{of partial = addf in a body of one arith.mulf}}
  %x = wg.map(%l : !wg.rows<64xf32, warps = 4, partial = addf>) -> !wg.rows<64xf32, warps = 4, partial = addf> attributes {increasing} {
  ^bb0(%a: f32, %row: index):
    %e = math.exp %a : f32
    wg.yield %e : f32
  }
  return
}

// -----

func.func @K11(%f: !wg.frag<64x64xf32, acc, warps = 4>, %l: !wg.rows<64xf32, warps = 4, partial = addf>) {
  // expected-error @below {{expects whole rows or partial rows of kind maximumf}}
  %x = wg.reduce_rows maximumf %f, %l : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4, partial = addf>
  return
}

// -----

func.func @K11_bits(%f: !wg.frag<64x64xf32, acc, warps = 4>, %l: !wg.rows<64xf32, warps = 4>) {
  // expected-error @below {{expects partial rows of kind maximumf, got '!wg.rows<64xf32, warps = 4>'}}
  %x = wg.reduce_rows maximum_bits %f, %l : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4>
  return
}

// -----

func.func @K11_largest(%f: !wg.frag<64x64xf32, acc, warps = 4>, %l: !wg.rows<64xf32, warps = 4, partial = addf>) {
  // expected-error @below {{expects partial rows of kind maximumf, got '!wg.rows<64xf32, warps = 4, partial = addf>'}}
  %x = wg.reduce_rows largest_bits %f, %l : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<64xf32, warps = 4, partial = addf>
  return
}

// -----

func.func @K11_shape(%f: !wg.frag<64x64xf32, acc, warps = 4>, %l: !wg.rows<128xf32, warps = 4>) {
  // expected-error @below {{expects init with the fragment's rows and warps}}
  %x = wg.reduce_rows addf %f, %l : !wg.frag<64x64xf32, acc, warps = 4>, !wg.rows<128xf32, warps = 4>
  return
}

// -----

// expected-error @below {{expects parts of kind addf or maximumf, got maximum_bits}}
func.func @K5_bits(%l: !wg.rows<64xf32, warps = 4, partial = maximum_bits>) {
  return
}

// -----

func.func @K12(%f: !wg.frag<64x64xf16, acc, warps = 4>) {
  // expected-error @below {{expects layout acc to layout a and nothing else to change}}
  %x = wg.relayout %f : !wg.frag<64x64xf16, acc, warps = 4> -> !wg.frag<64x32xf16, a, warps = 4>
  return
}

// -----

func.func @K13(%l: !wg.rows<64xf32, warps = 4, partial = addf>, %mem: memref<?xf32>, %n: index) {
  // expected-error @below {{expects whole rows, got '!wg.rows<64xf32, warps = 4, partial = addf>'}}
  wg.store_rows %l, %mem rows %n : !wg.rows<64xf32, warps = 4, partial = addf>, memref<?xf32>
  return
}

// -----

func.func @K14() {
  // expected-error @below {{expects an offset in multiples of 1024, got 512}}
  %t = wg.alloc {offset = 512 : i64} : !wg.smem<64x64xf16, sw128>
  return
}

// -----

func.func @K14_barriers() {
  // expected-error @below {{expects barrier_offset on a ring with consumers only, got '!wg.ring<2 x 64x64xf16>'}}
  %t = wg.alloc {barrier_offset = 512 : i64} : !wg.ring<2 x 64x64xf16>
  return
}

// -----

func.func @K15(%mem: memref<?x64xf16, strided<[?, 1]>>, %t: !wg.smem<64x64xf16>, %n: index) {
  // expected-error @below {{expects bytes of at least 4, got 2}}
  wg.copy_async %mem, %t rows %n {bytes = 2 : i64} : memref<?x64xf16, strided<[?, 1]>>, !wg.smem<64x64xf16>
  return
}

// -----

func.func @K16(%f: !wg.frag<64x64xf32, acc, warps = 4>, %t: !wg.smem<64x64xf16>) {
  // expected-error @below {{expects a fragment in layout acc of the tile's shape and element type}}
  wg.put %f, %t : !wg.frag<64x64xf32, acc, warps = 4>, !wg.smem<64x64xf16>
  return
}

// -----

func.func @K17(%r: !wg.rows<64xf32, warps = 4>) {
  // expected-error @below {{expects partial rows, got '!wg.rows<64xf32, warps = 4>'}}
  %x = wg.join_rows %r : !wg.rows<64xf32, warps = 4>
  return
}

// -----

func.func @K18(%f: !wg.frag<64x64xf32, acc, warps = 4>) {
  // expected-error @below {{expects 32 columns inside the fragment, from a multiple of 8, got 40}}
  %x = wg.slice %f at 40 : !wg.frag<64x64xf32, acc, warps = 4> -> !wg.frag<64x32xf32, acc, warps = 4>
  return
}

// -----

func.func @K18_step(%f: !wg.frag<64x64xf16, a, warps = 4>) {
  // expected-error @below {{from a multiple of 16, got 8}}
  %x = wg.slice %f at 8 : !wg.frag<64x64xf16, a, warps = 4> -> !wg.frag<64x32xf16, a, warps = 4>
  return
}

// -----

func.func @K19(%f: !wg.frag<64x64xf32, acc, warps = 4>) {
  // expected-error @below {{expects parts of 96 columns together, got 128}}
  %x = wg.concat %f, %f : !wg.frag<64x64xf32, acc, warps = 4>, !wg.frag<64x64xf32, acc, warps = 4> -> !wg.frag<64x96xf32, acc, warps = 4>
  return
}

// -----

func.func @K20(%r: !wg.rows<64xf32, warps = 4>) {
  // expected-error @below {{expects one f32 region argument for each operand and a wg.yield of one i1}}
  %x = wg.any(%r : !wg.rows<64xf32, warps = 4>) {
  ^bb0(%a: f32):
    wg.yield %a : f32
  }
  return
}

// -----

func.func @K21(%r: !wg.rows<64xf32, warps = 4>) {
  %x = wg.any(%r : !wg.rows<64xf32, warps = 4>) {
  ^bb0(%a: f32):
    %c = arith.cmpf ogt, %a, %a : f32
    wg.yield %c : i1
  }
  scf.if %x {
    // expected-error @below {{needs the whole group, but stands in an scf.if on a wg.any}}
    wg.barrier
  }
  return
}

// -----

func.func @K21_carried(%r: !wg.rows<64xf32, warps = 4>, %n: index, %no: i1) {
  %moved = scf.for %i = %n to %n step %n iter_args(%before = %no) -> (i1) {
    scf.if %before {
      // expected-error @below {{needs the whole group, but stands in an scf.if on a wg.any}}
      wg.barrier
    }
    %x = wg.any(%r : !wg.rows<64xf32, warps = 4>) {
    ^bb0(%a: f32):
      %c = arith.cmpf ogt, %a, %a : f32
      wg.yield %c : i1
    }
    scf.yield %x : i1
  }
  return
}

// -----

// expected-error @below {{expects at least one stage, got 0}}
func.func private @K22(!wg.cursor<0, producer>)

// -----

// expected-error @below {{expects an sw128 tile of at most 256 rows and no panel}}
func.func private @K23(!wg.tensor_map<64x64xf16, rank = 4>)

// -----

// expected-error @below {{expects a rank from 2 to 5, got 6}}
func.func private @K23_rank(!wg.tensor_map<64x64xf16, sw128, rank = 6>)

// -----

func.func @K24(%map: !wg.tensor_map<64x64xf16, sw128, rank = 3>, %ring: !wg.ring<2 x 64x64xf16, sw128, consumers = 2>, %c: !wg.cursor<2, producer>, %i: index) {
  // expected-error @below {{expects 3 coordinates, got 2}}
  wg.tma_load %map[%i, %i], %ring[%c] : !wg.tensor_map<64x64xf16, sw128, rank = 3>, !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
  return
}

// -----

func.func @K24_tile(%map: !wg.tensor_map<64x64xf16, sw128, rank = 3>, %t: !wg.smem<64x128xf16, sw128>, %i: index) {
  // expected-error @below {{expects a map of the tile '!wg.smem<64x128xf16, sw128>'}}
  wg.tma_store %t, %map[%i, %i, %i] : !wg.smem<64x128xf16, sw128>, !wg.tensor_map<64x64xf16, sw128, rank = 3>
  return
}

// -----

func.func @K25_peek(%ring: !wg.ring<2 x 64x64xf16>, %c: !wg.cursor<2, consumer>) {
  // expected-error @below {{expects a ring with consumers, got '!wg.ring<2 x 64x64xf16>'}}
  %t = wg.peek %ring[%c] : !wg.ring<2 x 64x64xf16>
  return
}

// -----

func.func @K25(%ring: !wg.ring<2 x 64x64xf16>, %c: !wg.cursor<2, consumer>) {
  // expected-error @below {{expects a ring with consumers, got '!wg.ring<2 x 64x64xf16>'}}
  %t = wg.acquire %ring[%c] : !wg.ring<2 x 64x64xf16>
  return
}

// -----

func.func @K25_role(%ring: !wg.ring<2 x 64x64xf16, consumers = 3>) {
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    %c = wg.cursor : !wg.cursor<2, consumer>
    // expected-error @below {{expects a ring with 2 consumers, the warpgroups of role "consumers"}}
    wg.release %ring[%c] : !wg.ring<2 x 64x64xf16, consumers = 3>
  }
  return
}

// -----

func.func @K25_numbers_acquire(%mail: !wg.ring<2 x 1x4xi32, consumers = 2>, %c: !wg.cursor<2, consumer>) {
  // expected-error @below {{expects a ring of tiles, got '!wg.ring<2 x 1x4xi32, consumers = 2>', a ring of numbers for wg.send and wg.receive}}
  %t = wg.acquire %mail[%c] : !wg.ring<2 x 1x4xi32, consumers = 2>
  return
}

// -----

func.func @K25_numbers_peek(%mail: !wg.ring<2 x 1x4xi32, consumers = 2>, %c: !wg.cursor<2, consumer>) {
  // expected-error @below {{expects a ring of tiles, got '!wg.ring<2 x 1x4xi32, consumers = 2>', a ring of numbers for wg.send and wg.receive}}
  %t = wg.peek %mail[%c] : !wg.ring<2 x 1x4xi32, consumers = 2>
  return
}

// -----

func.func @K25_numbers_release(%mail: !wg.ring<2 x 1x4xi32, consumers = 2>, %c: !wg.cursor<2, consumer>) {
  // expected-error @below {{expects a ring of tiles, got '!wg.ring<2 x 1x4xi32, consumers = 2>', a ring of numbers for wg.send and wg.receive}}
  wg.release %mail[%c] : !wg.ring<2 x 1x4xi32, consumers = 2>
  return
}

// -----

func.func @K26(%a: !wg.smem<64x64xf16>, %b: !wg.smem<64x64xf16, sw128>) {
  // expected-error @below {{expects sw128 shared tiles, got '!wg.smem<64x64xf16>'}}
  %p = wg.mma_async %a, %b : !wg.smem<64x64xf16>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  %f = wg.wait_mma %p : !wg.pending<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K26_rows(%a: !wg.smem<128x64xf16, sw128>, %b: !wg.smem<64x64xf16, sw128>) {
  // expected-error @below {{expects 64 rows for each 4 warps, at most 256 columns and K in multiples of 16}}
  %p = wg.mma_async %a, %b : !wg.smem<128x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<128x64xf32, acc, warps = 4>
  %f = wg.wait_mma %p : !wg.pending<128x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K27(%a: !wg.smem<64x64xf16, sw128>) {
  // expected-error @below {{expects its product in flight to be used exactly once, got 0 uses}}
  %p = wg.mma_async %a, %a : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K27_twice(%a: !wg.smem<64x64xf16, sw128>) {
  // expected-error @below {{expects its product in flight to be used exactly once, got 2 uses}}
  %p = wg.mma_async %a, %a : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  %f = wg.wait_mma %p : !wg.pending<64x64xf32, acc, warps = 4>
  %g = wg.wait_mma %p : !wg.pending<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K27_on_one_path(%a: !wg.smem<64x64xf16, sw128>, %c: i1) {
  // expected-error @below {{to be used in the block that makes it, got a use by wg.wait_mma in a region of its own}}
  %p = wg.mma_async %a, %a : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  scf.if %c {
    %f = wg.wait_mma %p : !wg.pending<64x64xf32, acc, warps = 4>
  }
  return
}

// -----

func.func @K27_lost_by_a_loop(%a: !wg.smem<64x64xf16, sw128>, %n: index) {
  // expected-error @below {{expects its product in flight to be used exactly once, got 0 uses}}
  %p = wg.mma_async %a, %a : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  %last = scf.for %i = %n to %n step %n iter_args(%q = %p) -> (!wg.pending<64x64xf32, acc, warps = 4>) {
    scf.yield %q : !wg.pending<64x64xf32, acc, warps = 4>
  }
  return
}

// -----

func.func @K27_kept(%a: !wg.smem<64x64xf16, sw128>) {
  %p = wg.mma_async %a, %a : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  %q = wg.mma_async %a, %a : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  // expected-error @below {{expects its product in flight to be used exactly once, got 0 uses}}
  %f, %still = wg.wait_mma %p keep(%q : !wg.pending<64x64xf32, acc, warps = 4>) : !wg.pending<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K28(%a: !wg.smem<64x64xf16, sw128>) {
  %p = wg.mma_async %a, %a : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  %q = wg.mma_async %a, %a : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  // expected-error @below {{expects every kept product to be started after the one waited for}}
  %f, %still = wg.wait_mma %q keep(%p : !wg.pending<64x64xf32, acc, warps = 4>) : !wg.pending<64x64xf32, acc, warps = 4>
  %g = wg.wait_mma %still : !wg.pending<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K29(%t: !wg.smem<128x64xf16, sw128>, %i: index) {
  // expected-error @below {{expects only the rows to change and the panels to stay where they are}}
  %b = wg.band %t[%i] : !wg.smem<128x64xf16, sw128> -> !wg.smem<64x64xf16, sw128>
  return
}

// -----

func.func @K29_rows(%t: !wg.smem<128x64xf16, sw128>, %i: index) {
  // expected-error @below {{expects rows in multiples of 8 that divide 128, got 48}}
  %b = wg.band %t[%i] : !wg.smem<128x64xf16, sw128> -> !wg.smem<48x64xf16, sw128, panel = 128>
  return
}

// -----

func.func @K30() {
  // expected-error @below {{expects registers in multiples of 8 from 24 to 256, got 20}}
  wg.role "producer" warpgroups 0 to 1 registers 20 {
  ^bb0(%w: index):
  }
  return
}

// -----

func.func @K30_ping_pong() {
  // expected-error @below {{expects two or more warpgroups with ping_pong, got 1}}
  wg.role "producer" warpgroups 0 to 1 registers 24 ping_pong {
  ^bb0(%w: index):
  }
  return
}

// -----

func.func @K30_nested() {
  wg.role "outer" warpgroups 0 to 1 registers 24 {
  ^bb0(%w: index):
    // expected-error @below {{expects no role around it}}
    wg.role "inner" warpgroups 0 to 1 registers 24 {
    ^bb0(%v: index):
    }
  }
  return
}

// -----

func.func @K31() {
  wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
  ^bb0(%w: index):
    // expected-error @below {{needs more than the one thread of this role}}
    wg.barrier
  }
  return
}

// -----

func.func @K32() {
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    // expected-error @below {{expects to stand in a role with ping_pong and in no other turn}}
    wg.turn {
    }
  }
  return
}

// -----

func.func @K33(%ring: !wg.ring<2 x 1x4xi32, consumers = 2>, %c: !wg.cursor<2, producer>, %i: index) {
  wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
  ^bb0(%w: index):
    // expected-error @below {{expects at most 4 values, got 5}}
    wg.send %i, %i, %i, %i, %i to %ring[%c] : !wg.ring<2 x 1x4xi32, consumers = 2>
  }
  return
}

// -----

func.func @K33_ring(%ring: !wg.ring<2 x 64x64xf16, consumers = 2>, %c: !wg.cursor<2, consumer>) {
  wg.role "consumers" warpgroups 1 to 3 registers 240 {
  ^bb0(%w: index):
    // expected-error @below {{expects a ring of 1xNxi32 with consumers}}
    %v = wg.receive %ring[%c] : !wg.ring<2 x 64x64xf16, consumers = 2> -> index
  }
  return
}

// -----

func.func @K33_no_role(%mail: !wg.ring<2 x 1x4xi32, consumers = 2>, %c: !wg.cursor<2, consumer>) {
  // expected-error @below {{expects to stand in a role}}
  %v = wg.receive %mail[%c] : !wg.ring<2 x 1x4xi32, consumers = 2> -> index
  return
}

// -----

func.func @K33_single_thread(%mail: !wg.ring<2 x 1x4xi32, consumers = 2>, %c: !wg.cursor<2, consumer>) {
  wg.role "producer" warpgroups 0 to 2 registers 24 single_thread {
  ^bb0(%w: index):
    // expected-error @below {{needs more than the one thread of this role}}
    %v = wg.receive %mail[%c] : !wg.ring<2 x 1x4xi32, consumers = 2> -> index
  }
  return
}

// -----

func.func @K34(%counter: memref<i32>, %n: index) {
  // expected-error @below {{expects to stand in a role with single_thread}}
  %t = wg.fetch_tile %counter of %n : memref<i32>
  return
}

// -----

func.func @K35(%ring: !wg.ring<2 x 64x64xf16>) {
  // expected-error @below {{expects rings with consumers, got '!wg.ring<2 x 64x64xf16>'}}
  wg.init %ring : !wg.ring<2 x 64x64xf16>
  return
}

// -----

func.func @K36(%ring: !wg.ring<2 x 64x64xf16, sw128, consumers = 2>, %c: !wg.cursor<2, consumer>) {
  %t = wg.acquire %ring[%c] : !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
  %p = wg.mma_async %t, %t : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  // expected-error @below {{expects the products that read its slot to be waited for before it}}
  wg.release %ring[%c] : !wg.ring<2 x 64x64xf16, sw128, consumers = 2>
  %f = wg.wait_mma %p : !wg.pending<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K26_front(%a: !wg.frag<64x64xf16, a, warps = 4>, %f: !wg.frag<64x32xf16, a, warps = 4>, %b: !wg.smem<64x64xf16, sw128>) {
  // expected-error @below {{expects a front of a shared a alone, got '!wg.frag<64x64xf16, a, warps = 4>'}}
  %p = wg.mma_async %a front(%f : !wg.frag<64x32xf16, a, warps = 4>), %b : !wg.frag<64x64xf16, a, warps = 4>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  %s = wg.wait_mma %p : !wg.pending<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K26_front_wide(%a: !wg.smem<64x64xf16, sw128>, %f: !wg.frag<64x80xf16, a, warps = 4>, %b: !wg.smem<64x64xf16, sw128>) {
  // expected-error @below {{in steps of 16, at most its columns, got '!wg.frag<64x80xf16, a, warps = 4>' of '!wg.smem<64x64xf16, sw128>'}}
  %p = wg.mma_async %a front(%f : !wg.frag<64x80xf16, a, warps = 4>), %b : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  %s = wg.wait_mma %p : !wg.pending<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K37(%a: !wg.smem<64x64xf16, sw128>) {
  // expected-error @below {{expects a fragment in layout a}}
  %f = wg.get %a : !wg.smem<64x64xf16, sw128> -> !wg.frag<64x32xf16, acc, warps = 4>
  return
}

// -----

func.func @K37_step(%a: !wg.smem<64x64xf16, sw128>) {
  // expected-error @below {{in steps of 16}}
  %f = wg.get %a : !wg.smem<64x64xf16, sw128> -> !wg.frag<64x24xf16, a, warps = 4>
  return
}

// -----

func.func @K26_front_warps(%a: !wg.smem<64x64xf16, sw128>, %f: !wg.frag<64x32xf16, a, warps = 2>, %b: !wg.smem<64x64xf16, sw128>) {
  // expected-error @below {{expects a front of 4 warps, got '!wg.frag<64x32xf16, a, warps = 2>'}}
  %p = wg.mma_async %a front(%f : !wg.frag<64x32xf16, a, warps = 2>), %b : !wg.smem<64x64xf16, sw128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  %s = wg.wait_mma %p : !wg.pending<64x64xf32, acc, warps = 4>
  return
}

// -----

func.func @K37_rows(%a: !wg.smem<128x64xbf16, sw128>) {
  // expected-error @below {{with the rows and element type of the tile}}
  %f = wg.get %a : !wg.smem<128x64xbf16, sw128> -> !wg.frag<64x32xbf16, a, warps = 4>
  return
}

// -----

func.func @K37_type(%a: !wg.smem<64x64xbf16, sw128>) {
  // expected-error @below {{with the rows and element type of the tile}}
  %f = wg.get %a : !wg.smem<64x64xbf16, sw128> -> !wg.frag<64x32xf16, a, warps = 4>
  return
}

// -----

func.func @K36_band(%ring: !wg.ring<2 x 128x64xf16, sw128, consumers = 2>, %c: !wg.cursor<2, consumer>, %w: index, %k: !wg.smem<64x64xf16, sw128>) {
  %t = wg.acquire %ring[%c] : !wg.ring<2 x 128x64xf16, sw128, consumers = 2>
  %b = wg.band %t[%w] : !wg.smem<128x64xf16, sw128> -> !wg.smem<64x64xf16, sw128, panel = 128>
  %p = wg.mma_async %b, %k {transpose_b} : !wg.smem<64x64xf16, sw128, panel = 128>, !wg.smem<64x64xf16, sw128> -> !wg.pending<64x64xf32, acc, warps = 4>
  // expected-error @below {{expects the products that read its slot to be waited for before it}}
  wg.release %ring[%c] : !wg.ring<2 x 128x64xf16, sw128, consumers = 2>
  %f = wg.wait_mma %p : !wg.pending<64x64xf32, acc, warps = 4>
  return
}
