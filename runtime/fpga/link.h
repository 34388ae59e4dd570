//===- runtime/fpga/link.h - Requests that are answered ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Turns the frames on a serial line into calls. Every request is repeated, with
// its sequence number, until it is answered or the tries are used up, so a line
// that loses, changes or repeats bytes costs time and never a result.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_FPGA_LINK_H
#define TENON_RUNTIME_FPGA_LINK_H

#include "runtime/fpga/frames.h"
#include "runtime/fpga/serial_port.h"

#include <memory>
#include <string>

namespace tenon::runtime {

/// The rate at which a bridge starts, bits a second.
constexpr uint32_t defaultBaud = 1'000'000;

struct LinkOptions {
  /// Rate to go to after the first HELLO.
  uint32_t baud = defaultBaud;
  /// How often a request is sent before the link gives up.
  unsigned tries = 8;
  /// Seconds a board may take to answer beyond what its bytes take. Negative:
  /// 0.3 for a serial port, 60 for the first answer of a pseudo-terminal, whose
  /// board may be simulated, and a multiple of that answer's time from then on.
  double patience = -1;
};

struct LinkStatistics {
  uint64_t requests = 0; // calls, each perhaps of several frames
  uint64_t retries = 0;  // frames sent again
  uint64_t resets = 0;   // times the rate fell back to the default
  uint64_t bytesSent = 0, bytesReceived = 0;
};

/// One thread at a time. Errors of the calls: DeadlineExceeded, nothing valid
/// came in spite of all tries (names request, address and port); Unavailable,
/// the port is gone; InvalidArgument, the board refused the request.
class Link {
public:
  /// Opens the port, says HELLO, goes to the rate. Besides the above:
  /// FailedPrecondition, the port cannot be used (SerialPort::open), or its
  /// board speaks another version of the protocol or has no clock;
  /// InvalidArgument, board or port cannot make the rate.
  static absl::StatusOr<std::unique_ptr<Link>> open(const std::string &path,
                                                    const LinkOptions &options);
  /// Leaves the board at its default rate, as far as it can.
  ~Link();

  const std::string &path() const { return port.path(); }
  const HelloAnswer &board() const { return hello; }
  const LinkStatistics &statistics() const { return counts; }

  /// `offset` is a multiple of 4.
  absl::Status readRegisters(uint32_t offset, absl::Span<uint32_t> values);
  absl::Status writeRegister(uint32_t offset, uint32_t value);

  /// Address and size are multiples of 8, of any length. Where answers are
  /// later than the time-out, a repeated write that is damaged may arrive after
  /// the one that was answered: who writes over such a line looks at
  /// checksum().
  absl::Status readMemory(uint32_t address, absl::Span<uint8_t> bytes);
  absl::Status writeMemory(uint32_t address, absl::Span<const uint8_t> bytes);

  /// CRC-32 (zlib's crc32) of `bytes` bytes from `address` on; multiples of 8.
  absl::StatusOr<uint32_t> checksum(uint32_t address, uint32_t bytes);

  /// How many times as long as on its line a request has taken of late: 1 or
  /// less for hardware, thousands for a simulated board.
  double slowness() const { return slow; }

private:
  Link(SerialPort port, const LinkOptions &options)
      : port(std::move(port)), options(options) {}

  absl::Status greet();
  absl::Status changeRate();
  absl::Status setDivisor(uint32_t divisor);
  absl::Status hellos(unsigned tries);
  absl::StatusOr<std::vector<uint8_t>> call(Op op, uint32_t address,
                                            uint32_t length,
                                            absl::Span<const uint8_t> payload,
                                            unsigned tries);
  absl::StatusOr<std::vector<uint8_t>> call(Op op, uint32_t address,
                                            uint32_t length,
                                            absl::Span<const uint8_t> payload) {
    return call(op, address, length, payload, options.tries);
  }
  absl::StatusOr<bool> exchange(const Request &request,
                                absl::Span<const uint8_t> frame,
                                Response &response);
  double lineSeconds(Op op, uint32_t length, uint32_t summed) const;
  double limitFor(double expected) const;

  SerialPort port;
  const LinkOptions options;
  uint32_t rate = defaultBaud;
  HelloAnswer hello;
  ResponseDecoder decoder;
  LinkStatistics counts;
  uint8_t seq = 0;
  double slow = 1;
  bool measured = false; // `slow` is of this board
  bool alive = true;     // the port has not failed
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_FPGA_LINK_H
