// Part of Tenon, under the Apache License v2.0.
//
// What an instruction reads and writes, exactly: which elements of which
// scratchpad, which bytes of DRAM. GEMM and ALU address through micro-ops, so
// that the answer depends on the micro-ops that LOAD brought before and on
// registers: a walker keeps both, fed with one instruction after the other.
//
// An element counts as read when the instruction uses the value it held before.
// What an instruction writes first and then reads again is among its writes
// only: it depends on nobody else, and whoever conflicts with the read
// conflicts with the write. So
//   two instructions conflict  <=>  one's writes meet the other's reads or
//                                   writes in a space,
//   a value is used            <=>  its element is in somebody's reads.

#ifndef TENON_ISA_ACCESSES_H
#define TENON_ISA_ACCESSES_H

#include "isa/dram_image.h"
#include "isa/isa.h"
#include "isa/unit_set.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tenon::isa {

/// Something with addresses. Units: elements, in UopGemm and UopAlu micro-ops,
/// in Dram bytes. LOAD's destinations acc and acc8 are both Acc.
enum class Space : uint8_t {
  UopGemm,
  UopAlu,
  Inp,
  Wgt,
  Dwt,
  Acc,
  Prm,
  Out,
  Dram
};
constexpr uint32_t spaceCount = 9;

/// "uop_gemm", "inp", "dram", ...
absl::string_view toString(Space space);

/// Units of a space in a configuration; 0 for Dram, which the program sizes.
uint64_t spaceEntries(const Layout &layout, Space space);

struct Accesses {
  std::array<Units, spaceCount> reads;
  std::array<Units, spaceCount> writes;

  const Units &readsOf(Space space) const { return reads[size_t(space)]; }
  const Units &writesOf(Space space) const { return writes[size_t(space)]; }
};

/// Walks launches of one program. Not thread-safe.
///
/// The order of the instructions is the caller's: each engine's own order, and
/// between engines any that the tokens allow (the order of the stream where a
/// compiler wrote it, or that of retirement). A program without races gives the
/// same accesses in all of them.
class AccessWalker {
public:
  /// Micro-ops come from the segments of `program`. Both arguments must outlive
  /// the walker.
  AccessWalker(const Layout &layout, const Program &program);

  /// Begins a launch: registers have their reset values again, the memories of
  /// micro-ops keep their contents.
  void startLaunch();

  /// The accesses of the next instruction, which must validate (isa::validate).
  /// OutOfRange: an access out of bounds (which, of how many).
  /// FailedPrecondition: a micro-op that was never loaded, or one that was
  /// loaded from DRAM that no segment initialises or that has been overwritten.
  absl::StatusOr<Accesses> next(const Instruction &instruction);

  /// Between launches: the host gives these bytes of DRAM other contents.
  void hostWrites(Interval bytes) { image.write(bytes); }

  /// A register, as the instructions so far have left it.
  uint32_t reg(AluRegister number) const {
    return registers[size_t(Engine::Alu)][size_t(number)];
  }

  /// DRAM as the instructions so far have left it.
  const DramImage &dram() const { return image; }

private:
  struct Slot {
    enum Kind : uint8_t { NeverLoaded, Unknown, Known } kind = NeverLoaded;
    MicroOp uop;
  };
  struct Index;
  struct Loop;

  absl::StatusOr<Accesses> walk(const Load &load);
  absl::StatusOr<Accesses> walk(const Store &store);
  absl::StatusOr<Accesses> walk(const Gemm &gemm);
  absl::StatusOr<Accesses> walk(const Alu &alu);
  absl::StatusOr<Accesses> walk(const Set &set);
  absl::StatusOr<Accesses> walk(const Finish &finish);

  template <typename Transfer>
  absl::StatusOr<Units> dramUnits(const Transfer &transfer,
                                  uint32_t elementBytes) const;
  void loadMicroOps(const Load &load);
  Slot loadMicroOp(uint64_t offset, bool gemm) const;

  template <typename Instruction>
  absl::StatusOr<Loop> makeLoop(const Instruction &in, Space uops);
  absl::Status checkBounds(const Loop &loop, uint32_t Index::*index,
                           absl::string_view name, Space space) const;
  absl::Status checkBounds(const Loop &loop, const Alu &alu) const;
  void project(const Loop &loop, uint32_t Index::*index, UnitSet &units);
  void walkAll(const Loop &loop, const Alu &alu);
  bool dependsOnItself(const Loop &loop, const Alu &alu);
  void walkPlain(const Loop &loop, const Alu &alu);
  void walkReducing(const Loop &loop, const Alu &alu);
  UnitSet &reads(Space space) { return used[size_t(space)]; }
  UnitSet &writes(Space space) { return written[size_t(space)]; }
  void read(Space space, uint64_t unit) {
    if (!writes(space).contains(unit))
      reads(space).add(unit);
  }
  void takeUnits(Accesses &accesses);

  const Layout &layout;
  const uint64_t dramBytes;
  std::array<std::vector<Slot>, 2> microOps; // of GEMM, of ALU
  std::array<std::array<uint32_t, 16>, engineCount> registers{};
  DramImage image;
  // Of the instruction at work; empty in between.
  std::vector<UnitSet> used, written;
  UnitSet pattern, sources; // of project and of dependsOnItself
};

} // namespace tenon::isa

#endif // TENON_ISA_ACCESSES_H
