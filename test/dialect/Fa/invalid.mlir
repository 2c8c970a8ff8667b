// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function a constraint, named after it; dialect/README.md lists them.
// RUN: fa-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

func.func @A1_element_type(%q: tensor<1x2x8x64xf32>, %k: tensor<1x2x8x64xf32>,
    %v: tensor<1x2x8x64xf32>, %o: tensor<1x2x8x64xf32>) {
  // expected-error @below {{expects q of f16 or bf16, got 'f32'}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf32>, tensor<1x2x8x64xf32>, tensor<1x2x8x64xf32>)
    outs(%o : tensor<1x2x8x64xf32>)
  return
}

// -----

func.func @A2_rank(%q: tensor<2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects q of rank 4, got 'tensor<2x8x64xf16>'}}
  %r = fa.attention ins(%q, %k, %v : tensor<2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A2_rank_packed(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %a: tensor<2xi32>) {
  // expected-error @below {{expects q of rank 3, got 'tensor<1x2x8x64xf16>'}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>) q_offsets(%a : tensor<2xi32>) kv_offsets(%a : tensor<2xi32>)
  return
}

// -----

func.func @A3_mixed_forms(%q: tensor<1x2x8x64xf16>, %k: memref<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects all operands to be tensors or all to be memrefs, got 'tensor<1x2x8x64xf16>' and 'memref<1x2x8x64xf16>'}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, memref<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A3_encoding(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16, "blocked">,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects tensors without an encoding}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16, "blocked">, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A4_mixed_types_k(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xbf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects k of q's element type 'f16', got 'bf16'}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xbf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A4_mixed_types_v(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf32>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects v of q's element type 'f16', got 'f32'}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf32>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A5_output_type(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xbf16>) {
  // expected-error @below {{expects o of q's element type 'f16' or f32, got 'bf16'}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xbf16>)
  return
}

// -----

func.func @A6_head_dim_7(%q: tensor<1x2x8x7xf16>, %k: tensor<1x2x8x7xf16>,
    %v: tensor<1x2x8x7xf16>, %o: tensor<1x2x8x7xf16>) {
  // expected-error @below {{expects a static Dqk that is a multiple of 8 from 8 to 256, got 7}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x7xf16>, tensor<1x2x8x7xf16>, tensor<1x2x8x7xf16>)
    outs(%o : tensor<1x2x8x7xf16>)
  return
}

// -----

func.func @A6_head_dim_260(%q: tensor<1x2x8x260xf16>, %k: tensor<1x2x8x260xf16>,
    %v: tensor<1x2x8x260xf16>, %o: tensor<1x2x8x260xf16>) {
  // expected-error @below {{expects a static Dqk that is a multiple of 8 from 8 to 256, got 260}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x260xf16>, tensor<1x2x8x260xf16>, tensor<1x2x8x260xf16>)
    outs(%o : tensor<1x2x8x260xf16>)
  return
}

// -----

func.func @A6_head_dim_0(%q: tensor<1x2x8x0xf16>, %k: tensor<1x2x8x0xf16>,
    %v: tensor<1x2x8x0xf16>, %o: tensor<1x2x8x0xf16>) {
  // expected-error @below {{from 8 to 256, got 0}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x0xf16>, tensor<1x2x8x0xf16>, tensor<1x2x8x0xf16>)
    outs(%o : tensor<1x2x8x0xf16>)
  return
}

// -----

func.func @A6_head_dim_v(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x264xf16>, %o: tensor<1x2x8x264xf16>) {
  // expected-error @below {{expects a static Dv that is a multiple of 8 from 8 to 256, got 264}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x264xf16>)
    outs(%o : tensor<1x2x8x264xf16>)
  return
}

// -----

func.func @A6_head_dim_dynamic(%q: tensor<1x2x8x?xf16>, %k: tensor<1x2x8x?xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects a static Dqk that is a multiple of 8 from 8 to 256, got ?}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x?xf16>, tensor<1x2x8x?xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A7_head_dim_k(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x128xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects k's head dimension to be 64, got 128}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x128xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A7_head_dim_o(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x128xf16>) {
  // expected-error @below {{expects o's head dimension to be 64, got 128}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x128xf16>)
  return
}

// -----

func.func @A8_batch_k(%q: tensor<1x2x8x64xf16>, %k: tensor<2x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects k's batch to be 1, got 2}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<2x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A8_batch_o(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<3x2x8x64xf16>) {
  // expected-error @below {{expects o's batch to be 1, got 3}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<3x2x8x64xf16>)
  return
}

// -----

func.func @A9_heads_v(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x1x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects v's head count to be 2, got 1}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x1x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A9_keys_v(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x9x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects v's key count to be 9, got 8}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x9x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A9_heads_o(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x1x8x64xf16>) {
  // expected-error @below {{expects o's head count to be 2, got 1}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x1x8x64xf16>)
  return
}

// -----

func.func @A9_queries_o(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x7x64xf16>) {
  // expected-error @below {{expects o's query count to be 8, got 7}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x7x64xf16>)
  return
}

// -----

func.func @A10_grouped_heads(%q: tensor<1x2x8x64xf16>, %k: tensor<1x3x8x64xf16>,
    %v: tensor<1x3x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects the query heads to be a multiple of the 3 key/value heads, got 2}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x3x8x64xf16>, tensor<1x3x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A10_no_kv_heads(%q: tensor<1x2x8x64xf16>, %k: tensor<1x0x8x64xf16>,
    %v: tensor<1x0x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects the query heads to be a multiple of the 0 key/value heads, got 2}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x0x8x64xf16>, tensor<1x0x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @A11_lse_type(%q: tensor<1x2x8x64xf16>, %l: tensor<1x2x8xf16>) {
  // expected-error @below {{expects lse of shape [B, Hq, Sq] and type f32, got 'tensor<1x2x8xf16>'}}
  %r:2 = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q, %l : tensor<1x2x8x64xf16>, tensor<1x2x8xf16>)
  return
}

