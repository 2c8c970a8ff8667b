// RUN: fa-opt %s --split-input-file --fa-embed=chip=cpu --verify-diagnostics
// RUN: not fa-opt %s --split-input-file --fa-embed=host=nobody 2>&1 | FileCheck %s --check-prefix=HOST
// HOST: error: expects host runtime or launch_func, got 'nobody'
// RUN: not fa-opt %s --split-input-file --fa-embed="chip=cpu host=launch_func" 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: expects a GPU with host=launch_func, got chip cpu
// RUN: not fa-opt %s --split-input-file --fa-embed=chip=sm_12 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: expects a chip{{.*}}got 'sm_12'

!m = memref<1x2x8x64xf16>
func.func @tile(%q: !m, %o: !m, %i: index) {
  // expected-error@+1 {{expects no `at`, which says where a tile of a larger problem stands}}
  fa.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m) at(%i, %i, %i of %i)
  return
}

// -----

!m = memref<1x2x8x64xf16>
module {
  module @inner {
    func.func @nested(%q: !m, %o: !m) {
      // expected-error@+1 {{expects to stand in a function of the module that fa-embed runs on}}
      fa.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m)
      return
    }
  }
}

// -----

!m = memref<1x2x8x64xf16>
// expected-error@+3 {{expects argument #4 to be a ranked tensor, a strided memref in memory space 0 or a scalar}}
func.func @capture(%q: !m, %o: !m, %table: memref<8xf32, 3>) {
  // The place of the op stands for that of its problem.
  fa.attention ins(%q, %q, %q : !m, !m, !m) outs(%o : !m)
    score {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %x = memref.load %table[%i] : memref<8xf32, 3>
      fa.yield %x : f32
    }
  return
}
