// Part of Tenon, under the Apache License v2.0.
//
// A host bridge behind a pseudo-terminal, written from hw/bridge/README.md and
// sharing nothing with the driver. Its line can be made bad in every way that a
// line can be.

#ifndef TENON_TESTS_FPGA_SERIAL_FAKE_BRIDGE_H
#define TENON_TESTS_FPGA_SERIAL_FAKE_BRIDGE_H

#include "sim/simulator.h"
#include "tests/bridge/frames.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

namespace tenon::test {

/// Chances for each byte (or answer), in each direction.
struct Faults {
  uint64_t seed = 1;
  double dropByte = 0, flipBit = 0, repeatByte = 0, extraByte = 0;
  double loseAnswer = 0;
  double delayAnswer = 0; // by delaySeconds
  double delaySeconds = 0.05;
};

struct BridgeFacts {
  uint32_t version = 1;
  uint32_t memoryBytes = 65536;
  uint32_t clockHz = 50'000'000;
  uint32_t configuration = 0;
};

class FakeBridge {
public:
  /// `machine` runs launches on the bridge's memory; may be null: a launch
  /// never ends then.
  explicit FakeBridge(const BridgeFacts &facts,
                      sim::Simulator *machine = nullptr);
  ~FakeBridge();

  const std::string &port() const { return path; }

  void setFaults(const Faults &faults);
  /// Answers nothing from now on, or everything again.
  void silence(bool isSilent = true) { silent = isSilent; }
  /// Answers nothing from the next launch's start on.
  void silenceAtStart() { startSilences = true; }
  /// Answers everything but HELLO with this status from now on.
  void answerWith(uint8_t status) { refusal = status; }
  /// Says that it takes another rate, and does not.
  void keepRate() { keepsRate = true; }
  /// The port disappears.
  void unplug();

  /// A byte of memory that keeps its value whatever is written to it.
  std::atomic<size_t> stuckByte{~size_t{0}};

  // Read these while no request is under way.
  Bytes memory;
  std::map<uint32_t, uint32_t> registers; // by byte offset; others read 0
  std::map<Op, unsigned> served;          // requests answered with status 0
  unsigned starts = 0;                    // launches, once for each write
  unsigned stops = 0;                     // likewise
  bool stopEnds = true; // else the memory owes an answer, for ever
  /// Instructions of the program in memory, which the machine must be told.
  uint64_t instructionCount = 0;
  sim::LaunchResult lastLaunch;

private:
  void serve();
  void take(uint8_t byte);
  bool requestComplete() const;
  void answer();
  Response execute(const Request &request);
  Response memoryAccess(const Request &request);
  void writeRegister(uint32_t offset, uint32_t value);
  void launch();
  void send(const Bytes &bytes);
  Bytes damage(const Bytes &bytes);
  bool chance(double probability);
  uint32_t rate() const;

  const BridgeFacts facts;
  sim::Simulator *const machine;
  const uint32_t defaultDivisor;
  uint32_t divisor;
  std::string path;
  int master = -1, slave = -1;
  std::mutex mutex; // of the faults
  Faults faults;
  std::mt19937_64 random{1};
  std::atomic<bool> silent{false}, stop{false}, keepsRate{false};
  std::atomic<bool> startSilences{false};
  std::atomic<uint8_t> refusal{0};
  Bytes frame; // of the request that arrives
  bool acted = false;
  uint8_t actedSeq = 0;
  std::thread thread;
};

} // namespace tenon::test

#endif // TENON_TESTS_FPGA_SERIAL_FAKE_BRIDGE_H
