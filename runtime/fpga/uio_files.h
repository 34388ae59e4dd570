//===- runtime/fpga/uio_files.h - What Linux gives a driver -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Registers and interrupt of an accelerator as a UIO device, and the contiguous
// memory that both sides see as a u-dma-buf device. What the files mean: the
// kernel's driver-api/uio-howto and the README of u-dma-buf.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_FPGA_UIO_FILES_H
#define TENON_RUNTIME_FPGA_UIO_FILES_H

#include "runtime/fpga/registers.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace tenon::runtime {

/// An open file, closed with its owner.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) : number(other.release()) {}
  Descriptor &operator=(Descriptor &&other);
  ~Descriptor();

  int get() const { return number; }
  int release();

private:
  int number = -1;
};

/// A file in memory, shared with whoever else maps it.
class Mapping {
public:
  static absl::StatusOr<Mapping> map(const Descriptor &file, uint64_t bytes,
                                     const std::string &path);
  Mapping(Mapping &&other);
  Mapping &operator=(Mapping &&) = delete;
  ~Mapping();

  uint8_t *data() const { return address; }
  uint64_t size() const { return bytes; }

private:
  Mapping(uint8_t *address, uint64_t bytes) : address(address), bytes(bytes) {}
  uint8_t *address;
  uint64_t bytes;
};

/// A UIO device whose map 0 are the registers. The kernel switches its
/// interrupt off each time it comes; enableInterrupt switches it on again.
class UioRegisters : public RegisterPort {
public:
  /// `path` is /dev/uioN or a link to it; its size stands in
  /// SYSFS/class/uio/uioN/maps/map0/size. A non-negative `interrupt` is a
  /// descriptor to use for the interrupt instead of the device's own (owned by
  /// the caller). FailedPrecondition: the device is missing or cannot be used.
  static absl::StatusOr<std::unique_ptr<UioRegisters>>
  open(const std::string &path, const std::string &sysfs, int interrupt = -1);

  absl::string_view name() const override { return path; }
  absl::Status write(uint32_t offset, uint32_t value) override;
  absl::Status read(uint32_t offset, absl::Span<uint32_t> values) override;

  /// Forgets interrupts that have come.
  absl::Status clearInterrupt();
  absl::Status enableInterrupt();
  /// Whether one came within `limit`.
  absl::StatusOr<bool> waitForInterrupt(std::chrono::milliseconds limit);

private:
  UioRegisters(std::string path, Descriptor file, Mapping registers,
               int interrupt)
      : path(std::move(path)), file(std::move(file)),
        registers(std::move(registers)), interrupt(interrupt) {}

  int interruptFile() const { return interrupt < 0 ? file.get() : interrupt; }
  absl::Status checkRange(uint32_t offset, size_t words) const;

  const std::string path;
  const Descriptor file;
  const Mapping registers;
  const int interrupt;
};

/// Contiguous memory. With caches the processor's view and the memory are two
/// things, and the calls below move data between them.
class DmaBuffer {
public:
  /// `path` is /dev/NAME of a u-dma-buf device, whose attributes are in
  /// SYSFS/class/u-dma-buf/NAME (of old versions: udmabuf). `cached`: the
  /// processor may cache it; otherwise it is opened with O_SYNC, and nothing
  /// needs to be moved. FailedPrecondition: missing, not usable, or another
  /// DmaBuffer's.
  static absl::StatusOr<std::unique_ptr<DmaBuffer>>
  open(const std::string &path, const std::string &sysfs, bool cached);

  uint8_t *data() const { return memory.data(); }
  uint64_t size() const { return memory.size(); }
  /// Where the accelerator sees it.
  uint64_t physicalAddress() const { return physical; }

  /// Gives [0, bytes) to the accelerator: what the processor wrote is in
  /// memory.
  absl::Status syncForDevice(uint64_t bytes);
  /// Takes it back: the processor sees what is in memory.
  absl::Status syncForCpu(uint64_t bytes);

private:
  DmaBuffer(Descriptor file, Mapping memory, uint64_t physical,
            std::string attributes)
      : file(std::move(file)), memory(std::move(memory)), physical(physical),
        attributes(std::move(attributes)) {}

  absl::Status sync(const char *direction, uint64_t bytes);

  const Descriptor file;
  const Mapping memory;
  const uint64_t physical;
  const std::string attributes; // folder; "": nothing to move
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_FPGA_UIO_FILES_H
