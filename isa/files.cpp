// Part of Tenon, under the Apache License v2.0.
//
// File access and protobuf text; see files.h.

#include "isa/files.h"

#include "fmt/format.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::isa {
namespace {

absl::Status systemError(absl::string_view path, absl::string_view what) {
  return absl::ErrnoToStatus(
      errno, fmt::format("{}: {}", std::string(path), std::string(what)));
}

bool writeAll(int file, absl::string_view data) {
  while (!data.empty()) {
    ssize_t count = ::write(file, data.data(), data.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    data.remove_prefix(size_t(count));
  }
  return true;
}

/// Keeps the first error.
class FirstError : public google::protobuf::io::ErrorCollector {
public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string &message) override {
    if (text.empty())
      lineNumber = line, columnNumber = column, text = message;
  }
  int lineNumber = 0;
  int columnNumber = 0;
  std::string text;
};

} // namespace

absl::StatusOr<std::string> readFile(absl::string_view path) {
  std::string name(path), data;
  FILE *file = std::fopen(name.c_str(), "rb");
  if (!file)
    return systemError(path, "cannot be opened");
  char buffer[1 << 16];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, file))
    data.append(buffer, count);
  bool failed = std::ferror(file);
  absl::Status status =
      failed ? systemError(path, "cannot be read") : absl::OkStatus();
  std::fclose(file);
  if (failed)
    return status;
  return data;
}

absl::Status writeFile(absl::string_view path, absl::string_view data) {
  std::string target(path);
  std::string beside = target + ".XXXXXX";
  int file = ::mkstemp(beside.data());
  if (file < 0)
    return systemError(path, "cannot be created");
  mode_t mask = ::umask(0);
  ::umask(mask);
  bool ok = writeAll(file, data) && ::fchmod(file, 0666 & ~mask) == 0 &&
            ::fsync(file) == 0;
  int reason = errno;
  ok = ::close(file) == 0 && ok;
  if (ok && ::rename(beside.c_str(), target.c_str()) == 0)
    return absl::OkStatus();
  if (ok)
    reason = errno;
  ::unlink(beside.c_str());
  errno = reason;
  return systemError(path, "cannot be written");
}

absl::Status parseText(absl::string_view text, absl::string_view source,
                       int firstLine, google::protobuf::Message &message) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (parser.ParseFromString(std::string(text), &message))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}:{}:{}: {}", std::string(source),
                  firstLine + std::max(error.lineNumber, 0),
                  std::max(error.columnNumber, 0) + 1, error.text));
}

} // namespace tenon::isa