// -----

func.func @A11_lse_rank(%q: tensor<1x2x8x64xf16>, %l: tensor<2x8xf32>) {
  // expected-error @below {{expects lse of shape [B, Hq, Sq] and type f32, got 'tensor<2x8xf32>'}}
  %r:2 = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q, %l : tensor<1x2x8x64xf16>, tensor<2x8xf32>)
  return
}

// -----

func.func @A12_lengths_extent(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %n: tensor<3xi32>) {
  // expected-error @below {{expects kv_lengths of shape [1] and type 'i32', got 'tensor<3xi32>'}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>) kv_lengths(%n : tensor<3xi32>)
  return
}

// -----

func.func @A12_lengths_type(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %n: tensor<1xi64>) {
  // expected-error @below {{expects q_lengths of shape [1] and type 'i32', got 'tensor<1xi64>'}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>) q_lengths(%n : tensor<1xi64>)
  return
}

// -----

func.func @A13_offsets_alone(%q: tensor<8x2x64xf16>, %k: tensor<8x2x64xf16>,
    %v: tensor<8x2x64xf16>, %o: tensor<8x2x64xf16>, %a: tensor<2xi32>) {
  // expected-error @below {{expects q_offsets and kv_offsets together}}
  %r = fa.attention ins(%q, %k, %v : tensor<8x2x64xf16>, tensor<8x2x64xf16>, tensor<8x2x64xf16>)
    outs(%o : tensor<8x2x64xf16>) q_offsets(%a : tensor<2xi32>)
  return
}

// -----

func.func @A13_offsets_differ(%q: tensor<8x2x64xf16>, %k: tensor<8x2x64xf16>,
    %v: tensor<8x2x64xf16>, %o: tensor<8x2x64xf16>, %a: tensor<2xi32>, %b: tensor<3xi32>) {
  // expected-error @below {{expects kv_offsets of shape [2] and type 'i32', got 'tensor<3xi32>'}}
  %r = fa.attention ins(%q, %k, %v : tensor<8x2x64xf16>, tensor<8x2x64xf16>, tensor<8x2x64xf16>)
    outs(%o : tensor<8x2x64xf16>) q_offsets(%a : tensor<2xi32>) kv_offsets(%b : tensor<3xi32>)
  return
}

// -----

func.func @A13_offsets_empty(%q: tensor<8x2x64xf16>, %k: tensor<8x2x64xf16>,
    %v: tensor<8x2x64xf16>, %o: tensor<8x2x64xf16>, %a: tensor<0xi32>) {
  // expected-error @below {{expects q_offsets of at least one entry, got 0}}
  %r = fa.attention ins(%q, %k, %v : tensor<8x2x64xf16>, tensor<8x2x64xf16>, tensor<8x2x64xf16>)
    outs(%o : tensor<8x2x64xf16>) q_offsets(%a : tensor<0xi32>) kv_offsets(%a : tensor<0xi32>)
  return
}

