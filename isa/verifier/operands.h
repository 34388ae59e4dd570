// Part of Tenon, under the Apache License v2.0.
//
// Encodings that are not in the instruction: shifts in registers of ALU and in
// PRM.

#ifndef TENON_ISA_VERIFIER_OPERANDS_H
#define TENON_ISA_VERIFIER_OPERANDS_H

#include "isa/accesses.h"

#include <string>
#include <vector>

namespace tenon::isa {

/// Follows what LOAD puts into PRM, of one program.
class Operands {
public:
  explicit Operands(const Layout &layout);

  /// LOAD to PRM, within bounds, from `dram` as it is then.
  void load(const Load &load, const DramImage &dram);

  /// What of an ALU instruction's operands is undefined, behind the text of the
  /// instruction; empty if nothing is. `walker` has walked it last and says
  /// what it reads.
  std::string check(const Alu &alu, const Accesses &accesses,
                    const AccessWalker &walker) const;

private:
  /// The first lane of an entry whose shift is illegal.
  struct Entry {
    enum Kind : uint8_t { Legal, Illegal, Unknown } kind = Legal;
    uint8_t shift = 0;
    uint32_t lane = 0;
  };
  Entry entryAt(const uint8_t *element) const;

  const Layout &layout;
  std::vector<Entry> parameters;
};

} // namespace tenon::isa

#endif // TENON_ISA_VERIFIER_OPERANDS_H
