# Installs the libraries, their headers, the command and a CMake package: find_package(presso) gives
# presso::format, presso::compress, presso::decompress, presso::scan and presso::query; pkg-config
# knows "presso".
# Where there is GPU code, its libraries have an export set and a .pc file of their own: they need
# the CUDA toolkit, which users of the others need not have.
# All find their files from where they lie, so cmake --install --prefix may name any place.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/presso)
get_property(libraries GLOBAL PROPERTY PRESSO_LIBRARIES)
get_property(gpu_libraries GLOBAL PROPERTY PRESSO_GPU_LIBRARIES)
install(TARGETS ${libraries} EXPORT presso_targets ARCHIVE COMPONENT library
        FILE_SET HEADERS COMPONENT library)
install(EXPORT presso_targets NAMESPACE presso:: FILE presso-targets.cmake
        DESTINATION ${package_dir} COMPONENT library)
if(gpu_libraries)
  install(TARGETS ${gpu_libraries} EXPORT presso_gpu_targets FILE_SET HEADERS)
  install(EXPORT presso_gpu_targets NAMESPACE presso:: FILE presso-gpu-targets.cmake
          DESTINATION ${package_dir})
endif()
list(TRANSFORM gpu_libraries REPLACE "^presso_" "presso::" OUTPUT_VARIABLE PRESSO_GPU_TARGETS)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/presso-config.cmake.in
  ${PROJECT_BINARY_DIR}/presso-config.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/presso-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/presso-config.cmake
              ${PROJECT_BINARY_DIR}/presso-config-version.cmake
        DESTINATION ${package_dir} COMPONENT library)

# A static library must stand before those that it uses: the reverse of the order of creation.
function(presso_link_flags result)
  list(REVERSE ARGN)
  list(TRANSFORM ARGN PREPEND -l)
  list(JOIN ARGN " " flags)
  set(${result} "${flags}" PARENT_SCOPE)
endfunction()
function(presso_install_pc name component)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT ${component})
endfunction()
file(RELATIVE_PATH PRESSO_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
presso_link_flags(PRESSO_PC_LIBRARIES ${libraries})
presso_install_pc(presso library)
if(gpu_libraries)
  presso_link_flags(PRESSO_PC_GPU_LIBRARIES ${gpu_libraries})
  presso_install_pc(presso-gpu plain)
endif()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT plain)
if(TARGET presso_command)
  install(TARGETS presso_command COMPONENT command)
endif()
