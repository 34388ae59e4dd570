# Targets of the project: one function for libraries, one for programs, one for
# unit tests, so that flags and include roots are said once.

add_library(tenon_flags INTERFACE)
target_compile_options(tenon_flags INTERFACE -Wall -Wextra -Wno-unused-parameter -Werror)
# The include root is the repository: "isa/...", "sim/...", "runtime/...".
# Generated files lie under the same paths in the build tree.
target_include_directories(tenon_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})

# The same plus MLIR and LLVM, and "tenon/..." of compiler/include.
add_library(tenon_mlir INTERFACE)
target_link_libraries(tenon_mlir INTERFACE tenon_flags MLIR LLVM)
target_include_directories(tenon_mlir SYSTEM INTERFACE /usr/lib/llvm-22/include)
target_include_directories(tenon_mlir INTERFACE
  ${CMAKE_SOURCE_DIR}/compiler/include ${CMAKE_BINARY_DIR}/compiler/include)

# tenon_precompiled(TARGET dependencies...): the set of precompiled headers for what
# depends on these, where the preset has sets (TenonHeaders.cmake).
function(tenon_precompiled target)
  set(headers tenon_common_headers)
  if(tenon_mlir IN_LIST ARGN)
    set(headers tenon_mlir_headers)
  elseif(GTest::gmock IN_LIST ARGN)
    set(headers tenon_test_headers)
  endif()
  if(TARGET ${headers})
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

# tenon_library(NAME sources... [DEPS targets...]): what includes MLIR depends on
# tenon_mlir by name.
function(tenon_library name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC tenon_flags ${ARG_DEPS})
  tenon_precompiled(${name} ${ARG_DEPS})
endfunction()

# tenon_program(NAME sources... [DEPS targets...])
function(tenon_program name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE tenon_flags ${ARG_DEPS})
  tenon_precompiled(${name} ${ARG_DEPS})
endfunction()

# tenon_test(NAME sources... [DEPS targets...]): a GoogleTest program, each case a
# ctest test; `TENON_SOURCE_DIR` is defined for fixtures.
function(tenon_test name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  tenon_program(${name} ${ARG_UNPARSED_ARGUMENTS} DEPS ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE TENON_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TENON_BINARY_DIR="${CMAKE_BINARY_DIR}")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
endfunction()

# tenon_pytest(NAME PATH [TIMEOUT seconds] [ENVIRONMENT variables...]): a file of pytest,
# or a folder, as one ctest test. What ran and what was skipped of it, case by case:
# results/pytest/NAME.xml, which tests/skips.py reads.
function(tenon_pytest name path)
  cmake_parse_arguments(ARG "" "TIMEOUT" "ENVIRONMENT" ${ARGN})
  add_test(NAME ${name} COMMAND ${TENON_PYTHON} -m pytest -q -p no:cacheprovider
    --junitxml=${CMAKE_BINARY_DIR}/results/pytest/${name}.xml ${path})
  if(ARG_TIMEOUT)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()

# tenon_proto(NAME files...): a library of protobuf messages, included by their
# path from the repository root.
function(tenon_proto name)
  set(outputs)
  foreach(file ${ARGN})
    get_filename_component(file ${file} ABSOLUTE)
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${file})
    string(REGEX REPLACE "\\.proto$" "" stem ${path})
    add_custom_command(
      OUTPUT ${CMAKE_BINARY_DIR}/${stem}.pb.cc ${CMAKE_BINARY_DIR}/${stem}.pb.h
      COMMAND protobuf::protoc --proto_path=${CMAKE_SOURCE_DIR} --cpp_out=${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/${path}
      DEPENDS ${CMAKE_SOURCE_DIR}/${path} COMMENT "protoc ${path}")
    list(APPEND outputs ${CMAKE_BINARY_DIR}/${stem}.pb.cc)
  endforeach()
  add_library(${name} STATIC ${outputs})
  target_link_libraries(${name} PUBLIC protobuf::libprotobuf)
  target_include_directories(${name} SYSTEM PUBLIC ${CMAKE_BINARY_DIR})
endfunction()

# tenon_embed(OUTPUT HEADER TYPE FUNCTION [NAMESPACE name] [ROOT folder] files...
# [ROOT folder files...]): OUTPUT is set to a C++ source with the files, as
# embed.cmake says; their paths are relative to the root before them, without one
# they are names alone.
function(tenon_embed output header type function)
  cmake_parse_arguments(ARG "" "NAMESPACE" "" ${ARGN})
  set(roots)
  set(files)
  set(root)
  set(is_root FALSE)
  foreach(word IN LISTS ARG_UNPARSED_ARGUMENTS)
    if(is_root)
      set(root ${word})
      set(is_root FALSE)
    elseif(word STREQUAL "ROOT")
      set(is_root TRUE)
    else()
      get_filename_component(folder ${word} DIRECTORY)
      if(root)
        set(folder ${root})
      endif()
      list(APPEND roots ${folder})
      list(APPEND files ${word})
    endif()
  endforeach()
  string(REPLACE ";" "," joined_roots "${roots}")
  string(REPLACE ";" "," joined_files "${files}")
  set(embedded ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  add_custom_command(OUTPUT ${embedded}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${embedded} -DHEADER=${header} -DTYPE=${type}
      -DFUNCTION=${function} -DNAMESPACE=${ARG_NAMESPACE} -DROOTS=${joined_roots}
      -DFILES=${joined_files} -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
    COMMENT "Embedding ${function}" VERBATIM)
  set(${output} ${embedded} PARENT_SCOPE)
endfunction()
