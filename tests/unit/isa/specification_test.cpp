// Part of Tenon, under the Apache License v2.0.
//
// The generator's checks of the specification: each fault put into the
// shipped one is found, and nothing in the shipped one is.

#include "isa/generator/check.h"
#include "isa/specification.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::isa {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

using S = spec::Specification;

TEST(Specification, TheShippedOneIsSound) {
  EXPECT_THAT(checkSpecification(specification()), IsEmpty());
}

TEST(Specification, EveryFaultIsFound) {
  using Change = void (*)(S &);
  const std::pair<Change, const char *> cases[] = {
      {[](S &s) { s.mutable_enumerations(0)->clear_values(); },
       "enumeration engine is empty"},
      {[](S &s) {
         s.mutable_enumerations(0)->mutable_values(1)->set_number(7);
       },
       "enumeration engine: gemm has number 7, not 1"},
      {[](S &s) { s.mutable_engines(0)->set_name("fetch"); },
       "enumeration engine does not list the same names as the engine list"},
      {[](S &s) { s.mutable_channels(0)->set_to("host"); },
       "channel load-host: no such engine"},
      {[](S &s) { s.mutable_formats(2)->set_opcode(5); },
       "format gemm has opcode 5, not 2"},
      {[](S &s) { s.mutable_formats(1)->mutable_fields(0)->set_name("code"); },
       "format store does not begin with the common field opcode"},
      {[](S &s) {
         while (s.formats(0).fields_size() < 33)
           s.mutable_formats(0)->add_fields();
       },
       "format load has 33 fields, at most 32 are supported"},
      {[](S &s) {
         s.mutable_formats(0)->mutable_fields(3)->set_enumeration("colour");
       },
       "load.memory: no enumeration colour"},
      {[](S &s) {
         s.mutable_micro_ops(0)->mutable_fields(2)->set_name("other");
       },
       "micro-op gemm_uop is not dst, src, third"},
      {[](S &s) { s.mutable_micro_ops()->RemoveLast(); },
       "there must be two micro-op formats: GEMM's and ALU's"},
      {[](S &s) { *s.add_registers() = s.registers(0); },
       "register load zero_point: number 1 is taken or not in 1..15, or the "
       "engine does not exist"},
  };
  for (const auto &[change, finding] : cases) {
    S changed = specification();
    change(changed);
    EXPECT_THAT(checkSpecification(changed), Contains(finding));
  }
}

} // namespace
} // namespace tenon::isa
