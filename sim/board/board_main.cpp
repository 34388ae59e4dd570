//===- sim/board/board_main.cpp - The process of a simulated board --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Compiled with the Verilated model into a program of its own; sees nothing
// else of Tenon. BOARD_MODEL is the model's class, BOARD_CLOCK, BOARD_RX and
// BOARD_TX are its members, BOARD_RESET where there is one; BOARD_INPUTS sets
// the others. With BOARD_BOTH_EDGES every edge of the clock is a cycle.
//
// Usage: board CLOCK_HZ. Prints "port PATH" and runs until standard input ends,
// or SIGTERM, or its parent's end. A line on standard input is answered with
// "CYCLES SECONDS BYTES_IN BYTES_OUT FRAMING_ERRORS".
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/coverage_counts.h"

#include BOARD_HEADER
#include "verilated.h"

#include <algorithm>
#include <asm/termbits.h>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t resetCycles = 32;
// A board is idle after all of these without a byte: 4096 bit times end a frame
// that stopped half-way, a checksum takes a cycle for each byte of memory, and
// a launch is asked for its state more often than this.
constexpr uint64_t idleBits = 6000, idleCycles = 1 << 18;
constexpr std::chrono::milliseconds idleTime{300};
// Between two looks at the parent and the clock, which cost some microseconds.
constexpr unsigned roundCycles = 256;
// Looking for bytes costs a microsecond or two; so often while all is idle.
constexpr unsigned lookInterval = 32;

// No host has answered a byte sooner than this many cycles after its stop bit.
constexpr uint64_t turnaroundCycles = 16;

// A byte to the board and the clocks a bit that it goes at.
struct Byte {
  uint8_t value;
  uint32_t divisor;
};

// A byte from the board and the cycle in which the driver gets it.
struct Arrival {
  uint8_t value;
  uint64_t cycle;
};

// The master of a pseudo-terminal. It holds the slave open, so that the
// driver's closing it is not the end.
class Terminal {
public:
  bool open() {
    master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
        ptsname_r(master, name, sizeof name) != 0)
      return false;
    slave = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    termios2 settings{};
    if (slave < 0 || ioctl(slave, TCGETS2, &settings) != 0)
      return false;
    settings.c_iflag = settings.c_oflag = settings.c_lflag = 0;
    return ioctl(slave, TCSETS2, &settings) == 0;
  }
  const char *path() const { return name; }
  int file() const { return master; }

  uint32_t rate() const {
    termios2 settings{};
    return ioctl(master, TCGETS2, &settings) == 0 ? settings.c_ospeed : 0;
  }
  size_t read(uint8_t *bytes, size_t count) const {
    ssize_t got = ::read(master, bytes, count);
    return got > 0 ? got : 0;
  }
  bool write(uint8_t byte) const { return ::write(master, &byte, 1) == 1; }

private:
  int master = -1, slave = -1;
  char name[128] = {};
};

class Board {
public:
  explicit Board(uint64_t clockHz) : clockHz(clockHz) {}

  bool open() { return terminal.open(); }
  const char *path() const { return terminal.path(); }
  void reset();
  /// Returns when standard input has ended.
  void run();

private:
  void step();
  void drive();
  void sample();
  void look();
  void deliver();
  bool wait();
  bool answerParent();

  const uint64_t clockHz;
  BOARD_MODEL model;
  Terminal terminal;
  uint32_t divisor = 1; // clocks a bit, of the rate last seen

  std::deque<Byte> toBoard;
  uint32_t shift = 1, driveTimer = 0; // the frame on the line, stop bit last
  unsigned driveBits = 0;

  unsigned sampleBits = 0; // left of the byte that comes
  uint32_t sampleTimer = 0, sampled = 0;
  std::deque<Arrival> fromBoard; // that the terminal has not taken

  uint64_t cycles = 0, lastActive = 0;
  double seconds = 0;
  uint64_t bytesIn = 0, bytesOut = 0, framingErrors = 0;
};

void Board::step() {
#ifdef BOARD_BOTH_EDGES
  model.BOARD_CLOCK = !model.BOARD_CLOCK;
  model.eval();
#else
  model.BOARD_CLOCK = 1;
  model.eval();
  model.BOARD_CLOCK = 0;
  model.eval();
#endif
  ++cycles;
}

void Board::reset() {
  BOARD_INPUTS
  model.BOARD_RX = 1;
#ifdef BOARD_RESET
  model.BOARD_RESET = 1;
#endif
  for (uint64_t i = 0; i < resetCycles; ++i)
    step();
#ifdef BOARD_RESET
  model.BOARD_RESET = 0;
#endif
}

