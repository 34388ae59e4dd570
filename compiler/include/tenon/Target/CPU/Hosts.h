//===- Hosts.h - Which hosts to compile for ---------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TARGET_CPU_HOSTS_H
#define TENON_TARGET_CPU_HOSTS_H

#include "isa/host_target.h"

#include <vector>

namespace tenon {

/// What a program carries code for where nobody says: every target of this
/// machine's architecture.
std::vector<const isa::HostTarget *> defaultHosts();

/// The most demanding target that this machine satisfies: for code that runs
/// here and is not kept.
const isa::HostTarget &thisHost();

} // namespace tenon

#endif // TENON_TARGET_CPU_HOSTS_H
