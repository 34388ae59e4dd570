// Part of Tenon, under the Apache License v2.0.
//
// The executables made of kernels.c.

#ifndef TENON_TESTS_UNIT_KERNELS_KERNELS_H
#define TENON_TESTS_UNIT_KERNELS_KERNELS_H

#include "isa/files.h"
#include "isa/host_target.h"
#include "isa/proto/program.pb.h"

#include "gtest/gtest.h"

namespace tenon {

/// Exports what kernels.c defines; asks for none of the target's features.
inline isa::Executable kernelsFor(const isa::HostTarget &target) {
  isa::Executable executable;
  executable.set_triple(std::string(target.triple));
  auto image =
      isa::readFile(TENON_KERNELS "/" + std::string(target.triple) + ".so");
  EXPECT_TRUE(image.ok()) << image.status();
  executable.set_image(*std::move(image));
  return executable;
}

/// For the machine that this runs on.
inline isa::Executable kernels() {
  for (const isa::HostTarget &target : isa::hostTargets())
    if (target.architecture == isa::thisArchitecture())
      return kernelsFor(target);
  ADD_FAILURE() << "no target of this architecture";
  return {};
}

} // namespace tenon

#endif // TENON_TESTS_UNIT_KERNELS_KERNELS_H
