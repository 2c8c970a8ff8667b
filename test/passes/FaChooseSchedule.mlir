// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --fa-choose-schedule | FileCheck %s --check-prefix=CPU
// RUN: fa-opt %s --fa-choose-schedule=chip=sm_80 | FileCheck %s --check-prefix=GPU
// RUN: fa-opt %s --fa-choose-schedule=chip=sm_90a | FileCheck %s --check-prefix=TMA
// RUN: fa-opt %s --fa-choose-schedule="chip=sm_80 key-tile=32 mask=split" | FileCheck %s --check-prefix=OPTION
// RUN: fa-opt %s --fa-choose-schedule="fields={grid = counter, key_tile=32}" | FileCheck %s --check-prefix=FIELDS
// RUN: not fa-opt %s --fa-choose-schedule="fields=grids=counter" 2>&1 | FileCheck %s --check-prefix=NOFIELD
// RUN: not fa-opt %s --fa-choose-schedule="fields={key_tile = 32, v_wait = 8,key_tile=64}" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not fa-opt %s --fa-choose-schedule=chip=sm_12 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not fa-opt %s --fa-choose-schedule=mask=all 2>&1 | FileCheck %s --check-prefix=MASK
// RUN: not fa-opt %s --fa-choose-schedule=key-tile=12 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not fa-opt %s --fa-choose-schedule="chip=sm_80 warps=3" 2>&1 | FileCheck %s --check-prefix=WARPS

!t = tensor<1x2x512x64xf16>

// CPU-LABEL: func.func @plain
// CPU: schedule = #fa.schedule<query_tile = 128, key_tile = 64, warps = 1, stages = 1>
// GPU-LABEL: func.func @plain
// Rows that are not aligned to 16 bytes have tiles of their own.
// GPU: fa.versions = [#fa.version<schedule = <query_tile = 128, key_tile = 128, stages = 1, threshold = 8>, wide = true>,
// GPU-SAME: #fa.version<schedule = <query_tile = 128, key_tile = 96, stages = 1>>]
// What TMA cannot load has a version of its own.
// TMA-LABEL: func.func @plain
// TMA: fa.versions = [#fa.version<schedule = <query_tile = 192, key_tile = 128, warps = 12
// TMA-SAME: tma = true>, #fa.version<schedule = <query_tile = 128, key_tile = {{[0-9]+}}, stages = 1>>]
// OPTION-LABEL: func.func @plain
// OPTION: schedule = #fa.schedule<query_tile = 128, key_tile = 32, stages = 1, mask = split, threshold = 8>
// FIELDS-LABEL: func.func @plain
// FIELDS: schedule = #fa.schedule<query_tile = 128, key_tile = 32, warps = 1, stages = 1, grid = counter>
// NOFIELD: error: 'fa.attention' op expects fields of #fa.schedule, got 'grids=counter'
// TWICE: error: 'fa.attention' op expects each field of the schedule once, got 'key_tile' again in 'key_tile = 32, v_wait = 8,key_tile=64'
// CHIP: error: expects a chip that the schedule table has rows for (cpu, sm_80, sm_86, sm_89, sm_90a), got 'sm_12'
// MASK: error: expects mask every, guard or split, got 'all'
// TILE: error: 'fa.attention' op has an unusable schedule: expects key_tile from 8 to 1024 in steps of 8, got 12
// WARPS: error: 'fa.attention' op has an unusable schedule: query_tile 128 is no multiple of 16 * warps = 48
func.func @plain(%q: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// Query tiles overlap where a branch tells those without keys apart.
// TMA-LABEL: func.func @keys
// TMA: fa.attention
// TMA-SAME: fa.versions = [#fa.version<schedule = <query_tile = 128, key_tile = 128, warps = 8
// TMA-SAME: overlap_tiles = true, q_registers = 64>, tma = true, most_keys = 4096>
// TMA: fa.attention
// TMA-NOT: overlap_tiles
// TMA-LABEL: func.func @causal
func.func @keys(%q: tensor<1x2x512x128xf16>, %k: tensor<1x2x?x128xf16>, %o: tensor<1x2x512x128xf16>)
    -> (tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>) {
  %r = fa.attention ins(%q, %k, %k : tensor<1x2x512x128xf16>, tensor<1x2x?x128xf16>, tensor<1x2x?x128xf16>)
    outs(%o : tensor<1x2x512x128xf16>)
  %s = fa.attention ins(%q, %q, %q : tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>)
    outs(%o : tensor<1x2x512x128xf16>)
  return %r, %s : tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>
}

// Later query tiles of an op with a right bound are longer, and with a left bound
// as well never shorter; with that alone they are.
// CPU-LABEL: func.func @causal
// CPU: order = heaviest_first
// CPU-LABEL: func.func @window
// CPU: order = heaviest_first
// CPU-LABEL: func.func @left
// CPU-NOT: order
func.func @causal(%q: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {mask = #fa.mask<top_left, causal>}
  return %r : !t
}
func.func @window(%q: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {mask = #fa.mask<top_left, causal, window = [64, none]>}
  return %r : !t
}
func.func @left(%q: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) {mask = #fa.mask<top_left, window = [64, none]>}
  return %r : !t
}

// What the op says stands; options overrule single fields of it.
// CPU-LABEL: func.func @given
// CPU: schedule = #fa.schedule<query_tile = 16, key_tile = 8, warps = 1>
// TMA-LABEL: func.func @given
// TMA: fa.attention
// TMA-NOT: fa.versions
// OPTION-LABEL: func.func @given
// OPTION: schedule = #fa.schedule<query_tile = 16, key_tile = 32, warps = 1, mask = split>
func.func @given(%q: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t)
    {schedule = #fa.schedule<query_tile = 16, key_tile = 8, warps = 1>}
  return %r : !t
}

// A region that reads memory for each element gets smaller tiles of keys, one that does so for a head only does not.
// TMA-LABEL: func.func @bias
// TMA: #fa.version<schedule = <query_tile = 192, key_tile = 48
// TMA-SAME: #fa.version<schedule = <query_tile = 128, key_tile = 32
// TMA-LABEL: func.func @slope
// TMA: #fa.version<schedule = <query_tile = 192, key_tile = 128
func.func @bias(%q: !t, %o: !t, %bias: tensor<513xf32>) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %c1 = arith.constant 1 : index
    %place = arith.addi %j, %c1 : index
    %x = tensor.extract %bias[%place] : tensor<513xf32>
    %y = arith.addf %s, %x : f32
    fa.yield %y : f32
  }
  return %r : !t
}
func.func @slope(%q: !t, %o: !t, %slopes: tensor<2xf32>) -> !t {
  %r = fa.attention ins(%q, %q, %q : !t, !t, !t) outs(%o : !t) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %slopes[%h] : tensor<2xf32>
    %y = arith.addf %s, %x : f32
    fa.yield %y : f32
  }
  return %r : !t
}

