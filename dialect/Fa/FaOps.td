// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FA_OPS_TD
#define FA_OPS_TD

include "dialect/Fa/FaAttrs.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def Fa_Shaped : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>;

def Fa_AttentionOp : Op<Fa_Dialect, "attention", [
    AttrSizedOperandSegments,
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<TilingInterface,
      ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
       "getResultTilePosition", "generateResultTileValue"]>,
    SingleBlock]> {
  let summary = "Attention forward: softmax(scale * Q K^T, masked) V";
  let description = [{
    For batch b, head h, query i, with `hk = h / (Hq / Hkv)`, in f32:

    ```
    s[j] = scale * dot(Q[b,h,i,:], K[b,hk,j,:])
    s[j] = score(s[j], b, h, i, j)            // where there is a score region
    s[j] = -inf where the mask drops (i, j)
    m    = max s,  l = sum exp(s - m)          // a sink joins both
    O[b,h,i,:]  = (sum over kept j of round(exp(s[j] - m)) * V[b,hk,j,:]) / l
    LSE[b,h,i]  = m + ln l
    ```

    A row that keeps no key has O = 0 and LSE = -inf (the sink logit, where there
    is a sink); rows at or past a query length have O = 0 and LSE = -inf always.
    The probabilities are rounded to V's type before the product; l sums the
    unrounded ones.

    Operands, in `bhsd` order (`layout = #fa.layout<bshd>` swaps the middle two
    of Q, K, V and O):

    | operand | shape | element type |
    | --- | --- | --- |
    | q | [B, Hq, Sq, Dqk] | f16, bf16 |
    | k | [B, Hkv, Sk, Dqk] | as q |
    | v | [B, Hkv, Sk, Dv] | as q |
    | outs: o | [B, Hq, Sq, Dv] | as q, or f32 |
    | outs: lse (optional) | [B, Hq, Sq] | f32, natural logarithm |
    | q_lengths, kv_lengths (optional) | [B] | i32; clamped to [0, extent] |
    | sink (optional) | [Hq] | f32, a logit in the natural domain |

    Packed form: with `q_offsets` and `kv_offsets` ([B + 1], i32, ascending from
    0), q is [Tq, Hq, Dqk], k [Tk, Hkv, Dqk], v [Tk, Hkv, Dv], o [Tq, Hq, Dv] and
    lse [Hq, Tq]; rows at or past the last offset are not written.

    All operands are tensors (destination style: the results take the values of
    `outs`) or all are memrefs (the op reads its inputs and writes its outs, which
    may not overlap). In memref form any strides are allowed as long as Q, K, V
    and O have a unit stride along their last dimension.

    `scale` is any finite f32 and 1/sqrt(Dqk) where absent. A `scale` operand
    overrules the attribute. One that is a constant may be any finite number (it
    is folded into the attribute); one that is known at launch only must have the
    attribute's sign (or be zero where that is), which the runtime checks.

    A query tile of a larger problem says with `at(%b, %h, %i of %sq)` where its
    first row stands: regions and masks then see coordinates counted from there,
    and `%sq` is the query extent of the whole.

    Regions may hold `arith` ops, on f16, bf16 and f32 the `math` ops absf, ceil,
    copysign, exp, exp2, floor, fma, log, log2, powf, roundeven, rsqrt, sqrt and
    tanh, `affine.apply`, reads (`tensor.extract`, `memref.load`) and dims of what
    is read, all with scalar results of at most 64 bits; anything else, and
    anything that writes, is refused. They may capture values. A region may be evaluated at positions whose
    result is dropped, but never reads or divides for one that does not exist.

    ```mlir
    %o = fa.attention
      ins(%q, %k, %v : tensor<?x16x?x128xf16>, tensor<?x4x?x128xf16>, tensor<?x4x?x128xf16>)
      outs(%init : tensor<?x16x?x128xf16>)
      kv_lengths(%n : tensor<?xi32>)
      {mask = #fa.mask<bottom_right, causal>, scale = 1.0 : f32}
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        fa.yield %t : f32
      }
    ```

    The constraints A1 to A25 are listed in dialect/README.md; each has a test in
    test/dialect/Fa/invalid.mlir, or in test/passes/FaEntryToBuffers-invalid.mlir
    where it is one on what an artefact can be made of.
  }];
  let arguments = (ins
    Fa_Shaped:$q,
    Fa_Shaped:$k,
    Fa_Shaped:$v,
    Variadic<Fa_Shaped>:$outs,
    Optional<Fa_Shaped>:$q_lengths,
    Optional<Fa_Shaped>:$kv_lengths,
    Optional<Fa_Shaped>:$q_offsets,
    Optional<Fa_Shaped>:$kv_offsets,
    Optional<Fa_Shaped>:$sink,
    Optional<F32>:$scale_value,
    Variadic<Index>:$at,
    OptionalAttr<F32Attr>:$scale,
    OptionalAttr<Fa_MaskAttr>:$mask,
    DefaultValuedAttr<Fa_LayoutAttr, "::mlir::fa::Layout::BHSD">:$layout,
    OptionalAttr<Fa_ScheduleAttr>:$schedule
  );
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region AnyRegion:$score, AnyRegion:$keep);
  let assemblyFormat = [{
    `ins` `(` $q `,` $k `,` $v `:` type($q) `,` type($k) `,` type($v) `)`
    `outs` `(` custom<Outs>($outs, type($outs), type($results)) `)`
    (`q_lengths` `(` $q_lengths^ `:` type($q_lengths) `)`)?
    (`kv_lengths` `(` $kv_lengths^ `:` type($kv_lengths) `)`)?
    (`q_offsets` `(` $q_offsets^ `:` type($q_offsets) `)`)?
    (`kv_offsets` `(` $kv_offsets^ `:` type($kv_offsets) `)`)?
    (`sink` `(` $sink^ `:` type($sink) `)`)?
    (`scale` `(` $scale_value^ `)`)?
    (`at` `(` custom<At>($at)^ `)`)?
    attr-dict
    (`score` $score^)?
    (`mask` $keep^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }

    Value getOutput() { return getOuts()[0]; }
    /// The LSE destination, null where there is none.
    Value getLse() { return getOuts().size() > 1 ? getOuts()[1] : Value(); }

    bool isPacked() { return static_cast<bool>(getQOffsets()); }
    bool isBufferized() { return isa<MemRefType>(getQ().getType()); }
    bool isTile() { return !getAt().empty(); }
    bool hasScoreRegion() { return !getScore().empty(); }
    bool hasKeepRegion() { return !getKeep().empty(); }

    ShapedType getQType() { return cast<ShapedType>(getQ().getType()); }
    ShapedType getKType() { return cast<ShapedType>(getK().getType()); }
    ShapedType getVType() { return cast<ShapedType>(getV().getType()); }
    ShapedType getOutputType() { return cast<ShapedType>(getOutput().getType()); }

    /// Positions of the head and the sequence dimension in q, k, v and o.
    unsigned getHeadDim() {
      return isPacked() || getLayout() == Layout::BSHD ? getQType().getRank() - 2 : 1;
    }
    unsigned getSeqDim() {
      return isPacked() ? 0 : getLayout() == Layout::BSHD ? 1 : 2;
    }
    int64_t getQkDim() { return getQType().getShape().back(); }
    int64_t getVDim() { return getVType().getShape().back(); }

    /// 1/sqrt(Dqk)
    float getDefaultScale();
    /// The scale where it is a constant: a constant operand, else the attribute,
    /// else the default.
    float getScaleOrDefault();
    /// The mask attribute, or one that keeps everything.
    MaskAttr getMaskOrDefault();
  }];
}

