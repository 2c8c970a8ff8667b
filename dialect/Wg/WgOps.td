// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WG_OPS_TD
#define WG_OPS_TD

include "dialect/Wg/WgTypes.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Shared memory is a resource of its own: loads and stores of global memory do
// not order it. Copies in flight are another, so that commits and waits keep
// their places among the copies.
def Wg_Shared : Resource<"::mlir::wg::SharedMemory">;
def Wg_Async : Resource<"::mlir::wg::AsyncGroups">;

def Wg_GlobalTile : StridedMemRefRankOf<[AnyFloat, AnyInteger], [2]>;
def Wg_GlobalRows : StridedMemRefRankOf<[AnyFloat], [1]>;
def Wg_AnyTile : AnyTypeOf<[Wg_Smem, Wg_Frag], "shared tile or fragment">;
def Wg_Registers : AnyTypeOf<[Wg_Frag, Wg_Rows], "fragment or rows">;

// Widest access that the addresses allow, in bytes.
defvar bytesArg = DefaultValuedAttr<I64Attr, "16">;

class Wg_Op<string mnemonic, list<Trait> traits = []>
    : Op<Wg_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// values: tiles and products, no storage, no order but that of the values
//===----------------------------------------------------------------------===//

def Wg_LoadOp : Wg_Op<"load"> {
  let summary = "A tile of global memory as a shared tile";
  let description = [{
    `result[r, c] = r < rows ? mem[r, c] : 0`, for every r and c of the tile.
    `rows` may be zero, negative, or more than the tile has; no address of a row
    at or past `rows` is touched. `bytes` is the widest access that the addresses
    allow (`mem`'s base and row stride): 16, 8, 4, or the element's size.

    Executed by: the group. Memory: reads global memory; the result is a tile of
    its own which is complete for the whole group and is never written again.
    Lowers to: `wg.alloc`, a copy and a barrier (stage `pipelined`).

    ```mlir
    %t = wg.load %mem rows %n : memref<?x128xf16, strided<[?, 1], offset: ?>> -> !wg.smem<64x128xf16>
    ```

    * K6: `mem` has the tile's element type, its static columns and a unit stride
      along them; `bytes` is 4, 8, 16 or the element's size, and a row is a
      multiple of it.
  }];
  let arguments = (ins
    Arg<Wg_GlobalTile, "rows in global memory", [MemReadAt<0, FullEffect>]>:$mem,
    Index:$rows,
    bytesArg:$bytes
  );
  let results = (outs Wg_Smem:$result);
  let assemblyFormat = "$mem `rows` $rows attr-dict `:` type($mem) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Wg_SplatOp : Wg_Op<"splat", [Pure,
    TypesMatchWith<"the value has the result's element type", "result", "value",
                   "::mlir::wg::elementTypeOf($_self)">]> {
  let summary = "One value in every element";
  let description = [{
    `result[r, c] = value`. For partial rows the *row's* value is `value`: with
    `addf` one lane of the quad holds it and the others 0; with `maximumf` all
    hold it.

    Executed by: the group, each lane for itself. Memory: none. Lowers to: moves.

    ```mlir
    %acc = wg.splat %zero : f32 -> !wg.frag<128x64xf32, acc, warps = 4>
    ```
  }];
  let arguments = (ins AnyFloat:$value);
  let results = (outs Wg_Registers:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` qualified(type($result))";
}

def Wg_MmaOp : Wg_Op<"mma", [AllTypesMatch<["c", "result"]>]> {
  let summary = "Matrix product of tiles";
  let description = [{
    `result = a * b + c` in f32; with `transpose_b`, `result = a * b^T + c`.

    | operand | shape | held in |
    | --- | --- | --- |
    | a | [M, K] | shared memory, or a fragment in layout `a` |
    | b | [K, N]; with `transpose_b` [N, K] | shared memory |
    | c, result | [M, N], f32, layout `acc` | registers |

    Executed by: the group; each warp computes the rows that it holds. The result
    is complete when the op is. Memory: reads its shared tiles, which must be
    complete (a barrier or a wait stands between their writer and this op).
    Lowers to: `ldmatrix.sync.aligned.m8n8.x4[.trans].shared.b16`,
    `mma.sync.aligned.m16n8k16.row.col.f32.{f16,bf16}.{f16,bf16}.f32` (m16n8k8 for
    a last half step); on sm_90a `wgmma.mma_async` and its wait.

    ```mlir
    %s = wg.mma %q, %k, %zero {transpose_b}
      : !wg.smem<128x128xf16>, !wg.smem<64x128xf16>, !wg.frag<128x64xf32, acc, warps = 4>
    ```

    K7: the shapes agree as in the table; a and b have one 16-bit float type; c is
    an f32 fragment in layout `acc`; a, where it is a fragment, has layout `a` and
    c's warps; K and N are multiples of 8.
  }];
  let arguments = (ins
    Arg<Wg_AnyTile, "[M, K]", [MemRead<Wg_Shared>]>:$a,
    Arg<Wg_Smem, "[K, N] or [N, K]", [MemRead<Wg_Shared>]>:$b,
    Wg_Frag:$c,
    UnitAttr:$transpose_b
  );
  let results = (outs Wg_Frag:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $c attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `,` qualified(type($c))
  }];
  let hasVerifier = 1;
}

def Wg_MapOp : Wg_Op<"map",
    [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "Elementwise function of fragments and rows";
  let description = [{
    For every element (r, c) of the result: the region's value for the operands'
    elements at (r, c), where rows are the same along c. The region's arguments
    are one value an operand, then `index` r, then, where the result is a
    fragment, `index` c: coordinates inside the tile. The region may capture
    values of the kernel (the same for every element) and read global memory.

    Executed by: the group, each lane for its own elements. Memory: what the
    region reads. Lowers to: the region, inlined once for each register, r and c
    from the layout.

    ```mlir
    %p = wg.map(%s, %m : !wg.frag<128x64xf32, acc, warps = 4>, !wg.rows<128xf32, warps = 4>)
        -> !wg.frag<128x64xf32, acc, warps = 4> {
    ^bb0(%se: f32, %me: f32, %r: index, %c: index):
      %d = arith.subf %se, %me : f32
      %e = math.exp2 %d : f32
      wg.yield %e : f32
    }
    ```

    * K8: operands and result have the same rows and warps, fragments also the same
      columns and layout; an operand of a rows result is rows.
    * K9: the region's arguments and its `wg.yield` have the types above; the region
      writes nothing.
    * K10: partial rows meet only rows, and only in a map whose body is one
      `arith.mulf` of the one partial operand (which the result's type repeats) and
      a whole one, since that is the same for the parts as for their sum; it needs
      `partial = addf`. Or, of `partial = maximumf`, the first operand of a map that
      is `increasing`: its value for the largest part is the largest of its values.
    * `increasing` is the word of who made the map that the region's value does not
      fall where the first operand's element rises.
  }];
  let arguments = (ins Variadic<Wg_Registers>:$operands, UnitAttr:$increasing);
  let results = (outs Wg_Registers:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` ($operands^ `:` qualified(type($operands)))? `)` `->` qualified(type($result)) attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The value that the region yields for an element.
    Value getYielded();
  }];
}

