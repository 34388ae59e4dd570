// Part of Tenon, under the Apache License v2.0.
//
// A line of assembler text as tokens. Private to the isa library.

#ifndef TENON_ISA_SCANNER_H
#define TENON_ISA_SCANNER_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>

namespace tenon::isa {

/// Reads one line from left to right; a comment ends it.
class Scanner {
public:
  /// `source` and `line` (from 1) stand in errors.
  Scanner(absl::string_view source, int line, absl::string_view text)
      : source(source), line(line), text(text) {}

  /// Whether only a comment or nothing is left.
  bool atEnd();
  /// Takes `c` if it is next.
  bool accept(char c);
  absl::Status expect(char c);
  absl::Status expectEnd();

  /// Letters, digits, '_' and a leading '.'; empty where there is none.
  absl::string_view word();
  /// The word that would come next.
  absl::string_view peekWord();

  /// Decimal or 0x hexadecimal, with '-' where `least` is negative.
  absl::StatusOr<int64_t> number(const std::string &what, int64_t least,
                                 int64_t most);
  /// "..." with C escapes.
  absl::StatusOr<std::string> quoted();
  /// The rest of the line without its comment.
  absl::string_view rest();

  /// "source:line:column: expected WHAT, found ..." at the current position.
  absl::Status expected(const std::string &what);
  /// The same place with a text of its own; `column` from 1, 0 for here.
  absl::Status error(const std::string &message, size_t column = 0);

  /// Column of the next token, from 1.
  size_t column();

private:
  void skipSpace();

  absl::string_view source;
  int line;
  absl::string_view text;
  size_t position = 0;
};

} // namespace tenon::isa

#endif // TENON_ISA_SCANNER_H
