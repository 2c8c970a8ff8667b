// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pipelined: Q, K and V arrive by TMA in rings; the loop is rotated, so that the
// next scores are started in front of this tile's product with V; the sum's
// parts stay in their lanes; a row's reference maximum moves only when a score
// passes it by more than 8 (log2 units), and O is rescaled for it behind the
// next scores' product. Products are still waited for where they stand.
//
// RUN: fa-opt %s | fa-opt | FileCheck %s
// CHECK-LABEL: gpu.func @attention
// CHECK: wg.init
// CHECK: wg.tma_load
// CHECK: wg.acquire
// CHECK: wg.any

!qkv = !wg.smem<128x128xf16, sw128>
!map = !wg.tensor_map<128x128xf16, sw128, rank = 4>
!qring = !wg.ring<1 x 128x128xf16, sw128, consumers = 2>
!ring = !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
!from = !wg.cursor<2, producer>
!to = !wg.cursor<2, consumer>
!acc = !wg.frag<128x128xf32, acc, warps = 8>
!half = !wg.frag<128x128xf16, acc, warps = 8>
!opa = !wg.frag<128x128xf16, a, warps = 8>
!rows = !wg.rows<128xf32, warps = 8>
!max = !wg.rows<128xf32, warps = 8, partial = maximumf>
!sum = !wg.rows<128xf32, warps = 8, partial = addf>
!global = memref<?x128xf16, strided<[?, 1], offset: ?>>
!global_rows = memref<?xf32, strided<[?], offset: ?>>

