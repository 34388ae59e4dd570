# A PYNQ, or any ARMv7 with hard floats under Linux.
set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(TENON_CROSS_NAME armv7)
set(TENON_CROSS_TRIPLE arm-linux-gnueabihf)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
set(CMAKE_C_FLAGS_INIT -march=armv7-a)
set(CMAKE_CXX_FLAGS_INIT -march=armv7-a)
