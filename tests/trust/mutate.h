// Part of Tenon, under the Apache License v2.0.
//
// Small changes to a program's instructions: tokens removed, added, exchanged
// and redirected, regions moved.

#ifndef TESTS_TRUST_MUTATE_H
#define TESTS_TRUST_MUTATE_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"

#include <random>
#include <string>
#include <vector>

namespace tenon::trust {

/// The instructions of the launches of one program.
class Mutator {
public:
  /// The program must verify; it must outlive the mutator.
  static absl::StatusOr<Mutator> create(const isa::Program &program);

  struct Mutant {
    std::string kind, description;
    isa::Program program;
  };
  /// A mutant whose encodings are all defined.
  Mutant draw(std::mt19937_64 &random) const;

  /// Names of the kinds, in the order they are drawn with equal chance.
  static std::vector<std::string> kinds();

private:
  struct Place {
    uint64_t offset; // of the instruction in DRAM
    isa::Instruction instruction;
    uint32_t launch;
  };
  using Stream = std::vector<Place>;
  using Random = std::mt19937_64;

  Mutator(const isa::Program &program, isa::Layout layout)
      : program(program), layout(std::move(layout)) {}

  // Each changes the stream, or leaves it where the draw does not fit.
  void removeWait(Stream &stream, Random &random) const;
  void removeSignal(Stream &stream, Random &random) const;
  void removePair(Stream &stream, Random &random) const;
  void addWait(Stream &stream, Random &random) const;
  void addSignal(Stream &stream, Random &random) const;
  void addPair(Stream &stream, Random &random) const;
  void moveWait(Stream &stream, Random &random) const;
  void moveSignal(Stream &stream, Random &random) const;
  void redirect(Stream &stream, Random &random) const;
  void exchange(Stream &stream, Random &random) const;
  void moveScratchpad(Stream &stream, Random &random) const;
  void moveDram(Stream &stream, Random &random) const;
  void resize(Stream &stream, Random &random) const;
  void moveLoop(Stream &stream, Random &random) const;

  using Change = void (Mutator::*)(Stream &, Random &) const;
  struct Kind {
    const char *name;
    Change change;
  };
  static const std::vector<Kind> &changes();

  const isa::Program &program;
  isa::Layout layout;
  Stream original;
};

} // namespace tenon::trust

#endif // TESTS_TRUST_MUTATE_H
