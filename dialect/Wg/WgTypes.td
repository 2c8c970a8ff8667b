// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WG_TYPES_TD
#define WG_TYPES_TD

include "dialect/Wg/WgAttrs.td"
include "mlir/IR/AttrTypeBase.td"

class Wg_Type<string name, string keyword> : TypeDef<Wg_Dialect, name> {
  let mnemonic = keyword;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Wg_Smem : Wg_Type<"Smem", "smem"> {
  let summary = "A tile in shared memory";
  let description = [{
    `!wg.smem<64x128xf16>`: 64 rows of 128 elements whose 16-byte chunks are
    exchanged so that neither ldmatrix nor copies meet a bank conflict
    (`SharedLayout`, swizzle `xor`). `!wg.smem<64x128xf16, sw128>`: panels of 64
    columns under the 128-byte swizzle, the form that TMA and wgmma know;
    `panel = 128` says that the tile is a band of a tile of 128 rows, so that its
    panels are 128 rows apart.

    The value names the memory: two values may name the same tile. A tile that
    `wg.load` made is never written again.

    * K1: rows and columns are positive and a row is a multiple of 16 bytes.
    * K2: `sw128` expects 16-bit elements and rows in multiples of 8; `panel` is
      for `sw128` only and not below the rows.
  }];
  let parameters = (ins
    "int64_t":$rows,
    "int64_t":$cols,
    "::mlir::Type":$elementType,
    "::mlir::wg::Swizzle":$swizzle,
    "int64_t":$panelRows
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins "int64_t":$rows, "int64_t":$cols,
        "::mlir::Type":$elementType,
        CArg<"::mlir::wg::Swizzle", "::mlir::wg::Swizzle::Xor">:$swizzle), [{
      return $_get(elementType.getContext(), rows, cols, elementType, swizzle, rows);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Where the elements stand, counted from the tile's first byte.
    ::fa::target::SharedLayout getLayout() const;
  }];
}

def Wg_Ring : Wg_Type<"Ring", "ring"> {
  let summary = "Several shared tiles of one type that are used in turn";
  let description = [{
    `!wg.ring<2 x 64x128xf16>`: two tiles `!wg.smem<64x128xf16>`, one behind the
    other. Nothing synchronises it: `wg.slot` names a tile of it.

    `!wg.ring<2 x 128x128xf16, sw128, consumers = 2>`: each slot has two mbarriers
    besides. *full* counts one arrival, the producer's (which announces the bytes
    that TMA brings); *empty* counts `consumers` arrivals, one for each consumer
    warpgroup (where the tiles are numbers that `wg.send` wrote, one for each of
    its warps). `wg.init` prepares the barriers, `wg.tma_load` fills a slot,
    `wg.acquire` waits for it, `wg.release` gives it back.

    K3: at least one stage, `consumers` not negative; the tile obeys K1 and K2.
  }];
  let parameters = (ins
    "int64_t":$stages,
    "::mlir::wg::SmemType":$tile,
    "int64_t":$consumers
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins "int64_t":$stages,
        "::mlir::wg::SmemType":$tile, CArg<"int64_t", "0">:$consumers), [{
      return $_get(tile.getContext(), stages, tile, consumers);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Bytes of the tiles, which stand one behind the other.
    int64_t getTileBytes() const;
    /// Bytes of the mbarriers: the full ones, then the empty ones, 8 each.
    int64_t getBarrierBytes() const;
    /// Whether its tiles are numbers for `wg.send` and `wg.receive` (K33).
    bool carriesNumbers() const;
    /// Arrivals that give a slot back.
    int64_t getArrivals() const;
  }];
}

