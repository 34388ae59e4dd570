//===- tools/fpga/board_words.h - What a board file hands to tools -*- C++ -*-//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_FPGA_BOARD_WORDS_H
#define TENON_TOOLS_FPGA_BOARD_WORDS_H

#include "hw/boards/proto/board.pb.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tenon::fpga {

/// A board's texts become words of a Yosys script, arguments of nextpnr and the
/// packers, names of files, and text of a Vivado project (comments too, which a
/// line break or the end of a comment would leave). OK where each is one plain
/// word of its kind, so that none can be anything else there: no space, quote,
/// separator or comment; nothing that makes nextpnr execute a file.
/// InvalidArgument names the field.
absl::Status checkWords(const Board &board);

/// Whether a path of a source file is a word of a script.
bool isPlainPath(absl::string_view path);

} // namespace tenon::fpga

#endif // TENON_TOOLS_FPGA_BOARD_WORDS_H
