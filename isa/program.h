// Part of Tenon, under the Apache License v2.0.
//
// The program container (.tenon): a header of 32 bytes (magic, version of the
// instruction set, length and checksum of what follows) and a serialised
// Program message.

#ifndef TENON_ISA_PROGRAM_H
#define TENON_ISA_PROGRAM_H

#include "isa/element_type.h"
#include "isa/isa.h"
#include "isa/proto/program.pb.h"

namespace tenon::isa {

/// Reads and validates a program. The error says which it is: not a program,
/// truncated, made for another version of the instruction set, damaged, or not
/// valid (what, where).
absl::StatusOr<Program> readProgram(absl::string_view path);

/// The same on bytes; `source` stands in errors.
absl::StatusOr<Program> parseProgram(absl::string_view bytes,
                                     absl::string_view source);

/// The bytes of a program's file. The error says what of the program is not
/// valid, or that it is too large.
absl::StatusOr<std::string> serializeProgram(const Program &program);

/// Whether an executor can rely on every number in the program: legal
/// configuration, regions within the DRAM, indices in range, shapes that agree.
/// Instructions themselves are not decoded.
absl::Status validateProgram(const Program &program);

/// Elements of a shape, 0 where one dimension is 0. A negative dimension is an
/// error, and a product of 2^40 or more: of the others, too, where one is 0, so
/// that no stride of an accepted shape overflows.
absl::StatusOr<uint64_t>
elementCount(const google::protobuf::RepeatedField<int64_t> &shape);

/// Bytes of the tensor in DRAM, with block padding. The tensor must be valid.
uint64_t dramBytes(const Layout &layout, const DramTensor &tensor);

/// The run that the n-th instruction (from 0) of an engine belongs to, or null
/// where the program does not say.
const Run *findRun(const Debug &debug, Engine engine, uint64_t instruction);

} // namespace tenon::isa

#endif // TENON_ISA_PROGRAM_H
