// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel of the best known schedule for D = 128 on sm_90a, written by hand
// stage by stage: values -> pipelined -> specialized -> async -> addressed.
// Causal, bottom_right; f16; query tiles of 128 rows, key tiles of 128 keys;
// the scale is positive.
//
// values: the algorithm. Two loops, from the last key tile to the first: the
// first visits the tiles that the mask or the end of the keys runs through.
//
// RUN: fa-opt %s | fa-opt | FileCheck %s
// CHECK-LABEL: gpu.func @attention
// CHECK: wg.mma
// CHECK-NOT: wg.alloc

!qkv = !wg.smem<128x128xf16, sw128>
!acc = !wg.frag<128x128xf32, acc, warps = 8>
!half = !wg.frag<128x128xf16, acc, warps = 8>
!opa = !wg.frag<128x128xf16, a, warps = 8>
!rows = !wg.rows<128xf32, warps = 8>
!global = memref<?x128xf16, strided<[?, 1], offset: ?>>
!global_rows = memref<?xf32, strided<[?], offset: ?>>

module attributes {gpu.container_module, fa.stage = "values"} {
gpu.module @kernels attributes {fa.target = "sm_90a"} {
gpu.func @attention(
    %Q: memref<f16>, %K: memref<f16>, %V: memref<f16>, %O: memref<f16>, %LSE: memref<f32>,
    %B: index, %Hq: index, %Sq: index, %Hkv: index, %Sk: index,
    %qb: index, %qh: index, %qs: index, %kb: index, %kh: index, %ks: index,
    %vb: index, %vh: index, %vs: index, %ob: index, %oh: index, %os: index,
    %lb: index, %lh: index, %ls: index, %scale: f32) kernel
    attributes {known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c127 = arith.constant 127 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504 : f32
  %ln2 = arith.constant 0.693147182 : f32
  // exp(scale * s) = exp2(c * s)
  %c = arith.mulf %scale, %log2e : f32

  // The heaviest tiles first: the last rows of every head.
  %t = gpu.block_id x
  %qtiles = arith.ceildivsi %Sq, %c128 : index
  %heads = arith.muli %B, %Hq : index
  %bh = arith.remui %t, %heads : index
  %rank = arith.divui %t, %heads : index
  %last = arith.subi %qtiles, %c1 : index
  %qt = arith.subi %last, %rank : index
  %b = arith.divui %bh, %Hq : index
  %h = arith.remui %bh, %Hq : index
  %per = arith.divui %Hq, %Hkv : index
  %hk = arith.divui %h, %per : index
  %row = arith.muli %qt, %c128 : index
  %qn = arith.subi %Sq, %row : index

  // Row r of the tile keeps keys up to r + diag. nk key tiles hold a kept key;
  // of those the first `full` are kept whole.
  %off = arith.subi %Sk, %Sq : index
  %diag = arith.addi %row, %off : index
  %reach = arith.addi %diag, %c128 : index
  %kend = arith.minsi %reach, %Sk : index
  %tiles = arith.ceildivsi %kend, %c128 : index
  %nk = arith.maxsi %tiles, %c0 : index
  %all = arith.addi %diag, %c1 : index
  %whole = arith.minsi %all, %Sk : index
  %wholeTiles = arith.floordivsi %whole, %c128 : index
  %wholeSome = arith.maxsi %wholeTiles, %c0 : index
  %full = arith.minsi %wholeSome, %nk : index
  %masked = arith.subi %nk, %full : index
  %lastKey = arith.subi %nk, %c1 : index

  // Element (b, h, 0, 0) of each tensor, and the tile's first row.
  %qo0 = arith.muli %b, %qb : index
  %qo1 = arith.muli %h, %qh : index
  %qo2 = arith.muli %row, %qs : index
  %qo3 = arith.addi %qo0, %qo1 : index
  %qo = arith.addi %qo3, %qo2 : index
  %Qt = memref.reinterpret_cast %Q to offset: [%qo], sizes: [%qn, 128], strides: [%qs, 1] : memref<f16> to !global
  %ko0 = arith.muli %b, %kb : index
  %ko1 = arith.muli %hk, %kh : index
  %ko = arith.addi %ko0, %ko1 : index
  %vo0 = arith.muli %b, %vb : index
  %vo1 = arith.muli %hk, %vh : index
  %vo = arith.addi %vo0, %vo1 : index
  %oo0 = arith.muli %b, %ob : index
  %oo1 = arith.muli %h, %oh : index
  %oo2 = arith.muli %row, %os : index
  %oo3 = arith.addi %oo0, %oo1 : index
  %oo = arith.addi %oo3, %oo2 : index
  %Ot = memref.reinterpret_cast %O to offset: [%oo], sizes: [%qn, 128], strides: [%os, 1] : memref<f16> to !global
  %lo0 = arith.muli %b, %lb : index
  %lo1 = arith.muli %h, %lh : index
  %lo2 = arith.muli %row, %ls : index
  %lo3 = arith.addi %lo0, %lo1 : index
  %lo = arith.addi %lo3, %lo2 : index
  %Lt = memref.reinterpret_cast %LSE to offset: [%lo], sizes: [%qn], strides: [%ls] : memref<f32> to !global_rows

  %q = wg.load %Qt rows %qn : !global -> !qkv
  %zeros = wg.splat %zero : f32 -> !acc
  %m0 = wg.splat %ninf : f32 -> !rows
  %l0 = wg.splat %zero : f32 -> !rows

  // Tiles that the mask or the end of the keys runs through.
  %edge:3 = scf.for %j = %c0 to %masked step %c1 iter_args(%o = %zeros, %m = %m0, %l = %l0) -> (!acc, !rows, !rows) {
    %kt = arith.subi %lastKey, %j : index
    %key = arith.muli %kt, %c128 : index
    %kn = arith.subi %Sk, %key : index
    %ka = arith.muli %key, %ks : index
    %kat = arith.addi %ko, %ka : index
    %Kt = memref.reinterpret_cast %K to offset: [%kat], sizes: [%kn, 128], strides: [%ks, 1] : memref<f16> to !global
    %va = arith.muli %key, %vs : index
    %vat = arith.addi %vo, %va : index
    %Vt = memref.reinterpret_cast %V to offset: [%vat], sizes: [%kn, 128], strides: [%vs, 1] : memref<f16> to !global
    %k = wg.load %Kt rows %kn : !global -> !qkv
    %s0 = wg.mma %q, %k, %zeros {transpose_b} : !qkv, !qkv, !acc
    %keyDiag = arith.subi %diag, %key : index
    %s = wg.map(%s0 : !acc) -> !acc {
    ^bb0(%x: f32, %r: index, %col: index):
      %lim = arith.addi %r, %keyDiag : index
      %causal = arith.cmpi sle, %col, %lim : index
      %exists = arith.cmpi slt, %col, %kn : index
      %kept = arith.andi %causal, %exists : i1
      %y = arith.select %kept, %x, %ninf : f32
      wg.yield %y : f32
    }
    %m1 = wg.reduce_rows maximumf %s, %m : !acc, !rows
    // A row without a kept key so far has m1 = -inf: use 0 in its place.
    %neg = wg.map(%m1 : !rows) -> !rows {
    ^bb0(%x: f32, %r: index):
      %mc = arith.mulf %x, %c : f32
      %n = arith.negf %mc : f32
      %none = arith.cmpf oeq, %x, %ninf : f32
      %y = arith.select %none, %zero, %n : f32
      wg.yield %y : f32
    }
    %p = wg.map(%s, %neg : !acc, !rows) -> !acc {
    ^bb0(%x: f32, %n: f32, %r: index, %col: index):
      %e = math.fma %x, %c, %n : f32
      %y = math.exp2 %e : f32
      wg.yield %y : f32
    }
    %alpha = wg.map(%m, %m1 : !rows, !rows) -> !rows {
    ^bb0(%old: f32, %new: f32, %r: index):
      %d = arith.subf %old, %new : f32
      %e = arith.mulf %d, %c : f32
      %a = math.exp2 %e : f32
      %same = arith.cmpf oeq, %old, %new : f32
      %y = arith.select %same, %one, %a : f32
      wg.yield %y : f32
    }
    %l1 = wg.map(%l, %alpha : !rows, !rows) -> !rows {
    ^bb0(%x: f32, %a: f32, %r: index):
      %y = arith.mulf %x, %a : f32
      wg.yield %y : f32
    }
    %l2 = wg.reduce_rows addf %p, %l1 : !acc, !rows
    %o1 = wg.map(%o, %alpha : !acc, !rows) -> !acc {
    ^bb0(%x: f32, %a: f32, %r: index, %col: index):
      %y = arith.mulf %x, %a : f32
      wg.yield %y : f32
    }
    %ph = wg.map(%p : !acc) -> !half {
    ^bb0(%x: f32, %r: index, %col: index):
      %y = arith.truncf %x : f32 to f16
      wg.yield %y : f16
    }
    %pa = wg.relayout %ph : !half -> !opa
    %v = wg.load %Vt rows %kn : !global -> !qkv
    %o2 = wg.mma %pa, %v, %o1 : !opa, !qkv, !acc
    scf.yield %o2, %m1, %l2 : !acc, !rows, !rows
  }

  // Tiles that are kept whole.
  %sum:3 = scf.for %j = %masked to %nk step %c1 iter_args(%o = %edge#0, %m = %edge#1, %l = %edge#2) -> (!acc, !rows, !rows) {
    %kt = arith.subi %lastKey, %j : index
    %key = arith.muli %kt, %c128 : index
    %ka = arith.muli %key, %ks : index
    %kat = arith.addi %ko, %ka : index
    %Kt = memref.reinterpret_cast %K to offset: [%kat], sizes: [%c128, 128], strides: [%ks, 1] : memref<f16> to !global
    %va = arith.muli %key, %vs : index
    %vat = arith.addi %vo, %va : index
    %Vt = memref.reinterpret_cast %V to offset: [%vat], sizes: [%c128, 128], strides: [%vs, 1] : memref<f16> to !global
    %k = wg.load %Kt rows %c128 : !global -> !qkv
    %s = wg.mma %q, %k, %zeros {transpose_b} : !qkv, !qkv, !acc
    %m1 = wg.reduce_rows maximumf %s, %m : !acc, !rows
    %p = wg.map(%s, %m1 : !acc, !rows) -> !acc {
    ^bb0(%x: f32, %mx: f32, %r: index, %col: index):
      %mc = arith.mulf %mx, %c : f32
      %n = arith.negf %mc : f32
      %e = math.fma %x, %c, %n : f32
      %y = math.exp2 %e : f32
      wg.yield %y : f32
    }
    %alpha = wg.map(%m, %m1 : !rows, !rows) -> !rows {
    ^bb0(%old: f32, %new: f32, %r: index):
      %d = arith.subf %old, %new : f32
      %e = arith.mulf %d, %c : f32
      %y = math.exp2 %e : f32
      wg.yield %y : f32
    }
    %l1 = wg.map(%l, %alpha : !rows, !rows) -> !rows {
    ^bb0(%x: f32, %a: f32, %r: index):
      %y = arith.mulf %x, %a : f32
      wg.yield %y : f32
    }
    %l2 = wg.reduce_rows addf %p, %l1 : !acc, !rows
    %o1 = wg.map(%o, %alpha : !acc, !rows) -> !acc {
    ^bb0(%x: f32, %a: f32, %r: index, %col: index):
      %y = arith.mulf %x, %a : f32
      wg.yield %y : f32
    }
    %ph = wg.map(%p : !acc) -> !half {
    ^bb0(%x: f32, %r: index, %col: index):
      %y = arith.truncf %x : f32 to f16
      wg.yield %y : f16
    }
    %pa = wg.relayout %ph : !half -> !opa
    %v = wg.load %Vt rows %c128 : !global -> !qkv
    %o2 = wg.mma %pa, %v, %o1 : !opa, !qkv, !acc
    scf.yield %o2, %m1, %l2 : !acc, !rows, !rows
  }

  // Rows without a kept key: O = 0, LSE = -inf.
  %inv = wg.map(%sum#2 : !rows) -> !rows {
  ^bb0(%x: f32, %r: index):
    %none = arith.cmpf oeq, %x, %zero : f32
    %i = arith.divf %one, %x : f32
    %y = arith.select %none, %zero, %i : f32
    wg.yield %y : f32
  }
  %out = wg.map(%sum#0, %inv : !acc, !rows) -> !half {
  ^bb0(%x: f32, %i: f32, %r: index, %col: index):
    %y = arith.mulf %x, %i : f32
    %z = arith.truncf %y : f32 to f16
    wg.yield %z : f16
  }
  wg.store %out, %Ot rows %qn : !half, !global
  %lse = wg.map(%sum#1, %sum#2 : !rows, !rows) -> !rows {
  ^bb0(%mx: f32, %x: f32, %r: index):
    %none = arith.cmpf oeq, %x, %zero : f32
    %ll = math.log2 %x : f32
    %e = math.fma %mx, %c, %ll : f32
    %n = arith.mulf %e, %ln2 : f32
    %y = arith.select %none, %ninf, %n : f32
    wg.yield %y : f32
  }
  wg.store_rows %lse, %Lt rows %qn : !rows, !global_rows
  gpu.return
}
}
}
