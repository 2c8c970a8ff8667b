// RUN: fa-opt %s --fa-cpu-vectorize | FileCheck %s
// RUN: fa-opt %s --fa-cpu-vectorize=vector-bits=512 | FileCheck %s --check-prefix=V512

// CHECK: module attributes {fa.stage = "vectors"}
module attributes {fa.stage = "packed"} {

// 40 columns are one segment of 24 (as vectors of 16 and 8) and one of 16; the loop
// over k carries the rows of the register tile as vectors. With 512 bits: 32 and 8.

// CHECK-LABEL: func @product(
// CHECK:         scf.for
// CHECK:           %[[R:.+]]:8 = scf.for %[[K:.+]] = {{.*}} -> (vector<16xf32>, vector<8xf32>, vector<16xf32>, vector<8xf32>,
// CHECK:             %[[B0:.+]] = vector.transfer_read {{.*}} vector<16xf32>
// CHECK:             %[[B1:.+]] = vector.transfer_read {{.*}} vector<8xf32>
// CHECK:             %[[X:.+]] = tensor.extract
// CHECK:             %[[XB:.+]] = vector.broadcast %[[X]] : f32 to vector<16xf32>
// CHECK:             vector.fma %[[XB]], %[[B0]], %{{.+}} : vector<16xf32>
// CHECK:             vector.fma %{{.+}}, %[[B1]], %{{.+}} : vector<8xf32>
// CHECK:             scf.yield
// CHECK:           vector.transfer_write %[[R]]#0
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-NOT:     linalg.matmul
// CHECK:         return
// V512-LABEL:  func @product(
// V512:          scf.for {{.*}} -> (vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>)
// V512:          scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>,
func.func @product(%a: tensor<64x32xf32>, %b: tensor<32x40xf32>, %c: tensor<64x40xf32>) -> tensor<64x40xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x40xf32>) outs(%c : tensor<64x40xf32>) -> tensor<64x40xf32>
  return %d : tensor<64x40xf32>
}

// CHECK-LABEL: func @transpose(
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             vector.transfer_read {{.*}} vector<8x8xf16>
// CHECK:             arith.extf {{.*}} vector<8x8xf16> to vector<8x8xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @transpose(%a: tensor<32x128xf16>, %b: tensor<128x32xf32>) -> tensor<128x32xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>],
                       iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<32x128xf16>) outs(%b : tensor<128x32xf32>) {
  ^bb0(%x: f16, %y: f32):
    %w = arith.extf %x : f16 to f32
    linalg.yield %w : f32
  } -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// CHECK-LABEL: func @row_sum(
// CHECK:         %[[A:.+]] = vector.transfer_read {{.*}} vector<8xf32>
// CHECK:         %[[B:.+]] = vector.transfer_read {{.*}} vector<8xf32>
// CHECK:         arith.addf %[[A]], %[[B]] : vector<8xf32>
// CHECK:         vector.shuffle {{.*}} [0, 1, 2, 3]
// CHECK:         vector.shuffle {{.*}} [4, 5, 6, 7]
// CHECK:         arith.addf {{.*}} : vector<4xf32>
// CHECK:         vector.from_elements {{.*}} : vector<4xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @row_sum(%a: tensor<32x64xf32>, %b: tensor<32xf32>) -> tensor<32xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<32x64xf32>) outs(%b : tensor<32xf32>) {
  ^bb0(%x: f32, %y: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<32xf32>
  return %d : tensor<32xf32>
}

// CHECK-LABEL: func @exponentials(
// CHECK:         %[[S:.+]] = vector.transfer_read {{.*}} vector<1x8xf32>
// CHECK:         math.fma {{.*}} : vector<1x8xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @exponentials(%a: tensor<32x40xf32>, %m: tensor<32xf32>) -> tensor<32x40xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
    ins(%m : tensor<32xf32>) outs(%a : tensor<32x40xf32>) {
  ^bb0(%x: f32, %y: f32):
    %w = math.fma %x, %y, %y : f32
    linalg.yield %w : f32
  } -> tensor<32x40xf32>
  return %d : tensor<32x40xf32>
}

// What reads memory or coordinates stays a loop nest for LLVM.
// CHECK-LABEL: func @region(
// CHECK:         linalg.generic
func.func @region(%a: tensor<32x64xf32>, %bias: memref<64xf32>) -> tensor<32x64xf32> {
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    outs(%a : tensor<32x64xf32>) {
  ^bb0(%x: f32):
    %j = linalg.index 1 : index
    %v = memref.load %bias[%j] : memref<64xf32>
    %w = arith.addf %x, %v : f32
    linalg.yield %w : f32
  } -> tensor<32x64xf32>
  return %d : tensor<32x64xf32>
}

}
