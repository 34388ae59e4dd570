// RUN: tenon-opt %s -verify-diagnostics -accel-partition="config=nowhere"

// expected-error @below {{no configuration 'nowhere'}}
func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
  return %x : tensor<1x4x4x2xi8>
}
