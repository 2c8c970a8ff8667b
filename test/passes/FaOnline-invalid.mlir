// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-online -split-input-file -verify-diagnostics

!t = memref<1x2x8x64xf16>
func.func @whole(%q: !t, %o: !t) {
  // expected-error @below {{expects a tile of one batch entry and one head on memrefs (stage tiled), got q of 'memref<1x2x8x64xf16>'}}
  fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return
}

// -----

!t = memref<1x1x8x64xf16>
func.func @no_scale(%q: !t, %o: !t, %x: index) {
  // expected-error @below {{expects a schedule and a scale operand}}
  fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) at(%x, %x, %x of %x)
  return
}

// -----

!t = memref<1x1x80x64xf16>
func.func @too_tall(%q: !t, %o: !t, %x: index, %s: f32) {
  // expected-error @below {{expects at most the 64 queries of its schedule's query_tile, got 80}}
  fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) scale(%s) at(%x, %x, %x of %x)
    {schedule = #fa.schedule<query_tile = 64, key_tile = 64>}
  return
}

// -----

// expected-error @below {{expects IR at stage tiled, got masked}}
module attributes {fa.stage = "masked"} {
}
