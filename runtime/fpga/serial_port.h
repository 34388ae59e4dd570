//===- runtime/fpga/serial_port.h - Bytes on a serial line ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_FPGA_SERIAL_PORT_H
#define TENON_RUNTIME_FPGA_SERIAL_PORT_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace tenon::runtime {

/// A terminal in raw mode, 8 data bits, no parity, one stop bit, without flow
/// control, for this process alone. Not thread-safe. Whatever goes wrong with
/// an open port (unplugged, hung up) is Unavailable.
class SerialPort {
public:
  /// FailedPrecondition: there is no such port, it is no terminal, it may not
  /// be opened, or another process has it.
  static absl::StatusOr<SerialPort> open(const std::string &path,
                                         uint32_t baud);

  SerialPort(SerialPort &&other)
      : path_(std::move(other.path_)), file(std::exchange(other.file, -1)) {}
  SerialPort &operator=(SerialPort &&) = delete;
  ~SerialPort();

  const std::string &path() const { return path_; }

  /// Whether it is a pseudo-terminal: there is a program at its other end, and
  /// the rate says nothing about how long bytes take.
  bool isPseudoTerminal() const;

  /// Both directions, bits a second; any rate that the driver can make within
  /// 3 %. InvalidArgument: it cannot.
  absl::Status setRate(uint32_t baud);

  /// Writes all bytes. DeadlineExceeded: the line did not take them in `limit`.
  absl::Status write(absl::Span<const uint8_t> bytes,
                     std::chrono::duration<double> limit);

  /// What has arrived, at most `bytes.size()`; waits for the first byte,
  /// `limit` at most: 0 is no error.
  absl::StatusOr<size_t> read(absl::Span<uint8_t> bytes,
                              std::chrono::duration<double> limit);

  /// Holds the line low for at least 60 bit times of rate `slowest`, whatever
  /// rate is set. The rate is `baud` afterwards.
  absl::Status sendBreak(uint32_t slowest, uint32_t baud);

  /// Forgets what has arrived and what has not left yet.
  void discard();

private:
  SerialPort(std::string path, int file) : path_(std::move(path)), file(file) {}
  absl::Status configure(uint32_t baud);
  absl::Status gone(const char *what) const;

  std::string path_;
  int file;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_FPGA_SERIAL_PORT_H
