# Headers of libraries, each set read once and precompiled: they are most of what a
# file costs to compile. None is the project's own, so that an edit rebuilds what
# includes the file and no more. The asan preset and those of boards go without, so
# that a missing include is found.

# A set that is compiled for libraries serves programs only where these are compiled
# alike.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)

# What compiles is the same file with another time: its time is not looked at.
target_compile_options(tenon_flags INTERFACE -Xclang -fno-pch-timestamp)

file(SHA256 ${CMAKE_CURRENT_LIST_FILE} headers_list)

# tenon_headers(NAME headers... [DEPS targets...])
function(tenon_headers name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  set(empty ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "")
  add_library(${name} OBJECT ${empty})
  target_link_libraries(${name} PRIVATE tenon_flags ${ARG_DEPS})
  target_precompile_headers(${name} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  # Never from the cache: the file names the checkout, and another one may be gone.
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
  # Objects are: what the header file is made of stands for it.
  string(SHA256 digest "${name} ${LLVM_PACKAGE_VERSION} ${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_COMPILER_VERSION} ${headers_list}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum "${digest}")
endfunction()

set(common
  <algorithm> <array> <chrono> <cmath> <filesystem> <fstream> <functional> <iostream> <map> <memory>
  <mutex> <optional> <random> <set> <sstream> <string> <thread> <unordered_map> <variant> <vector>
  <absl/status/statusor.h> <absl/strings/str_cat.h>
  <fmt/format.h>
  <google/protobuf/map_field.h> <google/protobuf/message.h> <google/protobuf/util/json_util.h>)
set(common_targets absl::status absl::statusor absl::strings fmt::fmt protobuf::libprotobuf)

tenon_headers(tenon_common_headers ${common} DEPS ${common_targets})
tenon_headers(tenon_test_headers ${common} <gmock/gmock.h> <gtest/gtest.h> DEPS ${common_targets} GTest::gmock)
tenon_headers(tenon_mlir_headers ${common}
  <mlir/Bytecode/BytecodeOpInterface.h>
  <mlir/Dialect/Affine/IR/AffineOps.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Bufferization/IR/Bufferization.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/Math/IR/Math.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Tosa/IR/TosaOps.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/DialectResourceBlobManager.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Pass/PassManager.h>
  <mlir/Transforms/GreedyPatternRewriteDriver.h>
  DEPS ${common_targets} tenon_mlir)
