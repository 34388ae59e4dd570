// Part of Tenon, under the Apache License v2.0.
//
// tlm_compare PROGRAM.tenon [MEMORY [ENGINE [COUNT]]]: runs each launch of a
// program on the RTL and on the SystemC model, inputs left poisoned, and prints
// cycles, speeds, states, and for ENGINE (load, gemm, alu, store) the first
// COUNT instructions after whose retirement the two drift apart.

#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "isa/program.h"
#include "sim/memory/memory_options.h"
#include "sim/program_walk.h"
#include "sim/rtl/rtl_device.h"
#include "sim/tlm/tlm_device.h"

#include <algorithm>

namespace tenon::sim {
namespace {

constexpr const char *engineNames[] = {"load", "gemm", "alu", "store"};
constexpr const char *stateNames[] = {"busy",  "token", "memory", "bank",
                                      "drain", "empty", "done"};

struct Run {
  LaunchResult result;
  LaunchTrace trace;
};

absl::Status prepare(Device &device, const isa::Program &program) {
  if (absl::Status s = device.allocate(program.dram_bytes()); !s.ok())
    return s;
  for (const isa::Segment &segment : program.segments())
    if (absl::Status s =
            device.write(segment.offset(),
                         absl::MakeConstSpan(reinterpret_cast<const uint8_t *>(
                                                 segment.data().data()),
                                             segment.data().size()));
        !s.ok())
      return s;
  return absl::OkStatus();
}

absl::Status launch(Simulator &device, LaunchOptions options, bool traced,
                    Run &run) {
  if (traced)
    options.trace = &run.trace;
  auto result = device.launch(options);
  if (!result.ok())
    return result.status();
  run.result = *std::move(result);
  return absl::OkStatus();
}

void printStates(const Run &rtl, const Run &tlm) {
  for (unsigned e = 0; e < numEngines; ++e) {
    fmt::print("  {:5}", engineNames[e]);
    for (unsigned s = 0; s < numStates; ++s)
      fmt::print("  {} {}/{}", stateNames[s], rtl.result.states[e].cycles[s],
                 tlm.result.states[e].cycles[s]);
    fmt::print("\n");
  }
}

std::string stateText(const InstructionTrace &event) {
  std::string text;
  for (unsigned s = 0; s < numStates; ++s)
    if (event.cycles[s])
      text += fmt::format(" {}:{}", stateNames[s], event.cycles[s]);
  return text;
}

void printDrift(const isa::Layout &layout, const Stream &stream, const Run &rtl,
                const Run &tlm, unsigned engine, unsigned count) {
  const auto &a = rtl.trace.engines[engine], &b = tlm.trace.engines[engine];
  int64_t drift = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()) && count; ++i) {
    int64_t now = int64_t(b[i].retire) - int64_t(a[i].retire);
    if (now == drift)
      continue;
    fmt::print("  #{} at {} drift {} -> {} (rtl{}; tlm{}) {}\n", i, a[i].retire,
               drift, now, stateText(a[i]), stateText(b[i]),
               describeInstruction(layout, stream, isa::Engine(engine), i));
    drift = now;
    --count;
  }
}

absl::Status compare(const std::string &path, const std::string &memory,
                     const std::string &engine, unsigned count) {
  auto program = isa::readProgram(path);
  if (!program.ok())
    return program.status();
  auto layout = isa::Layout::get(program->configuration());
  auto timing = parseMemoryTiming(memory);
  auto rtlDevice = RtlDevice::create(program->configuration());
  auto tlmDevice = TlmDevice::create(program->configuration());
  for (const absl::Status &s : {layout.status(), timing.status(),
                                rtlDevice.status(), tlmDevice.status()})
    if (!s.ok())
      return s;
  for (Simulator *device :
       {(Simulator *)rtlDevice->get(), (Simulator *)tlmDevice->get()})
    if (absl::Status s = prepare(*device, *program); !s.ok())
      return s;
  for (const isa::Step &step : program->steps()) {
    if (!step.has_launch())
      continue;
    LaunchOptions options;
    options.programOffset = step.launch().program_offset();
    options.instructionCount = step.launch().instruction_count();
    options.memory = *timing;
    std::vector<uint8_t> before(program->dram_bytes());
    (void)(*rtlDevice)->read(0, absl::MakeSpan(before));
    auto rtl = std::make_unique<Run>(), tlm = std::make_unique<Run>();
    bool traced = !engine.empty();
    if (absl::Status s = launch(**rtlDevice, options, traced, *rtl); !s.ok())
      return s;
    if (absl::Status s = launch(**tlmDevice, options, traced, *tlm); !s.ok())
      return s;
    uint64_t a = rtl->result.cycles, b = tlm->result.cycles;
    fmt::print("{} {}: rtl {} tlm {} error {:+.3f} %  {:.2f} MHz {:.1f} MHz "
               "ratio {:.1f}\n",
               path, memory, a, b, 100.0 * (double(b) - double(a)) / a,
               a / rtl->result.seconds * 1e-6, b / tlm->result.seconds * 1e-6,
               rtl->result.seconds / tlm->result.seconds);
    if (traced) {
      printStates(*rtl, *tlm);
      Stream stream{absl::MakeSpan(before), options.programOffset,
                    options.instructionCount};
      for (unsigned e = 0; e < numEngines; ++e)
        if (engine == engineNames[e])
          printDrift(*layout, stream, *rtl, *tlm, e, count);
    }
    std::vector<uint8_t> left(program->dram_bytes()), right(left.size());
    (void)(*rtlDevice)->read(0, absl::MakeSpan(left));
    (void)(*tlmDevice)->read(0, absl::MakeSpan(right));
    if (left != right)
      return absl::InternalError("DRAM differs");
  }
  return absl::OkStatus();
}

} // namespace
} // namespace tenon::sim

int main(int argc, char **argv) {
  if (argc < 2) {
    fmt::print(stderr,
               "usage: tlm_compare PROGRAM [MEMORY [ENGINE [COUNT]]]\n");
    return 2;
  }
  unsigned count = 20;
  if (argc > 4 && !absl::SimpleAtoi(argv[4], &count))
    return 2;
  absl::Status status = tenon::sim::compare(argv[1], argc > 2 ? argv[2] : "",
                                            argc > 3 ? argv[3] : "", count);
  if (!status.ok())
    fmt::print(stderr, "{}\n", status.ToString());
  return status.ok() ? 0 : 1;
}
