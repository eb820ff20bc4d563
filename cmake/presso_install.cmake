# Installs the libraries, their headers, the command and a CMake package: find_package(presso) gives
# presso::format, presso::compress, presso::decompress and presso::scan; pkg-config knows "presso".
# Both find their files from where they lie, so cmake --install --prefix may name any place.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/presso)
get_property(libraries GLOBAL PROPERTY PRESSO_LIBRARIES)
install(TARGETS ${libraries} EXPORT presso_targets FILE_SET HEADERS)
install(EXPORT presso_targets NAMESPACE presso:: FILE presso-targets.cmake
        DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/presso-config.cmake.in
  ${PROJECT_BINARY_DIR}/presso-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/presso-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/presso-config.cmake
              ${PROJECT_BINARY_DIR}/presso-config-version.cmake
        DESTINATION ${package_dir})

# A static library must stand before those that it uses: the reverse of the order of creation.
set(PRESSO_PC_LIBRARIES ${libraries})
list(REVERSE PRESSO_PC_LIBRARIES)
list(TRANSFORM PRESSO_PC_LIBRARIES PREPEND -l)
list(JOIN PRESSO_PC_LIBRARIES " " PRESSO_PC_LIBRARIES)
file(RELATIVE_PATH PRESSO_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/presso.pc.in ${PROJECT_BINARY_DIR}/presso.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/presso.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET presso_command)
  install(TARGETS presso_command)
endif()
