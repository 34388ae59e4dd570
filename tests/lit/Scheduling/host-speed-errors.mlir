// RUN: tenon-opt %s -split-input-file -accel-attach-machine="config=tiny" -accel-insert-tokens -verify-diagnostics

// expected-error@+1 {{expected operations and packed bytes a millisecond, two f64 above 0, in the attribute 'accel.host_speed'}}
module attributes {accel.host_speed = array<f64: 0.0, 1.0>} {
}

// -----

// expected-error@+1 {{expected operations and packed bytes a millisecond}}
module attributes {accel.host_speed = array<f64: 1.0>} {
}

// -----

// expected-error@+1 {{expected operations and packed bytes a millisecond}}
module attributes {accel.host_speed = "fast"} {
}

// -----

module attributes {accel.host_speed = array<f64: 1.0, 2.0>} {
}
