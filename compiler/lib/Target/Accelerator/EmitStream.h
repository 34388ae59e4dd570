//===- EmitStream.h - One launch of a program -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0. Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_ACCELERATOR_EMITSTREAM_H
#define TENON_LIB_TARGET_ACCELERATOR_EMITSTREAM_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"
#include "tenon/Dialect/Accel/Accel.h"
#include "llvm/Support/Error.h"

#include <array>
#include <set>

namespace tenon {

/// Adds launches to a program: layers, tensors, segments, debug runs, encoded
/// instructions.
class StreamEmitter {
public:
  StreamEmitter(const isa::Layout &L, isa::Program &Program)
      : L(L), Program(Program) {}

  /// Adds everything but the place of the instructions.
  llvm::Error add(accel::StreamOp Op);

  /// Places the instructions of all launches behind everything else. An error
  /// where no launch could begin there.
  llvm::Error placeInstructions();

  /// Index of a tensor that an attribute dictionary describes; a new one if it
  /// is not listed yet.
  uint32_t tensor(mlir::DictionaryAttr Dict, uint32_t FirstLayer);

private:
  struct Code {
    int Step;          ///< index of the launch step
    std::string Bytes; ///< encoded
    uint64_t Count;
  };

  void addLayers(accel::StreamOp Op);
  void addSegments(accel::StreamOp Op);
  llvm::Error encode(accel::StreamOp Op, uint32_t FirstLayer);
  void addTensors(accel::StreamOp Op, uint32_t FirstLayer);

  const isa::Layout &L;
  isa::Program &Program;
  std::vector<Code> Codes;
  /// Instructions of each engine in all launches so far.
  std::array<uint32_t, isa::engineCount> Issued{};
  /// For each layer of the launch the STOREs up to its last one.
  std::vector<uint64_t> StoresUntil;
  std::set<uint64_t> Segments; ///< offsets of those in the program
};

} // namespace tenon

#endif // TENON_LIB_TARGET_ACCELERATOR_EMITSTREAM_H
