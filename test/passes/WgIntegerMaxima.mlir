// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: fa-opt %s --wg-integer-maxima | FileCheck %s

// Left alone: a map that no vote in front of the maxima can do, since it reads
// the row's number, which votes do not have, or rows that come later.
// RUN: sed 's|// ROW||; s/fma %x, %a, %y/fma %x, %at, %y/' %s | fa-opt --wg-integer-maxima | FileCheck %s --check-prefix=ALONE
// RUN: sed 's|// LATER||; s/%most = wg.map(%mx, %rest/%most = wg.map(%mx, %later/' %s | fa-opt --wg-integer-maxima | FileCheck %s --check-prefix=ALONE

!s = !wg.frag<64x32xf32, acc, warps = 4>
!rows = !wg.rows<64xf32, warps = 4>
!pend = !wg.pending<64x32xf32, acc, warps = 4>
!max = !wg.rows<64xf32, warps = 4, partial = maximumf>

module attributes {fa.stage = "async"} {
gpu.module @m attributes {fa.target = "sm_90a"} {

// Integers where no bound is below 0; below it, those of scores that all are
// too; the vote and the branch read what is chosen.
// CHECK-LABEL: gpu.func @f
// CHECK: scf.for {{.*}} iter_args(%[[M:[a-z0-9]+]] = %{{.*}}, %[[BOUND:[a-z0-9]+]] = %{{.*}})
// CHECK-NEXT: %[[BELOW:.*]] = wg.any(%[[BOUND]]
// CHECK: arith.cmpf olt
// CHECK: %[[MAX:.*]] = scf.if %[[BELOW]]
// CHECK-NEXT: %[[LEAST:.*]] = wg.reduce_rows minimum_bits
// CHECK-NEXT: %[[MIXED:.*]] = wg.any(%[[LEAST]]
// CHECK: arith.cmpf uge
// CHECK: scf.if %[[MIXED]]
// CHECK-NEXT: wg.reduce_rows maximumf
// CHECK: } else {
// CHECK-NEXT: scf.yield %[[LEAST]]
// CHECK: } else {
// CHECK-NEXT: wg.reduce_rows maximum_bits
// CHECK: wg.any(%[[MAX]], %[[BOUND]]
// CHECK: wg.join_rows %[[MAX]]
gpu.func @f(%p: !pend, %m0: !rows, %far: i1, %slack: f32, %lows: !max, %n: index)
    kernel attributes {fa.kernel, fa.tma} {
  %s = wg.wait_mma %p : !pend
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ninf = arith.constant 0xFF800000 : f32
  %bound0 = wg.map(%m0 : !rows) -> !rows {
  ^bb0(%x: f32, %row: index):
    %sum = arith.addf %x, %slack : f32
    %z = arith.select %far, %ninf, %sum : f32
    wg.yield %z : f32
  }
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0, %bound = %bound0) -> (!rows, !rows) {
    %mx = wg.reduce_rows maximumf %s, %lows : !s, !max
    %asks = wg.any(%mx, %bound : !max, !rows) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.cmpf ogt, %x, %y : f32
      wg.yield %z : i1
    }
    %moved:2 = scf.if %asks -> (!rows, !rows) {
      %limit = wg.map(%m : !rows) -> !rows {
      ^bb0(%x: f32, %row: index):
        %z = arith.addf %x, %slack : f32
        wg.yield %z : f32
      }
      %whole = wg.join_rows %mx : !max
      %new = wg.map(%m, %whole, %limit, %whole : !rows, !rows, !rows, !rows) -> !rows {
      ^bb0(%x: f32, %y: f32, %l: f32, %next: f32, %row: index):
        %passes = arith.cmpf ogt, %y, %l : f32
        %z = arith.select %passes, %next, %x : f32
        wg.yield %z : f32
      }
      %next = wg.map(%new : !rows) -> !rows {
      ^bb0(%x: f32, %row: index):
        %sum = arith.addf %x, %slack : f32
        %z = arith.select %far, %ninf, %sum : f32
        wg.yield %z : f32
      }
      scf.yield %new, %next : !rows, !rows
    } else {
      scf.yield %m, %bound : !rows, !rows
    }
    scf.yield %moved#0, %moved#1 : !rows, !rows
  }
  gpu.return
}

