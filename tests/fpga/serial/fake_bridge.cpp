// Part of Tenon, under the Apache License v2.0.

#include "fake_bridge.h"

#include "isa/isa.h"
#include "sim/fault.h"

#include <asm/termbits.h>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tenon::test {
namespace {

constexpr size_t headerBytes = 11;
constexpr uint32_t mostBytes = 1024;
constexpr double rateTolerance = 0.03;
// A frame that stops for so long is none: 4096 bit times and what a busy host
// needs.
constexpr int silenceMilliseconds = 20;

// CRC-32/IEEE by its definition.
uint32_t crc32(const uint8_t *bytes, size_t count) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < count; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit)
      crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return ~crc;
}

Bytes encodeResponse(const Response &response) {
  Bytes bytes = {0x5A, response.seq, response.status};
  put(bytes, response.payload.size(), 2);
  put(bytes, crc16(bytes), 2);
  if (response.payload.empty())
    return bytes;
  bytes.insert(bytes.end(), response.payload.begin(), response.payload.end());
  put(bytes, crc16(response.payload), 2);
  return bytes;
}

} // namespace

FakeBridge::FakeBridge(const BridgeFacts &facts, sim::Simulator *machine)
    : memory(facts.memoryBytes), facts(facts), machine(machine),
      defaultDivisor(std::lround(facts.clockHz / 1e6)),
      divisor(defaultDivisor) {
  // What a block RAM holds after the configuration.
  for (size_t i = 0; i < memory.size(); ++i)
    memory[i] = uint8_t(i * 37 + 11);
  char name[128];
  master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0 || grantpt(master) || unlockpt(master) ||
      ptsname_r(master, name, sizeof name))
    throw std::runtime_error("no pseudo-terminal");
  path = name;
  slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios2 settings{};
  ioctl(slave, TCGETS2, &settings);
  settings.c_iflag = settings.c_oflag = settings.c_lflag = 0;
  ioctl(slave, TCSETS2, &settings);
  thread = std::thread([this] { serve(); });
}

FakeBridge::~FakeBridge() { unplug(); }

void FakeBridge::unplug() {
  stop = true;
  if (thread.joinable())
    thread.join();
  for (int *file : {&master, &slave})
    if (*file >= 0) {
      close(*file);
      *file = -1;
    }
}

void FakeBridge::setFaults(const Faults &next) {
  std::lock_guard<std::mutex> lock(mutex);
  faults = next;
  random.seed(next.seed);
}

bool FakeBridge::chance(double probability) {
  return probability > 0 &&
         std::uniform_real_distribution<>()(random) < probability;
}

uint32_t FakeBridge::rate() const {
  termios2 settings{};
  ioctl(master, TCGETS2, &settings);
  return settings.c_ospeed;
}

Bytes FakeBridge::damage(const Bytes &bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  Bytes result;
  for (uint8_t byte : bytes) {
    if (chance(faults.extraByte))
      result.push_back(uint8_t(random()));
    if (chance(faults.dropByte))
      continue;
    if (chance(faults.flipBit))
      byte ^= 1 << random() % 8;
    result.push_back(byte);
    if (chance(faults.repeatByte))
      result.push_back(byte);
  }
  return result;
}

void FakeBridge::serve() {
  while (!stop) {
    pollfd ready{master, POLLIN, 0};
    if (poll(&ready, 1, silenceMilliseconds) <= 0) {
      frame.clear();
      continue;
    }
    uint8_t buffer[4096];
    ssize_t count = read(master, buffer, sizeof buffer);
    if (count <= 0)
      continue;
    double here = double(facts.clockHz) / divisor, there = rate();
    if (there < here / 4 && count == 1 && buffer[0] == 0) {
      divisor = defaultDivisor; // a BREAK
      frame.clear();
      continue;
    }
    if (std::abs(there - here) > rateTolerance * here)
      continue; // garbage
    for (uint8_t byte : damage(Bytes(buffer, buffer + count)))
      take(byte);
  }
}

bool FakeBridge::requestComplete() const {
  if (frame.size() < headerBytes)
    return false;
  size_t length = frame[7] | frame[8] << 8;
  return !carriesPayload(Op(frame[2])) ||
         frame.size() == headerBytes + length + 2;
}

void FakeBridge::take(uint8_t byte) {
  if (frame.empty() && byte != 0xA5)
    return;
  frame.push_back(byte);
  if (frame.size() == headerBytes &&
      crc16({frame.begin(), frame.begin() + 9}) !=
          (frame[9] | frame[10] << 8)) {
    frame.clear();
    return;
  }
  // Written as they arrive: what comes later may still be wrong.
  if (frame.size() > headerBytes && Op(frame[2]) == Op::WriteMemory) {
    size_t length = frame[7] | frame[8] << 8;
    size_t index = frame.size() - headerBytes - 1;
    size_t address = wordAt(frame, 3) + index;
    if (index < length && length <= mostBytes && address < memory.size() &&
        address != stuckByte)
      memory[address] = byte;
  }
  if (!requestComplete())
    return;
  answer();
  frame.clear();
}

