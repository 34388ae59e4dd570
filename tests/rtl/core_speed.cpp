// Part of Tenon, under the Apache License v2.0.
//
// Simulated kHz with GEMM or ALU busy and idle, cycles a vector, and the
// latency of one micro-op of each kind: from its acceptance to its retirement.

#include "core_bench.h"

#include <cstdio>
#include <ctime>

namespace core {
namespace {

struct Timed {
  double cyclesPerUop, kHz;
  uint64_t cycles;
};

/// `prepare` runs first; only `timed` counts.
Timed measure(const std::vector<Instruction> &prepare,
              const std::vector<Instruction> &timed, uint64_t uops) {
  // Distinct destinations, ACC operands in other banks than their neighbours.
  Program program = makeProgram(1, false, 0);
  for (uint32_t e = 0; e < sizes::UOP_ENTRIES; ++e) {
    program.initial.uop[0][e] = encodeUop(Gemm, {e / 8 % 64, e % 64, e % 64});
    program.initial.uop[1][e] =
        encodeUop(Alu, {e % 64, sizes::ACC_ENTRIES / 2 + e % 64, e % 64});
  }
  Bench bench(1, {}, true);
  bench.reset();
  bench.writeMemories(program.initial);
  for (const Instruction &i : prepare)
    (i.engine == Gemm ? program.gemm : program.alu).push_back(i);
  bench.run(program);
  uint64_t before = bench.cycles;
  for (const Instruction &i : timed)
    (i.engine == Gemm ? program.gemm : program.alu).push_back(i);
  std::clock_t start = std::clock();
  bench.run(program);
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  uint64_t cycles = bench.cycles - before - 5; // the quiet cycles at the end
  return {double(cycles) / uops, (bench.cycles - before) / seconds / 1e3,
          cycles};
}

Instruction work(Kind engine, uint32_t uops, uint32_t loops) {
  Instruction i;
  i.kind = i.engine = engine;
  i.uopCount = uops;
  i.outer = i.inner = loops;
  return i;
}

void report(const std::string &only, const std::string &name,
            const Instruction &shape) {
  if (name.compare(0, only.size(), only) != 0)
    return;
  Instruction one = shape, many = shape;
  one.uopCount = one.outer = one.inner = 1;
  many.uopCount = 64, many.outer = many.inner = 40;
  Timed latency = measure({}, {one}, 1);
  Timed rate = measure({}, {many, many, many}, 3 * 64 * 40 * 40);
  std::printf("%-28s %10llu %14.3f %12.0f\n", name.c_str(),
              (unsigned long long)latency.cycles, rate.cyclesPerUop, rate.kHz);
}

} // namespace

void speed(const std::string &only) {
  std::printf("%-28s %10s %14s %12s\n", "micro-op", "latency",
              "cycles/micro-op", "kHz");
  Instruction i = work(Gemm, 1, 1);
  i.first = 1;
  report(only, "gemm first", i);
  i.first = 0;
  report(only, "gemm from acc", i);
  const char *names[] = {"mov", "add",   "sub",      "min",  "max",
                         "mul", "shl",   "shr",      "shrr", "clamp",
                         "mac", "quant", "quant_add"};
  for (uint32_t op = 0; op <= QuantAdd; ++op)
    for (uint32_t operand = 0; operand <= (op <= Mul ? 1u : 0u); ++operand) {
      Instruction a = work(Alu, 1, 1);
      a.op = op, a.operand = operand;
      a.target = op >= Quant ? ToOut : ToAcc;
      report(only, (std::string(names[op]) + (operand ? " acc" : "")), a);
      bool reduces =
          op == Mac || (operand && (op == Add || op == Min || op == Max));
      if (reduces) {
        a.first = 1;
        report(only, (std::string(names[op]) + " first"), a);
      }
    }
}

} // namespace core
