//===- runtime/fpga/link.cpp - Requests that are answered -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/fpga/link.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tenon::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double bitsPerByte = 10;
// The bridge drops half a frame after 4096 bit times of silence.
constexpr double silenceBits = 4500;
constexpr double portPatience = 0.3, terminalPatience = 60;
// A simulated board's speed varies with what else its computer does.
constexpr double terminalSlack = 20, portSlack = 2;
constexpr double rateTolerance = 0.025;
constexpr uint32_t mostDivisor = 65535;
constexpr unsigned greetings = 3;

} // namespace

absl::StatusOr<std::unique_ptr<Link>> Link::open(const std::string &path,
                                                 const LinkOptions &options) {
  absl::StatusOr<SerialPort> port = SerialPort::open(path, defaultBaud);
  if (!port.ok())
    return port.status();
  std::unique_ptr<Link> link(new Link(*std::move(port), options));
  if (absl::Status status = link->greet(); !status.ok())
    return status;
  if (absl::Status status = link->changeRate(); !status.ok())
    return status;
  return link;
}

Link::~Link() {
  if (alive && rate != defaultBaud)
    (void)setDivisor(
        std::lround(double(hello.clockHz) / defaultBaud)); // or a BREAK later
}

// What a request and its answer take on the line, and a checksum in the board.
double Link::lineSeconds(Op op, uint32_t length, uint32_t summed) const {
  double bytes = requestBytes(op, length) + responseBytes(op, length);
  double seconds = bytes * bitsPerByte / rate;
  return hello.clockHz ? seconds + double(summed) / hello.clockHz : seconds;
}

double Link::limitFor(double expected) const {
  double line = expected + silenceBits / rate;
  if (options.patience >= 0)
    return options.patience + portSlack * slow * line;
  if (!port.isPseudoTerminal())
    return portPatience + portSlack * line;
  return measured ? 1 + terminalSlack * slow * line : terminalPatience;
}

// Sends the frame once; whether a valid answer came. A status that asks for
// another try is no answer.
absl::StatusOr<bool> Link::exchange(const Request &request,
                                    absl::Span<const uint8_t> frame,
                                    Response &response) {
  const uint32_t summed =
      request.op == Op::Checksum ? wordAt(request.payload.data()) : 0;
  const double expected = lineSeconds(request.op, request.length, summed);
  const Clock::time_point begin = Clock::now();
  const Seconds limit(limitFor(expected));
  if (absl::Status status = port.write(frame, limit); !status.ok()) {
    if (absl::IsDeadlineExceeded(status))
      return false;
    alive = false;
    return status;
  }
  counts.bytesSent += frame.size();
  for (;;) {
    Seconds left = limit - (Clock::now() - begin);
    if (left.count() <= 0)
      return false;
    std::array<uint8_t, 4096> bytes;
    absl::StatusOr<size_t> count = port.read(absl::MakeSpan(bytes), left);
    if (!count.ok()) {
      alive = false;
      return count.status();
    }
    counts.bytesReceived += *count;
    decoder.push(absl::MakeConstSpan(bytes.data(), *count));
    while (std::optional<Response> found = decoder.next()) {
      if (found->seq != request.seq)
        continue; // of an earlier try of another request
      if (found->status == FrameStatus::BadPayload)
        return false;
      bool whole =
          found->status != FrameStatus::Ok ||
          responseHeaderBytes + (found->payload.empty()
                                     ? 0
                                     : found->payload.size() + crcBytes) ==
              responseBytes(request.op, request.length);
      if (!whole)
        continue;
      response = *std::move(found);
      double taken = Seconds(Clock::now() - begin).count() / expected;
      slow = measured ? std::max(taken, 0.9 * slow) : taken;
      measured = true;
      return true;
    }
  }
}

absl::StatusOr<std::vector<uint8_t>>
Link::call(Op op, uint32_t address, uint32_t length,
           absl::Span<const uint8_t> payload, unsigned tries) {
  Request request;
  request.seq = ++seq;
  request.op = op;
  request.address = address;
  request.length = static_cast<uint16_t>(length);
  request.payload.assign(payload.begin(), payload.end());
  const std::vector<uint8_t> frame = encode(request);
  auto place = [&] {
    return absl::StrFormat("%s at 0x%x on serial port %s", opName(op), address,
                           port.path());
  };
  ++counts.requests;
  for (unsigned i = 0; i < tries; ++i) {
    counts.retries += i > 0;
    Response response;
    absl::StatusOr<bool> answered = exchange(request, frame, response);
    if (!answered.ok())
      return answered.status();
    if (!*answered) {
      decoder.clear();
      continue;
    }
    switch (response.status) {
    case FrameStatus::Ok:
      return std::move(response.payload);
    case FrameStatus::BadOp:
      return absl::InvalidArgumentError(
          absl::StrCat("the board does not know ", place()));
    case FrameStatus::OutOfRange:
      return absl::InvalidArgumentError(
          absl::StrCat("the board refuses ", place(), " of ", length,
                       " bytes: outside of its range (it has ",
                       hello.memoryBytes, " bytes of memory)"));
    default:
      return absl::InternalError(absl::StrFormat(
          "%s: the accelerator answered with a bus error (status %d)", place(),
          static_cast<int>(response.status)));
    }
  }
  return absl::DeadlineExceededError(
      absl::StrCat("no valid answer to ", place(), " in ", tries, " tries"));
}

