// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sm_90a adds: roles, rings that TMA fills, products in flight.
// WgOps.td includes this file; it shares its definitions.
#ifndef WG_HOPPER_OPS_TD
#define WG_HOPPER_OPS_TD

// Waiting for, or giving away, shared memory: nothing moves over it.
defvar syncEffects = [MemRead<Wg_Shared>, MemWrite<Wg_Shared>, MemWrite<Wg_Async>];

// The cursor that walks a ring on one side.
class Wg_CursorOf<string cursor, string side>
    : TypesMatchWith<"the cursor has the ring's stages", "ring", cursor,
        "::mlir::wg::CursorType::get($_self.getContext(), "
        "::llvm::cast<::mlir::wg::RingType>($_self).getStages(), "
        "::mlir::wg::Side::" # side # ")">;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

def Wg_RoleOp : Wg_Op<"role", [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "What some of the block's warpgroups do";
  let description = [{
    Warpgroups `first` to `last` - 1 of the block (128 threads each) execute the
    region, each with its own number w = 0, 1, ... as the argument; the others walk
    past. Inside, the group is the one warpgroup: tiles have 64 rows and 4 warps.
    `registers` is the budget of each of their threads. With `single_thread` only
    thread 0 of warpgroup `first` runs the region. With `ping_pong` the warpgroups
    take turns (`wg.turn`); `turn_id`, from stage `addressed` on, is the first of
    the named barriers that this takes, one for each warpgroup.

    Executed by: all threads of the block. Memory: what the region does. Lowers
    to: a branch on the warpgroup's number, `setmaxnreg.inc` / `.dec` with
    `registers`. With `ping_pong` the last warpgroup arrives on barrier `turn_id`
    before the region, so that warpgroup 0 may start; after the region warpgroup 0
    waits on it, which takes the last arrival that nobody waited for.

    ```mlir
    wg.role "producer" warpgroups 0 to 1 registers 24 single_thread {
    ^bb0(%w: index):
      ...
    }
    wg.role "consumers" warpgroups 1 to 3 registers 240 ping_pong {
    ^bb0(%w: index):
      ...
    }
    ```

    * K30: first < last; registers are a multiple of 8 from 24 to 256; the region has
      one index argument; roles do not nest; `ping_pong` is for two or more
      warpgroups, `turn_id` goes with it.
    * K31: with `single_thread` the region holds only wg ops that one thread can do:
      cursor, advance, tma_load, send, fetch_tile, slot.
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$first, I64Attr:$last, I64Attr:$registers,
                       UnitAttr:$single_thread, UnitAttr:$ping_pong,
                       OptionalAttr<I64Attr>:$turn_id);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `warpgroups` $first `to` $last `registers` $registers
    (`single_thread` $single_thread^)? (`ping_pong` $ping_pong^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getWarpgroups() { return getLast() - getFirst(); }
  }];
}

def Wg_TurnOp : Wg_Op<"turn", [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A stretch that the warpgroups of a role go through one after the other";
  let description = [{
    Waits until it is this warpgroup's turn, executes the region, and gives the
    turn to the next warpgroup (the last to the first). The results are what
    `wg.yield` yields. Every warpgroup of the role takes the same number of turns:
    what decides over turns must be the same for all of them.

    Executed by: the warpgroup. Memory: what the region does. Lowers to: `bar.sync
    turn_id + w, 256` before, `bar.arrive turn_id + (w + 1) % warpgroups, 256`
    after.

    ```mlir
    %s, %o = wg.turn -> (!wg.pending<64x128xf32, acc, warps = 4>, !wg.pending<64x128xf32, acc, warps = 4>) {
      %s1 = wg.mma_async %q, %k {transpose_b} : ...
      %o1 = wg.mma_async %p, %v, %acc : ...
      wg.yield %s1, %o1 : ...
    }
    ```

    K32: it stands in a role with `ping_pong`, not in another turn, and yields its
    results' types.
  }];
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`->` `(` qualified(type($results))^ `)`)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Rings with barriers
//===----------------------------------------------------------------------===//

