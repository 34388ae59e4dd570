// What torch-mlir and TFLite's converter write around a network.
// RUN: rm -rf %t && split-file %s %t
// RUN: tenon compile %t/torch.mlir --emit=tosa | FileCheck %s --check-prefix=TORCH
// RUN: tenon compile %t/tflite.mlir --emit=tosa | FileCheck %s --check-prefix=TFLITE
// RUN: tenon-opt %t/tflite.mlir --emit-bytecode -o %t/tflite.mlirbc
// RUN: tenon compile %t/tflite.mlirbc --emit=tosa | FileCheck %s --check-prefix=TFLITE
// RUN: not tenon compile %t/circle.mlir --emit=tosa 2>&1 | FileCheck %s --check-prefix=CIRCLE
// RUN: not tenon compile %t/itself.mlir --emit=tosa 2>&1 | FileCheck %s --check-prefix=CIRCLE
// RUN: not tenon compile %t/many.mlir --emit=tosa 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not tenon compile %t/declared.mlir --emit=tosa 2>&1 | FileCheck %s --check-prefix=DECLARED
// RUN: not tenon compile %t/two.mlir --emit=tosa 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not tenon compile %t/global.mlir --emit=tosa 2>&1 | FileCheck %s --check-prefix=GLOBAL

//--- torch.mlir
// A function of another name, and a seed that nothing reads.
// TORCH-NOT: ml_program
// TORCH: func.func @main(%[[X:.*]]: tensor<2x8xf32>) -> tensor<2x8xf32>
// TORCH-NEXT: %[[Y:.*]] = tosa.tanh %[[X]]
// TORCH-NEXT: return %[[Y]]
module attributes {torch.debug_module_name = "Net"} {
  ml_program.global private mutable @global_seed(dense<0> : tensor<i64>) : tensor<i64>
  func.func @forward(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %0 = tosa.tanh %arg0 : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}

//--- tflite.mlir
// Attributes of its own, and functions that are called, one from the other.
// TFLITE: func.func @main(%[[X:.*]]: tensor<2x8xf32> {{.*}}) -> (tensor<2x8xf32>
// TFLITE-NEXT: %[[A:.*]] = tosa.tanh %[[X]]
// TFLITE-NEXT: %[[B:.*]] = tosa.exp %[[A]]
// TFLITE-NEXT: %[[C:.*]] = tosa.tanh %[[B]]
// TFLITE-NEXT: %[[D:.*]] = tosa.exp %[[C]]
// TFLITE-NEXT: return %[[D]]
// TFLITE-NOT: func.func
module attributes {tf.versions = {producer = 1 : i32}, tfl.description = "MLIR Converted.", tfl.schema_version = 3 : i32} {
  func.func @main(%arg0: tensor<2x8xf32> {ml_program.identifier = "serving_default_x:0"}) -> (tensor<2x8xf32> {ml_program.identifier = "PartitionedCall:0"}) attributes {tf.entry_function = {inputs = "serving_default_x:0", outputs = "PartitionedCall:0"}} {
    %0 = call @body(%arg0) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %1 = call @body(%0) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return %1 : tensor<2x8xf32>
  }
  func.func @body(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %0 = tosa.tanh %arg0 : (tensor<2x8xf32>) -> tensor<2x8xf32>
    %1 = call @end(%0) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return %1 : tensor<2x8xf32>
  }
  func.func private @end(%arg0: tensor<2x8xf32>) -> tensor<2x8xf32> {
    %0 = tosa.exp %arg0 : (tensor<2x8xf32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}

//--- circle.mlir
// CIRCLE: calls go in a circle, or are more than 1000 deep
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @a(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @a(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @b(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @b(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @a(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- itself.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- many.mlir
// Each calls the next one four times.
// MANY: calls become more than 1000000 operations
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @a(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @a(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @b(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @b(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @b(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @b(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @b(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @c(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @c(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @c(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @c(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @c(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @d(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @d(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @d(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @d(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @d(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @e(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @e(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @e(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @e(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @e(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @f(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @f(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @f(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @g(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @g(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @g(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @g(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @h(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @h(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @h(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @h(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @h(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @i(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @i(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @i(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @i(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @i(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @j(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @j(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @j(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @j(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @j(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @k(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @k(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @k(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @k(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @k(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @end(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @end(%0) : (tensor<2xf32>) -> tensor<2xf32>
  %2 = call @end(%1) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @end(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func @end(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

//--- declared.mlir
// DECLARED: calls @elsewhere, which is no function of one block
func.func private @elsewhere(tensor<2xf32>) -> tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @elsewhere(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

//--- two.mlir
// TWO: a network is one function @main of one block
func.func @one(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

//--- global.mlir
// GLOBAL: a network has no operation 'ml_program.global_load'
ml_program.global private mutable @state(dense<0.0> : tensor<2xf32>) : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = ml_program.global_load @state : tensor<2xf32>
  %1 = tosa.add %x, %0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
