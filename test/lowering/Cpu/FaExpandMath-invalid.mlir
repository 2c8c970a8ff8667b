// RUN: fa-opt %s --split-input-file --verify-diagnostics --fa-expand-math

func.func @unlisted(%x: f32) -> f32 {
  // expected-error @+1 {{has no expansion for the CPU}}
  %y = math.sin %x : f32
  return %y : f32
}

// -----

func.func @double(%x: f64) -> f64 {
  // expected-error @+1 {{expects f16, bf16 or f32 on the CPU, got 'f64'}}
  %y = math.exp %x : f64
  return %y : f64
}
