// Part of Tenon, under the Apache License v2.0.
//
// Helpers of the functional simulator's unit tests.

#ifndef TESTS_UNIT_FUNCTIONAL_SUPPORT_H
#define TESTS_UNIT_FUNCTIONAL_SUPPORT_H

#include "isa/configuration.h"
#include "sim/functional/instructions.h"
#include "sim/functional/machine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <vector>

namespace tenon::sim::functional {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Lanes = std::vector<int32_t>;

inline isa::Layout layoutOf(const isa::Configuration &configuration) {
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(configuration);
  if (!layout.ok())
    ADD_FAILURE() << layout.status();
  return *layout;
}

inline isa::Configuration shipped(const char *name) {
  absl::StatusOr<isa::Configuration> found = isa::loadConfiguration(name);
  if (!found.ok())
    ADD_FAILURE() << found.status();
  return *found;
}

/// `tiny` with another shape of the GEMM core and a 32-bit port.
inline isa::Configuration shaped(uint32_t batch, uint32_t blockIn,
                                 uint32_t blockOut) {
  isa::Configuration configuration = shipped("tiny");
  configuration.set_name("shaped");
  configuration.set_batch(batch);
  configuration.set_block_in(blockIn);
  configuration.set_block_out(blockOut);
  configuration.set_bus_bits(32);
  configuration.set_alu_lanes(1);
  configuration.set_instruction_bits(256);
  return configuration;
}

/// A machine's state with 1x4x4: four lanes in ACC and OUT.
class TinyTest : public ::testing::Test {
protected:
  void setAcc(uint32_t index, const Lanes &values) {
    std::copy(values.begin(), values.end(),
              state.acc.begin() + index * state.lanes);
  }
  Lanes acc(uint32_t index) const {
    auto at = state.acc.begin() + index * state.lanes;
    return Lanes(at, at + state.lanes);
  }
  Lanes bytes(const std::vector<int8_t> &memory, uint32_t index) const {
    auto at = memory.begin() + index * state.lanes;
    return Lanes(at, at + state.lanes);
  }
  template <typename Register>
  void set(isa::Engine engine, Register r, int32_t value) {
    isa::Set in;
    in.engine = engine;
    in.index = uint32_t(r);
    in.value = uint32_t(value);
    ASSERT_TRUE(execute(in, state).ok());
  }
  void set(isa::AluRegister r, int32_t v) { set(isa::Engine::Alu, r, v); }
  void set(isa::GemmRegister r, int32_t v) { set(isa::Engine::Gemm, r, v); }
  void set(isa::LoadRegister r, int32_t v) { set(isa::Engine::Load, r, v); }

  State state{layoutOf(shipped("tiny"))};
};

} // namespace tenon::sim::functional

#endif // TESTS_UNIT_FUNCTIONAL_SUPPORT_H