// A mask is no matter.
// CHECK-LABEL: gpu.func @masked
// CHECK: wg.reduce_rows maximum_bits
gpu.func @masked(%p: !pend, %m0: !rows, %far: i1, %slack: f32, %lows: !max, %n: index)
    kernel attributes {fa.kernel, fa.tma} {
  %s0 = wg.wait_mma %p : !pend
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ninf = arith.constant 0xFF800000 : f32
  %bound0 = wg.map(%m0 : !rows) -> !rows {
  ^bb0(%x: f32, %row: index):
    %sum = arith.addf %x, %slack : f32
    %z = arith.select %far, %ninf, %sum : f32
    wg.yield %z : f32
  }
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0, %bound = %bound0) -> (!rows, !rows) {
    %s = wg.map(%s0 : !s) -> !s {
    ^bb0(%x: f32, %row: index, %col: index):
      %keeps = arith.cmpi slt, %col, %n : index
      %z = arith.select %keeps, %x, %ninf : f32
      wg.yield %z : f32
    }
    %mx = wg.reduce_rows maximumf %s, %lows : !s, !max
    %asks = wg.any(%mx, %bound : !max, !rows) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.cmpf ogt, %x, %y : f32
      wg.yield %z : i1
    }
    %moved:2 = scf.if %asks -> (!rows, !rows) {
      %limit = wg.map(%m : !rows) -> !rows {
      ^bb0(%x: f32, %row: index):
        %z = arith.addf %x, %slack : f32
        wg.yield %z : f32
      }
      %whole = wg.join_rows %mx : !max
      %new = wg.map(%m, %whole, %limit, %whole : !rows, !rows, !rows, !rows) -> !rows {
      ^bb0(%x: f32, %y: f32, %l: f32, %next: f32, %row: index):
        %passes = arith.cmpf ogt, %y, %l : f32
        %z = arith.select %passes, %next, %x : f32
        wg.yield %z : f32
      }
      %next = wg.map(%new : !rows) -> !rows {
      ^bb0(%x: f32, %row: index):
        %sum = arith.addf %x, %slack : f32
        %z = arith.select %far, %ninf, %sum : f32
        wg.yield %z : f32
      }
      scf.yield %new, %next : !rows, !rows
    } else {
      scf.yield %m, %bound : !rows, !rows
    }
    scf.yield %moved#0, %moved#1 : !rows, !rows
  }
  gpu.return
}

// What a region computes stays together with its maxima.
// CHECK-LABEL: gpu.func @region
// CHECK-NOT: bits
gpu.func @region(%p: !pend, %m0: !rows, %far: i1, %slack: f32, %lows: !max, %n: index)
    kernel attributes {fa.kernel, fa.tma} {
  %s0 = wg.wait_mma %p : !pend
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ninf = arith.constant 0xFF800000 : f32
  %bound0 = wg.map(%m0 : !rows) -> !rows {
  ^bb0(%x: f32, %row: index):
    %sum = arith.addf %x, %slack : f32
    %z = arith.select %far, %ninf, %sum : f32
    wg.yield %z : f32
  }
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0, %bound = %bound0) -> (!rows, !rows) {
    %s = wg.map(%s0 : !s) -> !s {
    ^bb0(%x: f32, %row: index, %col: index):
      %z = arith.addf %x, %slack : f32
      wg.yield %z : f32
    }
    %mx = wg.reduce_rows maximumf %s, %lows : !s, !max
    %asks = wg.any(%mx, %bound : !max, !rows) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.cmpf ogt, %x, %y : f32
      wg.yield %z : i1
    }
    %moved:2 = scf.if %asks -> (!rows, !rows) {
      %limit = wg.map(%m : !rows) -> !rows {
      ^bb0(%x: f32, %row: index):
        %z = arith.addf %x, %slack : f32
        wg.yield %z : f32
      }
      %whole = wg.join_rows %mx : !max
      %new = wg.map(%m, %whole, %limit, %whole : !rows, !rows, !rows, !rows) -> !rows {
      ^bb0(%x: f32, %y: f32, %l: f32, %next: f32, %row: index):
        %passes = arith.cmpf ogt, %y, %l : f32
        %z = arith.select %passes, %next, %x : f32
        wg.yield %z : f32
      }
      %next = wg.map(%new : !rows) -> !rows {
      ^bb0(%x: f32, %row: index):
        %sum = arith.addf %x, %slack : f32
        %z = arith.select %far, %ninf, %sum : f32
        wg.yield %z : f32
      }
      scf.yield %new, %next : !rows, !rows
    } else {
      scf.yield %m, %bound : !rows, !rows
    }
    scf.yield %moved#0, %moved#1 : !rows, !rows
  }
  gpu.return
}

