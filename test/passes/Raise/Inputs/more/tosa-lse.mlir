// log(sum) + maximum is a result.
module {
  func.func @f(%arg0: tensor<2x2x8x16xf16>, %arg1: tensor<2x2x8x16xf16>, %arg2: tensor<2x2x8x16xf16>) -> (tensor<2x2x8x16xf16>, tensor<2x2x8xf32>) {
    %0 = tosa.const_shape  {values = dense<[4, 8, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %1 = tosa.reshape %arg0, %0 : (tensor<2x2x8x16xf16>, !tosa.shape<3>) -> tensor<4x8x16xf16>
    %2 = tosa.transpose %arg1 {perms = array<i32: 0, 1, 3, 2>} : (tensor<2x2x8x16xf16>) -> tensor<2x2x16x8xf16>
    %3 = tosa.const_shape  {values = dense<[4, 16, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %4 = tosa.reshape %2, %3 : (tensor<2x2x16x8xf16>, !tosa.shape<3>) -> tensor<4x16x8xf16>
    %5 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf16>}> : () -> tensor<1xf16>
    %6 = tosa.matmul %1, %4, %5, %5 {acc_type = f32} : (tensor<4x8x16xf16>, tensor<4x16x8xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<4x8x8xf16>
    %7 = tosa.const_shape  {values = dense<[2, 2, 8, 8]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %8 = tosa.reshape %6, %7 : (tensor<4x8x8xf16>, !tosa.shape<4>) -> tensor<2x2x8x8xf16>
    %9 = "tosa.const"() <{values = dense<2.500000e-01> : tensor<1x1x1x1xf16>}> : () -> tensor<1x1x1x1xf16>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = tosa.mul %8, %9, %10 : (tensor<2x2x8x8xf16>, tensor<1x1x1x1xf16>, tensor<1xi8>) -> tensor<2x2x8x8xf16>
    %12 = tosa.cast %11 : (tensor<2x2x8x8xf16>) -> tensor<2x2x8x8xf32>
    %13 = tosa.reduce_max %12 {axis = 3 : i32} : (tensor<2x2x8x8xf32>) -> tensor<2x2x8x1xf32>
    %14 = tosa.sub %12, %13 : (tensor<2x2x8x8xf32>, tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
    %15 = tosa.exp %14 : (tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf32>
    %16 = tosa.reduce_sum %15 {axis = 3 : i32} : (tensor<2x2x8x8xf32>) -> tensor<2x2x8x1xf32>
    %17 = tosa.reciprocal %16 : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x1xf32>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %19 = tosa.mul %15, %17, %18 : (tensor<2x2x8x8xf32>, tensor<2x2x8x1xf32>, tensor<1xi8>) -> tensor<2x2x8x8xf32>
    %20 = tosa.cast %19 : (tensor<2x2x8x8xf32>) -> tensor<2x2x8x8xf16>
    %21 = tosa.log %16 : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x1xf32>
    %22 = tosa.add %21, %13 : (tensor<2x2x8x1xf32>, tensor<2x2x8x1xf32>) -> tensor<2x2x8x1xf32>
    %23 = tosa.const_shape  {values = dense<[4, 8, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %24 = tosa.reshape %20, %23 : (tensor<2x2x8x8xf16>, !tosa.shape<3>) -> tensor<4x8x8xf16>
    %25 = tosa.const_shape  {values = dense<[4, 8, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %26 = tosa.reshape %arg2, %25 : (tensor<2x2x8x16xf16>, !tosa.shape<3>) -> tensor<4x8x16xf16>
    %27 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf16>}> : () -> tensor<1xf16>
    %28 = tosa.matmul %24, %26, %27, %27 {acc_type = f32} : (tensor<4x8x8xf16>, tensor<4x8x16xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<4x8x16xf16>
    %29 = tosa.const_shape  {values = dense<[2, 2, 8, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %30 = tosa.reshape %28, %29 : (tensor<4x8x16xf16>, !tosa.shape<4>) -> tensor<2x2x8x16xf16>
    %31 = tosa.const_shape  {values = dense<[2, 2, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %32 = tosa.reshape %22, %31 : (tensor<2x2x8x1xf32>, !tosa.shape<3>) -> tensor<2x2x8xf32>
    return %30, %32 : tensor<2x2x8x16xf16>, tensor<2x2x8xf32>
  }
}

