// A result that two host steps read, the later one first in the list of its users.
// MACHINE: tiny
// THREADS: 1
func.func @main(%arg0: tensor<1x1x1x1xi8> {tenon.name = "t0"}) -> (tensor<1x1x1x10xi8> {tenon.name = "o4"}) {
    %0 = "tosa.const"() <{values = dense<53> : tensor<1x1x1x1xi8>}> : () -> tensor<1x1x1x1xi8>
    %1 = "tosa.const"() <{values = dense<1505> : tensor<1xi32>}> : () -> tensor<1xi32>
    %2 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = tosa.conv2d %arg0, %0, %1, %2, %3 {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<1x1x1x1xi8>, tensor<1x1x1x1xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x1x1x1xi32>
    %5 = "tosa.const"() <{values = dense<1579256550> : tensor<1xi32>}> : () -> tensor<1xi32>
    %6 = "tosa.const"() <{values = dense<32> : tensor<1xi8>}> : () -> tensor<1xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = tosa.rescale %4, %5, %6, %7, %8 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t1", shape = array<i64: 1, 1, 1, 1>, unsigned = false}} : (tensor<1x1x1x1xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x1xi8>
    %10 = tosa.concat %9, %9, %9 {axis = 3 : i32, tenon.tensor = {name = "t2", shape = array<i64: 1, 1, 1, 3>, unsigned = false}} : (tensor<1x1x1x1xi8>, tensor<1x1x1x1xi8>, tensor<1x1x1x1xi8>) -> tensor<1x1x1x3xi8>
    %11 = tosa.cast %10 : (tensor<1x1x1x3xi8>) -> tensor<1x1x1x3xi32>
    %12 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %13 = tosa.sub %11, %12 : (tensor<1x1x1x3xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x3xi32>
    %14 = "tosa.const"() <{values = dense<1788006> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %15 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %16 = tosa.mul %13, %14, %15 : (tensor<1x1x1x3xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x1x1x3xi32>
    %17 = tosa.cast %10 : (tensor<1x1x1x3xi8>) -> tensor<1x1x1x3xi32>
    %18 = "tosa.const"() <{values = dense<0> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %19 = tosa.sub %17, %18 : (tensor<1x1x1x3xi32>, tensor<1x1x1x1xi32>) -> tensor<1x1x1x3xi32>
    %20 = "tosa.const"() <{values = dense<1788006> : tensor<1x1x1x1xi32>}> : () -> tensor<1x1x1x1xi32>
    %21 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %22 = tosa.mul %19, %20, %21 : (tensor<1x1x1x3xi32>, tensor<1x1x1x1xi32>, tensor<1xi8>) -> tensor<1x1x1x3xi32>
    %23 = tosa.add %16, %22 : (tensor<1x1x1x3xi32>, tensor<1x1x1x3xi32>) -> tensor<1x1x1x3xi32>
    %24 = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
    %25 = "tosa.const"() <{values = dense<20> : tensor<1xi8>}> : () -> tensor<1xi8>
    %26 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %27 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %28 = tosa.rescale %23, %24, %25, %26, %27 {input_unsigned = false, output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, scale32 = true, tenon.tensor = {name = "t3", shape = array<i64: 1, 1, 1, 3>, unsigned = false}} : (tensor<1x1x1x3xi32>, tensor<1xi32>, tensor<1xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x1x1x3xi8>
    %29 = tosa.concat %28, %10, %9, %10 {axis = 3 : i32, tenon.tensor = {name = "t4", shape = array<i64: 1, 1, 1, 10>, unsigned = false}} : (tensor<1x1x1x3xi8>, tensor<1x1x1x3xi8>, tensor<1x1x1x1xi8>, tensor<1x1x1x3xi8>) -> tensor<1x1x1x10xi8>
    return %29 : tensor<1x1x1x10xi8>
}
