//===- tools/tenon/host_network.cpp - A network on this machine -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/host_network.h"

#include "compiler/driver/reference.h"

namespace tenon::tools {

absl::StatusOr<std::unique_ptr<HostNetwork>>
HostNetwork::compile(const std::string &content, const std::string &path,
                     const compiler::Options &options) {
  auto compiled = compiler::compileContent(content, path, options,
                                           compiler::Level::Reference);
  if (!compiled.ok())
    return compiled.status();
  auto result = std::make_unique<HostNetwork>();
  result->program = std::move(compiled->program);
  auto network = compiler::compileReference(
      result->program, Optimization::ForSpeed, /*withTensors=*/false,
      options.records, options.listener);
  if (!network.ok())
    return network.status();
  result->program.clear_reference();
  result->device =
      std::make_unique<runtime::HostDevice>(network->configuration());
  auto loaded = runtime::LoadedProgram::load(*std::move(network),
                                             runtime::HostCodeTrust::Any);
  if (!loaded.ok())
    return loaded.status();
  auto session = runtime::Session::create(*std::move(loaded), *result->device);
  if (!session.ok())
    return session.status();
  result->session = *std::move(session);
  return result;
}

} // namespace tenon::tools
