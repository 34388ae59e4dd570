//===- runtime/fpga/serial_port.cpp - Bytes on a serial line --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/fpga/serial_port.h"

#include "absl/strings/str_cat.h"

#include <asm/termbits.h> // termios2; excludes <termios.h>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <thread>
#include <unistd.h>

namespace tenon::runtime {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double rateTolerance = 0.03;
// Major device numbers of the slaves of pseudo-terminals (Linux's
// UNIX98_PTY_SLAVE_MAJOR and the seven after it).
constexpr unsigned firstPtyMajor = 136, ptyMajors = 8;
// A zero byte is low for nine of its bit times.
constexpr uint32_t breakBits = 72, lowBits = 9;
// The program behind a pseudo-terminal takes a byte within this time.
constexpr std::chrono::milliseconds ptyPause{50};

absl::Status missing(const std::string &path, absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("serial port ", path, ": ", why));
}

int milliseconds(Clock::time_point deadline) {
  std::chrono::duration<double, std::milli> left = deadline - Clock::now();
  return static_cast<int>(
      std::ceil(std::fmin(std::fmax(left.count(), 0), 1e6)));
}

Clock::time_point in(std::chrono::duration<double> time) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
}

} // namespace

absl::StatusOr<SerialPort> SerialPort::open(const std::string &path,
                                            uint32_t baud) {
  int file = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    std::string why = std::strerror(errno);
    if (errno == EACCES)
      absl::StrAppend(&why, "; the group of the device (often dialout) may use "
                            "it");
    return missing(path, why);
  }
  SerialPort port(path, file);
  if (!isatty(file))
    return missing(path, "this is no terminal");
  // The lock holds between our own processes, TIOCEXCL also against others.
  if (flock(file, LOCK_EX | LOCK_NB) != 0)
    return missing(path, "another process uses it");
  (void)ioctl(file, TIOCEXCL);
  if (absl::Status status = port.configure(baud); !status.ok())
    return status;
  port.discard();
  return port;
}

SerialPort::~SerialPort() {
  if (file < 0)
    return;
  (void)ioctl(file, TIOCNXCL);
  close(file);
}

absl::Status SerialPort::gone(const char *what) const {
  return absl::UnavailableError(absl::StrCat(
      "serial port ", path_, ": ", what, ": ",
      errno ? std::strerror(errno) : "the port was closed or unplugged"));
}

bool SerialPort::isPseudoTerminal() const {
  struct stat facts{};
  return fstat(file, &facts) == 0 && major(facts.st_rdev) >= firstPtyMajor &&
         major(facts.st_rdev) < firstPtyMajor + ptyMajors;
}

absl::Status SerialPort::configure(uint32_t baud) {
  termios2 settings{};
  if (ioctl(file, TCGETS2, &settings) != 0)
    return gone("reading its settings");
  settings.c_iflag = settings.c_oflag = settings.c_lflag = 0;
  settings.c_cflag = CS8 | CREAD | CLOCAL;
  settings.c_cc[VMIN] = settings.c_cc[VTIME] = 0;
  if (ioctl(file, TCSETS2, &settings) != 0)
    return gone("changing its settings");
  return setRate(baud);
}

absl::Status SerialPort::setRate(uint32_t baud) {
  termios2 settings{};
  if (ioctl(file, TCGETS2, &settings) != 0)
    return gone("reading its settings");
  settings.c_cflag &= ~(CBAUD | CBAUD << IBSHIFT);
  settings.c_cflag |= BOTHER | BOTHER << IBSHIFT;
  settings.c_ispeed = settings.c_ospeed = baud;
  if (ioctl(file, TCSETS2, &settings) != 0 ||
      ioctl(file, TCGETS2, &settings) != 0)
    return gone("changing its rate");
  if (std::abs(double(settings.c_ospeed) - baud) > rateTolerance * baud)
    return absl::InvalidArgumentError(absl::StrCat(
        "serial port ", path_, " cannot make ", baud,
        " bits a second; the nearest rate is ", settings.c_ospeed));
  return absl::OkStatus();
}

absl::Status SerialPort::write(absl::Span<const uint8_t> bytes,
                               std::chrono::duration<double> limit) {
  const Clock::time_point deadline = in(limit);
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count > 0) {
      bytes.remove_prefix(count);
      continue;
    }
    if (count < 0 && errno != EAGAIN && errno != EINTR)
      return gone("writing");
    if (Clock::now() >= deadline)
      return absl::DeadlineExceededError(
          absl::StrCat("serial port ", path_, " took none of ", bytes.size(),
                       " bytes for ", limit.count(), " s"));
    pollfd ready{file, POLLOUT, 0};
    if (poll(&ready, 1, milliseconds(deadline)) > 0 &&
        (ready.revents & (POLLERR | POLLHUP | POLLNVAL))) {
      errno = 0;
      return gone("writing");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> SerialPort::read(absl::Span<uint8_t> bytes,
                                        std::chrono::duration<double> limit) {
  const Clock::time_point deadline = in(limit);
  for (bool hungUp = false;;) {
    ssize_t count = ::read(file, bytes.data(), bytes.size());
    if (count > 0)
      return count;
    if (count < 0 && errno != EAGAIN && errno != EINTR)
      return gone("reading");
    // With VMIN 0 nothing to read is 0 bytes, as is a line that hung up; that
    // one is readable for ever.
    if (hungUp) {
      errno = 0;
      return gone("reading");
    }
    if (Clock::now() >= deadline)
      return 0;
    pollfd ready{file, POLLIN, 0};
    hungUp = poll(&ready, 1, milliseconds(deadline)) > 0 &&
             (ready.revents & (POLLERR | POLLHUP | POLLNVAL));
  }
}

absl::Status SerialPort::sendBreak(uint32_t slowest, uint32_t baud) {
  if (!isPseudoTerminal()) {
    (void)ioctl(file, TIOCSBRK);
    std::this_thread::sleep_for(
        std::chrono::duration<double>(0.002 + double(breakBits) / slowest));
    if (ioctl(file, TIOCCBRK) != 0)
      return gone("ending a break");
    return setRate(baud);
  }
  // A pseudo-terminal passes no BREAK on, but a zero byte at a low rate keeps
  // the line low as long.
  const uint8_t zero = 0;
  absl::Status status = setRate(std::max(slowest * lowBits / breakBits, 1u));
  if (status.ok())
    status = write(absl::MakeConstSpan(&zero, 1), std::chrono::seconds(1));
  if (!status.ok())
    return status;
  std::this_thread::sleep_for(ptyPause);
  return setRate(baud);
}

void SerialPort::discard() { (void)ioctl(file, TCFLSH, TCIOFLUSH); }

} // namespace tenon::runtime
