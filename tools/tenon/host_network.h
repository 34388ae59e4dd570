//===- tools/tenon/host_network.h - A network on this machine ---*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_HOST_NETWORK_H
#define TENON_TOOLS_TENON_HOST_NETWORK_H

#include "compiler/driver/compile.h"
#include "runtime/host_device.h"
#include "runtime/session.h"

#include <memory>

namespace tenon::tools {

/// A network compiled for this machine's CPU alone, at full speed, and loaded.
class HostNetwork {
public:
  /// Of an ONNX file's `content`; `path` stands in messages. Errors as of
  /// compiler::compileContent, LoadedProgram and Session.
  static absl::StatusOr<std::unique_ptr<HostNetwork>>
  compile(const std::string &content, const std::string &path,
          const compiler::Options &options);

  /// Its border; no code.
  const isa::Program &border() const { return program; }

  absl::StatusOr<std::vector<runtime::Array>>
  run(absl::Span<const runtime::Array> inputs) {
    return session->run(inputs);
  }

private:
  isa::Program program;
  std::unique_ptr<runtime::HostDevice> device; // outlives the session
  std::unique_ptr<runtime::Session> session;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_HOST_NETWORK_H
