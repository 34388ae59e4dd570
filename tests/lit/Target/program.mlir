// RUN: tenon compile %s --emit=asm | FileCheck %s
// RUN: tenon compile %s -o %t.tenon
// RUN: tenon dis %t.tenon | FileCheck %s

// A maximum on the accelerator between an array of the host and another one.
// CHECK: load acc8 {{.*}}:min
// CHECK: alu max
// CHECK: alu quant
// CHECK: store
// CHECK: finish
// CHECK: complete_after_stores:
// CHECK: launch {
func.func @main(%x: tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8> {
  %p = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
  return %p : tensor<1x8x8x16xi8>
}
