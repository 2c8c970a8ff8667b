// A score region: the scores are capped softly at 30, then ALiBi adds slope[head] * (key - query). The slopes are an
// argument that the region captures; `fa.name` is what the artefact calls it.
// RUN: fa-opt %s --verify-roundtrip -o %t.mlir
// RUN: fa-compile %s --chip=sm_80 -o %t.ptx
// RUN: fa-compile %s --chip=cpu -o %t.so
// RUN: fa-compile %s --chip=cpu --reference -o %t.ref.so
// RUN: fa-run %t.so --device cpu --reference %t.ref.so --batch 2 --heads 4 --seqlen-q 100 --seqlen-k 100

func.func @attention(%q: tensor<?x4x?x64xf16>, %k: tensor<?x4x?x64xf16>, %v: tensor<?x4x?x64xf16>,
                     %slopes: tensor<4xf32> {fa.name = "slopes"}) -> tensor<?x4x?x64xf16> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %cap = arith.constant 30.0 : f32
  %b = tensor.dim %q, %c0 : tensor<?x4x?x64xf16>
  %s = tensor.dim %q, %c2 : tensor<?x4x?x64xf16>
  %init = tensor.empty(%b, %s) : tensor<?x4x?x64xf16>
  %o = fa.attention
    ins(%q, %k, %v : tensor<?x4x?x64xf16>, tensor<?x4x?x64xf16>, tensor<?x4x?x64xf16>)
    outs(%init : tensor<?x4x?x64xf16>)
    {mask = #fa.mask<bottom_right, causal>}
    score {
    ^bb0(%x: f32, %batch: index, %head: index, %i: index, %j: index):
      %scaled = arith.divf %x, %cap : f32
      %tanh = math.tanh %scaled : f32
      %capped = arith.mulf %tanh, %cap : f32
      %distance = arith.subi %j, %i : index
      %int = arith.index_cast %distance : index to i64
      %float = arith.sitofp %int : i64 to f32
      %slope = tensor.extract %slopes[%head] : tensor<4xf32>
      %bias = arith.mulf %slope, %float : f32
      %y = arith.addf %capped, %bias : f32
      fa.yield %y : f32
    }
  return %o : tensor<?x4x?x64xf16>
}