def Wg_InitOp : Wg_Op<"init", [MemoryEffects<syncEffects>]> {
  let summary = "Prepares the mbarriers of rings";
  let description = [{
    Every slot becomes empty: its full barrier counts one arrival, its empty
    barrier the ring's `consumers`. All threads of the block meet at the end.

    Executed by: the block, outside roles, once, before any other use of the
    rings. Memory: writes shared memory. Lowers to: thread 0: `mbarrier.init`,
    `fence.mbarrier_init.release.cluster`, `fence.proxy.async.shared::cta`; all:
    `barrier.sync` 0.

    ```mlir
    wg.init %q, %k : !wg.ring<1 x 128x128xf16, sw128, consumers = 2>, !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
    ```

    K35: it stands outside roles, and the rings have consumers.
  }];
  let arguments = (ins Variadic<Wg_Ring>:$rings);
  let assemblyFormat = "$rings attr-dict `:` qualified(type($rings))";
  let hasVerifier = 1;
}

def Wg_CursorOp : Wg_Op<"cursor", [Pure]> {
  let summary = "The first place in a ring";
  let description = [{
    Slot 0 in round 0.

    Executed by: any thread. Memory: none. Lowers to: index 0 with parity 0
    (consumer) or 1 (producer).

    ```mlir
    %c = wg.cursor : !wg.cursor<2, consumer>
    ```
  }];
  let results = (outs Wg_Cursor:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def Wg_AdvanceOp : Wg_Op<"advance", [Pure, AllTypesMatch<["cursor", "result"]>]> {
  let summary = "The next place in a ring";
  let description = [{
    The next slot; behind the last comes slot 0 of the next round.

    Executed by: any thread. Memory: none. Lowers to: index + 1, or 0 and the
    other parity.

    ```mlir
    %next = wg.advance %c : !wg.cursor<2, consumer>
    ```
  }];
  let arguments = (ins Wg_Cursor:$cursor);
  let results = (outs Wg_Cursor:$result);
  let assemblyFormat = "$cursor attr-dict `:` qualified(type($result))";
}

def Wg_TmaLoadOp : Wg_Op<"tma_load", [Wg_CursorOf<"cursor", "Producer">]> {
  let summary = "Fills a slot of a ring from global memory";
  let description = [{
    Waits until the slot is empty, then starts
    `slot[r, c] = map[..., row + r, column + c]`, with (..., row, column) the
    coordinates, outermost first; elements outside the tensor become 0. The slot's
    full barrier completes when all bytes are there.

    Executed by: one thread of the group. Memory: reads global, writes shared
    memory (async proxy). Lowers to: `mbarrier.try_wait.parity` on empty,
    `mbarrier.arrive.expect_tx` of the whole tile's bytes on full, and one
    `cp.async.bulk.tensor` for each 64 columns.

    ```mlir
    wg.tma_load %map[%b, %h, %row, %col], %ring[%c]
      : !wg.tensor_map<128x128xf16, sw128, rank = 4>, !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
    ```

    K24: one coordinate for each dimension of the map, the map's tile is the
    ring's, and the ring has consumers.
  }];
  let arguments = (ins
    Arg<Wg_TensorMap, "tensor", [MemRead]>:$map,
    Variadic<Index>:$coords,
    Arg<Wg_Ring, "ring to fill", [MemRead<Wg_Shared>, MemWrite<Wg_Shared>, MemWrite<Wg_Async>]>:$ring,
    Wg_Cursor:$cursor
  );
  let assemblyFormat = [{
    $map `[` $coords `]` `,` $ring `[` $cursor `]` attr-dict
    `:` qualified(type($map)) `,` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def Wg_AcquireOp : Wg_Op<"acquire", [MemoryEffects<syncEffects>, Wg_CursorOf<"cursor", "Consumer">,
    TypesMatchWith<"the result is the ring's tile", "ring", "result",
                   "::llvm::cast<::mlir::wg::RingType>($_self).getTile()">]> {
  let summary = "Waits until a slot is full";
  let description = [{
    The slot's tile, complete. It may be read until this warpgroup releases it.

    Executed by: all threads of the group. Memory: orders shared memory. Lowers
    to: `mbarrier.try_wait.parity` on full, in a loop.

    ```mlir
    %k = wg.acquire %ring[%c] : !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
    ```

    K25: the ring has consumers, inside a role as many as the role has warpgroups, and
    is none of numbers (K33).
  }];
  let arguments = (ins Wg_Ring:$ring, Wg_Cursor:$cursor);
  let results = (outs Wg_Smem:$result);
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def Wg_PeekOp : Wg_Op<"peek", [Pure, Wg_CursorOf<"cursor", "Consumer">,
    TypesMatchWith<"the result is the ring's tile", "ring", "result",
                   "::llvm::cast<::mlir::wg::RingType>($_self).getTile()">]> {
  let summary = "A slot's tile without a wait";
  let description = [{
    Which tile of shared memory the slot is. What it holds is known only between a
    `wg.acquire` and a `wg.release` of the same slot; what is computed from it
    elsewhere has to be left unused.

    Executed by: all threads of the group. Memory: none. Lowers to: an address.

    ```mlir
    %k = wg.peek %ring[%c] : !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
    ```

    K25: the ring has consumers, inside a role as many as the role has warpgroups, and
    is none of numbers (K33).
  }];
  let arguments = (ins Wg_Ring:$ring, Wg_Cursor:$cursor);
  let results = (outs Wg_Smem:$result);
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def Wg_ReleaseOp : Wg_Op<"release", [MemoryEffects<syncEffects>, Wg_CursorOf<"cursor", "Consumer">]> {
  let summary = "Gives a slot back to the producer";
  let description = [{
    This warpgroup reads the slot no more: every product that reads it has been
    waited for. Where ordinary loads or stores touched the slot (`wg.get`,
    `wg.zero_rows`), a `wg.barrier` stands between, and behind stores a
    `wg.fence_async` besides.

    Executed by: one thread of each warpgroup. Memory: orders shared memory.
    Lowers to: `mbarrier.arrive` on empty.

    ```mlir
    wg.release %ring[%c] : !wg.ring<2 x 128x128xf16, sw128, consumers = 2>
    ```

    * K25 as for `wg.acquire`.
    * K36: in its block, no product that reads the tile of `wg.acquire %ring[%c]`, or
      a band of it, is waited for behind it.
  }];
  let arguments = (ins Wg_Ring:$ring, Wg_Cursor:$cursor);
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def Wg_SendOp : Wg_Op<"send", [MemoryEffects<syncEffects>, Wg_CursorOf<"cursor", "Producer">]> {
  let summary = "Numbers from the producer to the consumers";
  let description = [{
    Waits until the slot is empty, writes the values into it and marks it full.
    The values have to fit 32 bits.

    Executed by: one thread. Memory: writes shared memory. Lowers to:
    `mbarrier.try_wait.parity` on empty, `st.shared`, `mbarrier.arrive` on full.

    ```mlir
    wg.send %tile, %row, %head, %n to %mail[%c] : !wg.ring<2 x 1x4xi32, consumers = 2>
    ```

    K33: the ring has consumers and tiles 1xNxi32; there are at most N values. It
    stands in a role with `single_thread`.
  }];
  let arguments = (ins Variadic<Index>:$values, Wg_Ring:$ring, Wg_Cursor:$cursor);
  let assemblyFormat = "$values `to` $ring `[` $cursor `]` attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}

def Wg_ReceiveOp : Wg_Op<"receive", [MemoryEffects<syncEffects>, Wg_CursorOf<"cursor", "Consumer">]> {
  let summary = "Numbers from the producer";
  let description = [{
    Waits until the slot is full, reads the values that `wg.send` wrote into it,
    and gives it back. The values are the same for all threads, and known to be.

    Executed by: the warpgroup; each warp reads and arrives by its first lane.
    Memory: reads shared memory. Lowers to: `mbarrier.try_wait.parity` on full,
    `ld.shared` and `mbarrier.arrive` on empty by one lane, `shfl.sync.idx` (which
    tells ptxas that the values are uniform).

    ```mlir
    %m:2 = wg.receive %mail[%c] : !wg.ring<2 x 1x4xi32, consumers = 2> -> index, index
    ```

    K33 as for `wg.send`, but in any role that is not for a single thread (K31); K25: its
    ring has as many consumers as the role has warpgroups.
  }];
  let arguments = (ins Wg_Ring:$ring, Wg_Cursor:$cursor);
  let results = (outs Variadic<Index>:$values);
  let assemblyFormat = "$ring `[` $cursor `]` attr-dict `:` qualified(type($ring)) `->` type($values)";
  let hasVerifier = 1;
}

def Wg_FetchTileOp : Wg_Op<"fetch_tile",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "The next tile that no block has taken";
  let description = [{
    Counts `counter` up by one, from `tiles` - 1 back to 0, and returns its old
    value plus the number of blocks: a block's first tile is its own number. Each
    block fetches once for each tile below `tiles` that it works on, so a launch
    makes `tiles` fetches and leaves the counter at 0 as it found it. A result of
    `tiles` or more ends the block.

    Executed by: one thread. Memory: reads and writes global memory. Lowers to:
    `atom.global.inc.u32`.

    ```mlir
    %next = wg.fetch_tile %counter of %tiles : memref<i32>
    ```

    K34: it stands in a role with `single_thread`; the counter is i32 without
    dimensions.
  }];
  let arguments = (ins MemRefRankOf<[I32], [0]>:$counter, Index:$tiles);
  let results = (outs Index:$result);
  let assemblyFormat = "$counter `of` $tiles attr-dict `:` type($counter)";
  let hasVerifier = 1;
}

def Wg_BandOp : Wg_Op<"band", [Pure]> {
  let summary = "Some rows of a shared tile";
  let description = [{
    Band number `index` of the tile: `result[r, c] = tile[index * rows + r, c]`,
    rows those of the result, in place.

    Executed by: the group. Memory: none. Lowers to: an address.

    ```mlir
    %qw = wg.band %q[%w] : !wg.smem<128x128xf16, sw128> -> !wg.smem<64x128xf16, sw128, panel = 128>
    ```

    K29: the result's rows divide the tile's and are a multiple of 8; the result's
    panels (`sw128`) are as far apart as the tile's; all else is equal.
  }];
  let arguments = (ins Wg_Smem:$tile, Index:$index);
  let results = (outs Wg_Smem:$result);
  let assemblyFormat = "$tile `[` $index `]` attr-dict `:` qualified(type($tile)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Wg_ZeroRowsOp : Wg_Op<"zero_rows"> {
  let summary = "Zeros in the rows past an end";
  let description = [{
    `tile[r, c] = 0` for every r >= `rows`: V's rows past a sequence's length hold
    what the caller left there, and 0 * NaN is NaN. Each warpgroup zeroes before it
    reads; behind it stand a `wg.fence_async` and a `wg.barrier`, before a product
    reads the tile or its slot is released.

    Executed by: the group. Memory: writes shared memory. Lowers to: predicated
    `st.shared.v4.b32`.

    ```mlir
    wg.zero_rows %v from %n : !wg.smem<128x128xf16, sw128>
    ```
  }];
  let arguments = (ins Arg<Wg_Smem, "tile", [MemWrite<Wg_Shared>]>:$tile, Index:$rows);
  let assemblyFormat = "$tile `from` $rows attr-dict `:` qualified(type($tile))";
}

//===----------------------------------------------------------------------===//
// Products in flight
//===----------------------------------------------------------------------===//

def Wg_MmaAsyncOp : Wg_Op<"mma_async", [AttrSizedOperandSegments]> {
  let summary = "Starts a matrix product";
  let description = [{
    As `wg.mma`, but the result is in flight until `wg.wait_mma`. Without `c` the
    product starts from zero. Each op is a commit group of its own; groups finish
    in the order in which they were started. `front` holds a shared a's first
    columns in registers, which are then not read from the tile.

    Executed by: the group, each warpgroup for its 64 rows. Memory: reads its
    shared tiles, until it has been waited for (async proxy). Lowers to:
    `wgmma.fence`, one `wgmma.mma_async.sync.aligned.m64nNk16` for each 16 of K,
    `wgmma.commit_group`, in one inline assembly with c's registers tied to the
    result's.

    ```mlir
    %s = wg.mma_async %q, %k {transpose_b} : !wg.smem<64x128xf16, sw128>, !wg.smem<128x128xf16, sw128> -> !wg.pending<64x128xf32, acc, warps = 4>
    %o = wg.mma_async %p, %v, %acc : !wg.frag<64x128xf16, a, warps = 4>, !wg.smem<128x128xf16, sw128>, !wg.frag<64x128xf32, acc, warps = 4> -> !wg.pending<64x128xf32, acc, warps = 4>
    ```

    * K26: K7's rules with the pending value's fragment as c; shared tiles are
      `sw128`; 64 rows for each 4 warps; N at most 256, K a multiple of 16. `front`
      is what `wg.get` can make of a.
    * K27: a pending value is used exactly once, in the block that makes it: by
      `wg.wait_mma`, or by handing it on (`wg.yield`, `scf.yield`, a loop's initial
      value).
  }];
  let arguments = (ins
    Arg<Wg_AnyTile, "[M, K]", [MemRead<Wg_Shared>, MemWrite<Wg_Async>]>:$a,
    Arg<Wg_Smem, "[K, N] or [N, K]", [MemRead<Wg_Shared>]>:$b,
    Optional<Wg_Frag>:$c,
    Optional<Wg_Frag>:$front,
    UnitAttr:$transpose_b
  );
  let results = (outs Wg_Pending:$result);
  let assemblyFormat = [{
    $a (`front` `(` $front^ `:` qualified(type($front)) `)`)? `,` $b (`,` $c^)? attr-dict
    `:` qualified(type($a)) `,` qualified(type($b)) (`,` qualified(type($c))^)?
    `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Wg_WaitMmaOp : Wg_Op<"wait_mma",
    [MemoryEffects<syncEffects>, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "The fragment of a product in flight";
  let description = [{
    Waits until the product is done. `keep` names all products that were started
    after it and may still be in flight; it hands them on, so that their registers
    stay where they are. Products that were started before it are done as well.

    Executed by: the group. Memory: none of its own. Lowers to:
    `wgmma.wait_group.sync.aligned` with the number of kept products, in one inline
    assembly whose registers, kept ones included, are tied.

    ```mlir
    %s, %o1 = wg.wait_mma %s0 keep(%o0 : !wg.pending<64x128xf32, acc, warps = 4>) : !wg.pending<64x128xf32, acc, warps = 4>
    %o = wg.wait_mma %o1 : !wg.pending<64x128xf32, acc, warps = 4>
    ```

    * K27 for the kept values.
    * K28: every kept product was started after the one waited for, as far as the
      text shows it.
  }];
  let arguments = (ins Wg_Pending:$pending, Variadic<Wg_Pending>:$kept);
  let results = (outs Wg_Frag:$result, Variadic<Wg_Pending>:$still);
  let assemblyFormat = [{
    $pending (`keep` `(` $kept^ `:` qualified(type($kept)) `)`)? attr-dict
    `:` qualified(type($pending))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

def Wg_AnyOp : Wg_Op<"any",
    [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "Whether a predicate holds for some row of the warp";
  let description = [{
    True where the region yields true for some row that this warp holds. On partial
    rows it is asked for every lane's part, which is the same question where the
    predicate holds for a row exactly if it holds for one of the parts (a part of a
    maximum against a bound, say). The result differs from warp to warp: an scf.if
    on it may hold only what each warp does by itself.

    Executed by: each warp for itself. Memory: what the region reads. Lowers to:
    the region for each register, `or`, `vote.sync.any.pred`.

    ```mlir
    %moved = wg.any(%max, %limit : !wg.rows<64xf32, warps = 4, partial = maximumf>, !wg.rows<64xf32, warps = 4>) {
    ^bb0(%x: f32, %t: f32):
      %c = arith.cmpf ogt, %x, %t : f32
      wg.yield %c : i1
    }
    ```

    * K20: at least one operand; all have the same rows and warps; the region has one
      argument for each, yields an i1, and writes nothing.
    * K21: an scf.if on the result, also on what scf.for, scf.if and arith's and, or
      and select make of it, holds no op that needs the whole group.
  }];
  let arguments = (ins Variadic<Wg_Rows>:$operands);
  let results = (outs I1:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $operands `:` qualified(type($operands)) `)` attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Output through shared memory
//===----------------------------------------------------------------------===//

def Wg_FenceAsyncOp : Wg_Op<"fence_async", [MemoryEffects<syncEffects>]> {
  let summary = "Ordinary stores before TMA and wgmma";
  let description = [{
    What this thread stored to shared memory is visible to TMA and wgmma behind the
    next barrier. Every thread that stored executes it.

    Executed by: the group. Memory: orders shared memory. Lowers to:
    `fence.proxy.async.shared::cta`.

    ```mlir
    wg.fence_async
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Wg_TmaStoreOp : Wg_Op<"tma_store"> {
  let summary = "A shared tile to global memory, in flight";
  let description = [{
    Starts `map[..., row + r, column + c] = tile[r, c]`; elements outside the tensor
    are not written. Each op is a group of its own for `wg.wait_stores`.

    Executed by: one thread of the group. Memory: reads shared memory (async
    proxy), writes global memory. Lowers to: one `cp.async.bulk.tensor` for each 64
    columns, `cp.async.bulk.commit_group`.

    ```mlir
    wg.wait_stores read
    wg.barrier
    wg.put %o, %t : !wg.frag<64x128xf16, acc, warps = 4>, !wg.smem<64x128xf16, sw128>
    wg.fence_async
    wg.barrier
    wg.tma_store %t, %map[%b, %h, %row, %zero] : !wg.smem<64x128xf16, sw128>, !wg.tensor_map<64x128xf16, sw128, rank = 4>
    ```

    K24: one coordinate for each dimension of the map; the map's tile is the tile.
  }];
  let arguments = (ins
    Arg<Wg_Smem, "tile to read", [MemRead<Wg_Shared>, MemWrite<Wg_Async>]>:$tile,
    Arg<Wg_TensorMap, "tensor", [MemWrite]>:$map,
    Variadic<Index>:$coords
  );
  let assemblyFormat = [{
    $tile `,` $map `[` $coords `]` attr-dict `:` qualified(type($tile)) `,` qualified(type($map))
  }];
  let hasVerifier = 1;
}

def Wg_WaitStoresOp : Wg_Op<"wait_stores", [MemoryEffects<syncEffects>]> {
  let summary = "Waits for the group's TMA stores";
  let description = [{
    `read`: the tiles have been read and may be written again (a `wg.barrier` tells
    the other threads). `done`: the stores are complete, as they must be before the
    block ends.

    Executed by: the thread of the group that started them. Memory: orders shared
    memory. Lowers to: `cp.async.bulk.wait_group.read 0` or `cp.async.bulk.wait_group
    0`.

    ```mlir
    wg.wait_stores done
    ```
  }];
  let arguments = (ins Wg_StoreWait:$kind);
  let assemblyFormat = "$kind attr-dict";
}

#endif // WG_HOPPER_OPS_TD