def Wg_YieldOp : Wg_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "Ends a region of a wg op with its values";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` qualified(type($values)))? attr-dict";
  let builders = [OpBuilder<(ins), [{ /* yields nothing */ }]>];
}

def Wg_ReduceRowsOp : Wg_Op<"reduce_rows", [Pure, AllTypesMatch<["init", "result"]>]> {
  let summary = "Sum or maximum along the rows of a fragment";
  let description = [{
    `result[r] = combine(init[r], frag[r, 0], frag[r, 1], ...)`, in any order.
    Where init and result are partial rows, each lane joins its own elements only,
    and nothing is exchanged. maximumf: NaN where one operand is NaN. maximum_bits:
    the element with the largest bits as signed integers, which is the maximum
    where that is above 0, and where not, an element that is not above 0 either.
    minimum_bits: the one with the smallest bits as unsigned integers, the maximum
    where all elements are below 0, and where not, one that is not below 0.
    largest_bits: the one with the largest bits as unsigned integers, the minimum
    where that is below 0, and where not, the maximum; its parts are for votes. A
    NaN counts as above infinity or, with its sign bit, as below -infinity.

    Executed by: the group; whole rows exchange values in each quad. Memory: none.
    Lowers to: `add.f32` / `max.f32` / `max.s32` / `min.u32` / `max.u32` in registers, and
    for whole rows two `shfl.sync.bfly.b32`. Of integers sm_90 compares three at a time
    (VIMNMX3), of floats two.

    ```mlir
    %m = wg.reduce_rows maximumf %s, %m0 : !wg.frag<128x64xf32, acc, warps = 4>, !wg.rows<128xf32, warps = 4>
    ```

    K11: the fragment is f32 in layout `acc`; init has its rows and warps, and
    where it is partial, the op's own kind. The kinds of bits: init is partial, of
    kind maximumf.
  }];
  let arguments = (ins Wg_Combine:$kind, Wg_Frag:$frag, Wg_Rows:$init);
  let results = (outs Wg_Rows:$result);
  let assemblyFormat = "$kind $frag `,` $init attr-dict `:` qualified(type($frag)) `,` qualified(type($init))";
  let hasVerifier = 1;
}

def Wg_JoinRowsOp : Wg_Op<"join_rows", [Pure,
    TypesMatchWith<"the result is the whole rows of the operand", "rows", "result",
                   "::llvm::cast<::mlir::wg::RowsType>($_self).joined()">]> {
  let summary = "Whole rows from partial ones";
  let description = [{
    `result[r]` = the sum (`addf`) or the maximum (`maximumf`) of the parts that
    the four lanes of the row's quad hold.

    Executed by: each warp for itself. Memory: none. Lowers to: two
    `shfl.sync.bfly.b32` and adds or maxima for each register.

    ```mlir
    %l = wg.join_rows %parts : !wg.rows<64xf32, warps = 4, partial = addf>
    ```

    K17: the operand is partial.
  }];
  let arguments = (ins Wg_Rows:$rows);
  let results = (outs Wg_Rows:$result);
  let assemblyFormat = "$rows attr-dict `:` qualified(type($rows))";
  let hasVerifier = 1;
}

def Wg_SliceOp : Wg_Op<"slice", [Pure]> {
  let summary = "Some columns of a fragment";
  let description = [{
    `result[r, c] = frag[r, first + c]`. With `wg.concat` it lets something stand
    in the middle of an elementwise step: a wait between two parts of the
    exponentials, an output tile that leaves in two rounds.

    Executed by: the group. Memory: none. Lowers to: nothing (other names for
    registers).

    ```mlir
    %a = wg.slice %s at 32 : !wg.frag<64x128xf32, acc, warps = 4> -> !wg.frag<64x96xf32, acc, warps = 4>
    ```

    K18: the columns lie in the fragment, `first` is a multiple of 8 (16 in layout
    `a`), and all else is the fragment's.
  }];
  let arguments = (ins Wg_Frag:$frag, ConfinedAttr<I64Attr, [IntNonNegative]>:$first);
  let results = (outs Wg_Frag:$result);
  let assemblyFormat = "$frag `at` $first attr-dict `:` qualified(type($frag)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Wg_ConcatOp : Wg_Op<"concat", [Pure]> {
  let summary = "Fragments side by side";
  let description = [{
    The columns of the first operand, then those of the next.

    Executed by: the group. Memory: none. Lowers to: nothing.

    ```mlir
    %p = wg.concat %a, %b : !wg.frag<64x32xf32, acc, warps = 4>, !wg.frag<64x96xf32, acc, warps = 4> -> !wg.frag<64x128xf32, acc, warps = 4>
    ```

    K19: the operands' columns add up to the result's, all else is the result's;
    in layout `a` only the last may have columns that are no multiple of 16.
  }];
  let arguments = (ins Variadic<Wg_Frag>:$parts);
  let results = (outs Wg_Frag:$result);
  let assemblyFormat = "$parts attr-dict `:` qualified(type($parts)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Wg_RelayoutOp : Wg_Op<"relayout", [Pure]> {
  let summary = "An accumulator as the A operand of the next product";
  let description = [{
    `result[r, c] = frag[r, c]`. Every element stays in its lane and in its
    register.

    Executed by: the group. Memory: none. Lowers to: nothing, or the packing of
    two 16-bit values into one register.

    ```mlir
    %a = wg.relayout %p : !wg.frag<128x64xf16, acc, warps = 4> -> !wg.frag<128x64xf16, a, warps = 4>
    ```

    K12: from layout `acc` to layout `a`, all else equal.
  }];
  let arguments = (ins Wg_Frag:$frag);
  let results = (outs Wg_Frag:$result);
  let assemblyFormat = "$frag attr-dict `:` qualified(type($frag)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Wg_StoreOp : Wg_Op<"store"> {
  let summary = "A fragment to global memory";
  let description = [{
    `mem[r, c] = frag[r, c]` for every r < `rows`; other rows are not written.
    `bytes` as in `wg.load`.

    Executed by: the group. Memory: writes global memory. Lowers to:
    `st.global.b32` (two 16-bit elements), or narrower where `bytes` says so; stage
    `pipelined` may send it through shared memory for 16-byte stores.

    ```mlir
    wg.store %o, %mem rows %n : !wg.frag<128x128xf16, acc, warps = 4>, memref<?x128xf16, strided<[?, 1], offset: ?>>
    ```

    The fragment has layout `acc`; K6 holds for it and `mem`.
  }];
  let arguments = (ins
    Wg_Frag:$frag,
    Arg<Wg_GlobalTile, "rows in global memory", [MemWriteAt<0, PartialEffect>]>:$mem,
    Index:$rows,
    bytesArg:$bytes
  );
  let assemblyFormat = "$frag `,` $mem `rows` $rows attr-dict `:` qualified(type($frag)) `,` type($mem)";
  let hasVerifier = 1;
}

def Wg_StoreRowsOp : Wg_Op<"store_rows"> {
  let summary = "Rows to global memory";
  let description = [{
    `mem[r] = rows[r]` for every r < `count`; others are not written.

    Executed by: the group, one lane of each quad. Memory: writes global memory.
    Lowers to: predicated `st.global.f32`.

    ```mlir
    wg.store_rows %lse, %mem rows %n : !wg.rows<128xf32, warps = 4>, memref<?xf32, strided<[?], offset: ?>>
    ```

    K13: whole rows, and `mem` has their element type.
  }];
  let arguments = (ins
    Wg_Rows:$values,
    Arg<Wg_GlobalRows, "values in global memory", [MemWriteAt<0, PartialEffect>]>:$mem,
    Index:$rows
  );
  let assemblyFormat = "$values `,` $mem `rows` $rows attr-dict `:` qualified(type($values)) `,` type($mem)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// pipelined: storage, copies, barriers
//===----------------------------------------------------------------------===//

def Wg_AllocOp : Wg_Op<"alloc"> {
  let summary = "Storage in shared memory";
  let description = [{
    Names storage for one tile or one ring for the time of the kernel. From stage
    `addressed` on, `offset` is the place of the tiles, in bytes from the start of
    the block's dynamic shared memory, and `barrier_offset` that of a ring's
    mbarriers: the full ones, then the empty ones, 8 bytes each.

    Executed by: the group, without work. Memory: allocates shared memory.
    Lowers to: an address.

    ```mlir
    %k = wg.alloc : !wg.ring<2 x 64x128xf16>
    %q = wg.alloc {offset = 32768} : !wg.smem<128x128xf16>
    ```

    K14: `offset` is not negative and a multiple of the layout's alignment (128
    bytes, `sw128` 1024); `barrier_offset` stands on a ring with consumers and is a
    multiple of 8.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset, OptionalAttr<I64Attr>:$barrier_offset);
  let results = (outs Res<AnyTypeOf<[Wg_Smem, Wg_Ring]>, "", [MemAlloc<Wg_Shared>]>:$result);
  let builders = [
    // Without a place yet.
    OpBuilder<(ins "::mlir::Type":$type, CArg<"::mlir::IntegerAttr", "{}">:$offset),
      [{ build($_builder, $_state, type, offset, /*barrier_offset=*/::mlir::IntegerAttr()); }]>
  ];
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Wg_SlotOp : Wg_Op<"slot", [Pure,
    TypesMatchWith<"the result is the ring's tile", "ring", "result",
                   "::llvm::cast<::mlir::wg::RingType>($_self).getTile()">]> {
  let summary = "A tile of a ring";
  let description = [{
    Tile number `index` of the ring, 0 <= index < stages; nothing is waited for.

    Executed by: the group. Memory: none. Lowers to: an address.

    ```mlir
    %t = wg.slot %ring[%i] : !wg.ring<2 x 64x128xf16>
    ```
  }];
  let arguments = (ins Wg_Ring:$ring, Index:$index);
  let results = (outs Wg_Smem:$result);
  let assemblyFormat = "$ring `[` $index `]` attr-dict `:` qualified(type($ring))";
}

class Wg_CopyBase<string mnemonic, list<MemoryEffect> more> : Wg_Op<mnemonic> {
  let arguments = (ins
    Arg<Wg_GlobalTile, "rows in global memory", [MemReadAt<0, FullEffect>]>:$mem,
    Arg<Wg_Smem, "tile to fill", !listconcat([MemWrite<Wg_Shared>], more)>:$tile,
    Index:$rows,
    bytesArg:$bytes
  );
  let assemblyFormat = "$mem `,` $tile `rows` $rows attr-dict `:` type($mem) `,` qualified(type($tile))";
  let hasVerifier = 1;
}

def Wg_CopyOp : Wg_CopyBase<"copy", []> {
  let summary = "Global memory to a shared tile";
  let description = [{
    `tile[r, c] = r < rows ? mem[r, c] : 0`, as `wg.load` says. Each thread's part
    is written when the op is done; others see it behind a `wg.barrier`.

    Executed by: the group. Memory: reads global, writes shared memory. Lowers
    to: `ld.global` and `st.shared`, `bytes` wide.

    ```mlir
    wg.copy %mem, %t rows %n {bytes = 2 : i64} : memref<?x72xf16, strided<[?, 1], offset: ?>>, !wg.smem<64x72xf16>
    ```

    K6 holds for `mem` and the tile.
  }];
}

def Wg_CopyAsyncOp : Wg_CopyBase<"copy_async", [MemWrite<Wg_Async>]> {
  let summary = "Global memory to a shared tile, in flight";
  let description = [{
    As `wg.copy`, but the data arrive later: a `wg.wait_copies` that covers the
    group to which this copy is committed, then a `wg.barrier`, make them visible.
    Until then the tile holds nothing known.

    Executed by: the group. Memory: reads global, writes shared memory. Lowers
    to: `cp.async.cg.shared.global` (16 bytes) or `cp.async.ca.shared.global` (4,
    8), with source size 0 for the rows that do not exist.

    ```mlir
    wg.copy_async %mem, %t rows %n : memref<?x128xf16, strided<[?, 1], offset: ?>>, !wg.smem<64x128xf16>
    wg.commit_copies
    wg.wait_copies 0
    wg.barrier
    ```

    K6 holds for `mem` and the tile. K15: `bytes` is at least 4.
  }];
}

def Wg_CommitCopiesOp : Wg_Op<"commit_copies", [MemoryEffects<[MemWrite<Wg_Async>]>]> {
  let summary = "Makes a group of the copies issued since the last commit";
  let description = [{
    The group may be empty; it counts all the same.

    Executed by: the group. Lowers to: `cp.async.commit_group`.

    ```mlir
    wg.commit_copies
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Wg_WaitCopiesOp : Wg_Op<"wait_copies",
    [MemoryEffects<[MemWrite<Wg_Async>, MemRead<Wg_Shared>, MemWrite<Wg_Shared>]>]> {
  let summary = "Waits for groups of copies";
  let description = [{
    Returns when all but the `newer` newest groups are done, for the copies of the
    executing thread; a `wg.barrier` behind it covers those of the others.

    Executed by: the group. Lowers to: `cp.async.wait_group newer`.

    ```mlir
    wg.wait_copies 1
    ```
  }];
  let arguments = (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$newer);
  let assemblyFormat = "$newer attr-dict";
}

