//===- runtime/fpga/uio_files.cpp - What Linux gives a driver -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/fpga/uio_files.h"

#include "isa/files.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tenon::runtime {
namespace {

namespace fs = std::filesystem;

// Behind the last register that a launch reads.
constexpr uint64_t registerBytes =
    isa::control::tokenWaits + 4 * sim::numChannels;

absl::Status systemError(const std::string &path, absl::string_view action) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": cannot ", action, ": ", std::strerror(errno)));
}

absl::Status interruptError(const std::string &path, const char *action) {
  return absl::FailedPreconditionError(absl::StrCat(
      path, ": cannot ", action, " its interrupt: ", std::strerror(errno),
      "; does its node in the device tree have `interrupts`? (wait=poll does "
      "without)"));
}

absl::StatusOr<Descriptor> openDevice(const std::string &path, int flags) {
  int number = ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags);
  if (number < 0)
    return systemError(path, "open the device");
  return Descriptor(number);
}

// The name of a device, which `path` may be a link to.
std::string deviceName(const std::string &path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  return (error ? fs::path(path) : real).filename().string();
}

// A number in a sysfs attribute, decimal or 0x...
absl::StatusOr<uint64_t> readNumber(const std::string &path) {
  absl::StatusOr<std::string> text = isa::readFile(path);
  if (!text.ok())
    return absl::FailedPreconditionError(text.status().message());
  absl::string_view digits = absl::StripAsciiWhitespace(*text);
  uint64_t value = 0;
  bool good = absl::ConsumePrefix(&digits, "0x")
                  ? absl::SimpleHexAtoi(digits, &value)
                  : absl::SimpleAtoi(digits, &value);
  if (!good)
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": expected a number, found '", digits.substr(0, 40), "'"));
  return value;
}

// Keeps accesses to memory on their side of an access to a register, also where
// memory is uncached and no system call stands between them; the observer is
// outside of the processor, so a fence between threads is not enough.
void barrier() {
#if defined(__aarch64__) || defined(__arm__)
  asm volatile("dsb sy" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

// Attributes take a value in one write, and are never made.
absl::Status writeAttribute(const std::string &path, uint64_t value) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0)
    return systemError(path, "open the attribute");
  // A line, so that a shorter number leaves nothing of a longer one behind.
  const std::string text = absl::StrCat(value, "\n");
  if (::write(file.get(), text.data(), text.size()) !=
      static_cast<ssize_t>(text.size()))
    return systemError(path, absl::StrCat("write ", value));
  return absl::OkStatus();
}

} // namespace

//===----------------------------------------------------------------------===//
// Descriptors and mappings
//===----------------------------------------------------------------------===//

Descriptor &Descriptor::operator=(Descriptor &&other) {
  std::swap(number, other.number);
  return *this;
}

Descriptor::~Descriptor() {
  if (number >= 0)
    close(number);
}

int Descriptor::release() { return std::exchange(number, -1); }

absl::StatusOr<Mapping> Mapping::map(const Descriptor &file, uint64_t bytes,
                                     const std::string &path) {
  void *address =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (address == MAP_FAILED)
    return systemError(path, absl::StrCat("map ", bytes, " bytes"));
  return Mapping(static_cast<uint8_t *>(address), bytes);
}

Mapping::Mapping(Mapping &&other)
    : address(std::exchange(other.address, nullptr)), bytes(other.bytes) {}

Mapping::~Mapping() {
  if (address)
    munmap(address, bytes);
}

//===----------------------------------------------------------------------===//
// Registers and interrupt
//===----------------------------------------------------------------------===//

absl::StatusOr<std::unique_ptr<UioRegisters>>
UioRegisters::open(const std::string &path, const std::string &sysfs,
                   int interrupt) {
  absl::StatusOr<Descriptor> file = openDevice(path, O_SYNC);
  if (!file.ok())
    return file.status();
  if (flock(file->get(), LOCK_EX | LOCK_NB) != 0)
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": another process uses it"));
  absl::StatusOr<uint64_t> bytes = readNumber(
      absl::StrCat(sysfs, "/class/uio/", deviceName(path), "/maps/map0/size"));
  if (!bytes.ok())
    return bytes.status();
  if (*bytes < registerBytes)
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: map 0 has %u bytes, the registers of an accelerator take %u; is "
        "it another device?",
        path, *bytes, registerBytes));
  absl::StatusOr<Mapping> registers = Mapping::map(*file, *bytes, path);
  if (!registers.ok())
    return registers.status();
  return std::unique_ptr<UioRegisters>(new UioRegisters(
      path, *std::move(file), *std::move(registers), interrupt));
}

