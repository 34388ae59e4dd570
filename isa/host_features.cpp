//===- isa/host_features.cpp - What this machine can run ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/host_features.h"

#include "isa/host_target.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__) || defined(__arm__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include <vector>

namespace tenon::isa {

#if defined(__x86_64__)

namespace {

enum Register { Eax = 0, Ebx = 1, Ecx = 2, Edx = 3 };

/// Where CPUID has a feature, and which registers the system has to save for
/// programs that use it (bits of XCR0).
struct Place {
  absl::string_view feature;
  unsigned leaf, subleaf;
  Register in;
  unsigned bit;
  uint64_t saved;
};

constexpr uint64_t vectors = 0x6;      // XMM and YMM
constexpr uint64_t wideVectors = 0xe6; // and masks, ZMM, ZMM16 and above
constexpr uint64_t matrices = 0x60000; // their shapes, and data
constexpr unsigned matrixData = 18;    // which of the two has to be asked for
constexpr unsigned extended = 0x80000001;

constexpr Place places[] = {
    {"cx16", 1, 0, Ecx, 13, 0},
    {"popcnt", 1, 0, Ecx, 23, 0},
    {"sahf", extended, 0, Ecx, 0, 0},
    {"sse3", 1, 0, Ecx, 0, 0},
    {"ssse3", 1, 0, Ecx, 9, 0},
    {"sse4.1", 1, 0, Ecx, 19, 0},
    {"sse4.2", 1, 0, Ecx, 20, 0},
    {"avx", 1, 0, Ecx, 28, vectors},
    {"avx2", 7, 0, Ebx, 5, vectors},
    {"bmi", 7, 0, Ebx, 3, 0},
    {"bmi2", 7, 0, Ebx, 8, 0},
    {"f16c", 1, 0, Ecx, 29, vectors},
    {"fma", 1, 0, Ecx, 12, vectors},
    {"lzcnt", extended, 0, Ecx, 5, 0},
    {"movbe", 1, 0, Ecx, 22, 0},
    {"avx512f", 7, 0, Ebx, 16, wideVectors},
    {"avx512bw", 7, 0, Ebx, 30, wideVectors},
    {"avx512cd", 7, 0, Ebx, 28, wideVectors},
    {"avx512dq", 7, 0, Ebx, 17, wideVectors},
    {"avx512vl", 7, 0, Ebx, 31, wideVectors},
    {"avx512vnni", 7, 0, Ecx, 11, wideVectors},
    {"avxvnni", 7, 1, Eax, 4, vectors},
    {"amx-tile", 7, 0, Edx, 24, matrices},
    {"amx-int8", 7, 0, Edx, 25, matrices},
};

bool hasBit(unsigned leaf, unsigned subleaf, Register in, unsigned bit) {
  unsigned registers[4] = {};
  return __get_cpuid_count(leaf, subleaf, &registers[0], &registers[1],
                           &registers[2], &registers[3]) &&
         registers[in] >> bit & 1;
}

uint64_t savedBySystem() {
  constexpr unsigned osxsave = 27;
  if (!hasBit(1, 0, Ecx, osxsave))
    return 0;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

/// Linux refuses where a signal's stack is too small for what it saves then.
bool areMatricesAllowed() {
  constexpr int request = 0x1023; // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, request, matrixData) == 0;
}

} // namespace

bool hasFeature(absl::string_view feature) {
  static const uint64_t saved = [] {
    const uint64_t all = savedBySystem();
    return (all & matrices) == matrices && !areMatricesAllowed()
               ? all & ~matrices
               : all;
  }();
  for (const Place &place : places)
    if (place.feature == feature)
      return hasBit(place.leaf, place.subleaf, place.in, place.bit) &&
             (saved & place.saved) == place.saved;
  return false;
}

#elif defined(__arm__)

bool hasFeature(absl::string_view feature) {
  return feature == "vfp3d16" && getauxval(AT_HWCAP) & HWCAP_VFPv3;
}

#elif defined(__aarch64__)

bool hasFeature(absl::string_view feature) {
  return feature == "dotprod" && getauxval(AT_HWCAP) & HWCAP_ASIMDDP;
}

#else

bool hasFeature(absl::string_view) { return false; }

#endif

static absl::string_view thisTriple() {
  for (const HostTarget &target : hostTargets())
    if (target.architecture == thisArchitecture())
      return target.triple;
  return "";
}

bool satisfies(const Executable &executable) {
  return executable.triple() == thisTriple() &&
         absl::c_all_of(executable.features(), hasFeature);
}

std::string describeMachine() {
  std::vector<absl::string_view> features;
  for (absl::string_view feature : featuresOf(thisArchitecture()))
    if (hasFeature(feature))
      features.push_back(feature);
  return absl::StrCat(thisTriple(), features.empty() ? "" : " with ",
                      absl::StrJoin(features, ", "));
}

} // namespace tenon::isa
