// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry functions that no artefact can be made of.
// RUN: fa-opt %s --fa-entry-to-buffers -split-input-file -verify-diagnostics

func.func @other_op(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
    %v: tensor<1x2x8x64xf16>, %o: tensor<1x2x8x64xf16>, %x: f32 {fa.name = "x"}) -> tensor<1x2x8x64xf16> {
  // expected-error @below {{'math.absf' beside fa.attention: an entry function may only hold constants, tensor.empty and casts}}
  %y = math.absf %x : f32
  %r = fa.attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>, tensor<1x2x8x64xf16>)
    outs(%o : tensor<1x2x8x64xf16>)
  return %r : tensor<1x2x8x64xf16>
}

// -----

// expected-error @below {{expects argument #4 of type 'f32' to be an operand of fa.attention or to have a name (attribute fa.name)}}
func.func @unnamed(%q: tensor<1x2x8x64xf16>, %k: tensor<1x2x8x64xf16>,
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

// expected-error @below {{expects fa.name of argument #4 to differ from the attention op's own operands, got "k"}}
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
