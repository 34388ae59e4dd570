//===- compiler/driver/prediction.cpp - What a program will take ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/prediction.h"

namespace tenon::compiler {

/// Elements of a tensor in DRAM, without the padding of its layout.
static double elementsOf(const isa::DramTensor &tensor) {
  double count = 1;
  for (int64_t extent : tensor.shape())
    count *= extent;
  return count;
}

Prediction predict(const isa::Program &program, uint64_t cycles,
                   const HostSpeed &host) {
  Prediction result;
  double moved = 0, hostMs = 0;
  uint32_t launches = 0;
  for (const isa::Step &step : program.steps()) {
    if (step.has_pack())
      moved += elementsOf(program.tensors(step.pack().tensor()));
    else if (step.has_unpack())
      moved += elementsOf(program.tensors(step.unpack().tensor()));
    else if (step.has_host_kernel())
      hostMs += step.host_kernel().estimated_ms();
    else
      ++launches;
  }
  result.set_cycles(double(cycles));
  result.set_accelerator_ms(cycles /
                            (program.configuration().clock_mhz() * 1e3));
  result.set_launches(launches);
  result.set_launch_ms(launches * LaunchMs);
  result.set_move_ms(moved / host.PackedBytesPerMs);
  result.set_host_ms(hostMs);
  result.set_total_ms(result.accelerator_ms() + result.launch_ms() +
                      result.move_ms() + result.host_ms());
  return result;
}

absl::StatusOr<Compiled> compileToPredict(const std::string &content,
                                          const std::string &path,
                                          Options options) {
  options.shapes.clear(); // they are in the content
  options.listener = nullptr;
  options.statistics = false;
  options.keepReference = false;
  options.hostCode = false;
  options.verify = false;
  return compileContent(content, path, options, Level::Program);
}

} // namespace tenon::compiler
