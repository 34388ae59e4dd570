// Part of Tenon, under the Apache License v2.0.
//
// What long work says where stderr is a file.

#include "tools/tenon/progress.h"

#include <gtest/gtest.h>

namespace tenon::tools {
namespace {

TEST(Progress, LinesOfALogAreApart) {
  testing::internal::CaptureStderr();
  Progress rare(3600), always(0);
  rare.show("too early");
  always.show("place, 61 s");
  always.show("route, 122 s");
  always.clear();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "place, 61 s\nroute, 122 s\n");
}

} // namespace
} // namespace tenon::tools
