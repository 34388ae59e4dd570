// Part of Tenon, under the Apache License v2.0.
//
// What a set of programs has exercised, as points that are either reached or
// not: for every field of every format its least and greatest value (each value
// of an enumeration, each channel of wait and signal), for every register its
// extremes and zero, the same for micro-ops; each token channel empty while
// somebody wants a token and full while somebody wants to give one; each pair
// of engines busy in the same cycle.

#ifndef TESTS_DIFFERENTIAL_COVERAGE_H
#define TESTS_DIFFERENTIAL_COVERAGE_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"
#include "tests/differential/retire_checker.h"

#include <map>
#include <string>

namespace tenon::differential {

class Coverage {
public:
  /// All points, none reached.
  Coverage();

  /// The launch of a program whose configuration is `layout`'s.
  void add(const isa::Layout &layout, const isa::Program &program);
  void add(const Activity &activity);

  /// Times each point was reached (activity: 1).
  const std::map<std::string, uint64_t> &points() const { return counts; }

  /// Why a point that exists cannot be reached; empty if it can.
  static std::string reason(const std::string &point);

private:
  void addInstruction(const isa::Layout &layout, const uint8_t *code,
                      const isa::Instruction &instruction);
  void addMask(const std::string &format, const std::string &field,
               isa::Engine engine, uint64_t mask);
  void addRegister(const isa::Layout &layout, const isa::Set &set);
  void addMicroOps(const isa::Layout &layout, const isa::Program &program,
                   const isa::Load &load);
  void reach(const std::string &point);

  std::map<std::string, uint64_t> counts;
};

} // namespace tenon::differential

#endif // TESTS_DIFFERENTIAL_COVERAGE_H
