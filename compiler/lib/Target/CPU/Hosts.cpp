//===- Hosts.cpp - Which hosts to compile for -----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/CPU/Hosts.h"

#include "RegisterFile.h"

#include "isa/host_features.h"

#include "llvm/ADT/STLExtras.h"

using namespace tenon;

std::vector<const isa::HostTarget *> tenon::defaultHosts() {
  std::vector<const isa::HostTarget *> Hosts;
  for (const isa::HostTarget &Target : isa::hostTargets())
    if (Target.architecture == isa::thisArchitecture())
      Hosts.push_back(&Target);
  return Hosts;
}

const isa::HostTarget &tenon::thisHost() {
  std::vector<const isa::HostTarget *> Hosts = defaultHosts();
  // A machine below the first target is told so when the code is loaded.
  const isa::HostTarget *Best = Hosts.front();
  for (const isa::HostTarget *Host : Hosts)
    if (llvm::all_of(Host->features, isa::hasFeature))
      Best = Host;
  return *Best;
}

RegisterFile tenon::registersOf(const isa::HostTarget &Target) {
  auto has = [&](absl::string_view Feature) {
    return llvm::is_contained(Target.features, Feature);
  };
  switch (Target.architecture) {
  case isa::Architecture::X86_64: {
    DotInstruction Dot = has("avx512vnni") || has("avxvnni")
                             ? DotInstruction::Quads
                             : DotInstruction::Pairs;
    if (has("avx512vl"))
      return {/*VectorBits=*/512, /*Accumulators=*/24,
              /*Vectors=*/4,      Dot,
              /*HasFma=*/true,    /*HasMasks=*/true,
              has("amx-int8")};
    return {has("avx2") ? 256u : 128u, /*Accumulators=*/12, /*Vectors=*/2, Dot,
            has("fma")};
  }
  case isa::Architecture::AArch64:
    return {/*VectorBits=*/128, /*Accumulators=*/24, /*Vectors=*/4,
            has("dotprod") ? DotInstruction::SignedQuads : DotInstruction::None,
            /*HasFma=*/true};
  case isa::Architecture::Arm:
    return {/*VectorBits=*/32, /*Accumulators=*/12, /*Vectors=*/1};
  }
  llvm_unreachable("an architecture");
}
