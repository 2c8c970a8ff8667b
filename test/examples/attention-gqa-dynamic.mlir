// Grouped-query attention for any sizes: one kernel for every batch, head count and sequence length. Four query heads
// share a key/value head when it is launched so; each batch entry has its own number of keys. LSE is returned as well.
// RUN: fa-opt %s --verify-roundtrip -o %t.mlir
// RUN: fa-compile %s --chip=sm_80 -o %t.ptx
// RUN: fa-compile %s --chip=cpu -o %t.so
// RUN: fa-run %t.so --device cpu --batch 3 --heads 8 --kv-heads 2 --seqlen-q 65 --seqlen-k 200 --arg kv_lengths=200,0,77

func.func @attention(%q: tensor<?x?x?x128xbf16>, %k: tensor<?x?x?x128xbf16>, %v: tensor<?x?x?x128xbf16>,
                     %n: tensor<?xi32>) -> (tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x?x?x128xbf16>
  %h = tensor.dim %q, %c1 : tensor<?x?x?x128xbf16>
  %s = tensor.dim %q, %c2 : tensor<?x?x?x128xbf16>
  %o0 = tensor.empty(%b, %h, %s) : tensor<?x?x?x128xbf16>
  %lse0 = tensor.empty(%b, %h, %s) : tensor<?x?x?xf32>
  %o, %lse = fa.attention
    ins(%q, %k, %v : tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>, tensor<?x?x?x128xbf16>)
    outs(%o0, %lse0 : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>)
    kv_lengths(%n : tensor<?xi32>)
    {mask = #fa.mask<bottom_right, causal>}
  return %o, %lse : tensor<?x?x?x128xbf16>, tensor<?x?x?xf32>
}
