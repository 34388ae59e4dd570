// Part of Tenon, under the Apache License v2.0.
//
// The bridge's pins, bit by bit: a serial line and an SPI master around a
// Verilated bridge_top.

#ifndef TENON_TESTS_BRIDGE_LINES_H
#define TENON_TESTS_BRIDGE_LINES_H

#include "sim/rtl/coverage_counts.h"
#include "tests/bridge/frames.h"
#include "gtest/gtest.h"

namespace tenon::test {

/// Clock and reset of a board that answers on a serial line, which is watched
/// all the time.
template <typename Top> class UartLine {
public:
  explicit UartLine(unsigned divisor) : divisor(divisor) {
    top.rst_i = 1;
    top.uart_rx_i = 1;
    top.csn_i = 1;
    for (int i = 0; i < 4; ++i)
      cycle();
    top.rst_i = 0;
  }
  ~UartLine() { sim::writeCoverage(*Verilated::threadContextp()); }

  /// One clock with the line as it is.
  void cycle() {
    top.clk_i = 0;
    top.eval();
    if (!top.rst_i && listens)
      watch(top.uart_tx_o);
    top.clk_i = 1;
    top.eval();
    ++cycles;
  }
  void run(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i)
      cycle();
  }
  void bitTimes(uint64_t count) { run(count * divisor); }

  /// Holds the line for some clocks.
  void hold(bool level, uint64_t clocks) {
    top.uart_rx_i = level;
    run(clocks);
    top.uart_rx_i = 1;
  }

  void sendByte(uint8_t byte, bool stop = true) {
    hold(false, divisor);
    for (int bit = 0; bit < 8; ++bit)
      hold(byte >> bit & 1, divisor);
    hold(stop, divisor);
  }
  void send(const Bytes &bytes) {
    for (uint8_t byte : bytes)
      sendByte(byte);
  }

  /// Whether what the board sends is looked at; a byte under way is forgotten.
  void listen(bool on) {
    listens = on;
    inByte = false;
  }

  /// What has come since the last call.
  Bytes take() {
    Bytes bytes;
    bytes.swap(received);
    return bytes;
  }

  /// Runs until an answer has ended (nothing for gap() clocks after a byte) or
  /// there is none within `clocks`.
  Bytes receive(uint64_t clocks) {
    uint64_t start = cycles;
    while (received.empty() && !inByte && cycles - start < clocks)
      cycle();
    while (cycles - lastBit < gap() && cycles - start < 100 * clocks)
      cycle();
    return take();
  }

  /// A register may take its time in the middle of an answer.
  uint64_t gap() const { return 40 * divisor + 200; }

  Top top;
  unsigned divisor;
  uint64_t cycles = 0;
  uint64_t lastBit = 0; // cycle of the answer's last one

private:
  // Every bit is of one level for exactly `divisor` clocks.
  void watch(bool level) {
    if (!inByte) {
      if (level)
        return;
      inByte = true;
      phase = bits = 0;
    }
    unsigned bit = phase / divisor;
    if (phase % divisor == 0)
      bits |= unsigned(level) << bit;
    else
      EXPECT_EQ(level, bool(bits >> bit & 1))
          << "bit " << bit << " changes after " << phase % divisor << " clocks";
    lastBit = cycles;
    if (++phase < 10 * divisor)
      return;
    inByte = false;
    EXPECT_EQ(bits & 0x201, 0x200u) << "start and stop bit";
    received.push_back(uint8_t(bits >> 1));
  }

  Bytes received;
  bool listens = true, inByte = false;
  unsigned phase = 0, bits = 0;
};

/// An SPI master, `half` clocks of the board to half a clock of its own.
template <typename Top> class SpiLine {
public:
  explicit SpiLine(unsigned half) : half(half) {
    top.rst_i = 1;
    top.uart_rx_i = 1;
    top.csn_i = 1;
    top.sck_i = 0;
    run(4);
    top.rst_i = 0;
    run(4);
  }
  ~SpiLine() { sim::writeCoverage(*Verilated::threadContextp()); }

  void run(uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      top.clk_i = 0;
      top.eval();
      top.clk_i = 1;
      top.eval();
    }
  }

  void select(bool on) {
    top.csn_i = !on;
    run(2 * half);
  }

  /// `bits` of a byte, the most significant first; what came back.
  uint8_t exchange(uint8_t byte, int bits = 8) {
    uint8_t back = 0;
    for (int bit = 7; bit >= 8 - bits; --bit) {
      top.mosi_i = byte >> bit & 1;
      run(half);
      top.sck_i = 1;
      back = uint8_t(back << 1 | top.miso_o);
      run(half);
      top.sck_i = 0;
    }
    return back;
  }

  Top top;
  unsigned half;
};

} // namespace tenon::test

#endif // TENON_TESTS_BRIDGE_LINES_H
