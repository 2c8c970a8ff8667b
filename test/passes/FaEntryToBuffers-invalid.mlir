// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry functions that no artefact can be made of; and one that may not say what was meant.
// RUN: fa-opt %s --fa-entry-to-buffers -split-input-file -verify-diagnostics

func.func @unknown_attribute(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) -> tensor<1x2x8x64xf16> {
  // expected-warning @below {{attribute 'causal' has no effect}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>) {scale = 1.0 : f32, causal, other.note = "kept"}
  return %r : tensor<1x2x8x64xf16>
}

// -----

func.func @other_op(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %x: f32 {fa.name = "x"}) -> tensor<1x2x8x64xf16> {
  // expected-error @below {{'math.absf' beside fa.attention: an entry function may only hold constants, tensor.empty, tensor.dim and casts}}
  %y = math.absf %x : f32
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

func.func @unnamed(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    // expected-error @below {{expects argument #4 of type 'f32' to be an operand of fa.attention or to have a name (attribute fa.name)}}
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %x: f32) -> tensor<1x2x8x64xf16> {
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

// expected-error @below {{expects every argument to have a name of its own, found 'x' twice}}
func.func @same_name(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %x: f32 {fa.name = "x"}, %y: f32 {fa.name = "x"}) -> tensor<1x2x8x64xf16> {
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

// expected-error @below {{expects fa.name of argument #4 to differ from the names of the attention op's operands (q, k, v, o, lse, q_lengths, kv_lengths, q_offsets, kv_offsets, sink, scale), got 'k'}}
func.func @role_name(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %x: f32 {fa.name = "k"}) -> tensor<1x2x8x64xf16> {
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

// expected-error @below {{to be a ranked tensor, a strided memref in memory space 0 or a scalar}}
func.func @unranked(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %x: tensor<*xf32> {fa.name = "x"}) -> tensor<1x2x8x64xf16> {
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

// expected-error @below {{to be a ranked tensor, a strided memref in memory space 0 or a scalar}}
func.func @vector(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %x: vector<4xf32> {fa.name = "x"}) -> tensor<1x2x8x64xf16> {
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

// expected-error @below {{to be a ranked tensor, a strided memref in memory space 0 or a scalar}}
func.func @memory_space(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %x: memref<4xf32, 3> {fa.name = "x"}) -> tensor<1x2x8x64xf16> {
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

// expected-error @below {{to be a ranked tensor, a strided memref in memory space 0 or a scalar}}
func.func @narrow_type(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %x: tensor<4xi4> {fa.name = "x"}) -> tensor<1x2x8x64xf16> {
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

func.func @twice(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %z: f32 {fa.name = "z"}) -> tensor<1x2x8x64xf16> {
  // expected-error @below {{uses argument #0 2 times: expects an argument of its own for each operand}}
  %r = fa.attention ins(%q, %q, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

func.func @constant_operand(%k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) -> tensor<1x2x8x64xf16> {
  %q = arith.constant dense<1.0> : tensor<1x2x8x64xf16>
  // expected-error @below {{expects q to be an argument of the entry function}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

func.func @result(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) -> tensor<1x2x8x64xf16> {
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  // expected-error @below {{expects result #0 to be a result of fa.attention}}
  return %o : tensor<1x2x8x64xf16>
}

// -----

func.func @tile(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) -> tensor<1x2x8x64xf16> {
  %c0 = arith.constant 0 : index
  // expected-error @below {{expects no `at`, which says where a tile of a larger problem stands}}
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>) at(%c0, %c0, %c0 of %c0)
  return %r : tensor<1x2x8x64xf16>
}

// -----

func.func @extents(%q: tensor<?x2x8x64xf16>, %k: tensor<?x2x8x64xf16>,
    %v: tensor<?x2x8x64xf16>, %o: tensor<?x2x8x64xf16>, %n: tensor<2xi32>, %m: tensor<3xi32>) -> tensor<?x2x8x64xf16> {
  // expected-error @below {{expects one extent B, got 2 and 3}}
  %r = fa.attention ins(%q, %k, %v : tensor<?x2x8x64xf16>, tensor<?x2x8x64xf16>, tensor<?x2x8x64xf16>)
    outs(%o : tensor<?x2x8x64xf16>) q_lengths(%n : tensor<2xi32>)
    kv_lengths(%m : tensor<3xi32>)
  return %r : tensor<?x2x8x64xf16>
}

// -----

// expected-error @below {{expects one fa.attention, found none}}
module {
  func.func @none() {
    return
  }
}

// -----

func.func @several(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>) {
  // expected-note @below {{first one here}}
  %0 = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  // expected-error @below {{is not the only one: expects one a module, or one in the entry function, found 2}}
  %1 = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return
}

// -----

func.func @nested(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %c: i1) {
  scf.if %c {
    // expected-error @below {{expects to stand directly in a func.func, got 'scf.if'}}
    %0 = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  }
  return
}

// -----

// expected-error @below {{expects IR at stage problem, got tiled}}
module attributes {fa.stage = "tiled"} {
}

// -----

!t = tensor<1x2x8x64xf16>

func.func @A24_scale_operand(%q: !t, %k: !t, %v: !t, %o: !t, %x: f16 {fa.name = "x"}) -> !t {
  %c = arith.extf %x : f16 to f32
  // expected-error @below {{expects scale to be an argument of the entry function or a finite constant, got}}
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) scale(%c)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

func.func @A24_infinite_scale(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %c = arith.constant 0x7F800000 : f32
  // expected-error @below {{expects scale to be an argument of the entry function or a finite constant, got}}
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) scale(%c)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

func.func @A25_reads_o(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{'tensor.extract' op reads o, which the artefact writes: expects a region that does not touch it}}
    %x = tensor.extract %o[%b, %h, %i, %i] : !t
    fa.yield %s : f32
  }
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

func.func @A25_dim_of_o(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{'tensor.dim' op reads o, which the artefact writes: expects a region that does not touch it}}
    %x = tensor.dim %o, %b : !t
    fa.yield %s : f32
  }
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>
!l = tensor<1x2x8xf32>

func.func @A25_reads_lse_by_cast(%q: !t, %k: !t, %v: !t, %o: !t, %l: !l) -> (!t, !l) {
  %c = tensor.cast %l : !l to tensor<?x2x8xf32>
  %r:2 = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o, %l : !t, !l) score {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{'tensor.extract' op reads lse, which the artefact writes: expects a region that does not touch it}}
    %x = tensor.extract %c[%b, %h, %i] : tensor<?x2x8xf32>
    fa.yield %s : f32
  }
  return %r#0, %r#1 : !t, !l
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{to differ from the names of the attention op's operands}}
func.func @reserved_lse(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "lse"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{to differ from the names of the attention op's operands}}
func.func @reserved_q_lengths(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "q_lengths"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{to differ from the names of the attention op's operands}}
func.func @reserved_kv_lengths(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "kv_lengths"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{to differ from the names of the attention op's operands}}
func.func @reserved_q_offsets(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "q_offsets"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{to differ from the names of the attention op's operands}}
func.func @reserved_kv_offsets(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "kv_offsets"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{to differ from the names of the attention op's operands}}
func.func @reserved_sink(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "sink"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{to differ from the names of the attention op's operands}}
func.func @reserved_scale(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "scale"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects fa.name of argument #4 to be a name of letters, digits and '_' that starts with no digit, got ''}}
func.func @capture_empty(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = ""}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects fa.name of argument #4 to be a name of letters, digits and '_' that starts with no digit, got 'my bias'}}
func.func @capture_space(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "my bias"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects fa.name of argument #4 to be a name of letters, digits and '_' that starts with no digit, got 'my "bias'}}
func.func @capture_quote(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "my \22bias"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects fa.name of argument #4 to be a name of letters, digits and '_' that starts with no digit, got '1st'}}
func.func @capture_digit(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "1st"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects fa.name of argument #4 to be a name of letters, digits and '_' that starts with no digit, got 'a.b'}}
func.func @capture_dot(%q: !t, %k: !t, %v: !t, %o: !t, %x: f32 {fa.name = "a.b"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects the entry function, which names the artefact, to have a name of letters, digits and '_' that starts with no digit ('.' and '$' become '_'), got 'a b'}}
func.func @"a b"(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects the entry function, which names the artefact, to have a name of letters, digits and '_' that starts with no digit ('.' and '$' become '_'), got 'x-y'}}
func.func @"x-y"(%q: !t, %k: !t, %v: !t, %o: !t) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects fa.dims of argument #4 to name each extent of 'tensor<?x?xf32>'}}
func.func @dims_count(%q: !t, %k: !t, %v: !t, %o: !t, %x: tensor<?x?xf32> {fa.name = "x", fa.dims = ["B"]}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects fa.dims of argument #4 to name each extent of 'tensor<?x?xf32>'}}
func.func @dims_kind(%q: !t, %k: !t, %v: !t, %o: !t, %x: tensor<?x?xf32> {fa.name = "x", fa.dims = [1, 2]}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects fa.dims of argument #4 to name each extent of 'tensor<?x?xf32>'}}
func.func @dims_symbol(%q: !t, %k: !t, %v: !t, %o: !t, %x: tensor<?x?xf32> {fa.name = "x", fa.dims = ["B", "a b"]}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

// expected-error @below {{expects fa.dims of argument #4 to name each extent of 'tensor<?x?xf32>'}}
func.func @dims_none(%q: !t, %k: !t, %v: !t, %o: !t, %x: tensor<?x?xf32> {fa.name = "x", fa.dims = "B"}) -> !t {
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}

// -----

!t = tensor<1x2x8x64xf16>

func.func @dims_extent(%q: !t, %k: !t, %v: !t, %o: !t, %x: tensor<4xf32> {fa.name = "x", fa.dims = ["Hq"]}) -> !t {
  // expected-error @below {{expects one extent Hq, got 2 and 4}}
  %r = fa.attention ins(%q, %k, %v : !t, !t, !t) outs(%o : !t)
  return %r : !t
}