// The next cycle's level of the line to the board.
void Board::drive() {
  if (driveTimer) {
    --driveTimer;
    return;
  }
  if (!driveBits && !toBoard.empty()) {
    divisor = toBoard.front().divisor;
    shift = (0x100u | toBoard.front().value) << 1;
    driveBits = 10;
    toBoard.pop_front();
    ++bytesIn;
  }
  if (!driveBits)
    return;
  model.BOARD_RX = shift & 1;
  shift >>= 1;
  --driveBits;
  driveTimer = divisor - 1;
  lastActive = cycles;
}

// Looks at the board's line, in the middle of each bit.
void Board::sample() {
  const bool level = model.BOARD_TX & 1;
  if (!sampleBits) {
    if (level)
      return;
    sampleBits = 10;
    sampleTimer = divisor / 2;
    sampled = 0;
  }
  lastActive = cycles;
  if (sampleTimer) {
    --sampleTimer;
    return;
  }
  sampleTimer = divisor - 1;
  sampled = sampled >> 1 | static_cast<uint32_t>(level) << 9;
  if (--sampleBits)
    return;
  if (!level) {
    ++framingErrors;
    return;
  }
  fromBoard.push_back({static_cast<uint8_t>(sampled >> 1),
                       cycles + divisor / 2 + turnaroundCycles});
  ++bytesOut;
}

void Board::deliver() {
  while (!fromBoard.empty() && fromBoard.front().cycle <= cycles &&
         terminal.write(fromBoard.front().value)) {
    fromBoard.pop_front();
    lastActive = cycles;
  }
}

// Takes what the driver has written, at the rate that it has set.
void Board::look() {
  uint8_t bytes[4096];
  size_t count = terminal.read(bytes, sizeof bytes);
  if (!count)
    return;
  uint32_t rate = std::max(terminal.rate(), 1u);
  uint32_t clocks = std::max<uint64_t>((clockHz + rate / 2) / rate, 1);
  for (size_t i = 0; i < count; ++i)
    toBoard.push_back({bytes[i], clocks});
  lastActive = cycles;
}

bool Board::answerParent() {
  char line[256];
  if (::read(STDIN_FILENO, line, sizeof line) <= 0)
    return false;
  std::printf("%llu %.6f %llu %llu %llu\n", (unsigned long long)cycles, seconds,
              (unsigned long long)bytesIn, (unsigned long long)bytesOut,
              (unsigned long long)framingErrors);
  std::fflush(stdout);
  return true;
}

// Sleeps until somebody wants something; false when the parent has.
bool Board::wait() {
  pollfd files[] = {{terminal.file(), POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  poll(files, 2, -1);
  return !files[1].revents || answerParent();
}

void Board::run() {
  Clock::time_point lastTime = Clock::now(); // of the last activity
  for (uint64_t seen = 0;;) {
    const Clock::time_point begin = Clock::now();
    for (unsigned i = 0; i < roundCycles; ++i) {
      if (toBoard.empty() && (i % lookInterval == 0 || lastActive == cycles))
        look();
      drive();
      step();
      sample();
      if (!fromBoard.empty())
        deliver();
    }
    const Clock::time_point end = Clock::now();
    seconds += std::chrono::duration<double>(end - begin).count();
    pollfd parent{STDIN_FILENO, POLLIN, 0};
    if (poll(&parent, 1, 0) > 0 && !answerParent())
      return;
    if (seen != lastActive) {
      seen = lastActive;
      lastTime = end;
    }
    while (toBoard.empty() && fromBoard.empty() && !driveBits &&
           cycles - lastActive > std::max(idleBits * divisor, idleCycles) &&
           end - lastTime > idleTime) {
      if (!wait())
        return;
      look();
    }
  }
}

} // namespace

int main(int count, char **arguments) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_IGN);
  const uint64_t clockHz =
      count == 2 ? std::strtoull(arguments[1], nullptr, 10) : 0;
  if (!clockHz) {
    std::fprintf(stderr, "usage: %s CLOCK_HZ\n", arguments[0]);
    return 2;
  }
  static Board board(clockHz);
  if (!board.open()) {
    std::perror("pseudo-terminal");
    return 1;
  }
  board.reset();
  std::printf("port %s\n", board.path());
  std::fflush(stdout);
  board.run();
  tenon::sim::writeCoverage(*Verilated::threadContextp());
  return 0;
}
