// Every op of `math` that a region may hold becomes instructions: the object calls nothing but memcpy and memset, and
// computes what the definition says.
// RUN: fa-compile %s --chip=cpu -o %t.so
// RUN: llvm-nm -D --undefined-only %t.so | FileCheck %s --check-prefix=CALLS --allow-empty
// RUN: llvm-nm -D --defined-only %t.so | FileCheck %s --check-prefix=EXPORTS
// RUN: fa-compile %s --chip=cpu --reference -o %t.ref.so
// RUN: llvm-nm -D --defined-only %t.ref.so | FileCheck %s --check-prefix=REFERENCE
// RUN: %if cpu-v3 %{ fa-run %t.so --reference %t.ref.so --device cpu --seed 1 --seqlen-q 70 --seqlen-k 130 --arg bias=-1:1 --arg cap=4.0 %}
// RUN: not fa-compile %s --chip=cpu --cpu=x86-64-v2 -o %t.no.so 2>&1 | FileCheck %s --check-prefix=REFUSED

// CALLS-NOT: U {{memc[^p]|meme|memse[^t]|[^m]}}
// EXPORTS: T fa_attention
// REFERENCE-DAG: T low
// REFERENCE-DAG: T reference
// REFUSED: expects a cpu from x86-64-v3 on, got 'x86-64-v2', which lacks avx2

func.func @attention(%q: tensor<1x2x?x40xf16>, %k: tensor<1x2x?x40xf16>, %v: tensor<1x2x?x24xf16>,
                     %o: tensor<1x2x?x24xf16>, %lse: tensor<1x2x?xf32>, %bias: tensor<2xf32> {fa.name = "bias"},
                     %cap: f32 {fa.name = "cap"}) -> (tensor<1x2x?x24xf16>, tensor<1x2x?xf32>) {
  %r:2 = fa.attention
    ins(%q, %k, %v : tensor<1x2x?x40xf16>, tensor<1x2x?x40xf16>, tensor<1x2x?x24xf16>)
    outs(%o, %lse : tensor<1x2x?x24xf16>, tensor<1x2x?xf32>)
    {mask = #fa.mask<bottom_right, causal>}
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %one = arith.constant 1.0 : f32
      %half = arith.constant 0.5 : f32
      %c2 = arith.constant 2 : index
      %x = arith.divf %s, %cap : f32
      %tanh = math.tanh %x : f32
      %abs = math.absf %x : f32
      %up = arith.addf %abs, %one : f32
      %log = math.log %up : f32
      %log2 = math.log2 %up : f32
      %pow = math.powf %up, %half : f32
      %sqrt = math.sqrt %up : f32
      %rsqrt = math.rsqrt %up : f32
      %neg = arith.negf %up : f32
      %exp = math.exp %neg : f32
      %exp2 = math.exp2 %neg : f32
      %floor = math.floor %half : f32
      %ceil = math.ceil %half : f32
      %even = math.roundeven %half : f32
      %sign = math.copysign %sqrt, %x : f32
      %fma = math.fma %tanh, %cap, %sign : f32
      %a0 = arith.addf %fma, %log : f32
      %a1 = arith.subf %a0, %log2 : f32
      %a2 = arith.addf %a1, %pow : f32
      %a3 = arith.addf %a2, %rsqrt : f32
      %a4 = arith.addf %a3, %exp : f32
      %a5 = arith.addf %a4, %exp2 : f32
      %a6 = arith.addf %a5, %floor : f32
      %a7 = arith.addf %a6, %ceil : f32
      %a8 = arith.addf %a7, %even : f32
      %first = arith.remui %j, %c2 : index
      %e = tensor.extract %bias[%first] : tensor<2xf32>
      %a9 = arith.addf %a8, %e : f32
      fa.yield %a9 : f32
    }
  return %r#0, %r#1 : tensor<1x2x?x24xf16>, tensor<1x2x?xf32>
}
