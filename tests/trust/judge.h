// Part of Tenon, under the Apache License v2.0.
//
// The static verifier and the machine about the same program. They agree if a
// program that verifies has the same memory under every interleaving, with
// nothing for the race detector to find, and the same on the RTL; and if one
// that does not verify shows a finding when it is executed, and nothing that no
// finding promises.

#ifndef TESTS_TRUST_JUDGE_H
#define TESTS_TRUST_JUDGE_H

#include "isa/proto/program.pb.h"
#include "isa/verifier/verification.pb.h"
#include "sim/functional/functional_device.h"
#include "sim/simulator.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::trust {

struct Verdict {
  enum Kind {
    Verified, // and executed alike, everywhere
    Valued,   // verified; a value stops the functional simulator, the same
              // everywhere (an operand of mac or quant_add beyond 9 bits)
    Found,    // by the verifier, and by executing
    Unproved, // by the verifier, which cannot know what DRAM holds; executing
              // shows nothing
    Disagree,
  } kind = Verified;
  std::string finding; // kind of the first finding
  std::string text;    // what the two say, where they disagree
  bool onRtl = false;
};

class Judge {
public:
  /// `interleavings` seeded orders of every program that verifies.
  static absl::StatusOr<Judge> create(const isa::Configuration &configuration,
                                      uint32_t interleavings);

  /// With `rtl`, what verifies runs there as well, with three memories (null:
  /// not).
  Verdict judge(const isa::Program &program, sim::Simulator *rtl);

private:
  struct Run {
    absl::Status status;
    std::vector<uint8_t> dram;
  };
  using Device = std::unique_ptr<sim::FunctionalDevice>;

  /// Executes the plan; what the host packs is random. A tensor that the host
  /// unpacks and nothing has written is an error.
  Run execute(sim::Simulator &device, const isa::Program &program,
              const sim::FunctionalDevice *detecting = nullptr,
              const sim::MemoryTiming &memory = {}) const;
  Verdict judgeVerified(const isa::Program &program, sim::Simulator *rtl);
  Verdict judgeFound(const isa::Program &program,
                     const isa::Verification &findings);

  std::vector<Device> plain;     // default order, then seeds 1, 2, ...
  std::vector<Device> detecting; // default order, then a few seeds
};

/// Whether an execution may end with `error` for one of the findings, of
/// whatever kinds they are.
bool isPromised(absl::string_view error, const isa::Verification &findings);

} // namespace tenon::trust

#endif // TESTS_TRUST_JUDGE_H
