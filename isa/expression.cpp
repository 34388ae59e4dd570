// Part of Tenon, under the Apache License v2.0.
//
// Recursive descent over the expressions of the ISA specification.

#include "isa/expression.h"

#include "absl/strings/ascii.h"
#include "fmt/format.h"

#include <algorithm>

namespace tenon::isa {
namespace {

/// Nested parentheses deeper than this are refused: the parser recurses.
constexpr int maxDepth = 64;

class Parser {
public:
  Parser(absl::string_view text, const Names &names)
      : text(text), names(names) {}

  absl::StatusOr<int64_t> parse() {
    absl::StatusOr<int64_t> value = sum();
    skipSpace();
    if (value.ok() && position != text.size())
      return error("unexpected text");
    return value;
  }

private:
  absl::Status error(absl::string_view what) const {
    return absl::InvalidArgumentError(
        fmt::format("expression '{}', column {}: {}", std::string(text),
                    position + 1, std::string(what)));
  }

  void skipSpace() {
    while (position < text.size() && absl::ascii_isspace(text[position]))
      ++position;
  }

  bool accept(char c) {
    skipSpace();
    if (position == text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }

  absl::StatusOr<int64_t> sum() {
    absl::StatusOr<int64_t> left = product();
    while (left.ok()) {
      char op = accept('+') ? '+' : accept('-') ? '-' : 0;
      if (!op)
        break;
      absl::StatusOr<int64_t> right = product();
      if (!right.ok())
        return right;
      left = apply(op, *left, *right);
    }
    return left;
  }

  absl::StatusOr<int64_t> product() {
    absl::StatusOr<int64_t> left = factor();
    while (left.ok()) {
      char op = accept('*') ? '*' : accept('/') ? '/' : 0;
      if (!op)
        break;
      absl::StatusOr<int64_t> right = factor();
      if (!right.ok())
        return right;
      left = apply(op, *left, *right);
    }
    return left;
  }

  absl::StatusOr<int64_t> apply(char op, int64_t a, int64_t b) const {
    int64_t result;
    bool overflow = false;
    if (op == '+')
      overflow = __builtin_add_overflow(a, b, &result);
    else if (op == '-')
      overflow = __builtin_sub_overflow(a, b, &result);
    else if (op == '*')
      overflow = __builtin_mul_overflow(a, b, &result);
    else if (b == 0)
      return error("division by zero");
    else
      overflow = b == -1 && a == INT64_MIN, result = overflow ? 0 : a / b;
    if (overflow)
      return error("the value does not fit 64 bits");
    return result;
  }

  absl::StatusOr<int64_t> factor() {
    if (++depth > maxDepth)
      return error("nested too deeply");
    absl::StatusOr<int64_t> value = atom();
    --depth;
    return value;
  }

  absl::StatusOr<int64_t> atom() {
    if (accept('-')) {
      absl::StatusOr<int64_t> value = factor();
      return value.ok() ? apply('-', 0, *value) : value;
    }
    if (accept('(')) {
      absl::StatusOr<int64_t> value = sum();
      if (value.ok() && !accept(')'))
        return error("expected ')'");
      return value;
    }
    skipSpace();
    if (position < text.size() && absl::ascii_isdigit(text[position]))
      return number();
    if (position < text.size() && absl::ascii_isalpha(text[position]))
      return nameOrCall();
    return error("expected a number, a name or '('");
  }

  absl::StatusOr<int64_t> number() {
    int64_t value = 0;
    for (; position < text.size() && absl::ascii_isdigit(text[position]);
         ++position) {
      if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
          __builtin_add_overflow(value, int64_t{text[position] - '0'}, &value))
        return error("the number does not fit 64 bits");
    }
    return value;
  }

  absl::StatusOr<int64_t> nameOrCall() {
    size_t begin = position;
    while (position < text.size() &&
           (absl::ascii_isalnum(text[position]) || text[position] == '_'))
      ++position;
    absl::string_view name = text.substr(begin, position - begin);
    if (accept('('))
      return call(name);
    auto found = names.find(name);
    if (found == names.end())
      return error(fmt::format("unknown name '{}'", std::string(name)));
    return found->second;
  }

  absl::StatusOr<int64_t> call(absl::string_view function) {
    absl::StatusOr<int64_t> a = sum();
    if (!a.ok())
      return a;
    if (function == "clog2") {
      if (!accept(')'))
        return error("expected ')'");
      return clog2(*a);
    }
    if (function != "min" && function != "max")
      return error(fmt::format("unknown function '{}'", std::string(function)));
    if (!accept(','))
      return error("expected ','");
    absl::StatusOr<int64_t> b = sum();
    if (b.ok() && !accept(')'))
      return error("expected ')'");
    if (!b.ok())
      return b;
    return function == "min" ? std::min(*a, *b) : std::max(*a, *b);
  }

  absl::StatusOr<int64_t> clog2(int64_t value) const {
    if (value < 1)
      return error(fmt::format("clog2 of {}", value));
    int64_t bits = 0;
    while (bits < 62 && (int64_t{1} << bits) < value)
      ++bits;
    return bits;
  }

  absl::string_view text;
  const Names &names;
  size_t position = 0;
  int depth = 0;
};

} // namespace

absl::StatusOr<int64_t> evaluate(absl::string_view text, const Names &names) {
  return Parser(text, names).parse();
}

} // namespace tenon::isa