def Wg_BarrierOp : Wg_Op<"barrier",
    [MemoryEffects<[MemRead<Wg_Shared>, MemWrite<Wg_Shared>]>]> {
  let summary = "All threads of the group meet";
  let description = [{
    No thread goes on before all have come; what they wrote to shared memory
    before is visible to all after it. `id`, from stage `addressed` on, is the
    number of the named barrier; inside a role warpgroup w takes `id` + w.

    Executed by: the group: the block, inside `wg.role` the warpgroup. Memory:
    orders shared memory. Lowers to: `barrier.sync.aligned` 0 with all threads, or
    `bar.sync` id + w with 128.

    ```mlir
    wg.barrier
    wg.barrier {id = 4 : i64}
    ```
  }];
  let arguments = (ins OptionalAttr<ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<15>]>>:$id);
  let builders = [
    // Without a number yet.
    OpBuilder<(ins), [{ build($_builder, $_state, /*id=*/::mlir::IntegerAttr()); }]>
  ];
  let assemblyFormat = "attr-dict";
}

def Wg_PutOp : Wg_Op<"put"> {
  let summary = "A fragment to a shared tile";
  let description = [{
    `tile[r, c] = frag[r, c]`. Others see it behind a `wg.barrier`.

    Executed by: the group. Memory: writes shared memory. Lowers to:
    `st.shared.b32` (two 16-bit elements; no bank conflicts).

    ```mlir
    wg.put %o, %t : !wg.frag<128x128xf16, acc, warps = 4>, !wg.smem<128x128xf16>
    ```

    K16: shape and element type are the tile's; the layout is `acc`.
  }];
  let arguments = (ins Wg_Frag:$frag,
                       Arg<Wg_Smem, "tile to fill", [MemWrite<Wg_Shared>]>:$tile);
  let assemblyFormat = "$frag `,` $tile attr-dict `:` qualified(type($frag)) `,` qualified(type($tile))";
  let hasVerifier = 1;
}