// -----

func.func @A14_lengths_and_offsets(%q: tensor<8x2x64xf16>, %k: tensor<8x2x64xf16>,
    %v: tensor<8x2x64xf16>, %o: tensor<8x2x64xf16>, %a: tensor<2xi32>) {
  // expected-error @below {{expects lengths or offsets, not both}}
  %r = fa.attention ins(%q, %k, %v : tensor<8x2x64xf16>, tensor<8x2x64xf16>, tensor<8x2x64xf16>)
    outs(%o : tensor<8x2x64xf16>) q_lengths(%a : tensor<2xi32>) q_offsets(%a : tensor<2xi32>) kv_offsets(%a : tensor<2xi32>)
  return
}

// -----

func.func @A15_sink(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %s: tensor<3xf32>) {
  // expected-error @below {{expects sink of shape [2] and type 'f32', got 'tensor<3xf32>'}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>) sink(%s : tensor<3xf32>)
  return
}

// -----

func.func @A16_scale(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects a finite scale, got 0x7F800000 : f32}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>) {scale = 0x7F800000 : f32}
  return
}

// -----

func.func @A16_scale_nan(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects a finite scale, got 0x7FC00000 : f32}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>) {scale = 0x7FC00000 : f32}
  return
}

// -----

func.func @A17_at_packed(%q: tensor<8x2x64xf16>, %k: tensor<8x2x64xf16>,
    %v: tensor<8x2x64xf16>, %o: tensor<8x2x64xf16>, %a: tensor<2xi32>, %x: index) {
  // expected-error @below {{expects `at(b, h, i of sq)` with four values, in the form with a batch dimension}}
  %r = fa.attention ins(%q, %k, %v : tensor<8x2x64xf16>, tensor<8x2x64xf16>, tensor<8x2x64xf16>)
    outs(%o : tensor<8x2x64xf16>) q_offsets(%a : tensor<2xi32>) kv_offsets(%a : tensor<2xi32>) at(%x, %x, %x of %x)
  return
}

// -----

func.func @A17_at_count(%q: tensor<1x2x8x64xf16>, %x: index) {
  // expected-error @below {{expects `at(b, h, i of sq)` with four values}}
  %r = "fa.attention"(%q, %q, %q, %q, %x) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1>}> ({}, {})
    : (tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, index) -> tensor<1x2x8x64xf16>
  return
}

// -----

func.func @A18_layout_packed(%q: tensor<8x2x64xf16>, %k: tensor<8x2x64xf16>,
    %v: tensor<8x2x64xf16>, %o: tensor<8x2x64xf16>, %a: tensor<2xi32>) {
  // expected-error @below {{expects no layout in the packed form, which has an order of its own, got #fa.layout<bshd>}}
  %r = fa.attention ins(%q, %k, %v : tensor<8x2x64xf16>, tensor<8x2x64xf16>, tensor<8x2x64xf16>)
    outs(%o : tensor<8x2x64xf16>) q_offsets(%a : tensor<2xi32>) kv_offsets(%a : tensor<2xi32>) {layout = #fa.layout<bshd>}
  return
}

// -----

func.func @A19_no_outs(%q: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects one or two outs (o, lse), got 0}}
  "fa.attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}> ({}, {}) : (tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>) -> ()
  return
}

// -----

