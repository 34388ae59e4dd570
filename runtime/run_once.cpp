//===- runtime/run_once.cpp - A program on one set of inputs --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/run_once.h"

namespace tenon::runtime {

absl::StatusOr<Outcome> runOnce(const isa::Program &program,
                                sim::Device &device,
                                absl::Span<const Array> inputs,
                                Observer observer, HostCodeTrust trust) {
  auto loaded = LoadedProgram::borrow(program, trust);
  if (!loaded.ok())
    return loaded.status();
  auto session = Session::create(*std::move(loaded), device, &observer);
  if (!session.ok())
    return session.status();
  auto outputs = (*session)->run(inputs);
  if (!outputs.ok())
    return outputs.status();
  return Outcome{*std::move(outputs), std::move(observer.execution)};
}

} // namespace tenon::runtime
