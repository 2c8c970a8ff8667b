// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_ATTRS_TD
#define FA_ATTRS_TD

include "dialect/Fa/FaDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Fa_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::fa";
  let genSpecializedAttr = 0;
}

def Fa_Layout : Fa_Enum<"Layout", "order of the dimensions in memory order", [
  I32EnumAttrCase<"BHSD", 0, "bhsd">,
  I32EnumAttrCase<"BSHD", 1, "bshd">
]>;

def Fa_LayoutAttr : EnumAttr<Fa_Dialect, Fa_Layout, "layout"> {
  let summary = "Order of the dimensions of Q, K, V and O";
  let description = [{
    `bhsd`: [batch, head, sequence, dim]. `bshd`: [batch, sequence, head, dim].
    LSE is [batch, head, sequence] either way. The packed form has an order of
    its own, [token, head, dim], and takes no layout.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Fa_Alignment : Fa_Enum<"Alignment", "which corner of the scores a mask is aligned to", [
  I32EnumAttrCase<"TopLeft", 0, "top_left">,
  I32EnumAttrCase<"BottomRight", 1, "bottom_right">
]>;

def Fa_MaskAttr : AttrDef<Fa_Dialect, "Mask"> {
  let mnemonic = "mask";
  let summary = "Causal mask and window, with their alignment";
  let description = [{
    With off = 0 for `top_left` and Sk - Sq for `bottom_right`, key j is kept for
    query i where all of these hold:

    * `causal`: j <= i + off
    * `window = [L, R]`: i + off - L <= j <= i + off + R; `none` in the place of
      L or R leaves that side unbounded. Both count keys, so [0, 0] keeps one key.

    Examples: `#fa.mask<bottom_right, causal>`,
    `#fa.mask<top_left, window = [128, none]>`, `#fa.mask<top_left>` (keeps all).
  }];
  let parameters = (ins
    "::mlir::fa::Alignment":$alignment,
    "bool":$causal,
    "std::optional<int64_t>":$left,
    "std::optional<int64_t>":$right
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Keys right of the diagonal that are kept, nothing where unbounded. Causal
    /// is a right bound of 0; a window can only tighten it.
    std::optional<int64_t> getRightBound() const {
      if (!getCausal())
        return getRight();
      return 0;
    }
    /// Keys left of the diagonal that are kept, nothing where unbounded.
    std::optional<int64_t> getLeftBound() const { return getLeft(); }
    bool keepsAll() const { return !getLeftBound() && !getRightBound(); }
  }];
}

def Fa_MaskStyle : Fa_Enum<"MaskStyle", "how key tiles that need no mask are told apart", [
  I32EnumAttrCase<"Every", 0, "every">,
  I32EnumAttrCase<"Guard", 1, "guard">,
  I32EnumAttrCase<"Split", 2, "split">
]>;

def Fa_TileOrder : Fa_Enum<"TileOrder", "order in which query tiles are given to blocks", [
  I32EnumAttrCase<"Natural", 0, "natural">,
  I32EnumAttrCase<"HeaviestFirst", 1, "heaviest_first">
]>;

def Fa_KeyOrder : Fa_Enum<"KeyOrder", "order in which a query tile visits its key tiles", [
  I32EnumAttrCase<"Forward", 0, "forward">,
  I32EnumAttrCase<"Backward", 1, "backward">
]>;

def Fa_Grid : Fa_Enum<"Grid", "how query tiles are given to blocks", [
  I32EnumAttrCase<"Blocks", 0, "blocks">,
  I32EnumAttrCase<"Strided", 1, "strided">,
  I32EnumAttrCase<"Counter", 2, "counter">
]>;

def Fa_ScheduleAttr : AttrDef<Fa_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "How an attention op is to be computed; never what it computes";
  let description = [{
    * `query_tile`, `key_tile`: rows of a query tile, keys of a key tile.
    * `warps`: warps that share a query tile (GPU).
    * `stages`: depth of the ring that holds K and V tiles (GPU); 1 loads in place.
    * `mask`: `every` masks each visited key tile; `guard` skips the mask where a
      tile is wholly kept, by a test; `split` does so by separate loops.
    * `order`: `natural`, or `heaviest_first` for masks that make later query
      tiles longer.
    * `walk`: key tiles `forward` from the first, or `backward` from the last one,
      so that masked tiles come first.

    The rest is for sm_90a, whose `warps` are four for each consumer warpgroup:

    * `q_buffers`: depth of the ring of Q tiles, where blocks stay for several.
    * `rotate`: the next key tile's scores are started over this tile's product
      with V; the first key tile stands in front of the loops.
    * `threshold`: a row's reference moves only for a score that passes it by more
      than this in the exponent of 2, at most 8 (0: it is the exact maximum); for
      sm_80 too.
    * `v_wait`: how many of the key tile's columns have their exponentials taken
      when the product with V is waited for; 0 waits behind all of them.
    * `ping_pong`: warpgroups take turns with the tensor cores.
    * `grid`: `blocks`, one query tile each; `strided`, as many blocks as fit the
      chip, with a fixed stride; `counter`, the same with a counter in memory.
    * `tma_store`: O leaves by TMA from a shared tile of its own.
    * `head_group`: with `heaviest_first`, the heads whose K and V together take
      this many MiB give their query tiles in turns, the heaviest of all of them
      first; 0 goes from head to head.
    * `overlap_tiles`: where blocks stay for several query tiles, the next one's
      first scores are started in front of this one's stores.
    * `q_registers`: so many of Q's columns, or all where it has fewer, are held in
      registers by the loops over key tiles, and not read again from shared memory
      for each.

    Example: `#fa.schedule<query_tile = 128, key_tile = 64, warps = 4, stages = 2>`.
    What is absent has the default printed by `fa-opt --help` for
    `--fa-choose-schedule`.
  }];
  let parameters = (ins
    "int64_t":$query_tile,
    "int64_t":$key_tile,
    DefaultValuedParameter<"int64_t", "4">:$warps,
    DefaultValuedParameter<"int64_t", "2">:$stages,
    DefaultValuedParameter<"::mlir::fa::MaskStyle", "::mlir::fa::MaskStyle::Guard">:$mask,
    DefaultValuedParameter<"::mlir::fa::TileOrder", "::mlir::fa::TileOrder::Natural">:$order,
    DefaultValuedParameter<"::mlir::fa::KeyOrder", "::mlir::fa::KeyOrder::Forward">:$walk,
    DefaultValuedParameter<"int64_t", "1">:$q_buffers,
    DefaultValuedParameter<"bool", "false">:$rotate,
    DefaultValuedParameter<"int64_t", "0">:$threshold,
    DefaultValuedParameter<"int64_t", "0">:$v_wait,
    DefaultValuedParameter<"bool", "false">:$ping_pong,
    DefaultValuedParameter<"::mlir::fa::Grid", "::mlir::fa::Grid::Blocks">:$grid,
    DefaultValuedParameter<"bool", "false">:$tma_store,
    DefaultValuedParameter<"int64_t", "0">:$head_group,
    DefaultValuedParameter<"bool", "false">:$overlap_tiles,
    DefaultValuedParameter<"int64_t", "0">:$q_registers
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Fa_VersionAttr : AttrDef<Fa_Dialect, "Version"> {
  let mnemonic = "version";
  let summary = "One of several schedules that an op is compiled with";
  let description = [{
    Each version becomes a kernel of its own; a launch takes the first whose
    conditions hold.

    * `schedule`: how this version computes the op.
    * `tma`: tiles come by TMA, so q, k, v and o need tensor maps.
    * `most_keys`: at most so many keys; 0 takes any number.
    * `wide`: rows of q, k, v and o are aligned to 16 bytes.

    Example: `#fa.version<schedule = #fa.schedule<query_tile = 128, key_tile = 128,
    warps = 8>, tma = true>`.
  }];
  let parameters = (ins
    "::mlir::fa::ScheduleAttr":$schedule,
    DefaultValuedParameter<"bool", "false">:$tma,
    DefaultValuedParameter<"int64_t", "0">:$most_keys,
    DefaultValuedParameter<"bool", "false">:$wide
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

def Fa_ParamKind : Fa_Enum<"ParamKind", "what a kernel argument carries", [
  I32EnumAttrCase<"Pointer", 0, "pointer">,
  I32EnumAttrCase<"Size", 1, "size">,
  I32EnumAttrCase<"Stride", 2, "stride">,
  I32EnumAttrCase<"Scalar", 3, "scalar">,
  I32EnumAttrCase<"TensorMap", 4, "tensor_map">,
  I32EnumAttrCase<"Scratch", 5, "scratch">
]>;

def Fa_ParamAttr : AttrDef<Fa_Dialect, "Param"> {
  let mnemonic = "param";
  let summary = "What a kernel argument carries, as the manifest lists it";
  let description = [{
    `#fa.param<pointer "q">`: address of element 0 of tensor q.
    `#fa.param<size "q"[2]>`: its extent along dimension 2, as i64.
    `#fa.param<stride "q"[2]>`: its stride along dimension 2 in elements, as i64.
    `#fa.param<scalar "scale">`: a launch parameter by value.
    `#fa.param<scratch "counter">`: address of memory that the runtime provides.
    `#fa.param<tensor_map "q"[2]>`: a TMA descriptor of tensor q whose tiles have
    their rows along dimension 2 and their columns along the last one; the
    argument's type says the rest.
  }];
  let parameters = (ins
    "::mlir::fa::ParamKind":$kind,
    StringRefParameter<"name of the tensor or scalar">:$name,
    DefaultValuedParameter<"int64_t", "-1">:$dim
  );
  let hasCustomAssemblyFormat = 1;
}

def Fa_RoleAttr : AttrDef<Fa_Dialect, "Tensor"> {
  let mnemonic = "tensor";
  let summary = "Name, direction and symbolic shape of an entry function's tensor";
  let description = [{
    Stands on the arguments of an entry function from `buffers` on. Dimensions
    are integers or names; equal names mean equal extents.
    Example: `#fa.tensor<"q", in, ["B", "Hq", "Sq", 128]>`.
  }];
  let parameters = (ins
    StringRefParameter<"role or capture name">:$name,
    "bool":$output,
    ArrayRefParameter<"::mlir::Attribute">:$dims
  );
  let hasCustomAssemblyFormat = 1;
}

#endif // FA_ATTRS_TD
