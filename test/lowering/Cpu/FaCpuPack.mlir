// RUN: fa-opt %s --fa-cpu-pack | FileCheck %s

// Q is widened once, in front of the loop; K is widened and transposed in it; P is
// widened where the second product needs it.

// CHECK: module attributes {fa.stage = "packed"}
module attributes {fa.stage = "outlined"} {

// CHECK-LABEL: func @two_products(
// CHECK-SAME:    %[[Q:.+]]: tensor<64x128xf16>, %[[K:.+]]: tensor<32x128xf16>, %[[V:.+]]: tensor<32x40xf16>
// CHECK:         %[[QW:.+]] = linalg.generic {{.*}} ins(%[[Q]] : tensor<64x128xf16>) outs(%{{.+}} : tensor<64x128xf32>)
// CHECK:           arith.extf
// CHECK:         scf.for
// CHECK:           %[[KE:.+]] = tensor.extract_slice %[[K]]
// CHECK:           %[[KT:.+]] = linalg.generic {indexing_maps = [#{{.+}}, #[[SWAP:.+]]], {{.*}} ins(%[[KE]] : tensor<32x128xf16>) outs(%{{.+}} : tensor<128x32xf32>)
// CHECK:           %[[S:.+]] = linalg.matmul ins(%[[QW]], %[[KT]] : tensor<64x128xf32>, tensor<128x32xf32>)
// CHECK:           %[[PH:.+]] = linalg.generic {{.*}} ins(%[[S]] : tensor<64x32xf32>) outs(%{{.+}} : tensor<64x32xf16>)
// CHECK:           %[[PW:.+]] = linalg.generic {{.*}} ins(%[[PH]] : tensor<64x32xf16>) outs(%{{.+}} : tensor<64x32xf32>)
// CHECK:           linalg.matmul {fa.step = "values"} ins(%[[PW]], %{{.+}} : tensor<64x32xf32>, tensor<32x40xf32>)
func.func @two_products(%q: tensor<64x128xf16>, %k: tensor<32x128xf16>, %v: tensor<32x40xf16>,
                        %s0: tensor<64x32xf32>, %acc0: tensor<64x40xf32>, %n: index) -> tensor<64x40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %acc0) -> tensor<64x40xf32> {
    %kt = tensor.extract_slice %k[0, 0] [32, 128] [1, 1] : tensor<32x128xf16> to tensor<32x128xf16>
    %s = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%q, %kt : tensor<64x128xf16>, tensor<32x128xf16>) outs(%s0 : tensor<64x32xf32>) -> tensor<64x32xf32>
    %e = tensor.empty() : tensor<64x32xf16>
    %p = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<64x32xf32>) outs(%e : tensor<64x32xf16>) {
    ^bb0(%x: f32, %y: f16):
      %h = arith.truncf %x : f32 to f16
      linalg.yield %h : f16
    } -> tensor<64x32xf16>
    %a = linalg.matmul {fa.step = "values"} ins(%p, %v : tensor<64x32xf16>, tensor<32x40xf16>)
      outs(%acc : tensor<64x40xf32>) -> tensor<64x40xf32>
    scf.yield %a : tensor<64x40xf32>
  }
  return %r : tensor<64x40xf32>
}

// bf16, and no other op is touched.
// CHECK-LABEL: func @bf16(
// CHECK:         arith.extf %{{.+}} : bf16 to f32
// CHECK:         arith.extf %{{.+}} : bf16 to f32
// CHECK:         linalg.matmul ins(%{{.+}}, %{{.+}} : tensor<8x16xf32>, tensor<16x24xf32>)
func.func @bf16(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %c: tensor<8x24xf32>) -> tensor<8x24xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%c : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %d : tensor<8x24xf32>
}

}
