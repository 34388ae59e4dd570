// Whole graphs: one integer cluster for each, no float but where none exists.

// RUN: tenon-opt %examples/resnet8/resnet8.onnx | FileCheck %s --check-prefix=RESNET
// RUN: tenon-opt %conformance/graphs/concat_scales_qdq/model.onnx | FileCheck %s --check-prefix=CONCAT
// RUN: tenon-opt %conformance/graphs/max_pool_qdq/model.onnx | FileCheck %s --check-prefix=MAX
// RUN: tenon-opt %conformance/graphs/max_pool_qop/model.onnx | FileCheck %s --check-prefix=MAX
// RUN: tenon-opt %conformance/graphs/average_pool_padded_qdq/model.onnx | FileCheck %s --check-prefix=AVERAGE
// RUN: tenon-opt %conformance/graphs/average_pool_rescaled_qdq/model.onnx | FileCheck %s --check-prefix=SUM
// RUN: tenon-opt %conformance/graphs/depthwise_multiplier_qop/model.onnx | FileCheck %s --check-prefix=DEPTHWISE
// RUN: tenon-opt %conformance/graphs/weight_zero_point_qop/model.onnx | FileCheck %s --check-prefix=UNSIGNED
// RUN: tenon-opt %conformance/graphs/relu_binds_qop/model.onnx | FileCheck %s --check-prefix=REQUANTIZE

// The only transpose is the input's; floats begin at the softmax.
// RESNET-LABEL: func.func @main
// RESNET: tosa.transpose %arg0
// RESNET-NOT: tosa.transpose
// RESNET-NOT: f32
// RESNET-COUNT-9: tosa.conv2d
// RESNET: tosa.avg_pool2d
// RESNET: tosa.conv2d {{.*}} -> tensor<1x1x1x10xi32>
// RESNET: tosa.reshape
// RESNET: tosa.cast {{.*}} -> tensor<1x10xf32>
// RESNET: tosa.reduce_max
// RESNET: tosa.exp
// RESNET: tosa.cast {{.*}} -> tensor<1x10xi32>
// RESNET: tosa.rescale {{.*}} tenon.tensor = {name = "Identity_int8"
// RESNET-NOT: tosa.transpose

// Each part gets the result's scale, then they are joined along the channels.
// CONCAT: tosa.conv2d
// CONCAT: tosa.conv2d
// CONCAT: %[[A:.*]] = tosa.rescale {{.*}} : (tensor<1x5x6x16xi8>, {{.*}} -> tensor<1x5x6x16xi8>
// CONCAT: %[[B:.*]] = tosa.rescale {{.*}} : (tensor<1x5x6x20xi8>, {{.*}} -> tensor<1x5x6x20xi8>
// CONCAT: tosa.concat %[[A]], %[[B]] {axis = 3 : i32, tenon.tensor

// Nothing is rescaled; the end padding that no window reaches is trimmed.
// MAX-NOT: tosa.rescale
// MAX: tosa.max_pool2d {{.*}}kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 0>, stride = array<i64: 2, 2>, tenon.tensor
// MAX-NOT: tosa.rescale

// AVERAGE: tosa.avg_pool2d {{.*}}pad = array<i64: 2, 2, 2, 2>

// A sum by ones and one rescale.
// SUM: dense<1> : tensor<3x3x20x1xi8>
// SUM: tosa.depthwise_conv2d
// SUM: tosa.rescale {{.*}}per_channel = true

// DEPTHWISE: tosa.depthwise_conv2d {{.*}}tensor<3x3x10x2xi8>, tensor<20xi32>

// UNSIGNED: tosa.rescale %arg0, {{.*}}input_unsigned = true
// UNSIGNED: dense<-25> : tensor<1xi8>
// UNSIGNED: tosa.conv2d
// UNSIGNED: tosa.rescale {{.*}}output_unsigned = true

// REQUANTIZE: tosa.conv2d
// REQUANTIZE: %[[Q:.*]] = tosa.rescale {{.*}}xi32>
// REQUANTIZE: %[[R:.*]] = tosa.rescale %[[Q]], {{.*}} : (tensor<1x7x6x20xi8>, {{.*}} -> tensor<1x7x6x20xi8>
// REQUANTIZE: tosa.clamp %[[R]] {max_val = 127 : i8, min_val = -37 : i8