def Wg_Frag : Wg_Type<"Frag", "frag"> {
  let summary = "A tile in the registers of a group of warps";
  let description = [{
    `!wg.frag<128x64xf32, acc, warps = 4>`: the accumulator of a product; warp w
    holds rows [w * 32, w * 32 + 32) as m16n8 pieces. `a`: the A operand of a
    product. Register r of a lane holds the same element in both layouts, so
    `wg.relayout` moves nothing (`GroupLayout` in dialect/Target).

    K4: rows are a multiple of 16 * warps, columns of 8; `acc` holds f32, f16 or
    bf16, `a` holds f16 or bf16.
  }];
  let parameters = (ins
    "int64_t":$rows,
    "int64_t":$cols,
    "::mlir::Type":$elementType,
    "::mlir::wg::FragLayout":$layout,
    "int64_t":$warps
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins "int64_t":$rows, "int64_t":$cols,
        "::mlir::Type":$elementType, "::mlir::wg::FragLayout":$layout,
        "int64_t":$warps), [{
      return $_get(elementType.getContext(), rows, cols, elementType, layout, warps);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Who holds which element.
    ::fa::target::GroupLayout getGroupLayout() const;
    /// Elements that each lane holds.
    int64_t getRegs() const { return getGroupLayout().regs(); }
    FragType withElementType(::mlir::Type type) const;
    FragType withLayout(::mlir::wg::FragLayout layout) const;
  }];
}

def Wg_Rows : Wg_Type<"Rows", "rows"> {
  let summary = "One value a row, in the registers of a group of warps";
  let description = [{
    `!wg.rows<128xf32, warps = 4>`: the value of a row stands in all four lanes of
    the quad that holds the row of an accumulator (`RowLayout`).

    `!wg.rows<128xf32, warps = 4, partial = addf>`: each of the four lanes holds a
    part, and the row's value is the sum of the four (`maximumf`: the largest).
    `wg.join_rows` makes whole rows of it.

    K5: rows are a multiple of 16 * warps, elements are f32; parts are of kind addf
    or maximumf.
  }];
  let parameters = (ins
    "int64_t":$rows,
    "::mlir::Type":$elementType,
    "int64_t":$warps,
    "std::optional<::mlir::wg::Combine>":$partial
  );
  let builders = [
    TypeBuilderWithInferredContext<(ins "int64_t":$rows,
        "::mlir::Type":$elementType, "int64_t":$warps,
        CArg<"std::optional<::mlir::wg::Combine>", "std::nullopt">:$partial), [{
      return $_get(elementType.getContext(), rows, elementType, warps, partial);
    }]>
  ];
  let extraClassDeclaration = [{
    ::fa::target::RowLayout getRowLayout() const;
    /// Values that each lane holds.
    int64_t getRegs() const { return getRowLayout().regs(); }
    /// The same rows with their whole values.
    RowsType joined() const;
  }];
}

def Wg_Pending : Wg_Type<"Pending", "pending"> {
  let summary = "The accumulator of a product in flight";
  let description = [{
    `!wg.pending<64x128xf32, acc, warps = 4>`: what `wg.mma_async` yields. Nothing
    can read it; `wg.wait_mma` turns it into the fragment. It is used exactly once
    (K27), so a product can neither be forgotten nor waited for twice.
  }];
  let parameters = (ins "::mlir::wg::FragType":$frag);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::wg::FragType":$frag), [{
      return $_get(frag.getContext(), frag);
    }]>
  ];
}

def Wg_Cursor : Wg_Type<"Cursor", "cursor"> {
  let summary = "A place in a ring, with the parity of its round";
  let description = [{
    `!wg.cursor<2, consumer>`: which of two slots, and whether the ring has wrapped
    an even or an odd number of times. The side fixes the parity that a cursor
    starts with: a consumer's first wait is for the first fill, a producer's first
    wait is for nothing. One cursor may serve several rings that are used in step.

    K22: at least one stage.
  }];
  let parameters = (ins "int64_t":$stages, "::mlir::wg::Side":$side);
}

def Wg_TensorMap : Wg_Type<"TensorMap", "tensor_map"> {
  let summary = "A tensor in global memory as TMA moves it, tile by tile";
  let description = [{
    `!wg.tensor_map<128x128xf16, sw128, rank = 4>`: a kernel argument; a tensor of
    four dimensions, from which tiles of 128 rows (its last dimension but one) and
    128 columns (its last) are moved to shared tiles `!wg.smem<128x128xf16, sw128>`
    or back. Outside the tensor a load brings zeros and a store writes nothing.

    K23: the tile is `sw128`, has 256 rows at most, and no `panel`; rank 2 to 5.
  }];
  let parameters = (ins "::mlir::wg::SmemType":$tile, "int64_t":$rank);
}

#endif // WG_TYPES_TD
