// Part of Tenon, under the Apache License v2.0.
//
// Tokens of one line; see scanner.h.

#include "isa/scanner.h"

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "fmt/format.h"

#include <charconv>

namespace tenon::isa {
namespace {

bool isWordCharacter(char c) { return absl::ascii_isalnum(c) || c == '_'; }

} // namespace

void Scanner::skipSpace() {
  while (position < text.size() && absl::ascii_isspace(text[position]))
    ++position;
}

bool Scanner::atEnd() {
  skipSpace();
  return position == text.size() || text[position] == ';';
}

bool Scanner::accept(char c) {
  if (atEnd() || text[position] != c)
    return false;
  ++position;
  return true;
}

absl::Status Scanner::expect(char c) {
  return accept(c) ? absl::OkStatus() : expected(fmt::format("'{}'", c));
}

absl::Status Scanner::expectEnd() {
  return atEnd() ? absl::OkStatus() : expected("the end of the line");
}

absl::string_view Scanner::peekWord() {
  skipSpace();
  size_t end = position;
  if (end < text.size() && text[end] == '.')
    ++end;
  while (end < text.size() && isWordCharacter(text[end]))
    ++end;
  return text.substr(position, end - position);
}

absl::string_view Scanner::word() {
  absl::string_view result = peekWord();
  position += result.size();
  return result;
}

absl::StatusOr<int64_t> Scanner::number(const std::string &what, int64_t least,
                                        int64_t most) {
  size_t begin = column();
  bool negative = least < 0 && accept('-');
  absl::string_view digits = peekWord();
  bool hex = digits.size() > 2 && digits[0] == '0' &&
             (digits[1] == 'x' || digits[1] == 'X');
  const char *from = digits.data() + (hex ? 2 : 0);
  const char *end = digits.data() + digits.size();
  uint64_t magnitude = 0;
  auto [at, code] = std::from_chars(from, end, magnitude, hex ? 16 : 10);
  bool tooLarge = code == std::errc::result_out_of_range ||
                  (code == std::errc() && magnitude > uint64_t{INT64_MAX});
  if (!tooLarge && (code != std::errc() || at != end))
    return expected(what);
  int64_t value = negative ? -int64_t(magnitude) : int64_t(magnitude);
  if (tooLarge || value < least || value > most)
    return error(fmt::format("expected {} from {} to {}, found {}{}", what,
                             least, most, negative ? "-" : "",
                             std::string(digits)),
                 begin);
  position += digits.size();
  return value;
}

absl::StatusOr<std::string> Scanner::quoted() {
  if (atEnd() || text[position] != '"')
    return expected("a name in double quotes");
  size_t end = position + 1;
  while (end < text.size() && text[end] != '"')
    end += text[end] == '\\' ? 2 : 1;
  std::string result, reason;
  if (end >= text.size())
    return error("the closing double quote is missing");
  if (!absl::CUnescape(text.substr(position + 1, end - position - 1), &result,
                       &reason))
    return error(reason);
  position = end + 1;
  return result;
}

absl::string_view Scanner::rest() {
  skipSpace();
  absl::string_view result = text.substr(position);
  result = result.substr(0, result.find(';'));
  position += result.size();
  return absl::StripTrailingAsciiWhitespace(result);
}

size_t Scanner::column() {
  skipSpace();
  return position + 1;
}

absl::Status Scanner::expected(const std::string &what) {
  std::string found = "the end of the line";
  if (!atEnd()) {
    absl::string_view next = peekWord();
    found = fmt::format(
        "'{}'", std::string(next.empty() ? text.substr(position, 1) : next));
  }
  return error(fmt::format("expected {}, found {}", what, found));
}

absl::Status Scanner::error(const std::string &message, size_t at) {
  return absl::InvalidArgumentError(fmt::format(
      "{}:{}:{}: {}", std::string(source), line, at ? at : column(), message));
}

} // namespace tenon::isa
