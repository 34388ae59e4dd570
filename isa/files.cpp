// Part of Tenon, under the Apache License v2.0.
//
// File access and protobuf text; see files.h.

#include "isa/files.h"

#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/json_util.h"
#include "google/protobuf/util/type_resolver_util.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::isa {
namespace {

/// Far above any program, network or trace; a device never ends.
constexpr uint64_t mostBytes = uint64_t{1} << 33;

/// The system's reason for what could not be done. Whichever it is, it is
/// neither a defect of Tenon's nor a missing tool, as other codes would say.
absl::Status systemError(absl::string_view path, absl::string_view what) {
  absl::Status status = absl::ErrnoToStatus(
      errno, fmt::format("{}: {}", std::string(path), std::string(what)));
  switch (status.code()) {
  case absl::StatusCode::kNotFound:
  case absl::StatusCode::kPermissionDenied:
  case absl::StatusCode::kResourceExhausted:
    return status;
  default:
    return absl::DataLossError(status.message());
  }
}

/// Closes a file at the end of its scope.
struct Descriptor {
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  const int number;
};

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

/// A device or a pipe is written to, not replaced by a file.
absl::Status writeDevice(const std::string &path, absl::string_view data) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number >= 0 && writeAll(file.number, data))
    return absl::OkStatus();
  return systemError(path, "cannot be written");
}

/// With its '/'; empty for the current one.
std::string folderOf(const std::string &path) {
  return path.substr(0, path.find_last_of('/') + 1);
}

/// The number of the open file that /proc/self/fd/N stands for, however the
/// folder is spelled; none where the path is no such link.
std::optional<int> openFile(const std::string &path) {
  struct stat folder, own;
  int number = 0;
  if (::stat(folderOf(path).c_str(), &folder) == 0 &&
      ::stat("/proc/self/fd", &own) == 0 && folder.st_dev == own.st_dev &&
      folder.st_ino == own.st_ino &&
      absl::SimpleAtoi(path.substr(folderOf(path).size()), &number))
    return number;
  return std::nullopt;
}

/// Where links lead: a path that is none, of a file that may be missing, or
/// one that stands for an open file of this process.
absl::StatusOr<std::string> followLinks(std::string path) {
  constexpr int most = 40; // as the kernel
  for (int i = 0; i < most; ++i) {
    char to[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), to, sizeof to);
    if (length < 0 || openFile(path))
      return path;
    const std::string next(to, size_t(length));
    path = next[0] == '/' ? next : folderOf(path) + next;
  }
  errno = ELOOP;
  return systemError(path, "cannot be written");
}

} // namespace

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

// What cannot be read or written is bad input: no error is Internal or
// FailedPrecondition. A device that never ends is one as well.

absl::StatusOr<std::string> readFile(absl::string_view path) {
  std::string name(path), data;
  Descriptor file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number < 0)
    return systemError(path, "cannot be opened");
  struct stat status;
  if (::fstat(file.number, &status) == 0 && S_ISREG(status.st_mode))
    data.reserve(std::min(uint64_t(status.st_size), mostBytes));
  char buffer[1 << 16];
  while (ssize_t count = ::read(file.number, buffer, sizeof buffer)) {
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError(path, "cannot be read");
    if (uint64_t{data.size()} + uint64_t(count) > mostBytes)
      return absl::ResourceExhaustedError(
          fmt::format("{}: more than {} bytes, which no file for this has",
                      name, mostBytes));
    data.append(buffer, size_t(count));
  }
  return data;
}

// Also where the process is killed. A device or a pipe is written to, and so is
// what this process has open: /dev/stdout is the file that the shell opened.
absl::Status writeFile(absl::string_view path, absl::string_view data) {
  auto followed = followLinks(std::string(path));
  if (!followed.ok())
    return followed.status();
  const std::string &target = *followed;
  if (std::optional<int> file = openFile(target))
    return writeAll(*file, data) ? absl::OkStatus()
                                 : systemError(path, "cannot be written");
  std::string folder = folderOf(target);
  std::string beside = target + ".XXXXXX";
  struct stat status;
  if (::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
      !S_ISDIR(status.st_mode))
    return writeDevice(target, data);
  // A file without a name goes when the process does, however it ends; where
  // there is none, or none that can be named, one beside the target.
  bool canName = ::access("/proc/self/fd", X_OK) == 0;
  Descriptor nameless(canName ? ::open(folder.empty() ? "." : folder.c_str(),
                                       O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)
                              : -1);
  Descriptor named(nameless.number < 0 ? ::mkstemp(beside.data()) : -1);
  int file = std::max(nameless.number, named.number);
  if (file < 0)
    return systemError(path, "cannot be created");
  std::string link = fmt::format("/proc/self/fd/{}", file);
  if (named.number < 0) {
    beside = fmt::format("{}.{}.new", target, ::getpid());
    ::unlink(beside.c_str()); // of a process that was killed at the rename
  }
  mode_t mask = ::umask(0);
  ::umask(mask);
  bool ok = writeAll(file, data) && ::fchmod(file, 0666 & ~mask) == 0 &&
            ::fsync(file) == 0;
  if (ok && named.number < 0)
    ok = ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, beside.c_str(),
                  AT_SYMLINK_FOLLOW) == 0;
  if (ok && ::rename(beside.c_str(), target.c_str()) == 0)
    return absl::OkStatus();
  absl::Status error = systemError(path, "cannot be written");
  if (ok || named.number >= 0)
    ::unlink(beside.c_str());
  return error;
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

bool serializeSorted(const google::protobuf::Message &message,
                     google::protobuf::io::ZeroCopyOutputStream &to) {
  google::protobuf::io::CodedOutputStream coded(&to);
  coded.SetSerializationDeterministic(true);
  return message.SerializeToCodedStream(&coded);
}

std::string toJson(const google::protobuf::Message &message, bool indented) {
  namespace util = google::protobuf::util;
  util::JsonPrintOptions options;
  options.add_whitespace = indented;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  const std::string prefix = "type.googleapis.com";
  const google::protobuf::Descriptor &type = *message.GetDescriptor();
  std::unique_ptr<util::TypeResolver> resolver(
      util::NewTypeResolverForDescriptorPool(prefix, type.file()->pool()));
  std::string bytes, text;
  google::protobuf::io::StringOutputStream to(&bytes);
  // Printing a message of ours cannot fail: of a name that is no UTF-8 the
  // wrong bytes are left out.
  (void)serializeSorted(message, to);
  (void)util::BinaryToJsonString(
      resolver.get(), prefix + "/" + type.full_name(), bytes, &text, options);
  return text;
}

} // namespace tenon::isa