def Wg_GetOp : Wg_Op<"get"> {
  let summary = "The first columns of a shared tile in registers";
  let description = [{
    `frag[r, c] = tile[r, c]` for every column c of the fragment.

    Executed by: the group. Memory: reads shared memory. Lowers to:
    `ldmatrix.sync.aligned.m8n8.x4`.

    ```mlir
    %qr = wg.get %q : !wg.smem<64x128xf16, sw128> -> !wg.frag<64x96xf16, a, warps = 4>
    ```

    K37: rows and element type are the tile's, the columns at most as many and a
    multiple of 16; the layout is `a`.
  }];
  let arguments = (ins Arg<Wg_Smem, "tile to read", [MemRead<Wg_Shared>]>:$tile);
  let results = (outs Wg_Frag:$result);
  let assemblyFormat = "$tile attr-dict `:` qualified(type($tile)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Wg_CopyOutOp : Wg_Op<"copy_out"> {
  let summary = "A shared tile to global memory";
  let description = [{
    `mem[r, c] = tile[r, c]` for every r < `rows`; other rows are not written.

    Executed by: the group. Memory: reads shared, writes global memory. Lowers
    to: `ld.shared` and `st.global`, `bytes` wide.

    ```mlir
    wg.copy_out %t, %mem rows %n : !wg.smem<128x128xf16>, memref<?x128xf16, strided<[?, 1], offset: ?>>
    ```

    K6 holds for `mem` and the tile.
  }];
  let arguments = (ins
    Arg<Wg_Smem, "tile to read", [MemRead<Wg_Shared>]>:$tile,
    Arg<Wg_GlobalTile, "rows in global memory", [MemWriteAt<0, PartialEffect>]>:$mem,
    Index:$rows,
    bytesArg:$bytes
  );
  let assemblyFormat = "$tile `,` $mem `rows` $rows attr-dict `:` qualified(type($tile)) `,` type($mem)";
  let hasVerifier = 1;
}

include "dialect/Wg/WgHopperOps.td"

#endif // WG_OPS_TD
