// RUN: tenon-opt %s -split-input-file -verify-diagnostics -accel-attach-machine -accel-partition="require-accelerator=true"

// A conversion at the border belongs to packing; the exponential does not.
func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xf32> {
  // expected-error @below {{'cast+exp' is not on the accelerator, which is required: floating-point arithmetic; the accelerator computes 8-bit integers (what would change it: quantise it, or leave it to the host)}}
  %f = tosa.cast %x : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xf32>
  %e = tosa.exp %f : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  return %e : tensor<1x4x4x2xf32>
}

// -----

// expected-error @below {{expected a function @main with one block, found none}}
module {}
