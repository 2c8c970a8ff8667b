// rocMLIR: one row, a clipped length for each batch entry, a window.
module {
  func.func @f(%arg0: tensor<2x2x1x16xf16>, %arg1: tensor<2x2x12x16xf16>, %arg2: tensor<2x2x12x16xf16>, %arg3: tensor<2x1x1x1xi32>) -> tensor<2x2x1x16xf16> {
    %0 = tosa.const_shape  {values = dense<[4, 1, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %1 = tosa.reshape %arg0, %0 : (tensor<2x2x1x16xf16>, !tosa.shape<3>) -> tensor<4x1x16xf16>
    %2 = tosa.transpose %arg1 {perms = array<i32: 0, 1, 3, 2>} : (tensor<2x2x12x16xf16>) -> tensor<2x2x16x12xf16>
    %3 = tosa.const_shape  {values = dense<[4, 16, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %4 = tosa.reshape %2, %3 : (tensor<2x2x16x12xf16>, !tosa.shape<3>) -> tensor<4x16x12xf16>
    %5 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf16>}> : () -> tensor<1xf16>
    %6 = tosa.matmul %1, %4, %5, %5 {acc_type = f32} : (tensor<4x1x16xf16>, tensor<4x16x12xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<4x1x12xf16>
    %7 = tosa.const_shape  {values = dense<[2, 2, 1, 12]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %8 = tosa.reshape %6, %7 : (tensor<4x1x12xf16>, !tosa.shape<4>) -> tensor<2x2x1x12xf16>
    %9 = "tosa.const"() <{values = dense<2.500000e-01> : tensor<1x1x1x1xf16>}> : () -> tensor<1x1x1x1xf16>
    %10 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %11 = tosa.mul %8, %9, %10 : (tensor<2x2x1x12xf16>, tensor<1x1x1x1xf16>, tensor<1xi8>) -> tensor<2x2x1x12xf16>
    %12 = "tosa.const"() <{values = dense<[[[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]]]]> : tensor<1x1x1x12xi32>}> : () -> tensor<1x1x1x12xi32>
    %13 = "tosa.const"() <{values = dense<11> : tensor<2x1x1x1xi32>}> : () -> tensor<2x1x1x1xi32>
    %14 = tosa.minimum %arg3, %13 : (tensor<2x1x1x1xi32>, tensor<2x1x1x1xi32>) -> tensor<2x1x1x1xi32>
    %15 = tosa.greater %12, %14 : (tensor<1x1x1x12xi32>, tensor<2x1x1x1xi32>) -> tensor<2x1x1x12xi1>
    %16 = "tosa.const"() <{values = dense<4> : tensor<2x1x1x1xi32>}> : () -> tensor<2x1x1x1xi32>
    %17 = tosa.sub %14, %16 : (tensor<2x1x1x1xi32>, tensor<2x1x1x1xi32>) -> tensor<2x1x1x1xi32>
    %18 = tosa.greater %17, %12 : (tensor<2x1x1x1xi32>, tensor<1x1x1x12xi32>) -> tensor<2x1x1x12xi1>
    %19 = tosa.logical_or %15, %18 : (tensor<2x1x1x12xi1>, tensor<2x1x1x12xi1>) -> tensor<2x1x1x12xi1>
    %20 = "tosa.const"() <{values = dense<0xFC00> : tensor<1x1x1x1xf16>}> : () -> tensor<1x1x1x1xf16>
    %21 = tosa.select %19, %20, %11 : (tensor<2x1x1x12xi1>, tensor<1x1x1x1xf16>, tensor<2x2x1x12xf16>) -> tensor<2x2x1x12xf16>
    %22 = tosa.cast %21 : (tensor<2x2x1x12xf16>) -> tensor<2x2x1x12xf32>
    %23 = tosa.reduce_max %22 {axis = 3 : i32} : (tensor<2x2x1x12xf32>) -> tensor<2x2x1x1xf32>
    %24 = tosa.sub %22, %23 : (tensor<2x2x1x12xf32>, tensor<2x2x1x1xf32>) -> tensor<2x2x1x12xf32>
    %25 = tosa.exp %24 : (tensor<2x2x1x12xf32>) -> tensor<2x2x1x12xf32>
    %26 = tosa.reduce_sum %25 {axis = 3 : i32} : (tensor<2x2x1x12xf32>) -> tensor<2x2x1x1xf32>
    %27 = tosa.reciprocal %26 : (tensor<2x2x1x1xf32>) -> tensor<2x2x1x1xf32>
    %28 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %29 = tosa.mul %25, %27, %28 : (tensor<2x2x1x12xf32>, tensor<2x2x1x1xf32>, tensor<1xi8>) -> tensor<2x2x1x12xf32>
    %30 = tosa.cast %29 : (tensor<2x2x1x12xf32>) -> tensor<2x2x1x12xf16>
    %31 = tosa.const_shape  {values = dense<[4, 1, 12]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %32 = tosa.reshape %30, %31 : (tensor<2x2x1x12xf16>, !tosa.shape<3>) -> tensor<4x1x12xf16>
    %33 = tosa.const_shape  {values = dense<[4, 12, 16]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %34 = tosa.reshape %arg2, %33 : (tensor<2x2x12x16xf16>, !tosa.shape<3>) -> tensor<4x12x16xf16>
    %35 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf16>}> : () -> tensor<1xf16>
    %36 = tosa.matmul %32, %34, %35, %35 {acc_type = f32} : (tensor<4x1x12xf16>, tensor<4x12x16xf16>, tensor<1xf16>, tensor<1xf16>) -> tensor<4x1x16xf16>
    %37 = tosa.const_shape  {values = dense<[2, 2, 1, 16]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %38 = tosa.reshape %36, %37 : (tensor<4x1x16xf16>, !tosa.shape<4>) -> tensor<2x2x1x16xf16>
    return %38 : tensor<2x2x1x16xf16>
  }
}