// A reference that is the maximum itself, wherever it lies, needs that.
// CHECK-LABEL: gpu.func @reads_all
// CHECK: scf.for
// CHECK-NEXT: wg.reduce_rows maximumf
// CHECK-NOT: bits
gpu.func @reads_all(%p: !pend, %m0: !rows, %slack: f32, %lows: !max, %n: index)
    kernel attributes {fa.kernel, fa.tma} {
  %s = wg.wait_mma %p : !pend
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bound0 = wg.map(%m0 : !rows) -> !rows {
  ^bb0(%x: f32, %row: index):
    %sum = arith.addf %x, %slack : f32
    wg.yield %sum : f32
  }
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0, %bound = %bound0) -> (!rows, !rows) {
    %mx = wg.reduce_rows maximumf %s, %lows : !s, !max
    %asks = wg.any(%mx, %bound : !max, !rows) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.cmpf ogt, %x, %y : f32
      wg.yield %z : i1
    }
    %moved:2 = scf.if %asks -> (!rows, !rows) {
      %whole = wg.join_rows %mx : !max
      %next = wg.map(%whole : !rows) -> !rows {
      ^bb0(%x: f32, %row: index):
        %sum = arith.addf %x, %slack : f32
        wg.yield %sum : f32
      }
      scf.yield %whole, %next : !rows, !rows
    } else {
      scf.yield %m, %bound : !rows, !rows
    }
    scf.yield %moved#0, %moved#1 : !rows, !rows
  }
  gpu.return
}

// A bound that starts as something else may be above what rows are held
// against.
// CHECK-LABEL: gpu.func @other_bound
// CHECK: scf.for
// CHECK-NEXT: wg.reduce_rows maximumf
// CHECK-NOT: bits
gpu.func @other_bound(%p: !pend, %m0: !rows, %slack: f32, %lows: !max, %n: index, %bound0: !rows)
    kernel attributes {fa.kernel, fa.tma} {
  %s = wg.wait_mma %p : !pend
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0, %bound = %bound0) -> (!rows, !rows) {
    %mx = wg.reduce_rows maximumf %s, %lows : !s, !max
    %asks = wg.any(%mx, %bound : !max, !rows) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.cmpf ogt, %x, %y : f32
      wg.yield %z : i1
    }
    %moved:2 = scf.if %asks -> (!rows, !rows) {
      %limit = wg.map(%m : !rows) -> !rows {
      ^bb0(%x: f32, %row: index):
        %z = arith.addf %x, %slack : f32
        wg.yield %z : f32
      }
      %whole = wg.join_rows %mx : !max
      %new = wg.map(%m, %whole, %limit, %whole : !rows, !rows, !rows, !rows) -> !rows {
      ^bb0(%x: f32, %y: f32, %l: f32, %next: f32, %row: index):
        %passes = arith.cmpf ogt, %y, %l : f32
        %z = arith.select %passes, %next, %x : f32
        wg.yield %z : f32
      }
      scf.yield %new, %limit : !rows, !rows
    } else {
      scf.yield %m, %bound : !rows, !rows
    }
    scf.yield %moved#0, %moved#1 : !rows, !rows
  }
  gpu.return
}