func.func @A19_three_outs(%q: tensor<1x2x8x64xf16>, %l: tensor<1x2x8xf32>) {
  // expected-error @below {{expects one or two outs (o, lse), got 3}}
  %r:3 = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q, %l, %l : tensor<1x2x8x64xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @A19_result_type(%q: tensor<1x2x8x64xf16>) {
  // expected-error @below {{'tensor<1x2x8x64xf16>'}}
  %r = "fa.attention"(%q, %q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0>}> ({}, {})
    : (tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>) -> tensor<1x2x8x64xf32>
  return
}

// -----

func.func @A20_inner_stride(%q: memref<1x2x8x64xf16, strided<[?, ?, ?, ?], offset: ?>>, %k: memref<1x2x8x64xf16>,
    %v: memref<1x2x8x64xf16>, %o: memref<1x2x8x64xf16>) {
  // expected-error @below {{expects q with a unit stride along its last dimension, got}}
  fa.attention ins(%q, %k, %v : memref<1x2x8x64xf16, strided<[?, ?, ?, ?], offset: ?>>, memref<1x2x8x64xf16>, memref<1x2x8x64xf16>)
    outs(%o : memref<1x2x8x64xf16>)
  return
}

// -----

func.func @A20_broadcast_output(%q: memref<1x2x8x64xf16>, %k: memref<1x2x8x64xf16>,
    %v: memref<1x2x8x64xf16>, %o: memref<1x2x8x64xf16, strided<[?, 0, 64, 1]>>) {
  // expected-error @below {{expects o without a stride of 0, since it is written, got}}
  fa.attention ins(%q, %k, %v : memref<1x2x8x64xf16>, memref<1x2x8x64xf16>, memref<1x2x8x64xf16>)
    outs(%o : memref<1x2x8x64xf16, strided<[?, 0, 64, 1]>>)
  return
}

// -----

func.func @A21_overlap(%q: memref<1x2x8x64xf16>, %k: memref<1x2x8x64xf16>) {
  // expected-error @below {{expects o to overlap no other operand, got the same memref twice}}
  fa.attention ins(%q, %k, %k : memref<1x2x8x64xf16>, memref<1x2x8x64xf16>, memref<1x2x8x64xf16>)
    outs(%q : memref<1x2x8x64xf16>)
  return
}

// -----

func.func @A21_overlap_region(%q: memref<1x2x8x64xf16>, %o: memref<1x2x8x64xf16>) {
  fa.attention ins(%q, %q, %q : memref<1x2x8x64xf16>, memref<1x2x8x64xf16>, memref<1x2x8x64xf16>)
    outs(%o : memref<1x2x8x64xf16>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{expects a region that does not touch o, which fa.attention writes}}
    %x = memref.load %o[%b, %h, %i, %j] : memref<1x2x8x64xf16>
    %y = arith.extf %x : f16 to f32
    fa.yield %y : f32
  }
  return
}

// -----

func.func @A22_score_arguments(%q: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects a score region with arguments 'f32', 'index', 'index', 'index', 'index', got 'f16'}}
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) score {
  ^bb0(%s: f16, %b: index, %h: index, %i: index, %j: index):
    %y = arith.extf %s : f16 to f32
    fa.yield %y : f32
  }
  return
}

// -----

func.func @A22_mask_arguments(%q: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects a mask region with arguments 'index', 'index', 'index', 'index', got 'f32'}}
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) mask {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %t = arith.constant true
    fa.yield %t : i1
  }
  return
}

// -----

func.func @A22_score_value(%q: tensor<1x2x8x64xf16>) {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %t = arith.constant true
    // expected-error @below {{expects 'f32' from a score region, got 'i1'}}
    fa.yield %t : i1
  }
  return
}

// -----

func.func @A22_mask_value(%q: tensor<1x2x8x64xf16>) {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %t = arith.constant 1.0 : f32
    // expected-error @below {{expects 'i1' from a mask region, got 'f32'}}
    fa.yield %t : f32
  }
  return
}

// -----

func.func @A22_no_yield(%q: tensor<1x2x8x64xf16>) {
  // expected-error @below {{expects a score region that ends with fa.yield}}
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    "some.end"() : () -> ()
  }
  return
}

// -----

func.func @A22_blocks(%q: tensor<1x2x8x64xf16>) {
  // expected-error @below {{op expects region #0 to have 0 or 1 blocks}}
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    cf.br ^bb1
      ^bb1:
    fa.yield %s : f32
  }
  return
}

// -----

func.func @A23_unknown_op(%q: tensor<1x2x8x64xf16>) {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{'some.op' is not supported in a score region}}
    %y = "some.op"(%s) : (f32) -> f32
    fa.yield %y : f32
  }
  return
}

// -----

func.func @A23_unsupported_math(%q: tensor<1x2x8x64xf16>) {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{'math.sin' is not supported in a score region}}
    %y = math.sin %s : f32
    fa.yield %y : f32
  }
  return
}

// -----

func.func @A23_wide_math(%q: tensor<1x2x8x64xf16>) {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = arith.extf %s : f32 to f64
    // expected-error @below {{'math.exp' is not supported in a score region}}
    %y = math.exp %x : f64
    %z = arith.truncf %y : f64 to f32
    fa.yield %z : f32
  }
  return
}

