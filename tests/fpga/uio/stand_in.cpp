// Part of Tenon, under the Apache License v2.0.

#include "tests/fpga/uio/stand_in.h"

#include "isa/files.h"
#include "sim/rtl/build.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tenon::runtime {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t registerBytes = 0x1000;
// What memory holds where the driver has synced nothing: no instruction.
constexpr uint8_t stale = 0xef;

// The stand-in has nobody to tell.
void require(bool condition, const std::string &what) {
  if (condition)
    return;
  std::fprintf(stderr, "stand-in: %s: %s\n", what.c_str(),
               std::strerror(errno));
  std::abort();
}

uint8_t *mapFile(const fs::path &path, uint64_t bytes) {
  int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  require(file >= 0 && ftruncate(file, bytes) == 0, path);
  void *address =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  require(address != MAP_FAILED, path);
  return static_cast<uint8_t *>(address);
}

template <typename Value> Value must(absl::StatusOr<Value> value) {
  require(value.ok(), value.status().ToString());
  return *std::move(value);
}

} // namespace

StandIn::StandIn(const isa::Configuration &configuration, uint64_t bufferBytes,
                 bool cached)
    : layout(must(isa::Layout::get(configuration))), cached(cached),
      model(
          must(sim::LoadedModel::load(must(sim::simulatorFor(configuration))))),
      memory(bufferBytes, stale) {
  makeFiles(bufferBytes);
  int ends[2];
  // A read gives one whole count, as that of a UIO device does.
  require(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0,
          "socketpair");
  ours = ends[0];
  drivers = ends[1];
  copyRegisters();
  thread = std::thread([this] { serve(); });
}

StandIn::~StandIn() {
  stop = true;
  thread.join();
  munmap(registerFile, registerBytes);
  munmap(cache, memory.size());
  close(ours);
  close(drivers);
}

fs::path StandIn::mapSize() const {
  return root / "sys/class/uio/uio0/maps/map0/size";
}

fs::path StandIn::attribute(const std::string &name) const {
  return root / "sys/class/u-dma-buf/udmabuf-tenon" / name;
}

std::string StandIn::text(const fs::path &path) {
  return must(isa::readFile(path.string()));
}

void StandIn::setText(const fs::path &path, const std::string &text) {
  absl::Status status = isa::writeFile(path.string(), text);
  require(status.ok(), status.ToString());
}

void StandIn::makeFiles(uint64_t bufferBytes) {
  fs::create_directories(root / "dev");
  fs::create_directories(mapSize().parent_path());
  fs::create_directories(attribute("").parent_path());
  registerFile = mapFile(registers(), registerBytes);
  cache = mapFile(buffer(), bufferBytes);
  setText(mapSize(), absl::StrFormat("0x%016x\n", registerBytes));
  setText(attribute("phys_addr"),
          absl::StrFormat("0x%016x\n", physicalAddress));
  setText(attribute("size"), absl::StrCat(bufferBytes, "\n"));
  for (const char *name : {"sync_offset", "sync_size", "sync_direction",
                           "sync_for_cpu", "sync_for_device", "dma_coherent"})
    setText(attribute(name), "0\n");
}

UioOptions StandIn::options() const {
  UioOptions options;
  options.registers = registers().string();
  options.buffer = buffer().string();
  options.cached = cached;
  options.sysfs = (root / "sys").string();
  options.interruptDescriptor = drivers;
  options.timeLimit = 60; // the simulator is slower than the hardware
  return options;
}

volatile uint32_t *StandIn::word(uint32_t offset) const {
  return reinterpret_cast<volatile uint32_t *>(registerFile + offset);
}

uint32_t StandIn::readRegister(uint32_t offset) const { return *word(offset); }

void StandIn::writeRegister(uint32_t offset, uint32_t value) {
  *word(offset) = value;
}

// Everything that can be read, through the AXI4-Lite port; the status last.
void StandIn::copyRegisters() {
  std::vector<uint32_t> offsets = {isa::control::isaVersion,
                                   isa::control::configuration,
                                   isa::control::cycles};
  for (unsigned e = 0; e < sim::numEngines; ++e) {
    offsets.push_back(isa::control::retired + 4 * e);
    for (unsigned s = 0; s < sim::numStates; ++s)
      offsets.push_back(isa::control::states + 4 * (16 * e + s));
  }
  for (unsigned c = 0; c < sim::numChannels; ++c)
    offsets.push_back(isa::control::tokenWaits + 4 * c);
  offsets.push_back(isa::control::fault);
  offsets.push_back(isa::control::status);
  for (uint32_t offset : offsets)
    writeRegister(offset, must(model->readControl(offset)));
}

