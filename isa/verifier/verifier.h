// Part of Tenon, under the Apache License v2.0.
//
// The static verifier: from a program alone, the proof that its result does not
// depend on timing and that it ends.
//
// What orders two instructions: the same engine, or a chain of tokens. (A full
// queue or channel also holds an engine back; that is no order to rely on,
// because how far an engine runs ahead is each implementation's own.) The host
// waits for a launch to end, so different launches are always ordered.
//
// Proved, if there is no finding:
//   every encoding is defined and each launch ends with FINISH;
//   every access is within its memory, and reads only what has been written;
//   of two instructions one of which writes what the other reads or writes, in
//   a scratchpad or in DRAM, one is ordered before the other (FETCH's reads of
//   the program included);
//   no wait starves: all engines and FETCH come to their end, for every timing;
//   every token that is given is taken.
// Tokens that no conflict needs are counted: all of them can go at once.
//
// FETCH, queues, engines and channels form a marked graph (F. Commoner et al.,
// "Marked directed graphs", 1971): each queue and channel has one giver and one
// taker, so no step can disable another and every maximal execution fires the
// same steps. One execution therefore decides whether all of them end, and the
// k-th token taken from a channel is the k-th given in each.
//
// What the values are is not looked at: an operand of mac or quant_add beyond 9
// bits is found by the functional simulator only.

#ifndef TENON_ISA_VERIFIER_VERIFIER_H
#define TENON_ISA_VERIFIER_VERIFIER_H

#include "isa/proto/program.pb.h"
#include "isa/verifier/verification.pb.h"

#include "absl/status/statusor.h"

#include <string>

namespace tenon::isa {

/// Verifies a program that validateProgram accepts; others are an error. At
/// most `mostFindings` findings are listed, the others counted. `seconds`
/// is the time it took, which grows with the program's instructions and the
/// intervals they touch.
/// Host code is counted, not looked at.
absl::StatusOr<Verification> verify(const Program &program,
                                    uint32_t mostFindings = 20);

/// A finding a line ("KIND: MESSAGE"), and "and N more".
std::string findingsText(const Verification &verification);

/// The superfluous tokens likewise.
std::string superfluousText(const Verification &verification);

} // namespace tenon::isa

#endif // TENON_ISA_VERIFIER_VERIFIER_H