def Fa_YieldOp : Op<Fa_Dialect, "yield",
    [Pure, ReturnLike, Terminator, HasParent<"AttentionOp">]> {
  let summary = "Ends a score or mask region with its value";
  let description = [{
    Yields the new score (f32) from a score region, or whether the position is
    kept (i1) from a mask region.
  }];
  let arguments = (ins AnyTypeOf<[F32, I1]>:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Fa_KeepOp : Op<Fa_Dialect, "keep", [Pure]> {
  let summary = "Whether a mask keeps key j for query i";
  let description = [{
    True iff j < Sk and the mask keeps (i, j), with Sq and Sk the true lengths of
    the two sequences (they place a `bottom_right` mask). This is the mask as a
    value: `fa-mask-tiles` reasons about it for whole tiles, and
    `fa-expand-keep` turns it into comparisons.

    ```mlir
    %kept = fa.keep #fa.mask<bottom_right, causal> (%i, %j) of (%sq, %sk)
    ```
  }];
  let arguments = (ins Fa_MaskAttr:$mask, Index:$i, Index:$j, Index:$sq, Index:$sk);
  let results = (outs I1:$kept);
  let assemblyFormat = "$mask `(` $i `,` $j `)` `of` `(` $sq `,` $sk `)` attr-dict";
}

#endif // FA_OPS_TD