absl::Status Link::hellos(unsigned tries) {
  absl::StatusOr<std::vector<uint8_t>> answer =
      call(Op::Hello, 0, 0, {}, tries);
  if (!answer.ok())
    return answer.status();
  std::optional<HelloAnswer> parsed = parseHello(*answer);
  if (!parsed)
    return absl::FailedPreconditionError(absl::StrCat(
        "serial port ", port.path(), ": what answers there is no bridge"));
  if (parsed->version != protocolVersion)
    return absl::FailedPreconditionError(absl::StrCat(
        "serial port ", port.path(), ": the board speaks version ",
        parsed->version, " of the protocol, expected is ", protocolVersion));
  if (parsed->clockHz == 0)
    return absl::FailedPreconditionError(absl::StrCat(
        "serial port ", port.path(),
        ": the board says that its clock has 0 Hz, so that nothing tells how "
        "long a launch may take; load its bitstream again"));
  hello = *parsed;
  return absl::OkStatus();
}

// Whatever rate the last user has left: default rate on both ends, then HELLO.
absl::Status Link::greet() {
  absl::Status status;
  const unsigned rounds = port.isPseudoTerminal() && options.patience < 0
                              ? 1 // each waits long enough
                              : greetings;
  for (unsigned i = 0; i < rounds; ++i) {
    rate = defaultBaud;
    status = port.sendBreak(std::min(defaultBaud, options.baud), defaultBaud);
    if (!status.ok())
      return status;
    port.discard();
    decoder.clear();
    status = hellos(2);
    if (!absl::IsDeadlineExceeded(status))
      return status;
  }
  return absl::DeadlineExceededError(
      absl::StrCat(status.message(), "; is a board with a Tenon bridge there, "
                                     "and its bitstream loaded?"));
}

// At the old rate; the answer may be lost, so it is no error if none comes.
absl::Status Link::setDivisor(uint32_t divisor) {
  const std::array<uint8_t, 4> payload = wordBytes(divisor);
  absl::StatusOr<std::vector<uint8_t>> answer =
      call(Op::SetDivisor, 0, payload.size(), payload, 1);
  return answer.ok() || absl::IsDeadlineExceeded(answer.status())
             ? absl::OkStatus()
             : answer.status();
}

absl::Status Link::changeRate() {
  if (options.baud == rate)
    return absl::OkStatus();
  double exact = options.baud ? double(hello.clockHz) / options.baud : 0;
  double divisor = std::max(1.0, std::round(exact));
  if (exact <= 0 || divisor > mostDivisor ||
      std::abs(exact - divisor) > rateTolerance * divisor)
    return absl::InvalidArgumentError(absl::StrFormat(
        "serial port %s: a board with a clock of %u Hz cannot make %u bits a "
        "second; near it are %.0f and %.0f",
        port.path(), hello.clockHz, options.baud,
        hello.clockHz / (std::floor(exact) + 1),
        hello.clockHz / std::max(1.0, std::floor(exact))));
  absl::Status status;
  for (unsigned i = 0; i < greetings; ++i) {
    status = setDivisor(static_cast<uint32_t>(divisor));
    if (status.ok())
      status = port.setRate(options.baud);
    if (!status.ok())
      return status;
    rate = options.baud;
    decoder.clear();
    status = hellos(2);
    if (!absl::IsDeadlineExceeded(status))
      return status;
    ++counts.resets;
    if (status = greet(); !status.ok())
      return status;
  }
  return absl::DeadlineExceededError(
      absl::StrCat(status.message(), "; the board answers at ", defaultBaud,
                   " bits a second but not at ", options.baud));
}

absl::Status Link::readRegisters(uint32_t offset, absl::Span<uint32_t> values) {
  while (!values.empty()) {
    size_t words = std::min<size_t>(values.size(), mostPayloadBytes / 4);
    absl::StatusOr<std::vector<uint8_t>> answer =
        call(Op::ReadRegister, offset, words * 4, {});
    if (!answer.ok())
      return answer.status();
    for (size_t i = 0; i < words; ++i)
      values[i] = wordAt(answer->data() + 4 * i);
    values.remove_prefix(words);
    offset += words * 4;
  }
  return absl::OkStatus();
}

absl::Status Link::writeRegister(uint32_t offset, uint32_t value) {
  const std::array<uint8_t, 4> payload = wordBytes(value);
  return call(Op::WriteRegister, offset, payload.size(), payload).status();
}

absl::Status Link::readMemory(uint32_t address, absl::Span<uint8_t> bytes) {
  while (!bytes.empty()) {
    size_t count = std::min<size_t>(bytes.size(), mostPayloadBytes);
    absl::StatusOr<std::vector<uint8_t>> answer =
        call(Op::ReadMemory, address, count, {});
    if (!answer.ok())
      return answer.status();
    std::copy(answer->begin(), answer->end(), bytes.begin());
    bytes.remove_prefix(count);
    address += count;
  }
  return absl::OkStatus();
}

absl::Status Link::writeMemory(uint32_t address,
                               absl::Span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    size_t count = std::min<size_t>(bytes.size(), mostPayloadBytes);
    absl::StatusOr<std::vector<uint8_t>> answer =
        call(Op::WriteMemory, address, count, bytes.first(count));
    if (!answer.ok())
      return answer.status();
    bytes.remove_prefix(count);
    address += count;
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> Link::checksum(uint32_t address, uint32_t bytes) {
  const std::array<uint8_t, 4> payload = wordBytes(bytes);
  absl::StatusOr<std::vector<uint8_t>> answer =
      call(Op::Checksum, address, payload.size(), payload);
  if (!answer.ok())
    return answer.status();
  return wordAt(answer->data());
}

} // namespace tenon::runtime