void StandIn::serve() {
  while (!stop) {
    serveInterrupt();
    const uint32_t control = readRegister(isa::control::control);
    if (control & sim::controlStart)
      launch();
    else if (control && ignoreStops)
      writeRegister(isa::control::control, 0);
    else if (control)
      stopHardware(control);
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

// As uio_pdrv_genirq: an interrupt is counted, and is off until it is enabled.
void StandIn::serveInterrupt() {
  uint32_t on = 0;
  if (recv(ours, &on, sizeof on, MSG_DONTWAIT) == sizeof on)
    enabled = on != 0;
  if (!line || !enabled || faults.mute)
    return;
  enabled = false;
  ++interrupts;
  require(send(ours, &interrupts, sizeof interrupts, 0) == sizeof interrupts,
          "interrupt");
}

// What the driver gave to the device goes from its caches to memory.
void StandIn::fillMemory() {
  if (!cached || text(attribute("dma_coherent")) == "1\n") {
    std::memcpy(memory.data(), cache, memory.size());
    return;
  }
  if (text(attribute("sync_for_device")) != "1\n")
    return;
  setText(attribute("sync_for_device"), "0\n");
  setText(attribute("sync_for_cpu"), "0\n");
  const uint64_t offset = std::stoull(text(attribute("sync_offset")));
  const uint64_t bytes = std::stoull(text(attribute("sync_size")));
  require(offset <= memory.size() && bytes <= memory.size() - offset,
          "sync range");
  std::memcpy(memory.data() + offset, cache + offset, bytes);
}

void StandIn::launch() {
  line = false;
  writeRegister(isa::control::status, sim::statusRunning);
  writeRegister(isa::control::control, 0);
  ++launches;
  hangs = faults.hang;
  if (!hangs)
    runHardware(0, 0);
}

// What hangs is stopped in the middle of its traffic.
void StandIn::stopHardware(uint32_t control) {
  ++stops;
  if (hangs)
    runHardware(control, 1000);
  else
    require(model->writeControl(isa::control::control, control).ok(),
            "control port");
  hangs = false;
  for (uint32_t offset : {isa::control::program, isa::control::baseLow,
                          isa::control::baseHigh, isa::control::window})
    writeRegister(offset, must(model->readControl(offset)));
  copyRegisters();
  writeRegister(isa::control::control, 0);
}

void StandIn::runHardware(uint32_t stopValue, uint64_t stopAfter) {
  fillMemory();
  if (faults.corrupt)
    memory[readRegister(isa::control::program) * layout.beatBytes] |= 7;
  for (uint32_t offset : {isa::control::program, isa::control::baseLow,
                          isa::control::baseHigh, isa::control::window})
    require(model->writeControl(offset, readRegister(offset)).ok(),
            "control port");
  std::copy(patch.bytes.begin(), patch.bytes.end(),
            memory.begin() + patch.offset);
  sim::ModelLaunch options;
  options.dram = memory.data();
  options.dramBase = physicalAddress;
  options.dramBytes = memory.size();
  options.startOffset = isa::control::control;
  options.stopValue = stopValue;
  options.stopAfter = stopAfter;
  options.disturbance.faultOffset = faults.byte;
  options.cycleLimit = 1ull << 40;
  options.idleLimit = 100000;
  sim::LayerResult layer;
  sim::ModelResult result;
  result.layers = &layer;
  model->launch(options, result);
  // A deadlock is the program's.
  if (result.outcome != sim::ModelOutcome::Done &&
      result.outcome != sim::ModelOutcome::Idle)
    failure = absl::StrCat("outcome ", static_cast<int>(result.outcome), ": ",
                           result.message);
  std::memcpy(cache, memory.data(), memory.size());
  copyRegisters();
  line = result.outcome == sim::ModelOutcome::Done;
}

} // namespace tenon::runtime
