# A Kria, or any 64-bit Arm under Linux.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(TENON_CROSS_NAME aarch64)
set(TENON_CROSS_TRIPLE aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