// Lengths of queries leave registers for fewer keys beside 128 columns, lengths of keys do not.
// GPU-LABEL: func.func @lengths
// GPU: q_lengths({{.*}}schedule = #fa.schedule<query_tile = 128, key_tile = 48, stages = 1>
// GPU: kv_lengths({{.*}}schedule = #fa.schedule<query_tile = 128, key_tile = 64, stages = 1>
// TMA-LABEL: func.func @lengths
// TMA: #fa.version<schedule = <query_tile = 128, key_tile = 128
// TMA-SAME: #fa.version<schedule = <query_tile = 128, key_tile = 16, stages = 1>>
// TMA: #fa.version<schedule = <query_tile = 128, key_tile = 48, stages = 1>>
func.func @lengths(%q: tensor<1x2x512x128xf16>, %o: tensor<1x2x512x128xf16>, %n: tensor<1xi32>)
    -> (tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>) {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>)
    outs(%o : tensor<1x2x512x128xf16>) q_lengths(%n : tensor<1xi32>)
  %s = fa.attention ins(%q, %q, %q : tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>)
    outs(%o : tensor<1x2x512x128xf16>) kv_lengths(%n : tensor<1xi32>)
  return %r, %s : tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>
}

// A region leaves no registers for part of Q.
// TMA-LABEL: func.func @wide_slope
// TMA: #fa.version<schedule = <query_tile = 128, key_tile = 128
// TMA-NOT: q_registers
func.func @wide_slope(%q: tensor<1x2x512x128xf16>, %o: tensor<1x2x512x128xf16>, %slopes: tensor<2xf32>)
    -> tensor<1x2x512x128xf16> {
  %r = fa.attention ins(%q, %q, %q : tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>, tensor<1x2x512x128xf16>)
    outs(%o : tensor<1x2x512x128xf16>) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %slopes[%h] : tensor<2xf32>
    %y = arith.addf %s, %x : f32
    fa.yield %y : f32
  }
  return %r : tensor<1x2x512x128xf16>
}