// -----

func.func @A23_writes(%q: tensor<1x2x8x64xf16>, %m: memref<8xi1>) {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %t = arith.constant true
    // expected-error @below {{'memref.store' is not supported in a mask region}}
    memref.store %t, %m[%i] : memref<8xi1>
    fa.yield %t : i1
  }
  return
}

// -----

func.func @A23_nested_regions(%q: tensor<1x2x8x64xf16>) {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %t = arith.constant true
    // expected-error @below {{'scf.if' is not supported in a mask region}}
    %y = scf.if %t -> i1 {
      scf.yield %t : i1
    } else {
      scf.yield %t : i1
    }
    fa.yield %y : i1
  }
  return
}

// -----

func.func @A23_tensor_value(%q: tensor<1x2x8x64xf16>, %a: tensor<8xf32>) {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{'arith.addf' is not supported in a score region}}
    %x = arith.addf %a, %a : tensor<8xf32>
    %y = tensor.extract %x[%j] : tensor<8xf32>
    fa.yield %y : f32
  }
  return
}

// -----

func.func @A23_wide_integer(%q: tensor<1x2x8x64xf16>) {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%q : tensor<1x2x8x64xf16>) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{'arith.index_cast' is not supported in a mask region}}
    %x = arith.index_cast %i : index to i128
    %y = arith.cmpi eq, %x, %x : i128
    fa.yield %y : i1
  }
  return
}

// -----

// expected-error @below {{expects window bounds to be counts from 0 to 2^61 or none, got -1}}
func.func private @M1_negative_window() attributes {a = #fa.mask<top_left, window = [-1, 0]>}

// -----

// expected-error @below {{expects window bounds to be counts from 0 to 2^61 or none, got 4611686018427387904}}
func.func private @M1_large_window() attributes {a = #fa.mask<top_left, window = [0, 4611686018427387904]>}

// -----

// expected-error @below {{expects top_left or bottom_right, got center}}
func.func private @M2_alignment() attributes {a = #fa.mask<center, causal>}

// -----

// expected-error @below {{expects top_left or bottom_right, got causal}}
func.func private @M2_no_alignment() attributes {a = #fa.mask<causal>}

// -----

// expected-error @below {{expects `causal`, then `window = [left, right]`, each at most once, got causal}}
func.func private @M3_repeated() attributes {a = #fa.mask<top_left, causal, causal>}

// -----

// expected-error @below {{expects `causal`, then `window = [left, right]`, each at most once, got causal}}
func.func private @M3_order() attributes {a = #fa.mask<top_left, window = [1, 1], causal>}

// -----

// expected-error @below {{expects query_tile from 1 to 1024, got 0}}
func.func private @S1_query_tile() attributes {a = #fa.schedule<query_tile = 0, key_tile = 64>}

// -----

// expected-error @below {{expects key_tile from 8 to 1024 in steps of 8, got 60}}
func.func private @S2_key_tile() attributes {a = #fa.schedule<query_tile = 64, key_tile = 60>}

// -----

// expected-error @below {{expects warps from 1 to 32, got 64}}
func.func private @S3_warps() attributes {a = #fa.schedule<query_tile = 64, key_tile = 64, warps = 64>}

// -----

// expected-error @below {{expects stages from 1 to 8, got 0}}
func.func private @S4_stages() attributes {a = #fa.schedule<query_tile = 64, key_tile = 64, stages = 0>}

// -----

// expected-error @below {{expects pointer, size, stride, scalar, tensor_map or scratch, got size_of}}
func.func private @param_kind() attributes {a = #fa.param<size_of "q"[0]>}

// -----

// expected-error @below {{expects a dimension from 0 on, got -1}}
func.func private @param_dim() attributes {a = #fa.param<size "q"[-1]>}

// -----

// expected-error @below {{expects in or out, got inout}}
func.func private @tensor_direction() attributes {a = #fa.tensor<"q", inout, [1]>}

// -----

// expected-error @below {{expects extents from 0 on, got -1}}
func.func private @tensor_extent() attributes {a = #fa.tensor<"q", in, [-1]>}

// -----

func.func @yield_alone(%x: f32) {
  // expected-error @below {{expects parent op 'fa.attention'}}
  fa.yield %x : f32
}
