// Part of Tenon, under the Apache License v2.0.

#include "isa/host_features.h"

#include "isa/host_target.h"

#include "gtest/gtest.h"

namespace tenon::isa {
namespace {

#ifdef __x86_64__
TEST(HostFeatures, AreThoseTheCompilerSees) {
  EXPECT_EQ(hasFeature("avx"), bool(__builtin_cpu_supports("avx")));
  EXPECT_EQ(hasFeature("avx2"), bool(__builtin_cpu_supports("avx2")));
  EXPECT_EQ(hasFeature("bmi"), bool(__builtin_cpu_supports("bmi")));
  EXPECT_EQ(hasFeature("bmi2"), bool(__builtin_cpu_supports("bmi2")));
  EXPECT_EQ(hasFeature("fma"), bool(__builtin_cpu_supports("fma")));
  EXPECT_EQ(hasFeature("popcnt"), bool(__builtin_cpu_supports("popcnt")));
  EXPECT_EQ(hasFeature("sse4.2"), bool(__builtin_cpu_supports("sse4.2")));
  EXPECT_EQ(hasFeature("avx512f"), bool(__builtin_cpu_supports("avx512f")));
  EXPECT_EQ(hasFeature("avx512bw"), bool(__builtin_cpu_supports("avx512bw")));
  EXPECT_EQ(hasFeature("avx512cd"), bool(__builtin_cpu_supports("avx512cd")));
  EXPECT_EQ(hasFeature("avx512dq"), bool(__builtin_cpu_supports("avx512dq")));
  EXPECT_EQ(hasFeature("avx512vl"), bool(__builtin_cpu_supports("avx512vl")));
  EXPECT_EQ(hasFeature("avx512vnni"),
            bool(__builtin_cpu_supports("avx512vnni")));
  EXPECT_EQ(hasFeature("avxvnni"), bool(__builtin_cpu_supports("avxvnni")));
  // The levels of the psABI, which name the others.
  for (auto [level, has] :
       {std::pair("x86-64-v2", bool(__builtin_cpu_supports("x86-64-v2"))),
        std::pair("x86-64-v3", bool(__builtin_cpu_supports("x86-64-v3"))),
        std::pair("x86-64-v4", bool(__builtin_cpu_supports("x86-64-v4")))}) {
    const HostTarget &target = *findHostTarget(level);
    Executable executable;
    executable.set_triple(std::string(target.triple));
    for (absl::string_view feature : target.features)
      executable.add_features(std::string(feature));
    EXPECT_EQ(satisfies(executable), has) << level;
  }
}
#endif

TEST(HostFeatures, OfOtherArchitecturesAreNone) {
  for (const HostTarget &target : hostTargets())
    if (target.architecture != thisArchitecture()) {
      Executable executable;
      executable.set_triple(std::string(target.triple));
      EXPECT_FALSE(satisfies(executable)) << target.name;
    }
  EXPECT_FALSE(hasFeature("no processor has this"));
}

} // namespace
} // namespace tenon::isa
