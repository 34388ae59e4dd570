//===- tools/tenon/host_peaks.cpp - What this machine does at most --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/host_peaks.h"

#include "isa/host_features.h"
#include "runtime/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tenon::tools {
namespace {

// As many chains as hide the latency of one, in as many registers.
constexpr int chains = 12;
constexpr int steps = 1 << 16;

/// What is computed ends here, so that it is.
template <typename T> void keep(T value) {
  __asm__ volatile("" : : "m"(value) : "memory");
}

/// Operations of one call in one thread, and the call.
struct Chains {
  double operations;
  TenonHostLoops run;
};

#ifdef __x86_64__

__attribute__((target("avx512f"))) void floats512(const void *, uint32_t,
                                                  uint32_t) {
  __m512 sums[chains] = {};
  const __m512 x = _mm512_set1_ps(0.5f);
  for (int step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < chains; ++chain)
      sums[chain] = _mm512_fmadd_ps(sums[chain], x, x);
  for (__m512 sum : sums)
    keep(_mm512_castps512_ps128(sum));
}

__attribute__((target("avx,fma"))) void floats256(const void *, uint32_t,
                                                  uint32_t) {
  __m256 sums[chains] = {};
  const __m256 x = _mm256_set1_ps(0.5f);
  for (int step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < chains; ++chain)
      sums[chain] = _mm256_fmadd_ps(sums[chain], x, x);
  for (__m256 sum : sums)
    keep(_mm256_castps256_ps128(sum));
}

__attribute__((target("avx512f,avx512vnni"))) void
quads512(const void *, uint32_t, uint32_t) {
  __m512i sums[chains] = {};
  const __m512i x = _mm512_set1_epi8(3);
  for (int step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < chains; ++chain)
      sums[chain] = _mm512_dpbusd_epi32(sums[chain], x, x);
  for (__m512i sum : sums)
    keep(_mm512_castsi512_si128(sum));
}

__attribute__((target("avx2,avxvnni"))) void quads256(const void *, uint32_t,
                                                      uint32_t) {
  __m256i sums[chains] = {};
  const __m256i x = _mm256_set1_epi8(3);
  for (int step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < chains; ++chain)
      sums[chain] = _mm256_dpbusd_avx_epi32(sums[chain], x, x);
  for (__m256i sum : sums)
    keep(_mm256_castsi256_si128(sum));
}

/// A multiplication and an addition each.
__attribute__((target("avx2"))) void pairs256(const void *, uint32_t,
                                              uint32_t) {
  __m256i sums[chains] = {};
  __m256i x = _mm256_set1_epi16(3);
  for (int step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < chains; ++chain) {
      __asm__("" : "+x"(x)); // not the same product again
      sums[chain] = _mm256_add_epi32(sums[chain], _mm256_madd_epi16(x, x));
    }
  for (__m256i sum : sums)
    keep(_mm256_castsi256_si128(sum));
}

__attribute__((target("amx-tile,amx-int8"))) void matrices(const void *,
                                                           uint32_t, uint32_t) {
  struct alignas(64) {
    uint8_t palette = 1, start = 0, reserved[14] = {};
    uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } shapes;
  _tile_loadconfig(&shapes);
  _tile_zero(0), _tile_zero(1), _tile_zero(2), _tile_zero(3);
  _tile_zero(4), _tile_zero(5), _tile_zero(6), _tile_zero(7);
  for (int step = 0; step < steps / 64; ++step) {
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
  }
  _tile_release();
}

Chains floatChains() {
  if (isa::hasFeature("avx512f"))
    return {2.0 * 16 * chains * steps, floats512};
  if (isa::hasFeature("fma"))
    return {2.0 * 8 * chains * steps, floats256};
  return {};
}

Chains byteChains() {
  if (isa::hasFeature("amx-int8"))
    return {2.0 * 16 * 16 * 64 * 4 * (steps / 64), matrices};
  if (isa::hasFeature("avx512vnni"))
    return {2.0 * 64 * chains * steps, quads512};
  if (isa::hasFeature("avxvnni"))
    return {2.0 * 32 * chains * steps, quads256};
  if (isa::hasFeature("avx2"))
    return {2.0 * 16 * chains * steps, pairs256};
  return {};
}

#else

Chains floatChains() { return {}; }
Chains byteChains() { return {}; }

#endif

/// Vectors of the architecture's own.
void floats128(const void *, uint32_t, uint32_t) {
  typedef float Vector __attribute__((vector_size(16)));
  Vector sums[chains] = {};
  const Vector x = {0.5f, 0.5f, 0.5f, 0.5f};
  for (int step = 0; step < steps; ++step)
#pragma clang loop unroll(full)
    for (int chain = 0; chain < chains; ++chain)
      sums[chain] = sums[chain] * x + x;
  for (Vector sum : sums)
    keep(sum);
}

using Clock = std::chrono::steady_clock;
constexpr double secondsOfEach = 0.05;

/// The least seconds of one call of all threads.
double fastest(TenonHostLoops loops, const void *arguments) {
  // Long enough that no thread is left out.
  constexpr uint64_t aSecond = 1000000000;
  double best = 1e9;
  const auto begin = Clock::now();
  for (int run = 0;
       run < 3 || std::chrono::duration<double>(Clock::now() - begin).count() <
                      secondsOfEach;
       ++run) {
    const auto start = Clock::now();
    runtime::ThreadPool::process().run(loops, arguments, aSecond);
    best = std::min(
        best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

/// Two arrays of so many bytes together, in memory that each thread has of its
/// own, copied over and over.
struct Copy {
  uint64_t bytes, times;
  std::vector<std::unique_ptr<uint8_t[]>> arrays; // of each part

  static void run(const void *self, uint32_t part, uint32_t) {
    const auto &copy = *static_cast<const Copy *>(self);
    uint8_t *array = copy.arrays[part].get();
    for (uint64_t time = 0; time < copy.times; ++time) {
      std::memcpy(array, array + copy.bytes / 2, copy.bytes / 2);
      keep(array[0]);
    }
  }
};

double bytesPerSecond(uint64_t bytes, unsigned threads) {
  // Long enough to be measured, in a memory that is small.
  constexpr uint64_t least = 4 << 20;
  Copy copy{bytes, std::max<uint64_t>(least / bytes, 1), {}};
  for (unsigned thread = 0; thread < threads; ++thread) {
    copy.arrays.emplace_back(new uint8_t[bytes]);
    std::memset(copy.arrays.back().get(), 1, bytes);
  }
  return double(bytes) * copy.times * threads / fastest(Copy::run, &copy);
}

} // namespace

report::HostPeaks measureHostPeaks() {
  const unsigned threads = runtime::ThreadPool::process().threads();
  report::HostPeaks peaks;
  Chains floats = floatChains(), bytes = byteChains();
  if (!floats.run)
    floats = {2.0 * 4 * chains * steps, floats128};
  peaks.set_float_operations_per_s(floats.operations * threads /
                                   fastest(floats.run, nullptr));
  // Without instructions for bytes, integers are multiplied as floats are.
  peaks.set_byte_operations_per_s(bytes.run ? bytes.operations * threads /
                                                  fastest(bytes.run, nullptr)
                                            : peaks.float_operations_per_s());
  // First and second level of about every processor, then what they share.
  for (uint64_t size : {uint64_t(24) << 10, uint64_t(512) << 10,
                        uint64_t(8) << 20, uint64_t(128) << 20}) {
    report::HostPeaks::Memory &memory = *peaks.add_memory();
    memory.set_bytes(size * threads);
    memory.set_bytes_per_s(bytesPerSecond(size, threads));
  }
  return peaks;
}

HostBound hostBound(const report::HostPeaks &peaks, double operations,
                    double bytes, bool multipliesBytes) {
  const double rate = multipliesBytes ? peaks.byte_operations_per_s()
                                      : peaks.float_operations_per_s();
  double bandwidth = 0;
  for (const report::HostPeaks::Memory &memory : peaks.memory()) {
    bandwidth = memory.bytes_per_s();
    if (bytes <= memory.bytes())
      break;
  }
  return {1e3 * operations / rate, 1e3 * bytes / bandwidth};
}

} // namespace tenon::tools
