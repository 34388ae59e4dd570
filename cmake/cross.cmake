# What the toolchain files share: clang for the target TENON_CROSS_TRIPLE, headers and
# libraries of Debian's packages for it (cmake/sysroot.sh, ./dev cross), programs
# of this machine.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../.cache/sysroot/${TENON_CROSS_NAME})
set(CMAKE_LIBRARY_ARCHITECTURE ${TENON_CROSS_TRIPLE})
foreach(language C CXX)
  set(CMAKE_${language}_COMPILER_TARGET ${TENON_CROSS_TRIPLE})
endforeach()
set(CMAKE_FIND_ROOT_PATH ${CMAKE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
