// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// addressed: places in shared memory (the sum is checked against the chip) and the
// numbers of the named barriers: 1 and 2 turns, 4 and 5 the output tile, 8 and 9
// the mail; 0 is the block's.
//
// RUN: fa-opt %s | fa-opt | FileCheck %s
// CHECK-LABEL: gpu.func @attention
// CHECK-SAME: wg.shared_bytes = 229536
// CHECK: wg.alloc {barrier_offset = 229408 : i64, offset = 0 : i64}

!qkv = !wg.smem<128x128xf16, sw128>
!qband = !wg.smem<64x128xf16, sw128, panel = 128>
!otile = !wg.smem<64x128xf16, sw128>
!map = !wg.tensor_map<128x128xf16, sw128, rank = 4>
!omap = !wg.tensor_map<64x128xf16, sw128, rank = 4>
!ring = !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
!mail = !wg.ring<2 x 1x4xi32, consumers = 2>
!oring = !wg.ring<2 x 64x128xf16, sw128>
!from = !wg.cursor<2, producer>
!to = !wg.cursor<2, consumer>
!acc = !wg.frag<64x128xf32, acc, warps = 4>
!pend = !wg.pending<64x128xf32, acc, warps = 4>
!early = !wg.frag<64x32xf32, acc, warps = 4>
!late = !wg.frag<64x96xf32, acc, warps = 4>
!half = !wg.frag<64x128xf16, acc, warps = 4>
!opa = !wg.frag<64x128xf16, a, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>
!max = !wg.rows<64xf32, warps = 4, partial = maximumf>
!sum = !wg.rows<64xf32, warps = 4, partial = addf>
!global_rows = memref<?xf32, strided<[?], offset: ?>>

