// Part of Tenon, under the Apache License v2.0.
//
// Compiles MLIR for hosts and calls @main of it.

#ifndef TENON_TESTS_UNIT_CPU_HOST_RUN_H
#define TENON_TESTS_UNIT_CPU_HOST_RUN_H

#include "isa/executable.h"
#include "isa/host_abi.h"
#include "isa/host_features.h"
#include "runtime/aligned_memory.h"
#include "runtime/host_code.h"
#include "tenon/Target/CPU/CPUTarget.h"
#include "tenon/Target/CPU/Hosts.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <set>

namespace tenon {

inline llvm::Expected<isa::HostCode>
compile(const std::string &text,
        llvm::ArrayRef<const isa::HostTarget *> targets) {
  mlir::DialectRegistry registry;
  registerCPUTarget(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return llvm::createStringError("the test's module does not parse");
  auto objects = compileForHosts(*module, targets);
  if (!objects)
    return objects.takeError();
  return std::move(objects->Code);
}

/// What compileForHosts says of `text`; empty where it has nothing to say.
inline std::string refusal(const std::string &text,
                           std::vector<const isa::HostTarget *> targets) {
  auto code = compile(text, targets);
  return code ? "" : llvm::toString(code.takeError());
}

/// Memory whose bytes say nothing, from malloc.
class PoisonedMemory : public TenonHostMemory {
public:
  explicit PoisonedMemory(const runtime::Kernel &kernel)
      : TenonHostMemory{nullptr, nullptr, allocateFor, releaseFor, runFor} {
    EXPECT_TRUE(room.reserve(kernel.workspace).ok());
    workspace = room.data();
    if (workspace)
      std::memset(workspace, 0x55, kernel.workspace);
    constants = kernel.constants;
  }
  ~PoisonedMemory() {
    for (void *block : blocks)
      std::free(block);
  }
  /// The test's to free from here on.
  void giveAway(void *block) { blocks.erase(block); }

  std::set<void *> blocks; // that the kernel has not released

private:
  static void *allocateFor(TenonHostMemory *memory, uint64_t bytes) {
    void *block = std::malloc(bytes);
    std::memset(block, 0x55, bytes);
    static_cast<PoisonedMemory *>(memory)->blocks.insert(block);
    return block;
  }
  static void releaseFor(TenonHostMemory *memory, void *block) {
    EXPECT_TRUE(!block ||
                static_cast<PoisonedMemory *>(memory)->blocks.erase(block));
    std::free(block);
  }
  /// In one part or several, the last one first.
  static void runFor(TenonHostMemory *, TenonHostLoops loops,
                     const void *arguments, uint64_t, uint32_t number) {
    const uint32_t parts = 1 + number % 4;
    for (uint32_t part = parts; part-- > 0;)
      loops(arguments, part, parts);
  }
  runtime::AlignedMemory room;
};

/// Calls @main; its message. What it makes is the test's to free.
inline std::string call(const isa::HostCode &code,
                        std::vector<TenonHostTensor> &tensors) {
  auto loaded = runtime::HostCode::load(code);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  if (!loaded.ok())
    return "not loaded";
  auto kernel = loaded->kernel("main_packed");
  EXPECT_TRUE(kernel.ok()) << kernel.status();
  if (!kernel.ok())
    return "no kernel";
  PoisonedMemory memory(*kernel);
  if (const char *message = kernel->call(tensors.data(), &memory))
    return message;
  for (const TenonHostTensor &tensor : tensors)
    memory.giveAway(tensor.data);
  // A kernel releases what it needs no more.
  EXPECT_TRUE(memory.blocks.empty());
  return "";
}

/// The same with arrays of static shapes.
inline void run(const isa::HostCode &code, const std::vector<void *> &buffers) {
  std::vector<TenonHostTensor> tensors;
  for (void *buffer : buffers)
    tensors.push_back({buffer, nullptr});
  EXPECT_EQ(call(code, tensors), "");
}

/// Compiles `text` for every host and calls @main of all that this machine can
/// run with `inputs` and `output`: the bits must be the same.
template <typename T>
void runMain(const std::string &text, std::vector<void *> inputs,
             std::vector<T> &output) {
  auto code = compile(text, defaultHosts());
  ASSERT_TRUE(static_cast<bool>(code)) << llvm::toString(code.takeError());
  std::vector<T> first;
  for (const isa::Executable &executable : code->executables()) {
    if (!isa::satisfies(executable))
      continue;
    std::fill(output.begin(), output.end(), T(0x55));
    std::vector<void *> buffers = inputs;
    buffers.push_back(output.data());
    isa::HostCode alone;
    *alone.add_executables() = executable;
    alone.set_constants(code->constants());
    run(alone, buffers);
    if (first.empty())
      first = output;
    for (size_t i = 0; i < first.size(); ++i)
      // NaNs have bits of their own on each host.
      ASSERT_TRUE(std::memcmp(&first[i], &output[i], sizeof(T)) == 0 ||
                  (first[i] != first[i] && output[i] != output[i]))
          << isa::toString(executable) << ": element " << i << " is "
          << +output[i] << ", elsewhere it is " << +first[i];
  }
  EXPECT_FALSE(first.empty()) << "this machine runs none of the variants";
}

} // namespace tenon

#endif // TENON_TESTS_UNIT_CPU_HOST_RUN_H
