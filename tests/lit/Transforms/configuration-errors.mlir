// RUN: tenon-opt %s -verify-diagnostics -accel-attach-machine="config=nowhere"

// expected-error @below {{no configuration 'nowhere'}}
module {
  func.func @main(%x: tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> {
    return %x : tensor<1x4x4x2xi8>
  }
}
