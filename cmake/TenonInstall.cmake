# What `cmake --install` puts where: the runtime library with its headers, the
# CMake package Tenon (target Tenon::tenon), pkg-config's file, and the program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

target_include_directories(tenon_shared INTERFACE
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)
install(TARGETS tenon_shared EXPORT TenonTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES runtime/tenon.h runtime/tenon.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenon)
install(EXPORT TenonTargets NAMESPACE Tenon:: DESTINATION ${package})
configure_package_config_file(cmake/TenonConfig.cmake.in
  ${CMAKE_BINARY_DIR}/TenonConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TenonConfig.cmake
  ${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake DESTINATION ${package})

# From pkg-config's folder up to the prefix: a copied tree still works.
file(RELATIVE_PATH PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/tenon.pc.in ${CMAKE_BINARY_DIR}/tenon.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tenon.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET tenon)
  # LLVM's libraries are not where the loader looks by itself.
  set_target_properties(tenon PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS tenon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
