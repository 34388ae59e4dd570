//===- sim/fault.cpp - What the hardware says went wrong --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/fault.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tenon::sim {
namespace {

// What lies at the place of a fault, in brackets behind it.
std::string surroundings(const FaultyLaunch &launch, uint64_t address) {
  const uint64_t offset = address - launch.dramBase;
  std::string text = absl::StrFormat("address 0x%x", address);
  if (offset >= launch.stream.dram.size())
    absl::StrAppend(&text, ", outside of the ", launch.stream.dram.size(),
                    " bytes of DRAM");
  else if (launch.launch.nameOf)
    if (std::string name = launch.launch.nameOf(offset); !name.empty())
      absl::StrAppend(&text, ", ", name);
  return text;
}

// `who` met an error of the memory at `address`.
absl::Status memoryFault(const FaultyLaunch &launch, absl::string_view who,
                         uint64_t address) {
  const uint64_t offset = address - launch.dramBase;
  std::string message = absl::StrFormat(
      "%s: %s: the memory answered with an error at DRAM offset 0x%x (%s)",
      launch.device, who, offset, surroundings(launch, address));
  return offset < launch.stream.dram.size()
             ? absl::UnavailableError(message)
             : absl::InvalidArgumentError(message);
}

// `who` may not reach `address`.
absl::Status outside(const FaultyLaunch &launch, absl::string_view who,
                     uint64_t address) {
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s: %s: stopped before an access outside of its window, at DRAM offset "
      "0x%x (%s)",
      launch.device, who, address - launch.dramBase,
      surroundings(launch, address)));
}

} // namespace

absl::Status faultStatus(const FaultyLaunch &launch, uint32_t status,
                         uint32_t where) {
  const isa::Layout &layout = launch.layout;
  const auto fault = isa::Fault(status >> statusFaultShift & statusFaultMask);
  const uint64_t instruction =
      launch.stream.offset + uint64_t(where) * layout.instructionBytes;
  // LOAD and STORE count beats from the high word of the base.
  const uint64_t burst =
      (launch.dramBase >> 32 << 32) + uint64_t(where) * layout.beatBytes;
  auto access = [&](isa::Engine engine) {
    return describeAccess(layout, launch.stream, engine,
                          burst - launch.dramBase);
  };
  const std::string fetch =
      absl::StrCat("FETCH (instruction ", where, " of the stream)");
  switch (fault) {
  case isa::Fault::Fetch:
    return memoryFault(launch, fetch, launch.dramBase + instruction);
  case isa::Fault::Load:
    return memoryFault(launch, access(isa::Engine::Load), burst);
  case isa::Fault::Store:
    return memoryFault(launch, access(isa::Engine::Store), burst);
  case isa::Fault::Undefined:
    return absl::InvalidArgumentError(absl::StrFormat(
        "%s: FETCH: undefined opcode: instruction %u of the stream at DRAM "
        "offset 0x%x",
        launch.device, where, instruction));
  case isa::Fault::OutsideFetch:
    return outside(launch, fetch, launch.dramBase + instruction);
  case isa::Fault::OutsideLoad:
    return outside(launch, access(isa::Engine::Load), burst);
  case isa::Fault::OutsideStore:
    return outside(launch, access(isa::Engine::Store), burst);
  case isa::Fault::Stopped:
    return absl::CancelledError(absl::StrFormat(
        "%s: the launch was stopped, behind instruction %u of the stream",
        launch.device, where));
  case isa::Fault::None:
    break;
  }
  return absl::InternalError(absl::StrFormat(
      "%s: a defect of the hardware: register status has 0x%x: an error "
      "without a cause",
      launch.device, status));
}

} // namespace tenon::sim