absl::Status UioRegisters::checkRange(uint32_t offset, size_t words) const {
  if (offset % 4 == 0 && offset <= registers.size() &&
      words <= (registers.size() - offset) / 4)
    return absl::OkStatus();
  return absl::InternalError(
      absl::StrFormat("%s: %u registers at offset 0x%x are not in its map",
                      path, words, offset));
}

absl::Status UioRegisters::write(uint32_t offset, uint32_t value) {
  if (absl::Status status = checkRange(offset, 1); !status.ok())
    return status;
  barrier();
  *reinterpret_cast<volatile uint32_t *>(registers.data() + offset) = value;
  return absl::OkStatus();
}

absl::Status UioRegisters::read(uint32_t offset, absl::Span<uint32_t> values) {
  if (absl::Status status = checkRange(offset, values.size()); !status.ok())
    return status;
  auto *words =
      reinterpret_cast<const volatile uint32_t *>(registers.data() + offset);
  for (uint32_t &value : values)
    value = *words++;
  barrier();
  return absl::OkStatus();
}

absl::StatusOr<bool>
UioRegisters::waitForInterrupt(std::chrono::milliseconds limit) {
  pollfd wanted = {interruptFile(), POLLIN, 0};
  int ready = poll(&wanted, 1, static_cast<int>(limit.count()));
  if (ready == 0 || (ready < 0 && errno == EINTR))
    return false;
  uint32_t count = 0; // of all interrupts so far
  if (ready < 0 ||
      ::read(interruptFile(), &count, sizeof count) != sizeof count)
    return interruptError(path, "wait for");
  return true;
}

absl::Status UioRegisters::clearInterrupt() {
  for (;;) {
    absl::StatusOr<bool> came = waitForInterrupt(std::chrono::milliseconds(0));
    if (!came.ok() || !*came)
      return came.status();
  }
}

absl::Status UioRegisters::enableInterrupt() {
  const uint32_t on = 1;
  if (::write(interruptFile(), &on, sizeof on) == sizeof on)
    return absl::OkStatus();
  return interruptError(path, "enable");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

absl::StatusOr<std::unique_ptr<DmaBuffer>>
DmaBuffer::open(const std::string &path, const std::string &sysfs,
                bool cached) {
  absl::StatusOr<Descriptor> file = openDevice(path, cached ? 0 : O_SYNC);
  if (!file.ok())
    return file.status();
  if (flock(file->get(), LOCK_EX | LOCK_NB) != 0)
    return absl::FailedPreconditionError(absl::StrCat(
        path, ": another accelerator's driver uses this buffer; give each one "
              "of its own (buffer=FILE)"));
  std::string attributes;
  std::error_code error;
  for (const char *driver : {"u-dma-buf", "udmabuf"}) {
    attributes = absl::StrCat(sysfs, "/class/", driver, "/", deviceName(path));
    if (fs::exists(attributes, error))
      break;
  }
  absl::StatusOr<uint64_t> physical = readNumber(attributes + "/phys_addr");
  if (!physical.ok())
    return physical.status();
  absl::StatusOr<uint64_t> bytes = readNumber(attributes + "/size");
  if (!bytes.ok())
    return bytes.status();
  if (*physical % 4096)
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: expected memory that begins with a page, found address 0x%x", path,
        *physical));
  absl::StatusOr<Mapping> memory = Mapping::map(*file, *bytes, path);
  if (!memory.ok())
    return memory.status();
  // Where the hardware keeps caches and memory the same, nothing is to be done.
  absl::StatusOr<uint64_t> coherent = readNumber(attributes + "/dma_coherent");
  if (!cached || (coherent.ok() && *coherent == 1))
    attributes.clear();
  return std::unique_ptr<DmaBuffer>(new DmaBuffer(
      *std::move(file), *std::move(memory), *physical, std::move(attributes)));
}

absl::Status DmaBuffer::sync(const char *direction, uint64_t bytes) {
  if (attributes.empty())
    return absl::OkStatus();
  constexpr uint64_t bidirectional = 0;
  const std::pair<const char *, uint64_t> writes[] = {
      {"sync_offset", 0},
      {"sync_size", bytes},
      {"sync_direction", bidirectional},
      {direction, 1}};
  for (auto [attribute, value] : writes)
    if (absl::Status status =
            writeAttribute(absl::StrCat(attributes, "/", attribute), value);
        !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status DmaBuffer::syncForDevice(uint64_t bytes) {
  return sync("sync_for_device", bytes);
}

absl::Status DmaBuffer::syncForCpu(uint64_t bytes) {
  return sync("sync_for_cpu", bytes);
}

} // namespace tenon::runtime
