// Part of Tenon, under the Apache License v2.0.
//
// One function a parser: takes any bytes, as somebody else wrote them. Shared
// by the fuzzers (entry.cpp), the test of kept inputs and the byte cutter.

#ifndef TENON_TESTS_FUZZ_INPUT_TARGET_H
#define TENON_TESTS_FUZZ_INPUT_TARGET_H

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include <string>

namespace tenon::fuzz {

/// Reads `input` and uses what was read as the program would. OK: accepted.
/// Aborts where what was read breaks a promise, e.g. does not print to text
/// that reads back as the same.
using Parse = absl::Status(absl::string_view input);

Parse array;         // .npy
Parse assembly;      // .tasm
Parse board;         // .textproto of a board
Parse configuration; // .textproto of a machine
Parse frames;        // what comes over a serial line from a board
Parse json;          // reports and logs of FPGA tools
Parse network;       // the same as onnx, lowered
Parse onnx;          // .onnx, and its text form
Parse picture;       // .png, .jpg, .bmp
Parse program;       // .tenon, and the message inside of one
Parse tensor;        // .pb of a TensorProto
Parse tosa;          // .mlir, .mlirbc
Parse trace;         // of `tenon run --trace`, and the message inside of one

/// Ends the process: `input` made Tenon break the promise `what`.
[[noreturn]] void broken(absl::string_view what);

/// Aborts if an error is not one that bad input may have: no message, or a
/// defect of Tenon's own.
void checkError(const absl::Status &status);

/// `payload` as the message of a .tenon file, with a header that fits.
std::string containerOf(absl::string_view payload);

} // namespace tenon::fuzz

#endif // TENON_TESTS_FUZZ_INPUT_TARGET_H
