// Part of Tenon, under the Apache License v2.0.
//
// A program with every kind of step: adds 10 to a 1x2x2x4 tensor on the
// accelerator, then calls the kernel `triple` of kernels.c.

#ifndef TENON_TESTS_UNIT_RUNTIME_SMALL_NETWORK_H
#define TENON_TESTS_UNIT_RUNTIME_SMALL_NETWORK_H

#include "runtime/session.h"
#include "sim/functional/functional_device.h"

namespace tenon::runtime {

constexpr int networkSize = 16; // elements of input and output

isa::Program smallNetwork();
/// A kernel alone: the places of `values`, <tokens> int32, that are not 0 as
/// `places`, int64 of as many as the run tells, and the `sum` of all. A
/// negative value is refused.
isa::Program tellingNetwork();

/// A vector.
Array int32s(const std::vector<int32_t> &values);

std::shared_ptr<const LoadedProgram> loaded(const isa::Program &program);
std::unique_ptr<sim::FunctionalDevice> deviceOf(const char *name);

/// Distinct values, others for each `seed`.
Array inputOf(int seed);
std::vector<uint8_t> expectedOf(const Array &input);

} // namespace tenon::runtime

#endif // TENON_TESTS_UNIT_RUNTIME_SMALL_NETWORK_H
