//===- ImportModel.h - Model files to TOSA ----------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The front door of the compiler: a model file becomes one module with one
// `func.func @main`: integer clusters in TOSA 1.0, everything else in linalg,
// tensor, arith, math, scf and cf.
//
// Conventions of the module:
// * Arguments and results have the ONNX shapes and types (uint8 is ui8) and
//   carry the argument or result attribute `tenon.name`; quantised ones have
//   `tenon.scale` and `tenon.zero_point`, too.  Elements that no type of MLIR's
//   arithmetic has (4-bit integers, 8-bit floats) lie in i8 or ui8 and
//   `tenon.element` is ONNX's name of them.  Open dimensions have names in
//   `tenon.symbols` ("" for fixed ones); "?" is one that only the run tells.
// * In clusters uint8 is int8 by value - 128, and four-dimensional tensors are
//   NHWC; they are transposed only where an operator or the border demands it.
//   Elsewhere tensors have ONNX's shape and signless elements.
// * The operation whose result equals a quantised tensor of the ONNX graph has
//   `tenon.tensor = {name, unsigned, perm, shape}`: transposing the result by
//   `perm` and reshaping it to `shape` gives the ONNX tensor (add 128 where
//   `unsigned`).
// * @main's attribute `tenon.reasons` says of nodes between quantised tensors,
//   by name, why they are in no integer cluster.
// * @main's attribute `tenon.places` says of nodes by name where a user wants
//   them: "accelerator" or "cpu".
// * Every location is the NameLoc of an ONNX node, or their FusedLoc where one
//   operation computes several nodes.  A node without a name is called by its
//   operator and its index: `Conv_3`.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_FRONTEND_ONNX_IMPORTMODEL_H
#define TENON_FRONTEND_ONNX_IMPORTMODEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <string>
#include <vector>

namespace tenon {

/// Loads every dialect that an imported module uses into `context`.
void loadImportDialects(mlir::MLIRContext &context);

/// Shapes of inputs, by name, that fix what the model leaves open.
using InputShapes = std::map<std::string, std::vector<int64_t>>;

/// Where nodes are wanted, "accelerator" or "cpu": by the name of a node, or of
/// an operator for all its nodes that have no wish of their own.
using WantedPlaces = std::map<std::string, std::string>;

/// Prepares a model that readModel gave for lowering: its inputs get the shapes
/// given, an open batch of a quantised network is 1, with a warning, and the
/// module is normalised (Normalize.h).
mlir::LogicalResult prepareModel(mlir::ModuleOp Model,
                                 const InputShapes &Shapes);

/// Imports the content of an ONNX file: binary protobuf, or its text form when
/// `path`, which stands in diagnostics, ends in `.textproto`.  What is wrong
/// and what is remarkable are diagnostics of `context`; the result is null
/// after an error.  Any content is safe to pass.
mlir::OwningOpRef<mlir::ModuleOp> parseOnnx(llvm::StringRef content,
                                            llvm::StringRef path,
                                            mlir::MLIRContext &context);

/// The same of TOSA as text or bytecode: a function @main of one block, or only
/// one that is public, with what it calls; tensors of fixed shape.  Attributes
/// and global variables of converters mean nothing.  Any content is safe to
/// pass, and its result to run.
mlir::OwningOpRef<mlir::ModuleOp> parseTosa(llvm::StringRef content,
                                            llvm::StringRef path,
                                            mlir::MLIRContext &context);

/// Reads back what an import gave and a program carries.  Beyond TOSA that can
/// compute addresses: it is code, and trusted as the program's host code is.
mlir::OwningOpRef<mlir::ModuleOp> parseImported(llvm::StringRef content,
                                                llvm::StringRef path,
                                                mlir::MLIRContext &context);

/// The same of the file `path`: `.mlir` and `.mlirbc` files are TOSA, whose
/// shapes are fixed, anything else is ONNX.  A wanted place of what the model
/// has not is an error.
mlir::OwningOpRef<mlir::ModuleOp> importModel(llvm::StringRef path,
                                              mlir::MLIRContext &context,
                                              const InputShapes &shapes = {},
                                              const WantedPlaces &places = {});

} // namespace tenon

#endif // TENON_FRONTEND_ONNX_IMPORTMODEL_H
