// Part of Tenon, under the Apache License v2.0.
//
// The committed reference manual is the generated one.

#include "isa/files.h"
#include "isa/manual.h"

#include "gtest/gtest.h"

namespace tenon::isa {
namespace {

TEST(Manual, CommittedOneIsNotStale) {
  auto committed = readFile(TENON_SOURCE_DIR "/docs/isa.md");
  ASSERT_TRUE(committed.ok()) << committed.status();
  auto manual = referenceManual();
  ASSERT_TRUE(manual.ok()) << manual.status();
  EXPECT_TRUE(*committed == *manual)
      << "docs/isa.md is stale: `ninja isa-manual` writes it";
}

} // namespace
} // namespace tenon::isa
