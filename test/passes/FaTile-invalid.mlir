// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-tile -split-input-file -verify-diagnostics

!t = tensor<1x2x8x64xf16>
func.func @tensors(%q: !t, %o: !t) -> !t {
  // expected-error @below {{expects memrefs here (stage buffers), got 'tensor<1x2x8x64xf16>'}}
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = memref<1x2x8x64xf16>
func.func @no_schedule(%q: !t, %o: !t) {
  // expected-error @below {{expects a schedule here; fa-choose-schedule sets one}}
  fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return
}

// -----

// expected-error @below {{expects IR at stage buffers, got online}}
module attributes {fa.stage = "online"} {
}
