// Part of Tenon, under the Apache License v2.0.
//
// Host code made of kernels.c.

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

/// For the machine that this runs on, with the constants that they read.
inline isa::HostCode kernels() {
  isa::HostCode code;
  for (const isa::HostTarget &target : isa::hostTargets())
    if (!code.executables_size() &&
        target.architecture == isa::thisArchitecture())
      *code.add_executables() = kernelsFor(target);
  EXPECT_TRUE(code.executables_size()) << "no target of this architecture";
  code.set_constants("0123456789abcdef");
  return code;
}

} // namespace tenon

#endif // TENON_TESTS_UNIT_KERNELS_KERNELS_H
