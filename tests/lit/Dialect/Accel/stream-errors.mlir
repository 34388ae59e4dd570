// RUN: tenon-opt %s -split-input-file -verify-diagnostics

func.func @foreign() {
  accel.stream 0() attributes {layers = [{}], segments = []} {
    // expected-error @below {{is no instruction}}
    %0 = "arith.constant"() {value = 1 : i32} : () -> i32
    accel.finish layer 0 tile 0
  } : () -> ()
  return
}

// -----

func.func @early() {
  accel.stream 0() attributes {layers = [{}], segments = []} {
    // expected-error @below {{stands before the end of the stream}}
    accel.finish layer 0 tile 0
    accel.finish layer 0 tile 0
  } : () -> ()
  return
}

// -----

func.func @layer() {
  accel.stream 0() attributes {layers = [{}], segments = []} {
    // expected-error @below {{names layer 1, the stream has 1}}
    accel.set gemm register 0 = 0 layer 1 tile 0
    accel.finish layer 0 tile 0
  } : () -> ()
  return
}
