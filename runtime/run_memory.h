//===- runtime/run_memory.h - Where buffers lie in a run --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inputs and outputs are the caller's memory, buffers of known size between
// steps share a block, and what has an open dimension comes from the kernel
// that makes it and is freed behind the last step that reads it.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_RUN_MEMORY_H
#define TENON_RUNTIME_RUN_MEMORY_H

#include "runtime/border.h"
#include "runtime/kernel_memory.h"
#include "runtime/loaded_program.h"

#include <vector>

namespace tenon::runtime {

/// One run at a time; made for many.
class RunMemory {
public:
  /// `loaded` outlives it.
  explicit RunMemory(const LoadedProgram &loaded);

  /// Takes the memory that kernels work in; once, before the first run.
  /// ResourceExhausted: there is not so much.
  absl::Status reserveWorkspace();

  /// Begins a run: binds open dimensions, checks the caller's arrays and places
  /// every buffer. What the last run made is gone. InvalidArgument as of
  /// Session::run; ResourceExhausted: there is no memory for them.
  absl::Status place(absl::Span<const ConstView> inputs,
                     absl::Span<const View> outputs);

  /// Where a buffer lies; null before a kernel makes it.
  uint8_t *at(uint32_t buffer) const { return places[buffer]; }

  /// A buffer that has been computed.
  ConstView view(uint32_t buffer) const;

  /// Calls a kernel. InvalidArgument with the kernel's message where it returns
  /// one; ResourceExhausted where it asks for more memory than there is;
  /// Internal where it made an output that the program has not. `nests` as of
  /// KernelMemory::call.
  absl::Status call(const KernelStep &kernel,
                    std::vector<NestRun> *nests = nullptr);

  /// Frees what nothing reads after this step.
  void endStep(size_t step);

  /// Ends a run: what lies elsewhere goes to the caller's outputs, as far as
  /// they have memory.
  absl::Status copyOut(absl::Span<const View> outputs) const;

private:
  using Made = KernelMemory::Block;

  absl::Status checkMemory(absl::Span<const ConstView> inputs,
                           absl::Span<const View> outputs) const;
  absl::Status checkValues(absl::Span<const ConstView> inputs) const;
  absl::Status placeBetweenSteps();
  absl::Status take(const KernelStep &kernel, uint32_t buffer, Made data,
                    Shape shape);

  const LoadedProgram &loaded;
  Extents extents, planned; // of this run; those `buffers` was made for
  BufferPlan buffers;
  AlignedMemory block; // that `buffers` divides; at least as large
  KernelMemory kernels;
  // Of each buffer of the program:
  std::vector<uint8_t *> places;
  std::vector<Shape> shapes;
  std::vector<Made> made;
  std::vector<TenonHostTensor> tensors; // of the kernel being called
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_RUN_MEMORY_H
