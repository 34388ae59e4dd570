//===- sim/board/board_process.h - A board behind a terminal ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A simulated board runs as a process of its own. What a driver knows of it is
// the path of a pseudo-terminal, which it opens as it would a serial port: the
// bits go through the board's UART pins one by one, at the rate that the
// terminal's settings ask for.
//
// Simulated time passes only while there is something to do (a byte under way,
// or less than 0.3 s and 260,000 cycles since the last one): so a launch goes
// on as long as it is asked for its state, and an idle board costs nothing. The
// machine cannot see that its clock rests.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_BOARD_BOARD_PROCESS_H
#define TENON_SIM_BOARD_BOARD_PROCESS_H

#include "sim/board/board_model.h"
#include "sim/rtl/build.h"

#include <chrono>
#include <memory>

namespace tenon::sim {

struct BoardOptions {
  /// Frequency of the clock, Hz: rate R of the terminal is round(clockHz / R)
  /// cycles a bit, at least one.
  uint64_t clockHz = 100'000'000;
  /// For one answer of the process, and for its end. A netlist under load
  /// answers after its next few thousand cycles.
  std::chrono::seconds answerLimit{60};
};

struct BoardStatistics {
  uint64_t cycles = 0; // simulated
  double seconds = 0;  // that simulating them took
  uint64_t bytesToBoard = 0;
  uint64_t bytesFromBoard = 0;
  uint64_t framingErrors = 0; // bytes from the board without a stop bit

  double kiloHertz() const { return seconds > 0 ? cycles / seconds / 1e3 : 0; }
};

/// A board that runs. It ends with this object, and with this process, however
/// that ends.
class BoardProcess {
public:
  virtual ~BoardProcess() = default;

  /// The terminal to open, "/dev/pts/5".
  virtual const std::string &port() const = 0;

  /// What it has done so far. Unavailable: the process has ended, or does not
  /// answer within the limit.
  virtual absl::StatusOr<BoardStatistics> statistics() = 0;
};

/// The path of the model's simulator, built where the cache does not have it
/// (minutes for a netlist). Errors as of simulatorFor in sim/rtl/build.h.
absl::StatusOr<std::string>
boardSimulatorFor(const BoardModel &model, const BuildProgress &progress = {});

/// Builds where needed, starts, and waits until the terminal stands.
absl::StatusOr<std::unique_ptr<BoardProcess>>
startBoard(const BoardModel &model, const BoardOptions &options,
           const BuildProgress &progress = {});

} // namespace tenon::sim

#endif // TENON_SIM_BOARD_BOARD_PROCESS_H
