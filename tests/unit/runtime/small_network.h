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
std::shared_ptr<const LoadedProgram> loaded(const isa::Program &program);
std::unique_ptr<sim::FunctionalDevice> deviceOf(const char *name);

/// Distinct values, others for each `seed`.
Array inputOf(int seed);
std::vector<uint8_t> expectedOf(const Array &input);

} // namespace tenon::runtime

#endif // TENON_TESTS_UNIT_RUNTIME_SMALL_NETWORK_H
