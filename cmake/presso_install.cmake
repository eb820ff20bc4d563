# Installs the libraries, their headers, the command and a CMake package: find_package(presso) gives
# presso::format, presso::compress, presso::decompress and presso::scan.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY PRESSO_LIBRARIES)
install(TARGETS ${libraries} EXPORT presso_targets FILE_SET HEADERS)
install(EXPORT presso_targets NAMESPACE presso:: FILE presso-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/presso)
configure_package_config_file(cmake/presso-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/presso-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/presso)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/presso-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/presso-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/presso-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/presso)
configure_file(cmake/presso.pc.in ${CMAKE_CURRENT_BINARY_DIR}/presso.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/presso.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET presso_command)
  install(TARGETS presso_command)
endif()
