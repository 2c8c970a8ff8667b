// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What canonicalisation rewrites, and what looks alike but must stay.
// RUN: fa-opt %s -canonicalize -split-input-file | FileCheck %s

!t = tensor<1x2x8x64xf16>

// CHECK-LABEL: func.func @default_scale
// CHECK-NOT: scale
func.func @default_scale(%q: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {scale = 0.125 : f32}
  return %r : !t
}

// CHECK-LABEL: func.func @other_scale
// CHECK: scale = 1.250010e-01 : f32
func.func @other_scale(%q: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {scale = 0.125001 : f32}
  return %r : !t
}

// A constant operand is the attribute's, whatever stood there.
// CHECK-LABEL: func.func @constant_scale
// CHECK-NOT: scale(
// CHECK: scale = -1.000000e+00 : f32
func.func @constant_scale(%q: !t, %o: !t) -> !t {
  %c = arith.constant -1.0 : f32
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) scale(%c) {scale = 2.0 : f32}
  return %r : !t
}

// CHECK-LABEL: func.func @default_constant_scale
// CHECK-NOT: scale
func.func @default_constant_scale(%q: !t, %o: !t) -> !t {
  %c = arith.constant 0.125 : f32
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) scale(%c) {scale = 2.0 : f32}
  return %r : !t
}

// CHECK-LABEL: func.func @infinite_scale
// CHECK: scale(%{{.*}})
func.func @infinite_scale(%q: !t, %o: !t) -> !t {
  %c = arith.constant 0x7F800000 : f32
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) scale(%c)
  return %r : !t
}

// CHECK-LABEL: func.func @launch_scale
// CHECK: scale(%{{.*}})
func.func @launch_scale(%q: !t, %o: !t, %c: f32) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) scale(%c)
  return %r : !t
}

// CHECK-LABEL: func.func @identity_score
// CHECK-NOT: score
func.func @identity_score(%q: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %unused = math.tanh %s : f32
    fa.yield %s : f32
  }
  return %r : !t
}

// -----

// Extents bound how far a key can stand from the diagonal: here 8 queries and 16 keys. Lengths only make it nearer.
!q = tensor<1x2x8x64xf16>
!k = tensor<1x2x16x64xf16>
!n = tensor<1xi32>

// CHECK-LABEL: func.func @wide_top_left
// CHECK-NOT: mask
func.func @wide_top_left(%q: !q, %k: !k, %n: !n) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%q : !q) kv_lengths(%n : !n)
    {mask = #fa.mask<top_left, window = [7, 15]>}
  return %r : !q
}

// CHECK-LABEL: func.func @one_too_narrow_top_left
// CHECK: mask = #fa.mask<top_left, window = [6, 14]>
func.func @one_too_narrow_top_left(%q: !q, %k: !k) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%q : !q) {mask = #fa.mask<top_left, window = [6, 14]>}
  return %r : !q
}

// CHECK-LABEL: func.func @wide_bottom_right
// CHECK-NOT: mask
func.func @wide_bottom_right(%q: !q, %k: !k) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%q : !q) {mask = #fa.mask<bottom_right, window = [15, 7]>}
  return %r : !q
}

// CHECK-LABEL: func.func @one_too_narrow_bottom_right
// CHECK: mask = #fa.mask<bottom_right, window = [14, 6]>
func.func @one_too_narrow_bottom_right(%q: !q, %k: !k) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%q : !q) {mask = #fa.mask<bottom_right, window = [14, 6]>}
  return %r : !q
}

// CHECK-LABEL: func.func @one_side
// CHECK: mask = #fa.mask<bottom_right, window = [none, 6]>
func.func @one_side(%q: !q, %k: !k) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%q : !q) {mask = #fa.mask<bottom_right, window = [15, 6]>}
  return %r : !q
}

// CHECK-LABEL: func.func @causal_is_tighter
// CHECK: mask = #fa.mask<top_left, causal, window = [3, none]>
func.func @causal_is_tighter(%q: !q, %k: !k) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%q : !q) {mask = #fa.mask<top_left, causal, window = [3, 2]>}
  return %r : !q
}

// CHECK-LABEL: func.func @keeps_all
// CHECK-NOT: mask
func.func @keeps_all(%q: !q, %k: !k) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%q : !q) {mask = #fa.mask<bottom_right>}
  return %r : !q
}

// A tile's own extents say nothing of the whole.
// CHECK-LABEL: func.func @tile
// CHECK: mask = #fa.mask<top_left, window = [7, 15]>
func.func @tile(%q: !q, %k: !k, %x: index) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%q : !q) at(%x, %x, %x of %x)
    {mask = #fa.mask<top_left, window = [7, 15]>}
  return %r : !q
}

// -----

// One query, which stands at the last key: causal drops nothing, aligned to the top left all but one.
!q = tensor<4x32x1x128xf16>
!k = tensor<4x32x20x128xf16>

// CHECK-LABEL: func.func @decode
// CHECK-NOT: mask
func.func @decode(%q: !q, %k: !k) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%q : !q) {mask = #fa.mask<bottom_right, causal>}
  return %r : !q
}

