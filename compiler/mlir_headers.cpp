// Part of Tenon, under the Apache License v2.0.
//
// The one file of the target that precompiles MLIR's headers (CMakeLists.txt).