module attributes {gpu.container_module, fa.stage = "pipelined"} {
gpu.module @kernels attributes {fa.target = "sm_90a"} {
gpu.func @attention(
    %Q: !map, %K: !map, %V: !map, %O: memref<f16>, %LSE: memref<f32>,
    %B: index, %Hq: index, %Sq: index, %Hkv: index, %Sk: index,
    %ob: index, %oh: index, %os: index,
    %lb: index, %lh: index, %ls: index, %scale: f32) kernel
    attributes {known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %eight = arith.constant 8.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504 : f32
  %ln2 = arith.constant 0.693147182 : f32
  %no = arith.constant false
  %c = arith.mulf %scale, %log2e : f32
  %slack = arith.divf %eight, %c : f32

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
  // The first tile stands in front of the loops.
  %edges = arith.subi %nk, %full : index
  %masked = arith.maxsi %edges, %c1 : index
  %lastKey = arith.subi %nk, %c1 : index

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

  %qring = wg.alloc : !qring
  %kring = wg.alloc : !ring
  %vring = wg.alloc : !ring
  wg.init %qring, %kring, %vring : !qring, !ring, !ring

  %zeros = wg.splat %zero : f32 -> !acc
  %ones = wg.splat %one : f32 -> !rows
  %lows = wg.splat %ninf : f32 -> !max
  %nosum = wg.splat %zero : f32 -> !sum

  %some = arith.cmpi sgt, %nk, %c0 : index
  %out, %lse = scf.if %some -> (!half, !rows) {
    %qfrom = wg.cursor : !wg.cursor<1, producer>
    %qto = wg.cursor : !wg.cursor<1, consumer>
    %from0 = wg.cursor : !from
    %to0 = wg.cursor : !to
    wg.tma_load %Q[%b, %h, %row, %c0], %qring[%qfrom] : !map, !qring
    %key0 = arith.muli %lastKey, %c128 : index
    wg.tma_load %K[%b, %hk, %key0, %c0], %kring[%from0] : !map, !ring
    wg.tma_load %V[%b, %hk, %key0, %c0], %vring[%from0] : !map, !ring
    %from1 = wg.advance %from0 : !from
    %q = wg.acquire %qring[%qto] : !qring

    // The first key tile.
    %k0 = wg.acquire %kring[%to0] : !ring
    %first = wg.mma %q, %k0, %zeros {transpose_b} : !qkv, !qkv, !acc
    wg.release %kring[%to0] : !ring
    %kto1 = wg.advance %to0 : !to
    %diag0 = arith.subi %diag, %key0 : index
    %kn0 = arith.subi %Sk, %key0 : index
    %s0 = wg.map(%first : !acc) -> !acc {
    ^bb0(%x: f32, %r: index, %col: index):
      %lim = arith.addi %r, %diag0 : index
      %causal = arith.cmpi sle, %col, %lim : index
      %exists = arith.cmpi slt, %col, %kn0 : index
      %kept = arith.andi %causal, %exists : i1
      %y = arith.select %kept, %x, %ninf : f32
      wg.yield %y : f32
    }
    %mx0 = wg.reduce_rows maximumf %s0, %lows : !acc, !max
    %m0 = wg.join_rows %mx0 : !max
    %neg0 = wg.map(%m0 : !rows) -> !rows {
    ^bb0(%x: f32, %r: index):
      %mc = arith.mulf %x, %c : f32
      %n = arith.negf %mc : f32
      %none = arith.cmpf oeq, %x, %ninf : f32
      %y = arith.select %none, %zero, %n : f32
      wg.yield %y : f32
    }
    %lim0 = wg.map(%m0 : !rows) -> !rows {
    ^bb0(%x: f32, %r: index):
      %y = arith.addf %x, %slack : f32
      wg.yield %y : f32
    }
    %p0 = wg.map(%s0, %neg0 : !acc, !rows) -> !acc {
    ^bb0(%x: f32, %n: f32, %r: index, %col: index):
      %e = math.fma %x, %c, %n : f32
      %y = math.exp2 %e : f32
      wg.yield %y : f32
    }
    %l0 = wg.reduce_rows addf %p0, %nosum : !acc, !sum
    %ph0 = wg.map(%p0 : !acc) -> !half {
    ^bb0(%x: f32, %r: index, %col: index):
      %y = arith.truncf %x : f32 to f16
      wg.yield %y : f16
    }
    %pa0 = wg.relayout %ph0 : !half -> !opa

    // Carried: O and what the last tile left for it (P, and alpha with the vote
    // whether it is needed), m as -m * c and as the limit that moves it, l.
    %edge:11 = scf.for %j = %c1 to %masked step %c1
        iter_args(%o = %zeros, %pa = %pa0, %m = %m0, %l = %l0, %alpha = %ones, %moved = %no, %neg = %neg0, %limit = %lim0,
                  %from = %from1, %kto = %kto1, %vto = %to0)
        -> (!acc, !opa, !rows, !sum, !rows, i1, !rows, !rows, !from, !to, !to) {
      %kt = arith.subi %lastKey, %j : index
      %key = arith.muli %kt, %c128 : index
      wg.tma_load %K[%b, %hk, %key, %c0], %kring[%from] : !map, !ring
      wg.tma_load %V[%b, %hk, %key, %c0], %vring[%from] : !map, !ring
      %fromN = wg.advance %from : !from
      %k = wg.acquire %kring[%kto] : !ring
      %sNew = wg.mma %q, %k, %zeros {transpose_b} : !qkv, !qkv, !acc
      wg.release %kring[%kto] : !ring
      %ktoN = wg.advance %kto : !to
      %o1 = scf.if %moved -> (!acc) {
        %oScaled = wg.map(%o, %alpha : !acc, !rows) -> !acc {
        ^bb0(%x: f32, %a: f32, %r: index, %col: index):
          %y = arith.mulf %x, %a : f32
          wg.yield %y : f32
        }
        scf.yield %oScaled : !acc
      } else {
        scf.yield %o : !acc
      }
      %v = wg.acquire %vring[%vto] : !ring
      %o2 = wg.mma %pa, %v, %o1 : !opa, !qkv, !acc
      wg.release %vring[%vto] : !ring
      %vtoN = wg.advance %vto : !to

      %keyDiag = arith.subi %diag, %key : index
      %kn = arith.subi %Sk, %key : index
      %s = wg.map(%sNew : !acc) -> !acc {
      ^bb0(%x: f32, %r: index, %col: index):
        %lim = arith.addi %r, %keyDiag : index
        %causal = arith.cmpi sle, %col, %lim : index
        %exists = arith.cmpi slt, %col, %kn : index
        %kept = arith.andi %causal, %exists : i1
        %y = arith.select %kept, %x, %ninf : f32
        wg.yield %y : f32
      }
      %parts = wg.reduce_rows maximumf %s, %lows : !acc, !max
      %movedN = wg.any(%parts, %limit : !max, !rows) {
      ^bb0(%x: f32, %lim: f32):
        %over = arith.cmpf ogt, %x, %lim : f32
        wg.yield %over : i1
      }
      // Rare: only the rows whose own score asked move their reference.
      %mN, %l1, %alphaN, %negN, %limitN = scf.if %movedN -> (!rows, !sum, !rows, !rows, !rows) {
        %mx = wg.join_rows %parts : !max
        %m1 = wg.map(%m, %mx, %limit : !rows, !rows, !rows) -> !rows {
        ^bb0(%old: f32, %x: f32, %lim: f32, %r: index):
          %asks = arith.cmpf ogt, %x, %lim : f32
          %y = arith.select %asks, %x, %old : f32
          wg.yield %y : f32
        }
        %a1 = wg.map(%m, %mx, %limit : !rows, !rows, !rows) -> !rows {
        ^bb0(%old: f32, %x: f32, %lim: f32, %r: index):
          %asks = arith.cmpf ogt, %x, %lim : f32
          %d = arith.subf %old, %x : f32
          %e = arith.mulf %d, %c : f32
          %a = math.exp2 %e : f32
          %y = arith.select %asks, %a, %one : f32
          wg.yield %y : f32
        }
        %ls1 = wg.map(%l, %a1 : !sum, !rows) -> !sum {
        ^bb0(%x: f32, %a: f32, %r: index):
          %y = arith.mulf %x, %a : f32
          wg.yield %y : f32
        }
        %neg1 = wg.map(%m1 : !rows) -> !rows {
        ^bb0(%x: f32, %r: index):
          %mc = arith.mulf %x, %c : f32
          %n = arith.negf %mc : f32
          %none = arith.cmpf oeq, %x, %ninf : f32
          %y = arith.select %none, %zero, %n : f32
          wg.yield %y : f32
        }
        %lim1 = wg.map(%m1 : !rows) -> !rows {
        ^bb0(%x: f32, %r: index):
          %y = arith.addf %x, %slack : f32
          wg.yield %y : f32
        }
        scf.yield %m1, %ls1, %a1, %neg1, %lim1 : !rows, !sum, !rows, !rows, !rows
      } else {
        scf.yield %m, %l, %ones, %neg, %limit : !rows, !sum, !rows, !rows, !rows
      }
      %p = wg.map(%s, %negN : !acc, !rows) -> !acc {
      ^bb0(%x: f32, %n: f32, %r: index, %col: index):
        %e = math.fma %x, %c, %n : f32
        %y = math.exp2 %e : f32
        wg.yield %y : f32
      }
      %lN = wg.reduce_rows addf %p, %l1 : !acc, !sum
      %ph = wg.map(%p : !acc) -> !half {
      ^bb0(%x: f32, %r: index, %col: index):
        %y = arith.truncf %x : f32 to f16
        wg.yield %y : f16
      }
      %paN = wg.relayout %ph : !half -> !opa
      scf.yield %o2, %paN, %mN, %lN, %alphaN, %movedN, %negN, %limitN, %fromN, %ktoN, %vtoN
        : !acc, !opa, !rows, !sum, !rows, i1, !rows, !rows, !from, !to, !to
    }

    // Tiles that are kept whole: no mask, and behind the vote every m is finite.
    %all2:11 = scf.for %j = %masked to %nk step %c1
        iter_args(%o = %edge#0, %pa = %edge#1, %m = %edge#2, %l = %edge#3, %alpha = %edge#4, %moved = %edge#5,
                  %neg = %edge#6, %limit = %edge#7, %from = %edge#8, %kto = %edge#9, %vto = %edge#10)
        -> (!acc, !opa, !rows, !sum, !rows, i1, !rows, !rows, !from, !to, !to) {
      %kt = arith.subi %lastKey, %j : index
      %key = arith.muli %kt, %c128 : index
      wg.tma_load %K[%b, %hk, %key, %c0], %kring[%from] : !map, !ring
      wg.tma_load %V[%b, %hk, %key, %c0], %vring[%from] : !map, !ring
      %fromN = wg.advance %from : !from
      %k = wg.acquire %kring[%kto] : !ring
      %s = wg.mma %q, %k, %zeros {transpose_b} : !qkv, !qkv, !acc
      wg.release %kring[%kto] : !ring
      %ktoN = wg.advance %kto : !to
      %o1 = scf.if %moved -> (!acc) {
        %oScaled = wg.map(%o, %alpha : !acc, !rows) -> !acc {
        ^bb0(%x: f32, %a: f32, %r: index, %col: index):
          %y = arith.mulf %x, %a : f32
          wg.yield %y : f32
        }
        scf.yield %oScaled : !acc
      } else {
        scf.yield %o : !acc
      }
      %v = wg.acquire %vring[%vto] : !ring
      %o2 = wg.mma %pa, %v, %o1 : !opa, !qkv, !acc
      wg.release %vring[%vto] : !ring
      %vtoN = wg.advance %vto : !to

      %parts = wg.reduce_rows maximumf %s, %lows : !acc, !max
      %movedN = wg.any(%parts, %limit : !max, !rows) {
      ^bb0(%x: f32, %lim: f32):
        %over = arith.cmpf ogt, %x, %lim : f32
        wg.yield %over : i1
      }
      %mN, %l1, %alphaN, %negN, %limitN = scf.if %movedN -> (!rows, !sum, !rows, !rows, !rows) {
        %mx = wg.join_rows %parts : !max
        %m1 = wg.map(%m, %mx, %limit : !rows, !rows, !rows) -> !rows {
        ^bb0(%old: f32, %x: f32, %lim: f32, %r: index):
          %asks = arith.cmpf ogt, %x, %lim : f32
          %y = arith.select %asks, %x, %old : f32
          wg.yield %y : f32
        }
        %a1 = wg.map(%m, %mx, %limit : !rows, !rows, !rows) -> !rows {
        ^bb0(%old: f32, %x: f32, %lim: f32, %r: index):
          %asks = arith.cmpf ogt, %x, %lim : f32
          %d = arith.subf %old, %x : f32
          %e = arith.mulf %d, %c : f32
          %a = math.exp2 %e : f32
          %y = arith.select %asks, %a, %one : f32
          wg.yield %y : f32
        }
        %ls1 = wg.map(%l, %a1 : !sum, !rows) -> !sum {
        ^bb0(%x: f32, %a: f32, %r: index):
          %y = arith.mulf %x, %a : f32
          wg.yield %y : f32
        }
        %neg1 = wg.map(%m1 : !rows) -> !rows {
        ^bb0(%x: f32, %r: index):
          %mc = arith.mulf %x, %c : f32
          %y = arith.negf %mc : f32
          wg.yield %y : f32
        }
        %lim1 = wg.map(%m1 : !rows) -> !rows {
        ^bb0(%x: f32, %r: index):
          %y = arith.addf %x, %slack : f32
          wg.yield %y : f32
        }
        scf.yield %m1, %ls1, %a1, %neg1, %lim1 : !rows, !sum, !rows, !rows, !rows
      } else {
        scf.yield %m, %l, %ones, %neg, %limit : !rows, !sum, !rows, !rows, !rows
      }
      %p = wg.map(%s, %negN : !acc, !rows) -> !acc {
      ^bb0(%x: f32, %n: f32, %r: index, %col: index):
        %e = math.fma %x, %c, %n : f32
        %y = math.exp2 %e : f32
        wg.yield %y : f32
      }
      %lN = wg.reduce_rows addf %p, %l1 : !acc, !sum
      %ph = wg.map(%p : !acc) -> !half {
      ^bb0(%x: f32, %r: index, %col: index):
        %y = arith.truncf %x : f32 to f16
        wg.yield %y : f16
      }
      %paN = wg.relayout %ph : !half -> !opa
      scf.yield %o2, %paN, %mN, %lN, %alphaN, %movedN, %negN, %limitN, %fromN, %ktoN, %vtoN
        : !acc, !opa, !rows, !sum, !rows, i1, !rows, !rows, !from, !to, !to
    }
    wg.release %qring[%qto] : !qring

    // What the last tile left.
    %oLast = scf.if %all2#5 -> (!acc) {
      %oScaled = wg.map(%all2#0, %all2#4 : !acc, !rows) -> !acc {
      ^bb0(%x: f32, %a: f32, %r: index, %col: index):
        %y = arith.mulf %x, %a : f32
        wg.yield %y : f32
      }
      scf.yield %oScaled : !acc
    } else {
      scf.yield %all2#0 : !acc
    }
    %v = wg.acquire %vring[%all2#10] : !ring
    %o = wg.mma %all2#1, %v, %oLast : !opa, !qkv, !acc
    wg.release %vring[%all2#10] : !ring

    %l = wg.join_rows %all2#3 : !sum
    %inv = wg.map(%l : !rows) -> !rows {
    ^bb0(%x: f32, %r: index):
      %none = arith.cmpf oeq, %x, %zero : f32
      %i = arith.divf %one, %x : f32
      %y = arith.select %none, %zero, %i : f32
      wg.yield %y : f32
    }
    %on = wg.map(%o, %inv : !acc, !rows) -> !half {
    ^bb0(%x: f32, %i: f32, %r: index, %col: index):
      %y = arith.mulf %x, %i : f32
      %z = arith.truncf %y : f32 to f16
      wg.yield %z : f16
    }
    %logs = wg.map(%all2#2, %l : !rows, !rows) -> !rows {
    ^bb0(%mx: f32, %x: f32, %r: index):
      %none = arith.cmpf oeq, %x, %zero : f32
      %ll = math.log2 %x : f32
      %e = math.fma %mx, %c, %ll : f32
      %n = arith.mulf %e, %ln2 : f32
      %y = arith.select %none, %ninf, %n : f32
      wg.yield %y : f32
    }
    scf.yield %on, %logs : !half, !rows
  } else {
    // No key: O = 0, LSE = -inf.
    %zeroHalf = arith.constant 0.0 : f16
    %none = wg.splat %zeroHalf : f16 -> !half
    %noLog = wg.splat %ninf : f32 -> !rows
    scf.yield %none, %noLog : !half, !rows
  }
  wg.store %out, %Ot rows %qn : !half, !global
  wg.store_rows %lse, %Lt rows %qn : !rows, !global_rows
  gpu.return
}
}
}