module attributes {gpu.container_module, fa.stage = "addressed"} {
gpu.module @kernels attributes {fa.target = "sm_90a"} {
gpu.func @attention(
    %Q: !map, %K: !map, %V: !map, %O: !omap, %LSE: memref<f32>,
    %B: index, %Hq: index, %Sq: index, %Hkv: index, %Sk: index,
    %lb: index, %lh: index, %ls: index, %scale: f32,
    // Heads whose K and V fit L2 together, and the tile counter (0 at launch).
    %group: index, %counter: memref<i32>) kernel
    attributes {known_block_size = array<i32: 384, 1, 1>, wg.shared_bytes = 229536 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %qtiles = arith.ceildivsi %Sq, %c128 : index
  %heads = arith.muli %B, %Hq : index
  %tiles = arith.muli %qtiles, %heads : index
  %off = arith.subi %Sk, %Sq : index

  %qring = wg.alloc {barrier_offset = 229408 : i64, offset = 0 : i64} : !ring
  %kring = wg.alloc {barrier_offset = 229440 : i64, offset = 65536 : i64} : !ring
  %vring = wg.alloc {barrier_offset = 229472 : i64, offset = 131072 : i64} : !ring
  %oring = wg.alloc {offset = 196608 : i64} : !oring
  %mail = wg.alloc {barrier_offset = 229504 : i64, offset = 229376 : i64} : !mail
  wg.init %qring, %kring, %vring, %mail : !ring, !ring, !ring, !mail

  // Per tile: tell the consumers its number, first row, head and key tiles;
  // then bring Q and, from the last to the first, K and V.
  wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
  ^bb0(%w: index):
    %first = gpu.block_id x
    %per = arith.divui %Hq, %Hkv : index
    %lastTile = arith.subi %tiles, %c1 : index
    %groupTiles = arith.muli %qtiles, %group : index
    %lastRank = arith.subi %qtiles, %c1 : index
    %from0 = wg.cursor : !from
    scf.while (%tile = %first, %qfrom = %from0, %from = %from0, %mfrom = %from0)
        : (index, !from, !from, !from) -> (index, index, index, index, !from, !from, !from) {
      // Groups of heads; in a group the heaviest tiles first, heads fastest. The
      // number behind the last tile has no place: that of the last is computed.
      %known = arith.minsi %tile, %lastTile : index
      %g = arith.divui %known, %groupTiles : index
      %inGroup = arith.remui %known, %groupTiles : index
      %head0 = arith.muli %g, %group : index
      %headsLeft = arith.subi %heads, %head0 : index
      %groupHeads = arith.minsi %headsLeft, %group : index
      %rank = arith.divui %inGroup, %groupHeads : index
      %inRank = arith.remui %inGroup, %groupHeads : index
      %bh = arith.addi %head0, %inRank : index
      %qt = arith.subi %lastRank, %rank : index
      %row = arith.muli %qt, %c128 : index
      %diag = arith.addi %row, %off : index
      %reach = arith.addi %diag, %c128 : index
      %kend = arith.minsi %reach, %Sk : index
      %nkAny = arith.ceildivsi %kend, %c128 : index
      %nk = arith.maxsi %nkAny, %c0 : index
      wg.send %tile, %row, %bh, %nk to %mail[%mfrom] : !mail
      %mfromN = wg.advance %mfrom : !from
      %exists = arith.cmpi slt, %tile, %tiles : index
      scf.condition(%exists) %tile, %row, %bh, %nk, %qfrom, %from, %mfromN : index, index, index, index, !from, !from, !from
    } do {
    ^bb0(%tile: index, %row: index, %bh: index, %nk: index, %qfrom: !from, %from: !from, %mfrom: !from):
      // Early, so that it has come back when this tile's loads are issued.
      %next = wg.fetch_tile %counter of %tiles : memref<i32>
      %b = arith.divui %bh, %Hq : index
      %h = arith.remui %bh, %Hq : index
      %hk = arith.divui %h, %per : index
      %some = arith.cmpi sgt, %nk, %c0 : index
      // A tile without keys takes no slot.
      %qfromN = scf.if %some -> (!from) {
        wg.tma_load %Q[%b, %h, %row, %c0], %qring[%qfrom] : !map, !ring
        %n = wg.advance %qfrom : !from
        scf.yield %n : !from
      } else {
        scf.yield %qfrom : !from
      }
      %lastKey = arith.subi %nk, %c1 : index
      %fromN = scf.for %j = %c0 to %nk step %c1 iter_args(%f = %from) -> (!from) {
        %kt = arith.subi %lastKey, %j : index
        %key = arith.muli %kt, %c128 : index
        wg.tma_load %K[%b, %hk, %key, %c0], %kring[%f] : !map, !ring
        wg.tma_load %V[%b, %hk, %key, %c0], %vring[%f] : !map, !ring
        %n = wg.advance %f : !from
        scf.yield %n : !from
      }
      scf.yield %next, %qfromN, %fromN, %mfrom : index, !from, !from, !from
    }
  }

  // 64 rows for each warpgroup: 64 * w of the tile and up.
  wg.role "consumers" warpgroups 1 to 3 registers 240 ping_pong attributes {turn_id = 1 : i64} {
  ^bb0(%w: index):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %eight = arith.constant 8.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %log2e = arith.constant 1.44269504 : f32
    %ln2 = arith.constant 0.693147182 : f32
    %no = arith.constant false
    %c = arith.mulf %scale, %log2e : f32
    %slack = arith.divf %eight, %c : f32
    %zeros = wg.splat %zero : f32 -> !acc
    %ones = wg.splat %one : f32 -> !rows
    %lows = wg.splat %ninf : f32 -> !max
    %nosum = wg.splat %zero : f32 -> !sum
    %w64 = arith.muli %w, %c64 : index
    %ot = wg.slot %oring[%w] : !oring
    %to0 = wg.cursor : !to
    %first:4 = wg.receive %mail[%to0] : !mail -> index, index, index, index
    %mto1 = wg.advance %to0 : !to

    // The first tile's first product has a turn of its own.
    %exists0 = arith.cmpi slt, %first#0, %tiles : index
    %some0 = arith.cmpi sgt, %first#3, %c0 : index
    %starts0 = arith.andi %exists0, %some0 : i1
    %sStart, %kto0 = scf.if %starts0 -> (!acc, !to) {
      %q = wg.acquire %qring[%to0] : !ring
      %qw = wg.band %q[%w] : !qkv -> !qband
      %k = wg.acquire %kring[%to0] : !ring
      %s1 = wg.turn -> (!pend) {
        %s2 = wg.mma_async %qw, %k {transpose_b} : !qband, !qkv -> !pend
        wg.yield %s2 : !pend
      }
      %s3 = wg.wait_mma %s1 : !pend
      wg.release %kring[%to0] : !ring
      %ktoNext = wg.advance %to0 : !to
      scf.yield %s3, %ktoNext : !acc, !to
    } else {
      scf.yield %zeros, %to0 : !acc, !to
    }

    // Carried: the tile, the first product of its scores (where it has keys), and
    // the places in the rings.
    %end:9 = scf.while (%tile = %first#0, %row = %first#1, %bh = %first#2, %nk = %first#3, %sFirst = %sStart,
                %qto = %to0, %kto = %kto0, %vto = %to0, %mto = %mto1)
        : (index, index, index, index, !acc, !to, !to, !to, !to) -> (index, index, index, index, !acc, !to, !to, !to, !to) {
      %exists = arith.cmpi slt, %tile, %tiles : index
      scf.condition(%exists) %tile, %row, %bh, %nk, %sFirst, %qto, %kto, %vto, %mto
        : index, index, index, index, !acc, !to, !to, !to, !to
    } do {
    ^bb0(%tile: index, %tileRow: index, %bh: index, %nk: index, %sFirst: !acc, %qto: !to, %kto: !to, %vto: !to, %mto: !to):
      %b = arith.divui %bh, %Hq : index
      %h = arith.remui %bh, %Hq : index
      %row = arith.addi %tileRow, %w64 : index
      %rowsLeft = arith.subi %Sq, %row : index
      %lo0 = arith.muli %b, %lb : index
      %lo1 = arith.muli %h, %lh : index
      %lo2 = arith.muli %row, %ls : index
      %lo3 = arith.addi %lo0, %lo1 : index
      %lo = arith.addi %lo3, %lo2 : index
      %Lt = memref.reinterpret_cast %LSE to offset: [%lo], sizes: [%rowsLeft], strides: [%ls] : memref<f32> to !global_rows
      %mtoN = wg.advance %mto : !to

      %some = arith.cmpi sgt, %nk, %c0 : index
      %after:8 = scf.if %some -> (index, index, index, index, !acc, !to, !to, !to) {
        // Row r keeps keys up to r + diag; of the nk key tiles the first `full` are
        // kept whole by all 64 rows. The first that is visited counts as masked.
        %diag = arith.addi %row, %off : index
        %all = arith.addi %diag, %c1 : index
        %whole = arith.minsi %all, %Sk : index
        %wholeTiles = arith.floordivsi %whole, %c128 : index
        %wholeSome = arith.maxsi %wholeTiles, %c0 : index
        %full = arith.minsi %wholeSome, %nk : index
        %edges = arith.subi %nk, %full : index
        %masked = arith.maxsi %edges, %c1 : index
        %lastKey = arith.subi %nk, %c1 : index
        // Full since this tile's first product; the wait only names it.
        %q = wg.acquire %qring[%qto] : !ring
        %qw = wg.band %q[%w] : !qkv -> !qband

        %key0 = arith.muli %lastKey, %c128 : index
        %diag0 = arith.subi %diag, %key0 : index
        %kn0 = arith.subi %Sk, %key0 : index
        %s0 = wg.map(%sFirst : !acc) -> !acc {
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
        %v0 = wg.acquire %vring[%vto] : !ring
        %edge:11 = scf.for %j = %c1 to %masked step %c1
            iter_args(%o = %zeros, %pa = %pa0, %m = %m0, %l = %l0, %alpha = %ones, %moved = %no, %neg = %neg0, %limit = %lim0,
                      %kat = %kto, %vat = %vto, %v = %v0)
            -> (!acc, !opa, !rows, !sum, !rows, i1, !rows, !rows, !to, !to, !qkv) {
          %k = wg.acquire %kring[%kat] : !ring
          %s3, %o3 = wg.turn -> (!pend, !pend) {
            %s2 = wg.mma_async %qw, %k {transpose_b} : !qband, !qkv -> !pend
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
            %o2 = wg.mma_async %pa, %v, %o1 : !opa, !qkv, !acc -> !pend
            wg.yield %s2, %o2 : !pend, !pend
          }
          %sRaw, %o4 = wg.wait_mma %s3 keep(%o3 : !pend) : !pend
          wg.release %kring[%kat] : !ring
          %katN = wg.advance %kat : !to
          %vatN = wg.advance %vat : !to
          %kt = arith.subi %lastKey, %j : index
          %key = arith.muli %kt, %c128 : index
          %keyDiag = arith.subi %diag, %key : index
          %kn = arith.subi %Sk, %key : index
          %s = wg.map(%sRaw : !acc) -> !acc {
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
          // 16 of a thread's 64 exponentials, then the wait for V and for O.
          %sA = wg.slice %s at 0 : !acc -> !early
          %sB = wg.slice %s at 32 : !acc -> !late
          %pA = wg.map(%sA, %negN : !early, !rows) -> !early {
          ^bb0(%x: f32, %n: f32, %r: index, %col: index):
            %e = math.fma %x, %c, %n : f32
            %y = math.exp2 %e : f32
            wg.yield %y : f32
          }
          %vN = wg.acquire %vring[%vatN] : !ring
          %oN = wg.wait_mma %o4 : !pend
          wg.release %vring[%vat] : !ring
          %pB = wg.map(%sB, %negN : !late, !rows) -> !late {
          ^bb0(%x: f32, %n: f32, %r: index, %col: index):
            %e = math.fma %x, %c, %n : f32
            %y = math.exp2 %e : f32
            wg.yield %y : f32
          }
          %p = wg.concat %pA, %pB : !early, !late -> !acc
          %lN = wg.reduce_rows addf %p, %l1 : !acc, !sum
          %ph = wg.map(%p : !acc) -> !half {
          ^bb0(%x: f32, %r: index, %col: index):
            %y = arith.truncf %x : f32 to f16
            wg.yield %y : f16
          }
          %paN = wg.relayout %ph : !half -> !opa
          scf.yield %oN, %paN, %mN, %lN, %alphaN, %movedN, %negN, %limitN, %katN, %vatN, %vN
            : !acc, !opa, !rows, !sum, !rows, i1, !rows, !rows, !to, !to, !qkv
        }

        // Tiles that are kept whole: no mask, and behind the vote every m is finite.
        %rest:11 = scf.for %j = %masked to %nk step %c1
            iter_args(%o = %edge#0, %pa = %edge#1, %m = %edge#2, %l = %edge#3, %alpha = %edge#4, %moved = %edge#5,
                      %neg = %edge#6, %limit = %edge#7, %kat = %edge#8, %vat = %edge#9, %v = %edge#10)
            -> (!acc, !opa, !rows, !sum, !rows, i1, !rows, !rows, !to, !to, !qkv) {
          %k = wg.acquire %kring[%kat] : !ring
          %s3, %o3 = wg.turn -> (!pend, !pend) {
            %s2 = wg.mma_async %qw, %k {transpose_b} : !qband, !qkv -> !pend
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
            %o2 = wg.mma_async %pa, %v, %o1 : !opa, !qkv, !acc -> !pend
            wg.yield %s2, %o2 : !pend, !pend
          }
          %s, %o4 = wg.wait_mma %s3 keep(%o3 : !pend) : !pend
          wg.release %kring[%kat] : !ring
          %katN = wg.advance %kat : !to
          %vatN = wg.advance %vat : !to
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
          // 16 of a thread's 64 exponentials, then the wait for V and for O.
          %sA = wg.slice %s at 0 : !acc -> !early
          %sB = wg.slice %s at 32 : !acc -> !late
          %pA = wg.map(%sA, %negN : !early, !rows) -> !early {
          ^bb0(%x: f32, %n: f32, %r: index, %col: index):
            %e = math.fma %x, %c, %n : f32
            %y = math.exp2 %e : f32
            wg.yield %y : f32
          }
          %vN = wg.acquire %vring[%vatN] : !ring
          %oN = wg.wait_mma %o4 : !pend
          wg.release %vring[%vat] : !ring
          %pB = wg.map(%sB, %negN : !late, !rows) -> !late {
          ^bb0(%x: f32, %n: f32, %r: index, %col: index):
            %e = math.fma %x, %c, %n : f32
            %y = math.exp2 %e : f32
            wg.yield %y : f32
          }
          %p = wg.concat %pA, %pB : !early, !late -> !acc
          %lN = wg.reduce_rows addf %p, %l1 : !acc, !sum
          %ph = wg.map(%p : !acc) -> !half {
          ^bb0(%x: f32, %r: index, %col: index):
            %y = arith.truncf %x : f32 to f16
            wg.yield %y : f16
          }
          %paN = wg.relayout %ph : !half -> !opa
          scf.yield %oN, %paN, %mN, %lN, %alphaN, %movedN, %negN, %limitN, %katN, %vatN, %vN
            : !acc, !opa, !rows, !sum, !rows, i1, !rows, !rows, !to, !to, !qkv
        }
        // Every product that reads Q has been waited for.
        wg.release %qring[%qto] : !ring
        %qtoN = wg.advance %qto : !to
        %next:4 = wg.receive %mail[%mto] : !mail -> index, index, index, index

        // What the last key tile left.
        %oLast = scf.if %rest#5 -> (!acc) {
          %oScaled = wg.map(%rest#0, %rest#4 : !acc, !rows) -> !acc {
          ^bb0(%x: f32, %a: f32, %r: index, %col: index):
            %y = arith.mulf %x, %a : f32
            wg.yield %y : f32
          }
          scf.yield %oScaled : !acc
        } else {
          scf.yield %rest#0 : !acc
        }
        %l = wg.join_rows %rest#3 : !sum
        %inv = wg.map(%l : !rows) -> !rows {
        ^bb0(%x: f32, %r: index):
          %none = arith.cmpf oeq, %x, %zero : f32
          %i = arith.divf %one, %x : f32
          %y = arith.select %none, %zero, %i : f32
          wg.yield %y : f32
        }
        %logs = wg.map(%rest#2, %l : !rows, !rows) -> !rows {
        ^bb0(%mx: f32, %x: f32, %r: index):
          %none = arith.cmpf oeq, %x, %zero : f32
          %ll = math.log2 %x : f32
          %e = math.fma %mx, %c, %ll : f32
          %n = arith.mulf %e, %ln2 : f32
          %y = arith.select %none, %ninf, %n : f32
          wg.yield %y : f32
        }
        wg.store_rows %logs, %Lt rows %rowsLeft : !rows, !global_rows

        // The next tile's first product goes behind this tile's last one, under one
        // turn; the output leaves while it runs.
        %existsN = arith.cmpi slt, %next#0, %tiles : index
        %someN = arith.cmpi sgt, %next#3, %c0 : index
        %startsN = arith.andi %existsN, %someN : i1
        %sNext, %ktoN = scf.if %startsN -> (!acc, !to) {
          %q1 = wg.acquire %qring[%qtoN] : !ring
          %qw1 = wg.band %q1[%w] : !qkv -> !qband
          %k1 = wg.acquire %kring[%rest#8] : !ring
          %o2, %s2 = wg.turn -> (!pend, !pend) {
            %o1 = wg.mma_async %rest#1, %rest#10, %oLast : !opa, !qkv, !acc -> !pend
            %s1 = wg.mma_async %qw1, %k1 {transpose_b} : !qband, !qkv -> !pend
            wg.yield %o1, %s1 : !pend, !pend
          }
          %oDone, %s3 = wg.wait_mma %o2 keep(%s2 : !pend) : !pend
          wg.release %vring[%rest#9] : !ring
          %on = wg.map(%oDone, %inv : !acc, !rows) -> !half {
          ^bb0(%x: f32, %i: f32, %r: index, %col: index):
            %y = arith.mulf %x, %i : f32
            %z = arith.truncf %y : f32 to f16
            wg.yield %z : f16
          }
          // The last store has read the tile; all have written it; TMA takes it.
          wg.wait_stores read
          wg.barrier {id = 4 : i64}
          wg.put %on, %ot : !half, !otile
          wg.fence_async
          wg.barrier {id = 4 : i64}
          wg.tma_store %ot, %O[%b, %h, %row, %c0] : !otile, !omap
          %s4 = wg.wait_mma %s3 : !pend
          wg.release %kring[%rest#8] : !ring
          %ktoNext = wg.advance %rest#8 : !to
          scf.yield %s4, %ktoNext : !acc, !to
        } else {
          %o1 = wg.mma_async %rest#1, %rest#10, %oLast : !opa, !qkv, !acc -> !pend
          %oDone = wg.wait_mma %o1 : !pend
          wg.release %vring[%rest#9] : !ring
          %on = wg.map(%oDone, %inv : !acc, !rows) -> !half {
          ^bb0(%x: f32, %i: f32, %r: index, %col: index):
            %y = arith.mulf %x, %i : f32
            %z = arith.truncf %y : f32 to f16
            wg.yield %z : f16
          }
          // The last store has read the tile; all have written it; TMA takes it.
          wg.wait_stores read
          wg.barrier {id = 4 : i64}
          wg.put %on, %ot : !half, !otile
          wg.fence_async
          wg.barrier {id = 4 : i64}
          wg.tma_store %ot, %O[%b, %h, %row, %c0] : !otile, !omap
          scf.yield %zeros, %rest#8 : !acc, !to
        }
        %vtoN = wg.advance %rest#9 : !to
        scf.yield %next#0, %next#1, %next#2, %next#3, %sNext, %qtoN, %ktoN, %vtoN
          : index, index, index, index, !acc, !to, !to, !to
      } else {
        // No key: O = 0, LSE = -inf, and no slot of Q, K or V is touched.
        %noLog = wg.splat %ninf : f32 -> !rows
        wg.store_rows %noLog, %Lt rows %rowsLeft : !rows, !global_rows
        %zeroHalf = arith.constant 0.0 : f16
        %on = wg.splat %zeroHalf : f16 -> !half
        // The last store has read the tile; all have written it; TMA takes it.
        wg.wait_stores read
        wg.barrier {id = 4 : i64}
        wg.put %on, %ot : !half, !otile
        wg.fence_async
        wg.barrier {id = 4 : i64}
        wg.tma_store %ot, %O[%b, %h, %row, %c0] : !otile, !omap
        %next:4 = wg.receive %mail[%mto] : !mail -> index, index, index, index
        %existsN = arith.cmpi slt, %next#0, %tiles : index
        %someN = arith.cmpi sgt, %next#3, %c0 : index
        %startsN = arith.andi %existsN, %someN : i1
        %sNext, %ktoN = scf.if %startsN -> (!acc, !to) {
          %q = wg.acquire %qring[%qto] : !ring
          %qw = wg.band %q[%w] : !qkv -> !qband
          %k = wg.acquire %kring[%kto] : !ring
          %s1 = wg.turn -> (!pend) {
            %s2 = wg.mma_async %qw, %k {transpose_b} : !qband, !qkv -> !pend
            wg.yield %s2 : !pend
          }
          %s3 = wg.wait_mma %s1 : !pend
          wg.release %kring[%kto] : !ring
          %ktoNext = wg.advance %kto : !to
          scf.yield %s3, %ktoNext : !acc, !to
        } else {
          scf.yield %zeros, %kto : !acc, !to
        }
        scf.yield %next#0, %next#1, %next#2, %next#3, %sNext, %qto, %ktoN, %vto
          : index, index, index, index, !acc, !to, !to, !to
      }
      scf.yield %after#0, %after#1, %after#2, %after#3, %after#4, %after#5, %after#6, %after#7, %mtoN
        : index, index, index, index, !acc, !to, !to, !to, !to
    }
    // Shared memory outlives the stores that read it.
    wg.wait_stores done
  }
  gpu.return
}
}
}
