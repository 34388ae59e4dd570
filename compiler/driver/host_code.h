//===- compiler/driver/host_code.h - Host code, made once -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_HOST_CODE_H
#define TENON_COMPILER_DRIVER_HOST_CODE_H

#include "isa/record_store.h"
#include "tenon/Target/CPU/CPUTarget.h"

namespace tenon::compiler {

/// What compileForHosts makes of `functions`, which is consumed; from `records`
/// where an earlier compilation made it of the same functions for the same
/// hosts. Records know of no workspaces.
llvm::Expected<isa::HostCode>
recordedHostCode(mlir::ModuleOp functions,
                 llvm::ArrayRef<const isa::HostTarget *> hosts,
                 isa::RecordStore &records, PassObserver observe);

/// What tenon::compileReference makes of `network`, which is consumed and has
/// `content` as bytecode; from `records` as above.
llvm::Expected<Reference> recordedReference(mlir::ModuleOp network,
                                            const std::string &content,
                                            Optimization optimization,
                                            bool withTensors,
                                            isa::RecordStore &records);

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_HOST_CODE_H