void FakeBridge::answer() {
  Request request;
  request.seq = frame[1];
  request.op = Op(frame[2]);
  request.address = wordAt(frame, 3);
  request.length = uint16_t(frame[7] | frame[8] << 8);
  Response response{request.seq, 0, {}};
  if (actedSeq != request.seq)
    acted = false;
  const uint32_t oldDivisor = divisor;
  bool good = true;
  if (carriesPayload(request.op)) {
    request.payload.assign(frame.begin() + headerBytes, frame.end() - 2);
    good = crc16(request.payload) ==
           (frame[frame.size() - 2] | frame[frame.size() - 1] << 8);
  }
  if (good)
    response = execute(request);
  else
    response.status = 1;
  if (response.status == 0)
    ++served[request.op];
  if (silent)
    return;
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (chance(faults.loseAnswer))
      return;
    bool late = chance(faults.delayAnswer);
    double seconds = faults.delaySeconds;
    lock.unlock();
    if (late)
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  }
  uint32_t set = divisor;
  divisor = oldDivisor;
  send(damage(encodeResponse(response)));
  divisor = set;
}

void FakeBridge::send(const Bytes &bytes) {
  // At a rate that is not the driver's it reads garbage.
  double here = double(facts.clockHz) / divisor, there = rate();
  Bytes out = bytes;
  if (std::abs(there - here) > rateTolerance * here)
    for (uint8_t &byte : out)
      byte = uint8_t(byte * 29 + 1);
  for (size_t at = 0; at < out.size();) {
    ssize_t count = write(master, out.data() + at, out.size() - at);
    if (count <= 0)
      return;
    at += count;
  }
}

Response FakeBridge::memoryAccess(const Request &request) {
  Response response{request.seq, 0, {}};
  uint64_t bytes =
      request.op == Op::Checksum ? wordAt(request.payload, 0) : request.length;
  if (request.address % 8 || request.address + bytes > memory.size() ||
      (request.op != Op::Checksum &&
       (!bytes || bytes % 8 || bytes > mostBytes))) {
    response.status = 3;
    return response;
  }
  if (request.op == Op::ReadMemory)
    response.payload.assign(memory.begin() + request.address,
                            memory.begin() + request.address + bytes);
  if (request.op == Op::Checksum)
    response.payload = word(crc32(memory.data() + request.address, bytes));
  return response;
}

Response FakeBridge::execute(const Request &request) {
  Response response{request.seq, 0, {}};
  if (refusal && request.op != Op::Hello) {
    response.status = refusal;
    return response;
  }
  switch (request.op) {
  case Op::Hello:
    acted = false;
    response.payload = {'T', 'N', 'B', 'R'};
    for (uint32_t value : {facts.version, facts.memoryBytes, facts.clockHz,
                           divisor, facts.configuration})
      put(response.payload, value, 4);
    return response;
  case Op::ReadRegister:
    if (request.length % 4 || !request.length || request.length > mostBytes ||
        request.address % 4 || request.address + request.length > 4096) {
      response.status = 3;
      return response;
    }
    for (uint32_t i = 0; i < request.length; i += 4)
      put(response.payload, registers[request.address + i], 4);
    return response;
  case Op::WriteRegister:
    if (!acted)
      writeRegister(request.address, wordAt(request.payload, 0));
    acted = true;
    actedSeq = request.seq;
    return response;
  case Op::SetDivisor:
    if (!wordAt(request.payload, 0) || wordAt(request.payload, 0) > 65535)
      response.status = 3;
    else if (!keepsRate)
      divisor = wordAt(request.payload, 0);
    return response;
  case Op::ReadMemory:
  case Op::WriteMemory:
  case Op::Checksum:
    return memoryAccess(request);
  }
  response.status = 2;
  return response;
}

void FakeBridge::writeRegister(uint32_t offset, uint32_t value) {
  if (offset != isa::control::control) {
    registers[offset] = value;
    return;
  }
  if (value & (sim::controlStop | sim::controlReset)) {
    ++stops;
    registers[isa::control::status] = stopEnds ? 0 : sim::statusRunning;
    return;
  }
  if (!(value & sim::controlStart))
    return;
  ++starts;
  if (startSilences.exchange(false))
    silent = true;
  registers[isa::control::status] = 2; // running
  if (machine)
    launch();
}

// At once: hardware that is done when it is asked.
void FakeBridge::launch() {
  sim::LaunchOptions options;
  options.programOffset = uint64_t(registers[isa::control::program]) *
                          (machine->configuration().bus_bits() / 8);
  options.instructionCount = instructionCount;
  absl::Status status = machine->allocate(memory.size());
  if (status.ok())
    status = machine->write(0, memory);
  absl::StatusOr<sim::LaunchResult> result = machine->launch(options);
  if (!result.ok()) {
    // done, error: STORE's burst at beat 25
    registers[isa::control::status] = 5 | uint32_t(isa::Fault::Store) << 4;
    registers[isa::control::fault] = 25;
    return;
  }
  (void)machine->read(0, absl::MakeSpan(memory));
  lastLaunch = *result;
  registers[isa::control::cycles] = uint32_t(result->cycles);
  for (unsigned e = 0; e < sim::numEngines; ++e) {
    registers[isa::control::retired + 4 * e] = uint32_t(result->retired[e]);
    for (unsigned s = 0; s < sim::numStates; ++s)
      registers[isa::control::states + 4 * (16 * e + s)] =
          uint32_t(result->states[e].cycles[s]);
  }
  for (unsigned c = 0; c < sim::numChannels; ++c)
    registers[isa::control::tokenWaits + 4 * c] =
        uint32_t(result->tokenWaits[c]);
  registers[isa::control::status] = 1; // done
}

} // namespace tenon::test
