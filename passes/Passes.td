// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_PASSES_TD
#define FA_PASSES_TD

include "mlir/Pass/PassBase.td"

def FaEntryToBuffers : Pass<"fa-entry-to-buffers", "ModuleOp"> {
  let summary = "Give the entry function its final arguments";
  let description = [{
    Finds the function that holds the one `fa.attention` (or the one named by
    `entry`) and makes its arguments the artefact's: a memref of any strides for
    each tensor, named by `fa.tensor`, results as memrefs after them, and the
    scale as the last argument. Inside, `bufferization.to_tensor` and
    `materialize_in_destination` join the new arguments to the old values, so that
    one-shot bufferization can finish the step.

    ```mlir
    func.func @f(%q: tensor<1x2x8x64xf16>, ...) -> tensor<1x2x8x64xf16>
    ==>
    func.func @f(%q: memref<1x2x8x64xf16, strided<[?, ?, ?, 1], offset: ?>>
                   {fa.tensor = #fa.tensor<"q", in, [1, 2, 8, 64]>}, ...,
                 %o: memref<...> {fa.tensor = #fa.tensor<"o", out, [1, 2, 8, 64]>},
                 %scale: f32 {fa.name = "scale"})
    ```

    The function's name is the artefact's; '.' and '$' in it become '_'. Other ops
    in the function may only be constants, `tensor.empty`, `tensor.dim` and casts;
    an argument that is no operand of the attention must be named by `fa.name`,
    and not as an operand is. `fa.dims = ["B", "Hq", "Sq", "Sk"]` beside the name
    says which extents it shares, so that a launch with others is refused; ""
    stands for one of its own.
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"",
           "Name of the entry function, where several hold an attention op">
  ];
  let dependentDialects = ["bufferization::BufferizationDialect"];
}

def FaChooseSchedule : Pass<"fa-choose-schedule", "ModuleOp"> {
  let summary = "Choose the schedule of each attention op from the table";
  let description = [{
    Sets `schedule` where the op has none. The rows stand in
    dialect/Target/schedules.txt with the reason for each. Options other than
    `chip` overrule single fields, also of a schedule that the op has. Where several
    rows apply, or tiles may come by TMA, which not all tensors allow, the op gets
    `fa.versions` besides.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"cpu\"",
           "The chip whose rows are asked: cpu, sm_80, ...">,
    Option<"queryTile", "query-tile", "int64_t", /*default=*/"0",
           "Rows of a query tile; 0 leaves the table's">,
    Option<"keyTile", "key-tile", "int64_t", /*default=*/"0",
           "Keys of a key tile; 0 leaves the table's">,
    Option<"warps", "warps", "int64_t", /*default=*/"0",
           "Warps that share a query tile; 0 leaves the table's">,
    Option<"stages", "stages", "int64_t", /*default=*/"0",
           "Depth of the ring of K and V tiles; 0 leaves the table's">,
    Option<"mask", "mask", "std::string", /*default=*/"",
           "every, guard or split; empty leaves the table's">,
    Option<"fields", "fields", "std::string", /*default=*/"",
           "Any fields, as #fa.schedule spells them: \"grid = counter, v_wait = 16\"">
  ];
}

def FaVersionSchedule : Pass<"fa-version-schedule", "ModuleOp"> {
  let summary = "Make a function of each version of an attention op";
  let description = [{
    Stage buffers. A function whose op has `fa.versions` is copied for each that a
    launch can take: `NAME_short_tma`, `NAME_tma`, `NAME`. The attributes `fa.tma`
    and `fa.most_keys` of a function hold the version's conditions.
  }];
}

def FaTile : Pass<"fa-tile", "ModuleOp"> {
  let summary = "Tile attention into a parallel loop over query tiles";
  let description = [{
    buffers -> tiled. `scf.forall (batch, head, query tile)` around the same op on
    one query tile and all its keys; `at` tells the tile where it stands. In the
    packed form the loop is over (head, tile), and each iteration first finds the
    sequence that its tile belongs to. The mapping says that an iteration is a
    block, and keeps the loop where it has a single one.

    ```mlir
    fa.attention ins(%q, %k, %v : ...) outs(%o : ...)
      {schedule = #fa.schedule<query_tile = 64, key_tile = 32>}
    ==>
    scf.forall (%b, %h, %t) in (2, 8, 2) {
      %i = affine.apply affine_map<()[s0] -> (s0 * 64)>()[%t]
      %n = affine.min affine_map<()[s0] -> (s0 * -64 + 100, 64)>()[%t]
      %hk = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%h)
      ... memref.subview of one tile of q and o, and of one head of k and v ...
      fa.attention ins(...) outs(...) at(%b, %h, %i of %c100)
    } {fa.schedule = ..., mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "gpu::GPUDialect",
                           "memref::MemRefDialect", "scf::SCFDialect"];
}

def FaOnline : Pass<"fa-online", "ModuleOp"> {
  let summary = "Rewrite attention on a query tile to online softmax";
  let description = [{
    tiled -> online. A loop over key tiles carries the running row max, the row
    sum and the accumulator; each iteration multiplies Q by one tile of K,
    updates the three, and adds P times the tile of V. Tiles have static sizes:
    rows and keys that do not exist are zeros (`tensor.pad`) and masked
    (`fa.keep`). Every key tile is visited and masked here.

    ```mlir
    fa.attention ins(%q, %k, %v : ...) outs(%o : ...) scale(%scale) at(%b, %h, %i of %sq)
    ==>
    %r:3 = scf.for %j = %c0 to %sk step %c8 iter_args(%m, %l, %acc) {
      %s   = linalg.matmul ins(%qt, %kt)          %s1 = mask (fa.keep ? s : -inf)
      %mx  = row_max(%s1)                         %ref = max(%m, %mx), 0 for -inf
      %p   = exp((%s1 - %ref) * %scale)           %al = exp((%m - %ref) * %scale)
      %m1  = max(%m, %mx)                         %l1 = %al * %l + row_sum(%p)
      %acc1 = linalg.matmul ins(round(%p), %vt) outs(%al * %acc)
      scf.yield %m1, %l1, %acc1
    }
    ```
  }];
  let dependentDialects = [
    "affine::AffineDialect", "arith::ArithDialect",
    "bufferization::BufferizationDialect", "linalg::LinalgDialect",
    "math::MathDialect", "memref::MemRefDialect", "scf::SCFDialect",
    "tensor::TensorDialect"];
}

def FaMaskTiles : Pass<"fa-mask-tiles", "ModuleOp"> {
  let summary = "Skip key tiles that a mask drops, and masks that keep a tile";
  let description = [{
    online -> masked. Optional: without it every key tile is visited and masked.
    From each `fa.keep` in a key loop this derives which key tiles hold a kept
    position at all (the loop's bounds) and which hold only kept ones (there the
    mask falls away): by a guard around the mask, or by splitting the loop. Only
    a body that does nothing but mask is told apart; others are left alone with a
    remark.

    ```mlir
    scf.for %j0 = %c0 to %sk step %c8 {
      %masked = linalg.generic {... select (fa.keep <top_left, causal>), %x, -inf ...}
    ==>
    %end = min(%first + 4, %sq, %sk)      // one past the last row's last key
    %full = min(%first + 1, %sk)          // one past the first row's
    scf.for %j0 = %c0 to %end step %c8 {
      %edge = arith.cmpi sgt, %j0 + 8, %full
      %masked = scf.if %edge { the mask } else { scf.yield %scores }
    ```
  }];
  let options = [
    Option<"style", "style", "std::string", /*default=*/"",
           "every (bounds only), guard or split; empty takes the schedule's">
  ];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect"];
}

def FaOrderTiles : Pass<"fa-order-tiles", "ModuleOp"> {
  let summary = "Give out the heaviest query tiles of several heads first";
  let description = [{
    masked -> the same; loops over (batch, head, tile) whose schedule has a
    `head_group`. The loop gets one number n: heads go in groups whose K and V take
    that many MiB together; in a group the number of the tile is the slow part of
    n and the head the fast one (test/passes/FaOrderTiles.mlir).

    ```mlir
    scf.forall (%b, %h, %t) in (%B, %H, %T) { ... }
    ==>
    %group = clamp(head_group / bytes of a head's K and V, 1, ...) * %H / %Hkv
    scf.forall (%n) in (%B * %H * %T) {
      %first = %n / (%group * %T) * %group      %size = min(%group, %B * %H - %first)
      %t = %n % (%group * %T) / %size           %bh = %first + %n % (%group * %T) % %size
      %b = %bh / %H                             %h = %bh % %H
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "memref::MemRefDialect", "scf::SCFDialect"];
}

def FaOutline : Pass<"fa-outline", "ModuleOp"> {
  let summary = "Make the body of the parallel loop a kernel function";
  let description = [{
    masked -> outlined. The iteration becomes a function of flat arguments:
    addresses, sizes, strides and scalars, each with an `fa.param` attribute that
    says what it carries. The host's side of the loop becomes data: the module
    attribute `fa.manifest`, with the grid as an expression over the tensors'
    sizes. On the CPU the tile's number is the last argument, on a GPU it is
    `gpu.block_id x`.

    ```mlir
    func.func @kernel(%q: memref<?x4x64xf16, strided<[?, ?, 1], offset: ?>>
                        {fa.tensor = #fa.tensor<"q", in, ["S", 4, 64]>}, ...) {
      %tiles = affine.apply affine_map<()[s0] -> (s0 ceildiv 16)>()[%s]
      scf.forall (%h, %t) in (4, %tiles) { ... }
    ==>
    fa.manifest: grid = ["mul", 4, ["ceildiv", ["size", "q", 0], 16]],
                 params = [["pointer", "q"], ["size", "q", 0], ...], tensors, scalars
    func.func @kernel(%q: memref<f16> {fa.param = #fa.param<pointer "q">},
                      %s: index {fa.param = #fa.param<size "q"[0]>}, ..., %tile: index) {
      %qm = memref.reinterpret_cast %q to offset: [0], sizes: [%s, 4, 64], strides: [%q0, %q1, 1]
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"cpu\"",
           "cpu, or the GPU that the kernel is for">
  ];
  let dependentDialects = ["affine::AffineDialect", "gpu::GPUDialect",
                           "memref::MemRefDialect"];
}

def FaExpandKeep : Pass<"fa-expand-keep", "ModuleOp"> {
  let summary = "Turn fa.keep into comparisons";
  let description = [{
    The part of the coordinates that is the same for a whole tile is folded into
    one 32-bit limit a tile; an element then takes a 32-bit comparison.

    ```mlir
    linalg.generic { %kept = fa.keep #fa.mask<top_left, causal>(%i0 + row, %j0 + column) of (%sq, %sk)
    ==>
    %end = clamp(%sk - %j0) : i32       %limit = clamp(%i0 - %j0) : i32
    linalg.generic { %kept = column < %end and column - row <= %limit
    ```
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def FaExpToExp2 : Pass<"fa-exp-to-exp2", "ModuleOp"> {
  let summary = "Turn exp into exp2, which chips have";
  let description = [{
    `exp(x)` that may be approximate (`fastmath<afn>`, as the softmax's is; a
    region's is not) becomes `exp2(x * log2(e))`. Where x is a product with a
    value that is the same for the whole tile, log2(e) is multiplied into that
    value once, and what overflows becomes the largest finite number.

    ```mlir
    linalg.generic { %p = arith.mulf %e, %s     %y = math.exp %p fastmath<afn>
    ==>
    %factor = arith.mulf %s, 1.44269502         // then clamped
    linalg.generic { %x = arith.mulf %e, %factor     %y = math.exp2 %x
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect"];
}

def FaVersionAccess : Pass<"fa-version-access", "ModuleOp"> {
  let summary = "Add a kernel for tensors whose rows are aligned to 16 bytes";
  let description = [{
    GPU only. Each kernel is copied: the copy, `NAME_wide`, may touch global
    memory 16 bytes at a time, and its launch predicate asks that the addresses
    and strides of q, k, v and o allow it. The kernel as it was remains for all
    other tensors, behind it and with a note that says why it was taken.
  }];
  let dependentDialects = ["gpu::GPUDialect"];
}

def FaRequireTma : Pass<"fa-require-tma", "ModuleOp"> {
  let summary = "Let kernels with TMA be launched where TMA can load";
  let description = [{
    Stage outlined, behind `fa-version-access`. The launch predicate of a kernel
    with `fa.tma` asks besides that q, k, v and o can have tensor maps. One whose
    static shapes rule that out is removed, with a remark: another version takes
    all launches.
  }];
  let dependentDialects = ["gpu::GPUDialect"];
}

def FaToWg : Pass<"fa-to-wg", "ModuleOp"> {
  let summary = "Put a kernel's tiles into registers and shared memory";
  let description = [{
    outlined -> values. Op for op: `linalg.matmul` to `wg.mma`, elementwise and
    row-reducing `linalg.generic` to `wg.map` and `wg.reduce_rows`, padded rows
    of a memref to `wg.load`. Nothing depends on what an op is for.
  }];
  let dependentDialects = ["wg::WgDialect", "gpu::GPUDialect",
                           "memref::MemRefDialect", "scf::SCFDialect"];
}

def WgRotate : Pass<"wg-rotate", "ModuleOp"> {
  let summary = "Put each tile's product with V behind the next one's scores";
  let description = [{
    Stage values, in front of `wg-tma-rings`; kernels with `fa.tma` whose schedule
    says `rotate`. The first key tile stands in front of the loops. The end of a
    tile (rescale of the accumulator, load of V, product with it) moves into the
    next iteration, of this loop or the next, behind its first product; the end of
    the last tile stands behind the loops. P, what rescales, and V's place are
    carried (test/passes/WgRotate.mlir).

    ```mlir
    scf.for ... iter_args(%o, ...)           scf.for ... iter_args(%o, ..., %v0, %n, %a0, %p0)
      %s = wg.mma %q, %k ...                   %s = wg.mma %q, %k ...
      ... %p, %a                               %o1 = wg.map(%o, %a0) ...
      %o1 = wg.map(%o, %a) ...        ==>      %v = wg.load %V at %v0 ...
      %v = wg.load ...                         %o2 = wg.mma %p0, %v, %o1
      %o2 = wg.mma %p, %v, %o1                 ... %p, %a
      scf.yield %o2, ...                       scf.yield %o2, ..., %a, %p
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "scf::SCFDialect", "wg::WgDialect"];
}

def WgPersist : Pass<"wg-persist", "ModuleOp"> {
  let summary = "Let blocks stay for several query tiles";
  let description = [{
    Stage values, in front of `wg-tma-rings`; kernels with `fa.tma` whose schedule
    has another `grid` than `blocks`. What a block does for its tile becomes the
    body of a loop over every n-th tile, n the number of blocks; the manifest's
    grid ends at the device's number of multiprocessors.

    ```mlir
    %t = gpu.block_id x                %first = gpu.block_id x
    ...                        ==>     %n = gpu.grid_dim x
                                       scf.for %t = %first to %tiles step %n { ... }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect"];
}

def WgFirstTile : Pass<"wg-first-tile", "ModuleOp"> {
  let summary = "Join and rescale nothing in front of the first key tile";
  let description = [{
    Stage values. A maximum with -inf becomes its other operand, and a factor exp2((-inf - m) * c) that multiplies zeros only, as that
    of a first tile in front of loops over the others does, becomes 1:

    ```mlir
    %a = wg.map(%lows, %m) { exp2 }         %a = wg.splat 1.0
    %l = wg.map(%a, %zeros) { x * y }  ==>  ...
    %o = wg.map(%a, %zeros) { x * y }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "wg::WgDialect"];
}

def WgThreshold : Pass<"wg-threshold", "ModuleOp"> {
  let summary = "Move a row's reference only for scores far above it";
  let description = [{
    Stage values; kernels whose schedule has a `threshold` T. The maximum of a
    tile's scores counts only in rows where a score passes the reference by more
    than T (in the exponent); the exchange between lanes is under a warp's vote
    whether there is such a row.

    ```mlir
    %mx = wg.reduce_rows maximumf %s, %lows
    ==>
    %part = wg.reduce_rows maximumf %s, %partialLows
    %asks = wg.any(%part, %limit) { ... x > limit }
    %new = scf.if %asks { ... wg.join_rows %part + lift where above, else %m } else { %m }
    ```

    Maps that joined `%mx` with the reference `%m` read `%new`. Where exponentials
    are rounded to bf16, references are set 4 (in the exponent) above the maximum, so
    that they stay longer where maxima grow; a first tile's (`wg-first-tile`), which
    a loop carries on, is raised too. f16 has no bits to give away: without any
    below 2^-24 it loses many keys that are far below one other.
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "wg::WgDialect"];
}

def WgGuardRescale : Pass<"wg-guard-rescale", "ModuleOp"> {
  let summary = "Leave rescales by 1 out";
  let description = [{
    Stage values, behind `wg-rotate`; kernels with `fa.tma` or a `threshold`. A
    rescale of an accumulator in front of a product goes under a warp's vote whether
    some factor is not 1.

    ```mlir
    %o1 = wg.map(%o, %alpha) { x * a }
    ==>
    %moved = wg.any(%alpha) { a != 1 }
    %o1 = scf.if %moved { wg.map(%o, %alpha) ... } else { %o }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "wg::WgDialect"];
}

def WgTmaRings : Pass<"wg-tma-rings", "ModuleOp"> {
  let summary = "Bring the tiles of fa.tma kernels by TMA, through rings";
  let description = [{
    Stage values, in front of `wg-expand-loads`; kernels with `fa.tma`. Each load
    of rows of one of the kernel's tensors becomes a fill of a ring's slot, a wait
    for it, and its release behind the last reader (test/passes/WgTmaRings.mlir):

    ```mlir
    %t = wg.load %rows rows %n : memref<...> -> !wg.smem<128x128xf16, sw128>
    %s = wg.mma %q, %t, %zeros {transpose_b} : ...
    ==>
    wg.tma_load %map[%b, %h, %row, %c0], %ring[%from] : ...
    %from1 = wg.advance %from : ...
    %t = wg.acquire %ring[%to] : ...
    %to1 = wg.advance %to : ...
    %s = wg.mma %q, %t, %zeros {transpose_b} : ...
    wg.release %ring[%to] : ...
    ```

    A tensor has one map and one ring, in all loops. Where the rows that a load
    leaves out may exist in the tensor (lengths, packed sequences) they are set to
    zero in the slot. A kernel with a load that TMA cannot do is left out, with a
    remark: the kernel behind it in the manifest takes its place.
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "wg::WgDialect"];
}

def WgSpecialize : Pass<"wg-specialize", "ModuleOp"> {
  let summary = "Divide kernels that load by TMA into producer and consumers";
  let description = [{
    pipelined -> specialized. The loads and what they depend on become the role
    `producer`, one thread of one more warpgroup; all else becomes the role
    `consumers`, each warpgroup with its 64 rows of the block's tiles.

    ```mlir
    wg.tma_load ...                     wg.role "producer" warpgroups 0 to 1 ...
    %k = wg.acquire ...          ==>      wg.tma_load ...
    %s = wg.mma %q, %k, ...             wg.role "consumers" warpgroups 1 to 3 ...
                                          %k = wg.acquire ...
                                          %qw = wg.band %q[%w] ...
                                          %s = wg.mma %qw, %k, ...
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect",
                           "wg::WgDialect"];
}

def WgFetchTiles : Pass<"wg-fetch-tiles", "ModuleOp"> {
  let summary = "Take the next tile from a counter in memory";
  let description = [{
    Stage specialized, behind `wg-persist` and `wg-specialize`; kernels whose
    schedule says `grid = counter`. The producer fetches the number of its next
    tile and sends it to the consumers, with what they would have to divide for;
    the counter, scratch memory of the manifest, is 0 again when all blocks are
    done (test/passes/WgFetchTiles.mlir).

    ```mlir
    // producer                             // producer
    scf.for %t = %block to %tiles           scf.while (%t = %block) {
        step %blocks { ... }                  wg.send %t, ... to %mail[...]
                                              scf.condition(%t < %tiles)
    // consumers                     ==>    } do {
    scf.for %t = %block to %tiles             ...
        step %blocks { ... }                  %next = wg.fetch_tile %counter of %tiles }
                                            // consumers
                                            %first:2 = wg.receive %mail[...]
                                            scf.while (%t = %first#0, ...) { %t != -1 } do {
                                              ...
                                              %next:2 = wg.receive %mail[...] }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "wg::WgDialect"];
}

def WgStoreTma : Pass<"wg-store-tma", "ModuleOp"> {
  let summary = "Store O by TMA, from a shared tile of each warpgroup";
  let description = [{
    Stage specialized; kernels whose schedule says `tma_store`. Only where the rows
    that a store leaves out do not exist in the tensor: TMA leaves out no others.
    More than 128 columns leave in rounds through the same tile.

    ```mlir
    wg.store %o, %rows rows %n     ==>    wg.wait_stores read
                                          wg.barrier
                                          wg.put %o, %tile
                                          wg.fence_async
                                          wg.barrier
                                          wg.tma_store %tile, %map[...]
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "wg::WgDialect"];
}

def WgLateQueries : Pass<"wg-late-queries", "ModuleOp"> {
  let summary = "Load a query tile behind its first key tile";
  let description = [{
    Stage values, in front of `wg-tma-rings`; kernels whose blocks stay for several
    query tiles and have one buffer for Q. The load of a tile that is used in one
    branch alone moves there, in front of its first user and behind the loads that
    stand there already. Tiles without keys then load nothing.

    ```mlir
    %q = wg.load %queries             scf.if %keys {
    scf.if %keys {                      %k = wg.load %first
      %k = wg.load %first       ==>     %q = wg.load %queries
      wg.mma %q, %k ...                 wg.mma %q, %k ...
    ```
  }];
}

def WgLaunchValues : Pass<"wg-launch-values", "ModuleOp"> {
  let summary = "Let the host divide what a launch knows";
  let description = [{
    Stage specialized; kernels with `fa.tma` whose blocks stay for several tiles.
    Index arithmetic on sizes and constants that divides becomes an argument, told
    by the manifest as an expression.

    ```mlir
    gpu.func @f(%s: index {size}) {         gpu.func @f(%s: index {size}, %n: index
      %n = affine.apply                         {fa.param = ["expr", ["ceildiv",
          ceildiv(%s, 128)           ==>           ["size", "q", 2], 128]]}) {
      use %n                                  use %n
    ```
  }];
}

def WgNarrowIndices : Pass<"wg-narrow-indices", "ModuleOp"> {
  let summary = "Count in 32 bits";
  let description = [{
    Stage async; kernels with `fa.tma` whose blocks stay for several tiles; their
    launch predicate bounds extents and the number of tiles. Index arithmetic and carried indices of the roles become
    i32, but for what depends on strides and for the regions of elementwise ops.

    ```mlir
    %k = arith.addi %j, %c128 : index        %k = arith.addi %j, %c128 : i32
    wg.tma_load %map[..., %k, ...]     ==>   %wide = arith.index_cast %k : i32 to index
                                             wg.tma_load %map[..., %wide, ...]
    ```
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

def WgAsync : Pass<"wg-async", "ModuleOp"> {
  let summary = "Start the products of roles, and wait for them late";
  let description = [{
    specialized -> async. Each product in a role is started where it stood and
    waited for in front of the first op that reads its result, or at the end of
    its block. Products in between stay in flight (`keep`). A slot's release moves
    behind the wait of the last product that reads it.

    ```mlir
    %s = wg.mma %q, %k, %zeros ...       %p = wg.mma_async %q, %k ...
    wg.release %kring[%c]          ==>   %s = wg.wait_mma %p
    %m = wg.reduce_rows ... %s           wg.release %kring[%c]
                                         %m = wg.reduce_rows ... %s
    ```
  }];
  let dependentDialects = ["wg::WgDialect"];
}

def WgOverlapTiles : Pass<"wg-overlap-tiles", "ModuleOp"> {
  let summary = "Start a query tile's first scores in front of the last one's stores";
  let description = [{
    Stage async, behind `wg-async`; kernels whose schedule says `overlap_tiles` and
    whose consumers are told their tiles (`wg-fetch-tiles`). The first product of a
    tile is started behind the last product of the tile before, and waited for
    behind that tile's stores; the loop over tiles carries the scores. Where there
    is no next tile, or it has no keys, nothing is acquired and the product is of
    whatever the slots hold: nobody reads it.

    ```mlir
    scf.while (%t = %first) { exists } do {     %s0 = start(%first); wait
      acquire Q, K; start QK; wait; release K   scf.while (%t = %first, %s = %s0) { exists } do {
      ... the other key tiles, PV                 ... on %s, the other key tiles, PV
      store O                             ==>     %next = receive
      %next = receive }                           scf.if exists { acquire Q, K }; start QK
                                                  store O
                                                  wait; release K }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "wg::WgDialect"];
}

def WgHoldQueries : Pass<"wg-hold-queries", "ModuleOp"> {
  let summary = "Hold Q's first columns in registers";
  let description = [{
    Stage async, behind `wg-overlap-tiles`; kernels with roles whose schedule says
    `q_registers`. Loops whose products read the same shared A operand all the time
    take its first `q_registers` columns, or all that it has, from registers:

    ```mlir
                                              %qr = wg.get %q : (64 rows, 96 columns)
    scf.for ... {                      ==>    scf.for ... {
      %s = wg.mma_async %q, %k ...              %s = wg.mma_async %q front(%qr), %k ...
    ```

    With all columns held the loops do not read the tile. Its slot goes back as soon
    as all warps have read it and the products in front of the loops are done, so
    that the next query tile is loaded under this one.
  }];
  let dependentDialects = ["wg::WgDialect"];
}

def WgJoinRare : Pass<"wg-join-rare", "ModuleOp"> {
  let summary = "Vote once for both kinds of rare work";
  let description = [{
    Behind `wg-rare-rows`, stages async and pipelined. The branch that subtracts
    references far from 0 goes into the one that moves references. The vote's bound
    is carried by the loop, -inf where references are far, so that any finite score
    asks for both:

    ```mlir
    %b = wg.map(%m) { m + slack }                    // carried: %bound
    %asks = wg.any(%max, %b) { max > b }             %asks = wg.any(%max, %bound)
    %m1, %far = scf.if %asks { move }         ==>    ... = scf.if %asks { move; subtract if far;
             else { %m, %was }                              next bound: far ? -inf : m1 + slack }
    %t = scf.if %far { subtract } else { %s }               else { %m, %was, %s, %bound }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "wg::WgDialect"];
}

def WgLateScores : Pass<"wg-late-scores", "ModuleOp"> {
  let summary = "Compute small tanhs together with their exponents";
  let description = [{
    Stage async, behind `wg-join-rare`. Where the scores of a loop over key tiles are
    an odd polynomial of the products x but for some warps (`wg-small-tanh`), and
    increasing:

    ```mlir
    %s = scf.if %far { wg.map(%x) increasing { full } }
         else { wg.map(%x) increasing { x p(x^2) } }
    %max = wg.reduce_rows maximumf %s
    %moved:2 = scf.if wg.any(%max, %bound) { references move } else { %s, %n }
    %p = wg.map(%moved#0, %moved#1) { exp2(s * c + n) }
    ==>
    %m = wg.reduce_rows maximumf %x
    %max = wg.map(%m) increasing { m p(m^2) }
    %moved:3 = scf.if wg.any(%max, %bound) or %far {
                 maxima in full where %far, references move,
                 and where %far or a reference is far from 0: exponents, 0, 1
               } else { %x, %n, c p }
    %p = wg.map(%moved#0, %moved#1) { exp2(x q(x^2) + n), q = %moved#2 }
    ```

    The bits of a product's exponent are the same on either way.
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "scf::SCFDialect", "wg::WgDialect"];
}

def WgSlantedScores : Pass<"wg-slanted-scores", "ModuleOp"> {
  let summary = "Compute what is linear in the column together with exponents";
  let description = [{
    Stage async, behind `wg-join-rare`. Where the scores of a loop over key tiles are
    a x + c column + rows, of the products x and with a known to be positive:

    ```mlir
    %s = wg.map(%x) { a x + c col + r }
    %max = wg.reduce_rows maximumf %s
    %moved:2 = scf.if wg.any(%max, %bound) { references move } else { %s, %n }
    %p = wg.map(%moved#0, %moved#1) { exp2(s * f + n) }
    ==>
    %rest = wg.map(%r, %reference) { (r - reference) * f }
    %m = wg.reduce_rows maximumf %x
    %most = wg.map(%m, %rest, %reference) increasing { a row of large numbers ? inf : af m + rest }
    %moved:4 = scf.if wg.any(%most, slack * f - max(0, cf last)) {
                 maxima of a x + c col + r, references move,
                 and in rows of large numbers exponents, 1, 0, 0
               } else { %x, af, cf, %rest }
    %p = wg.map(%moved#0, ...) { exp2(x * %moved#1 + (%moved#2 * col + %moved#3)) }
    ```

    The bits of a row's exponents do not depend on the rows beside it.
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "scf::SCFDialect", "wg::WgDialect"];
}

def WgIntegerMaxima : Pass<"wg-integer-maxima", "ModuleOp"> {
  let summary = "Take maxima of bits as integers, three at a time";
  let description = [{
    Stage async, behind `wg-join-rare`. Maxima of a product's scores, masked or not,
    that are read only where they, or an increasing map of them, pass a bound:

    ```mlir
                                             %below = wg.any(%bound) { b < 0 }
    %max = wg.reduce_rows maximumf %s   ==>  %max = scf.if %below {
                                               %least = wg.reduce_rows minimum_bits %s
                                               scf.if wg.any(%least) { x >= 0 } {
                                                 wg.reduce_rows maximumf %s
                                               } else { %least }
                                             } else { wg.reduce_rows maximum_bits %s }
    %asks = wg.any(%max, %bound) { max > b }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "wg::WgDialect"];
}

def WgPingPong : Pass<"wg-ping-pong", "ModuleOp"> {
  let summary = "Let consumer warpgroups take turns with the tensor cores";
  let description = [{
    Stage async; kernels whose schedule says `ping_pong`. The products that an
    iteration of a loop starts without a wait between them go into one `wg.turn`,
    with what stands between them.
  }];
  let dependentDialects = ["wg::WgDialect"];
}

def WgPlaceWaits : Pass<"wg-place-waits", "ModuleOp"> {
  let summary = "Wait for the product with V among the exponentials";
  let description = [{
    Stage async; kernels whose schedule has a `v_wait` of N columns. The last wait
    of a loop's body, with the releases behind it, moves between the exponentials
    of the first N columns and those of the others:

    ```mlir
    %p = wg.map(%s, ...) { exp2 }      %p0 = wg.map(%s[0, N), ...) { exp2 }
    ...                        ==>     %o = wg.wait_mma %o0
    %o = wg.wait_mma %o0               %p1 = wg.map(%s[N, ...), ...) { exp2 }
                                       %p = wg.concat %p0, %p1
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "wg::WgDialect"];
}

def WgFastExp : Pass<"wg-fast-exp", "ModuleOp"> {
  let summary = "Take exponentials with one multiply-add where that is harmless";
  let description = [{
    Stage async (or before), in front of `wg-place-waits`; kernels with `fa.tma` or
    a `threshold`. Under a warp's vote whether some row's reference m has |m * c| of
    4096 or more:

    ```mlir
    %p = wg.map(%s, %m) { exp2((s - m) * c) }
    ==>
    %n = wg.map(%m) { -(m * c) }
    %far = wg.any(%n) { |n| >= 4096 }
    %t = scf.if %far { s - m in the rows that are } else { %s }
    %r = wg.map(%n) { 0 in the rows that are, n in the others }
    %p = wg.map(%t, %r) { exp2(fma(t, c, r)) }
    ```

    Factors c are positive where this form stands (fa-online).
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "scf::SCFDialect", "wg::WgDialect"];
}

def WgSmallTanh : Pass<"wg-small-tanh", "ModuleOp"> {
  let summary = "Take tanh of small arguments by a polynomial";
  let description = [{
    Stage async (or values); kernels with `fa.tma`. In a map on fragments whose one
    f32 `math.tanh` has as argument an element times factors that are the same
    for all elements, under a warp's vote whether some argument z has |z| > 17/64:

    ```mlir
    %t = wg.map(%s, %r) { tanh(s * f) * g + r }
    ==>
    %far = wg.any(largest and least s of each row) { |s| > 17/64 / |f| }
    %h = scf.if %far { wg.map(%s) { |s| <= 17/64 / |f| ? polynomial : tanh(s * f) * g } }
         else { wg.map(%s) { s * (b0 + s^2 * (b1 + s^2 * b2)) } }
    %t = wg.map(%r, %h) { h + r }
    ```

    f and g are folded into the coefficients. The polynomial's relative error is at
    most 7e-7, the other form's absolute error 3e-7 g (`fastmath<afn>`,
    fa-expand-gpu-math). Where |f| > 2^12 or |f g| > 2^60 all arguments count as far.
    Both maps are `increasing` where f g is known to be positive. Other maps stay as
    they are.
  }];
  let dependentDialects = ["arith::ArithDialect", "math::MathDialect",
                           "scf::SCFDialect", "wg::WgDialect"];
}

def WgLiftLoads : Pass<"wg-lift-loads", "ModuleOp"> {
  let summary = "Read what is the same for a whole tile once";
  let description = [{
    Stage async (or values); kernels with `fa.tma`. A `memref.load` in a map none of
    whose operands depends on the element moves in front of the map. It goes where
    one that dominates it has read the same place and no op in between may write
    global memory.

    ```mlir
    wg.map(%s) { memref.load %slopes[%h] }
    scf.for { wg.map(%s1) { memref.load %slopes[%h] } }
    ==>
    %slope = memref.load %slopes[%h]
    wg.map(%s) { %slope }
    scf.for { wg.map(%s1) { %slope } }
    ```
  }];
  let dependentDialects = ["wg::WgDialect"];
}

def WgRareRows : Pass<"wg-rare-rows", "ModuleOp"> {
  let summary = "Compute what follows from references where they move";
  let description = [{
    Stage async (or before), behind `wg-fast-exp`. In a loop
    whose branch (`wg-threshold`) moves the rows' references, maps and votes on rows
    go into the branch: functions of the reference alone, which the loop then
    carries; the factor exp2((old - new) * c), 1 where references stay; and what is
    multiplied by it. A vote on the factors of the tile before becomes a carried bit.

    ```mlir
    %m1 = scf.if %asks { ... yield %moved } else { yield %m }
    %alpha = wg.map(%m, %m1) { exp2((m - m1) * c) }
    %n = wg.map(%m1) { -(m * c) }
    ==>
    %m1, %alpha, %n1 = scf.if %asks { ... } else { yield %m, %ones, %n }
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "wg::WgDialect"];
}

def WgNumberBarriers : Pass<"wg-number-barriers", "ModuleOp"> {
  let summary = "Number the named barriers of roles";
  let description = [{
    In front of `wg-plan-shared`. The turns and the meetings of a role take one
    named barrier each for every warpgroup, from number 1 on; a kernel that needs
    more than the 16 of a block is refused.
  }];
  let dependentDialects = ["wg::WgDialect"];
}

def WgExpandLoads : Pass<"wg-expand-loads", "ModuleOp"> {
  let summary = "Give loaded tiles their storage, their copies and barriers";
  let description = [{
    values -> pipelined. Every `wg.load` that is still there becomes a copy that
    is waited for on the spot (test/passes/WgExpandLoads.mlir):

    ```mlir
    %t = wg.load %mem rows %n : memref<...> -> !wg.smem<64x128xf16>
    ==>
    %t = wg.alloc : !wg.smem<64x128xf16>       // in front of all loops around it
    wg.barrier                                 // in a loop: the last readers
    wg.copy_async %mem, %t rows %n : ...       // wg.copy below 4 bytes
    wg.commit_copies
    wg.wait_copies 0
    wg.barrier
    ```

    This alone makes right code; `wg-pipeline` in front of it takes the loads that
    can overlap with computation.
  }];
  let dependentDialects = ["wg::WgDialect"];
}

def WgPlanShared : Pass<"wg-plan-shared", "ModuleOp"> {
  let summary = "Give every tile its place in shared memory";
  let description = [{
    pipelined -> addressed. Sets `offset` of every `wg.alloc`, the kernel's
    `wg.shared_bytes`, and `shared_bytes` of its entry in the manifest. First fit,
    the largest first.

    Storage is needed from its first use to the first barrier behind its last one,
    where uses in a loop count as the whole loop and `wg.copy_async` as lasting to
    the next `wg.wait_copies 0` outside loops. Storage that is not needed at the
    same time may have the same place. What a loop carries or a role uses lives
    through the whole kernel; barriers of rings stand behind all tiles. A kernel that needs more than the chip of
    its `gpu.module` (`fa.target`) has is refused.

    ```mlir
    gpu.func @f(...) kernel attributes {fa.kernel} {
      %q = wg.alloc : !wg.smem<128x128xf16>
    ==>
    gpu.func @f(...) kernel attributes {fa.kernel, wg.shared_bytes = 98304 : i64} {
      %q = wg.alloc {offset = 65536 : i64} : !wg.smem<128x128xf16>
    ```
  }];
}

def WgPipeline : Pass<"wg-pipeline", "ModuleOp"> {
  let summary = "Copy the tiles of later iterations while computing";
  let description = [{
    values -> values with rings. Optional: what it leaves, `wg-expand-loads` makes
    right. The loads of a loop whose addresses come from the induction variable
    alone become rings of `stages` tiles, filled by `wg.copy_async` as many
    iterations ahead as there are slots; in front of each load's first use stand a
    wait and a barrier, then the copy into the slot that this barrier freed
    (test/passes/WgPipeline.mlir). Groups are committed also where an iteration
    does not exist and nothing is copied. Loads in front of the loop that are used
    in it only (Q) start there and are covered by the loop's first wait.

    With K and V and stages = 2:

    ```mlir
    copy Q; copy K0; copy V0; copy K1
    scf.for ... iter_args(..., %slot = 0, %before = 1) {
      wg.wait_copies 2
      wg.barrier
      V of the next iteration into slot %before, if there is one; commit
      S = Q K^T from slot %slot
      wg.wait_copies 2
      wg.barrier
      K of the iteration after that into slot %slot, if there is one; commit
      O += P V from slot %slot
    }
    wg.wait_copies 0
    ```

    Left alone: loads of less than 4 bytes an access, which cp.async cannot do;
    loops that write global memory; loops in which a tile is still read when the
    next one is needed; single loads with one stage.
  }];
  let options = [
    Option<"stages", "stages", "int64_t", /*default=*/"0",
           "Depth of the rings; 0 takes the schedule's, without one nothing is "
           "done">
  ];
  let dependentDialects = ["arith::ArithDialect", "scf::SCFDialect",
                           "wg::WgDialect"];
}

def WgStageStores : Pass<"wg-stage-stores", "ModuleOp"> {
  let summary = "Store fragments through shared memory, 16 bytes at a time";
  let description = [{
    values, pipelined -> the same. Optional. A `wg.store` whose memory allows
    16-byte accesses goes through a tile of shared memory; narrower ones stay.

    ```mlir
    wg.store %o, %mem rows %n : ...
    ==>
    wg.barrier                  // nobody reads what the tile's place held
    %t = wg.alloc : ...
    wg.put %o, %t : ...
    wg.barrier
    wg.copy_out %t, %mem rows %n : ...
    ```
  }];
  let dependentDialects = ["wg::WgDialect"];
}

def WgDeferRowSum : Pass<"wg-defer-row-sum", "ModuleOp"> {
  let summary = "Join the lanes' parts of a row sum behind the loop";
  let description = [{
    values, pipelined -> the same. Optional. Rows that a loop carries, scales by
    other rows and adds the elements of a fragment to become partial rows, which
    each lane sums up for itself; `wg.join_rows` behind the loop makes whole rows
    of them. Loops that follow one another over the same sum stay partial in
    between. Only the order of the additions changes.

    ```mlir
    %l = scf.for ... iter_args(%l0 = %zero) -> (!wg.rows<128xf32, warps = 4>) {
      %l1 = wg.map(%scale, %l0 : ...) -> ... { mulf }
      %l2 = wg.reduce_rows addf %p, %l1 : ...
      scf.yield %l2
    }
    ==>
    %parts = scf.for ... -> (!wg.rows<128xf32, warps = 4, partial = addf>) { ... }
    %l = wg.join_rows %parts : !wg.rows<128xf32, warps = 4, partial = addf>
    ```
  }];
  let dependentDialects = ["wg::WgDialect"];
}

#endif // FA_PASSES_TD
