// Part of Tenon, under the Apache License v2.0.
//
// Assembler text. Line based; ';' begins a comment. Both directions are driven
// by one table (isa/syntax.h) and lossless.
//
// Instructions (fields that are left out are 0, sizes and counts 1):
//   load MEMORY sram=N dram=N y=N x=N ystride=N xstride=N
//        pad=TOP,BOTTOM,LEFT,RIGHT:KIND gather wait(ENGINE,..) signal(..)
//   store sram=N dram=N y=N x=N ystride=N xstride=N wait(..) signal(..)
//   gemm first uop=BEGIN+COUNT outer=N inner=N dst=OUTER,INNER src=O,I
//        third=O,I wait(..) signal(..)
//   alu OPERATION operand=acc target=inp first uop=.. (as gemm)
//   set ENGINE REGISTER=VALUE wait(..) signal(..)      REGISTER=VALUE may lack
//   finish
// A whole program adds directives:
//   .isa VERSION                  optional, first
//   .configuration NAME           or `.configuration {`, protobuf text, `}`
//   .dram BYTES                   size of the DRAM
//   .segment "NAME" @OFFSET       bytes of the DRAM image follow, in lines of
//     .hex 00 1f ..               bytes, any spacing
//     .word N, N ..               32-bit little-endian words
//     .zero COUNT                 zero bytes
//     .gemm_uop DST,SRC,THIRD     micro-ops
//     .alu_uop DST,SRC,THIRD
//     and instructions
//   .instructions @OFFSET         a segment of instructions that is launched;
//                                 without .program each is one step
//   .program {                    the rest of the Program message as protobuf
//   }                             text; the closing brace in column 1

#ifndef TENON_ISA_ASSEMBLER_H
#define TENON_ISA_ASSEMBLER_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"

#include <string>
#include <vector>

namespace tenon::isa {

/// Instructions only, no directives. Errors begin with source:line:column and
/// say what was expected; every instruction is validated.
absl::StatusOr<std::vector<Instruction>>
assemble(const Layout &layout, absl::string_view text,
         absl::string_view source = "input");

/// A whole program, validated as by validateProgram.
absl::StatusOr<Program> assembleProgram(absl::string_view text,
                                        absl::string_view source);

/// The text of a program. With `annotate` each launched instruction has a
/// comment with its number in its engine, layer, tile and network nodes.
/// Bytes that are launched but do not decode come out as data.
std::string disassembleProgram(const Program &program, bool annotate);

} // namespace tenon::isa

#endif // TENON_ISA_ASSEMBLER_H
