//===- sim/tlm/compute.h - What GEMM and ALU share --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// core_order.sv: the instruction at the front takes its tokens as they arrive,
// up to 16 wait for their completion, which is known as soon as they start, and
// retire in order.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_TLM_COMPUTE_H
#define TENON_SIM_TLM_COMPUTE_H

#include "sim/tlm/context.h"
#include "sim/tlm/ledger.h"
#include "sim/tlm/retirement.h"

namespace tenon::sim::tlm {

/// `Engine` derives from this and has
///   Cycle setFrom(const Work &): the first cycle in which a SET may go,
///   Cycle lastStep(): in which the last instruction's last iteration enters
///     the pipeline; never, if that is to come and not known,
///   Cycle start(const Work &, Cycle now, Cycle begin): accepts it in `now`;
///     `begin` is the cycle before its first iteration (never: it follows the
///     one at work, whose last step is not known). Tells the ledger and returns
///     the cycle in which it completes, of a SET it does not matter; never, if
///     `retirement` is told later,
///   Cycle resolve(Cycle now): finds what could not be known before, and
///     returns the cycle in which it has to be asked again: not after the
///     first one in which what is left to find can happen.
template <typename Derived> class Compute {
public:
  Compute(Context &context, isa::Engine engine)
      : ledger(context.accounting, engine), context(context), engine(engine),
        retirement(context, engine) {}

  Cycle act(Cycle now) {
    ledger.advance(now);
    Cycle resolves = derived().resolve(now);
    bool full = retirement.size() == depth, wasEmpty = retirement.empty();
    bool retires = retirement.isDue(now) && retirement.give(now);
    Cycle next = never;
    uint32_t waits = 0;
    if (context.queues[unsigned(engine)].holds(now))
      next = visitFront(now, full, waits, resolves);
    if (retires) {
      retirement.pop(now);
      describe(waits, wasEmpty);
      ledger.advance(now + 1);
      ledger.retire();
      if (full)
        next = std::min(next, now + 1);
    }
    describe(waits, retirement.empty());
    return std::min({next, resolves, retirement.next(now)});
  }

  bool isIdle() const { return retirement.empty(); }
  Ledger ledger;

protected:
  Context &context;
  const isa::Engine engine;
  Cycle frontSince = 0; // when the instruction at the front came there
  Cycle roomFrom = 0;   // for an instruction behind the one at work
  Retirement retirement;

private:
  static constexpr uint32_t depth = 16;

  // The next cycle in which the front can go on by itself.
  Cycle visitFront(Cycle now, bool full, uint32_t &waits, Cycle &resolves) {
    const Work &work = context.head(engine);
    if (&work != front) {
      front = &work;
      frontSince = now;
      missing = work.waits;
    }
    missing = context.takeTokens(engine, missing, now);
    Cycle from = work.isSet ? derived().setFrom(work) : roomFrom;
    if (now < from)
      return from;
    if (full)
      return never;
    if (missing) {
      waits = lowest(missing);
      return never;
    }
    context.pop(engine, now);
    context.execute(engine, work);
    Cycle complete =
        derived().start(work, now, work.isSet ? now : beginFrom(now));
    // A completion is registered; a SET has none.
    retirement.push({work.isSet          ? now + 1
                     : complete == never ? never
                                         : complete + 1,
                     &work});
    resolves = derived().resolve(now);
    return context.queues[unsigned(engine)].isEmpty() ? never : now + 1;
  }

  // uop_sequencer.sv: the instruction begins at once, or waits behind the one
  // at work, and nothing is accepted as long as it does.
  Cycle beginFrom(Cycle now) {
    Cycle last = derived().lastStep();
    if (last != never && now > last)
      return now;
    Cycle at = std::max(last, now + 1);
    roomFrom = at == never ? never : at + 1;
    return at;
  }

  void describe(uint32_t waits, bool empty) {
    if (uint32_t blocked = retirement.blocked())
      ledger.background(isa::State::Token, 0, lowest(blocked));
    else if (waits)
      ledger.background(isa::State::Token, waits);
    else
      ledger.background(empty ? isa::State::Empty : isa::State::Drain);
  }

  Derived &derived() { return static_cast<Derived &>(*this); }

  const Work *front = nullptr; // whose tokens are being taken
  uint32_t missing = 0;
};

} // namespace tenon::sim::tlm

#endif // TENON_SIM_TLM_COMPUTE_H
