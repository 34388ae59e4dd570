//===- BufferLifetimes.h - When buffers are needed --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_BUFFERLIFETIMES_H
#define TENON_LIB_TARGET_CPU_BUFFERLIFETIMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tenon {

/// A buffer that needs memory of a known size at known times.
struct PlannedBuffer {
  /// What it is in the code; several where one takes the place of another.
  llvm::SmallVector<mlir::memref::AllocOp, 1> Allocs;
  uint64_t Bytes;
  /// The operations that need it, counted through the function, those of nested
  /// regions as they come. What a loop needs of what lies outside is needed
  /// from its begin to its end.
  uint32_t First, Last;
};

/// The buffers of `Function`, which has one block and no deallocations yet,
/// that need one place for the whole call: of static size and one buffer at a
/// time, also where a loop makes it anew. A buffer that nothing reads or writes
/// is none. In the order of the code.
llvm::SmallVector<PlannedBuffer> plannedBuffers(mlir::func::FuncOp Function);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_BUFFERLIFETIMES_H