// Maxima that an increasing map is made of, and a branch that is taken for more
// than the vote: integers where no bound is below what the map makes of 0, which
// may be no number (ult).
// CHECK-LABEL: gpu.func @bent
// CHECK-SAME: %[[B:[a-z0-9]+]]: f32, %{{[a-z0-9]+}}: i1
// CHECK: scf.for {{.*}} iter_args(%[[M:[a-z0-9]+]] = %{{.*}}, %[[BOUND:[a-z0-9]+]] = %{{.*}})
// CHECK-NEXT: %[[BELOW:.*]] = wg.any(%[[BOUND]] :
// CHECK-NEXT: ^bb0(%[[LIMIT:.*]]: f32):
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: %[[LEAST:.*]] = arith.mulf %[[ZERO]], %[[B]]
// CHECK: arith.cmpf ult, %[[LIMIT]], %[[LEAST]]
// CHECK: %[[MAX:.*]] = scf.if %[[BELOW]]
// CHECK-NEXT: wg.reduce_rows minimum_bits
// CHECK: wg.reduce_rows maximumf
// CHECK: wg.reduce_rows maximum_bits
// CHECK: %[[MOST:.*]] = wg.map(%[[MAX]] : {{.*}} attributes {increasing}
// CHECK: wg.any(%[[MOST]], %[[BOUND]]
// CHECK: wg.map(%[[MAX]] : {{.*}} attributes {increasing}
gpu.func @bent(%p: !pend, %m0: !rows, %far: i1, %slack: f32, %lows: !max, %b: f32, %some: i1, %n: index)
    kernel attributes {fa.kernel, fa.tma} {
  %s = wg.wait_mma %p : !pend
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ninf = arith.constant 0xFF800000 : f32
  %bound0 = wg.map(%m0 : !rows) -> !rows {
  ^bb0(%x: f32, %row: index):
    %sum = arith.addf %x, %slack : f32
    %z = arith.select %far, %ninf, %sum : f32
    wg.yield %z : f32
  }
  %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0, %bound = %bound0) -> (!rows, !rows) {
    %mx = wg.reduce_rows maximumf %s, %lows : !s, !max
    %most = wg.map(%mx : !max) -> !max attributes {increasing} {
    ^bb0(%x: f32, %row: index):
      %z = arith.mulf %x, %b : f32
      wg.yield %z : f32
    }
    %asks = wg.any(%most, %bound : !max, !rows) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.cmpf ogt, %x, %y : f32
      wg.yield %z : i1
    }
    %takes = arith.ori %asks, %some : i1
    %moved:2 = scf.if %takes -> (!rows, !rows) {
      %all = scf.if %some -> (!max) {
        %full = wg.map(%mx : !max) -> !max attributes {increasing} {
        ^bb0(%x: f32, %row: index):
          %z = math.tanh %x : f32
          wg.yield %z : f32
        }
        scf.yield %full : !max
      } else {
        scf.yield %most : !max
      }
      %limit = wg.map(%m : !rows) -> !rows {
      ^bb0(%x: f32, %row: index):
        %z = arith.addf %x, %slack : f32
        wg.yield %z : f32
      }
      %whole = wg.join_rows %all : !max
      %new = wg.map(%m, %whole, %limit, %whole : !rows, !rows, !rows, !rows) -> !rows {
      ^bb0(%x: f32, %y: f32, %l: f32, %next: f32, %row: index):
        %passes = arith.cmpf ogt, %y, %l : f32
        %z = arith.select %passes, %next, %x : f32
        wg.yield %z : f32
      }
      %next = wg.map(%new : !rows) -> !rows {
      ^bb0(%x: f32, %row: index):
        %sum = arith.addf %x, %slack : f32
        %z = arith.select %far, %ninf, %sum : f32
        wg.yield %z : f32
      }
      scf.yield %new, %next : !rows, !rows
    } else {
      scf.yield %m, %bound : !rows, !rows
    }
    scf.yield %moved#0, %moved#1 : !rows, !rows
  }
  gpu.return
}

