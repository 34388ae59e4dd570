//===- sim/tlm/launch.h - One launch: the engines and their time -*- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// All timing of a launch, in actors that an agenda calls in the cycles in which
// something can change for them. It knows nothing of SystemC but the ports it
// is given; system.h runs it inside a process, a quantum at a time.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_LAUNCH_H
#define TENON_SIM_TLM_LAUNCH_H

#include "sim/tlm/alu.h"
#include "sim/tlm/fetch.h"
#include "sim/tlm/gemm.h"
#include "sim/tlm/load.h"
#include "sim/tlm/store.h"

namespace tenon::sim::tlm {

/// The sockets of the three masters.
struct Ports {
  MemoryPort &load, &store, &fetch;
};

class Launch {
public:
  /// `storeRetired` is called after each retirement of STORE.
  Launch(Context &context, const Ports &ports,
         std::function<void(uint64_t)> storeRetired);

  /// Runs all cycles before `until`; whether there is more to come. The launch
  /// has ended well if not and `status` is.
  bool run(Cycle until);

  absl::Status status;
  /// Cycles from start to done, after the end.
  Cycle cycles() const { return total; }
  uint64_t retired() const;

private:
  Cycle act(unsigned actor, Cycle now);
  bool check(Cycle next);
  void end();
  bool isDone() const;
  Cycle lastProgress() const;
  std::string describe() const;
  const Ledger &ledger(unsigned engine) const;
  Ledger &ledger(unsigned engine) {
    return const_cast<Ledger &>(
        static_cast<const Launch *>(this)->ledger(engine));
  }

  Context &context;
  ReadArbiter arbiter;
  Load load;
  Fetch fetch;
  Gemm gemm;
  Alu alu;
  Store store;
  Cycle total = 0;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_LAUNCH_H
