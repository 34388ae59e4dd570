// Part of Tenon, under the Apache License v2.0.
//
// Container format and small questions about programs.

#include "isa/program.h"
#include "isa/blocked_layout.h"
#include "isa/files.h"
#include "isa/utf8.h"

#include "absl/strings/match.h"
#include "fmt/format.h"

#include <algorithm>

namespace tenon::isa {
namespace {

/// The first byte is not ASCII and the line end breaks when a transfer
/// translates text.
constexpr char magic[] = "\x89TENON\r\n";
constexpr size_t magicBytes = 8;
constexpr size_t headerBytes = 32; // magic, version, 0, length, checksum
constexpr uint64_t maxPayload = INT32_MAX; // protobuf's limit

uint64_t checksum(absl::string_view data) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : data)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  return hash;
}

void putWord(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += char(value >> (8 * i));
}

uint64_t getWord(absl::string_view in, size_t at, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value |= uint64_t(uint8_t(in[at + i])) << (8 * i);
  return value;
}

/// Checks the header and returns the message's bytes.
absl::StatusOr<absl::string_view> openContainer(absl::string_view bytes) {
  absl::string_view start(magic, magicBytes);
  if (bytes.substr(0, magicBytes) != start.substr(0, bytes.size()) ||
      bytes.empty())
    return absl::InvalidArgumentError(
        "not a Tenon program: it does not begin with the magic bytes");
  if (bytes.size() < headerBytes)
    return absl::DataLossError(
        fmt::format("truncated: {} bytes, expected a header of {}",
                    bytes.size(), headerBytes));
  uint64_t version = getWord(bytes, 8, 4);
  if (version != isaVersion)
    return absl::InvalidArgumentError(
        fmt::format("made for version {} of the instruction set, this is "
                    "version {}",
                    version, isaVersion));
  uint64_t length = getWord(bytes, 16, 8);
  absl::string_view payload = bytes.substr(headerBytes);
  if (payload.size() < length)
    return absl::DataLossError(
        fmt::format("truncated: expected {} bytes after the header, found {}",
                    length, payload.size()));
  if (payload.size() > length || getWord(bytes, 12, 4) != 0)
    return absl::DataLossError("damaged: the header does not match the file");
  if (checksum(payload) != getWord(bytes, 24, 8))
    return absl::DataLossError("damaged: the checksum does not match");
  return payload;
}

} // namespace

absl::StatusOr<Program> parseProgram(absl::string_view bytes,
                                     absl::string_view source) {
  auto annotate = [&](const absl::Status &status) {
    return absl::Status(status.code(),
                        fmt::format("{}: {}", std::string(source),
                                    std::string(status.message())));
  };
  absl::StatusOr<absl::string_view> payload = openContainer(bytes);
  if (!payload.ok())
    return annotate(payload.status());
  Program program;
  if (payload->size() > maxPayload ||
      !program.ParseFromArray(payload->data(), int(payload->size())))
    return annotate(absl::DataLossError("damaged: not a Program message"));
  // Fields of another version mean nothing here, and have no text form.
  program.DiscardUnknownFields();
  if (absl::Status status = validateProgram(program); !status.ok())
    return annotate(status);
  return program;
}

absl::StatusOr<std::string> serializeProgram(const Program &program) {
  if (absl::Status status = validateProgram(program); !status.ok())
    return status;
  if (auto place = findForeignText(program))
    return absl::InvalidArgumentError(
        fmt::format("{} of the program is not UTF-8", *place));
  if (program.ByteSizeLong() > maxPayload)
    return absl::ResourceExhaustedError(
        fmt::format("the program has {} bytes, at most {} can be stored",
                    program.ByteSizeLong(), maxPayload));
  // Weights are most of a program: they are copied once.
  const size_t length = program.ByteSizeLong();
  std::string result(headerBytes + length, 0);
  auto *payload = reinterpret_cast<uint8_t *>(&result[headerBytes]);
  program.SerializeWithCachedSizesToArray(payload);
  std::string header(magic, magicBytes);
  putWord(header, isaVersion, 4);
  putWord(header, 0, 4);
  putWord(header, length, 8);
  putWord(header, checksum(absl::string_view(result).substr(headerBytes)), 8);
  header.copy(&result[0], headerBytes);
  return result;
}

absl::StatusOr<Program> readProgram(absl::string_view path) {
  absl::StatusOr<std::string> bytes = readFile(path);
  return bytes.ok() ? parseProgram(*bytes, path) : bytes.status();
}

absl::StatusOr<uint64_t>
elementCount(const google::protobuf::RepeatedField<int64_t> &shape) {
  constexpr uint64_t limit = uint64_t{1} << 40;
  uint64_t count = 1;
  bool isEmpty = false;
  for (int64_t dimension : shape) {
    uint64_t product;
    if (dimension < 0)
      return absl::InvalidArgumentError(
          fmt::format("the shape has a dimension of {}", dimension));
    isEmpty |= dimension == 0;
    if (dimension == 0)
      continue;
    if (__builtin_mul_overflow(count, uint64_t(dimension), &product) ||
        product >= limit)
      return absl::InvalidArgumentError("the shape has too many elements");
    count = product;
  }
  return isEmpty ? 0 : count;
}

uint64_t dramBytes(const Layout &layout, const DramTensor &tensor) {
  return BlockedLayout(layout).tensorBytes(tensor.shape(0), tensor.shape(1),
                                           tensor.shape(2), tensor.shape(3));
}

const Run *findRun(const Debug &debug, Engine engine, uint64_t instruction) {
  if (int(engine) >= debug.engines_size())
    return nullptr;
  const auto &runs = debug.engines(int(engine)).runs();
  auto after = std::upper_bound(
      runs.begin(), runs.end(), instruction,
      [](uint64_t number, const Run &run) { return number < run.begin(); });
  return after == runs.begin() ? nullptr : &*std::prev(after);
}

} // namespace tenon::isa