// With other rows, which the vote in front of the maxima reads too, and against
// a limit that the loop does not change; nothing else reads the maxima.
// CHECK-LABEL: gpu.func @with_rows
// CHECK-SAME: %[[LIMIT:[a-z0-9]+]]: !wg.rows<64xf32, warps = 4>, %[[A:[a-z0-9]+]]: f32
// CHECK: scf.for
// CHECK-NEXT: %[[REST:.*]] = wg.map
// CHECK: %[[BELOW:.*]] = wg.any(%[[LIMIT]], %[[REST]] :
// CHECK-NEXT: ^bb0(%[[L:.*]]: f32, %[[R:.*]]: f32):
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: %[[LEAST:.*]] = math.fma %[[ZERO]], %[[A]], %[[R]]
// CHECK: arith.cmpf ult, %[[L]], %[[LEAST]]
// CHECK: %[[MAX:.*]] = scf.if %[[BELOW]]
// CHECK: wg.reduce_rows maximum_bits
// CHECK: wg.map(%[[MAX]], %[[REST]] :

// ALONE-LABEL: gpu.func @with_rows
// ALONE-NOT: bits
// ALONE: %[[MAX:.*]] = wg.reduce_rows maximumf
// ALONE-NOT: bits
// ALONE: wg.map(%[[MAX]], %{{.*}} attributes {increasing}
// ALONE-LABEL: gpu.func @with_reader

// A limit that is known nowhere else holds no reader back from all maxima.
// CHECK-LABEL: gpu.func @with_reader
// CHECK-NOT: bits
gpu.func @with_rows(%p: !pend, %m0: !rows, %limit: !rows, %a: f32, %lows: !max, %n: index)
    kernel attributes {fa.kernel, fa.tma} {
  %s = wg.wait_mma %p : !pend
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0) -> (!rows) {
    %rest = wg.map(%m : !rows) -> !rows {
    ^bb0(%x: f32, %row: index):
      %z = arith.negf %x : f32
      wg.yield %z : f32
    }
    %mx = wg.reduce_rows maximumf %s, %lows : !s, !max
    // LATER %later = wg.map(%rest : !rows) -> !rows { ^bb0(%x: f32, %row: index): %z = math.absf %x : f32 wg.yield %z : f32 }
    %most = wg.map(%mx, %rest : !max, !rows) -> !max attributes {increasing} {
    ^bb0(%x: f32, %y: f32, %row: index):
      // ROW %wide = arith.index_cast %row : index to i64 %at = arith.sitofp %wide : i64 to f32
      %z = math.fma %x, %a, %y : f32
      wg.yield %z : f32
    }
    %asks = wg.any(%most, %limit : !max, !rows) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.cmpf ogt, %x, %y : f32
      wg.yield %z : i1
    }
    %moved = scf.if %asks -> (!rows) {
      scf.yield %rest : !rows
    } else {
      scf.yield %m : !rows
    }
    scf.yield %moved : !rows
  }
  gpu.return
}
gpu.func @with_reader(%p: !pend, %m0: !rows, %limit: !rows, %a: f32, %lows: !max, %n: index)
    kernel attributes {fa.kernel, fa.tma} {
  %s = wg.wait_mma %p : !pend
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%m = %m0) -> (!rows) {
    %mx = wg.reduce_rows maximumf %s, %lows : !s, !max
    %most = wg.map(%mx : !max) -> !max attributes {increasing} {
    ^bb0(%x: f32, %row: index):
      %z = arith.mulf %x, %a : f32
      wg.yield %z : f32
    }
    %asks = wg.any(%most, %limit : !max, !rows) {
    ^bb0(%x: f32, %y: f32):
      %z = arith.cmpf ogt, %x, %y : f32
      wg.yield %z : i1
    }
    %moved = scf.if %asks -> (!rows) {
      %whole = wg.join_rows %mx : !max
      scf.yield %whole : !rows
    } else {
      scf.yield %m : !rows
    }
    scf.yield %moved : !rows
  }
  gpu.return
}
}
}
