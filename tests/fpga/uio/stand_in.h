// Part of Tenon, under the Apache License v2.0.
//
// A board with Linux, for the UIO driver: device files and sysfs attributes in
// a temporary directory, and a thread that is the hardware behind them. The
// registers are a file in memory: the thread waits for a start in register
// `control`, carries the registers through the AXI4-Lite port of the Verilated
// accelerator, runs it on its AXI port, and copies what its registers read back
// into the file. Memory is not the file that the driver maps, which is what a
// processor sees through its caches: it gets only what the driver has synced.

#ifndef TENON_TESTS_FPGA_UIO_STAND_IN_H
#define TENON_TESTS_FPGA_UIO_STAND_IN_H

#include "runtime/fpga/uio_device.h"
#include "sim/fault.h"
#include "sim/rtl/loaded_model.h"
#include "tests/scratch_folder.h"

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace tenon::runtime {

/// What goes wrong; may change between launches.
struct Faults {
  std::atomic<bool> mute{false};     // the interrupt never comes
  std::atomic<bool> hang{false};     // a launch never ends, until it is stopped
  std::atomic<uint64_t> byte{~0ull}; // of memory that has failed
  std::atomic<bool> corrupt{false};  // the first instruction changes in memory
};

/// What memory has in place of what the driver wrote; set between launches.
struct Patch {
  uint64_t offset = 0;
  std::vector<uint8_t> bytes;
};

class StandIn {
public:
  static constexpr uint64_t physicalAddress = 0x1a200000;

  /// Builds the simulator where the cache does not have it.
  StandIn(const isa::Configuration &configuration, uint64_t bufferBytes,
          bool cached = true);
  ~StandIn();

  /// How the driver finds it.
  UioOptions options() const;

  std::filesystem::path registers() const { return root / "dev/uio0"; }
  std::filesystem::path buffer() const { return root / "dev/udmabuf-tenon"; }
  std::filesystem::path mapSize() const;
  std::filesystem::path attribute(const std::string &name) const;

  uint32_t readRegister(uint32_t offset) const;
  void writeRegister(uint32_t offset, uint32_t value);

  static std::string text(const std::filesystem::path &path);
  static void setText(const std::filesystem::path &path,
                      const std::string &text);

  Faults faults;
  Patch patch;
  /// The register of a stop is as if nobody had written it: the driver is
  /// killed.
  std::atomic<bool> ignoreStops{false};
  std::atomic<unsigned> launches{0}, stops{0};
  /// What the hardware found wrong, as the simulator says it.
  std::string failure;

private:
  void makeFiles(uint64_t bufferBytes);
  void serve();
  void serveInterrupt();
  void launch();
  void stopHardware(uint32_t control);
  void runHardware(uint32_t stopValue, uint64_t stopAfter);
  void fillMemory();
  void copyRegisters();
  volatile uint32_t *word(uint32_t offset) const;

  const isa::Layout layout;
  const bool cached;
  const ScratchFolder folder;
  const std::filesystem::path root = folder.path();
  std::unique_ptr<sim::LoadedModel> model;
  std::vector<uint8_t> memory;   // what the accelerator sees
  uint8_t *registerFile, *cache; // what the driver sees
  int ours = -1, drivers = -1;   // ends of the interrupt
  bool enabled = false, line = false, hangs = false;
  uint32_t interrupts = 0;
  std::atomic<bool> stop{false};
  std::thread thread;
};

} // namespace tenon::runtime

#endif // TENON_TESTS_FPGA_UIO_STAND_IN_H