// CHECK-LABEL: func.func @decode_top_left
// CHECK: mask = #fa.mask<top_left, causal>
func.func @decode_top_left(%q: !q, %k: !k) -> !q {
  %r = fa.attention ins(%q, %k, %k : !q, !k, !k) outs(%q : !q) {mask = #fa.mask<top_left, causal>}
  return %r : !q
}

// -----

// Nothing is known of dynamic extents.
!q = tensor<1x2x?x64xf16>

// CHECK-LABEL: func.func @dynamic
// CHECK: mask = #fa.mask<top_left, window = [1048576, 1048576]>
func.func @dynamic(%q: !q) -> !q {
  %r = fa.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q)
    {mask = #fa.mask<top_left, window = [1048576, 1048576]>}
  return %r : !q
}

// CHECK-LABEL: func.func @true_region
// CHECK-NOT: mask
func.func @true_region(%q: !q) -> !q {
  %r = fa.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %t = arith.constant true
    fa.yield %t : i1
  }
  return %r : !q
}

// CHECK-LABEL: func.func @causal_region
// CHECK: {mask = #fa.mask<top_left, causal>}
// CHECK-NOT: mask {
func.func @causal_region(%q: !q) -> !q {
  %r = fa.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %t = arith.cmpi sge, %i, %j : index
    fa.yield %t : i1
  }
  return %r : !q
}

// 0 <= i - j < 128 in 64-bit integers, the way front ends write it.
// CHECK-LABEL: func.func @window_region
// CHECK: {mask = #fa.mask<top_left, causal, window = [127, none]>}
// CHECK-NOT: mask {
func.func @window_region(%q: !q) -> !q {
  %c128 = arith.constant 128 : i64
  %c0 = arith.constant 0 : i64
  %r = fa.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %x = arith.index_cast %i : index to i64
    %y = arith.index_cast %j : index to i64
    %d = arith.subi %x, %y : i64
    %near = arith.cmpi slt, %d, %c128 : i64
    %past = arith.cmpi sge, %d, %c0 : i64
    %t = arith.andi %near, %past : i1
    fa.yield %t : i1
  }
  return %r : !q
}

// The part that the attribute can state goes there, the rest stays.
// CHECK-LABEL: func.func @part_of_region
// CHECK: {mask = #fa.mask<top_left, causal>} mask {
// CHECK: %[[NEAR:.*]] = arith.cmpi slt
// CHECK: %[[FIRST:.*]] = arith.cmpi slt
// CHECK: %[[REST:.*]] = arith.ori %[[NEAR]], %[[FIRST]]
// CHECK-NEXT: fa.yield %[[REST]]
func.func @part_of_region(%q: !q) -> !q {
  %c1023 = arith.constant 1023 : index
  %c4 = arith.constant 4 : index
  %r = fa.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %causal = arith.cmpi sle, %j, %i : index
    %d = arith.subi %i, %j : index
    %near = arith.cmpi slt, %d, %c1023 : index
    %first = arith.cmpi slt, %j, %c4 : index
    %some = arith.ori %near, %first : i1
    %t = arith.andi %causal, %some : i1
    fa.yield %t : i1
  }
  return %r : !q
}

// An attribute aligned to the bottom right cannot take the region's comparison, which is aligned to the top left.
// CHECK-LABEL: func.func @bottom_right_and_region
// CHECK: {mask = #fa.mask<bottom_right, causal>} mask {
// CHECK: arith.cmpi sle
func.func @bottom_right_and_region(%q: !q) -> !q {
  %r = fa.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) {mask = #fa.mask<bottom_right, causal>} mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %t = arith.cmpi sle, %j, %i : index
    fa.yield %t : i1
  }
  return %r : !q
}

// j < i keeps no key on the diagonal: no count states that.
// CHECK-LABEL: func.func @strict
// CHECK: mask {
// CHECK: arith.cmpi slt
func.func @strict(%q: !q) -> !q {
  %r = fa.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %t = arith.cmpi slt, %j, %i : index
    fa.yield %t : i1
  }
  return %r : !q
}

// Narrow integers wrap, unsigned comparisons see large numbers in negative ones.
// CHECK-LABEL: func.func @narrow_or_unsigned
// CHECK: mask {
// CHECK: arith.cmpi sle, %{{.*}}, %{{.*}} : i32
// CHECK: arith.cmpi ule
func.func @narrow_or_unsigned(%q: !q) -> !q {
  %r = fa.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %x = arith.index_cast %i : index to i32
    %y = arith.index_cast %j : index to i32
    %s = arith.cmpi sle, %y, %x : i32
    %u = arith.cmpi ule, %j, %i : index
    %t = arith.andi %s, %u : i1
    fa.yield %t : i1
  }
  return %r : !q
}

// Coordinates of a region count within the whole, also in a tile, whose mask is left alone.
// CHECK-LABEL: func.func @tile_region
// CHECK: mask {
// CHECK: arith.cmpi sle
func.func @tile_region(%q: !q, %x: index) -> !q {
  %r = fa.attention ins(%q, %q, %q : !q, !q, !q) outs(%q : !q) at(%x, %x, %x of %x) mask {
  ^bb0(%b: index, %h: index, %i: index, %j: index):
    %t = arith.cmpi sle, %j, %i : index
    fa.yield %t : i1
  }
  return %r : !q
}
