# Debian packages: presso, which is the command, and libpresso-dev, the static libraries with their
# headers. `cpack -G DEB` in the build folder makes them. To be built with
# -DCMAKE_INSTALL_PREFIX=/usr, so that libraries go where Debian has them, and, as Debian wants it,
# with the shared libraries of the other codecs (-DPRESSO_ZLIB_LIBRARY=/usr/lib/.../libz.so and the
# like).
find_program(PRESSO_GZIP gzip)
mark_as_advanced(PRESSO_GZIP)
if(NOT PRESSO_GZIP OR NOT UNIX OR APPLE)
  return()
endif()

# Debian's names of what every package has.
set(debian ${PROJECT_BINARY_DIR}/debian)
file(READ ${PROJECT_SOURCE_DIR}/LICENSE licence)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]+)" ignored "${licence}")
set(PRESSO_COPYRIGHT "${CMAKE_MATCH_1}")
string(REGEX REPLACE "^.*\n\n(Permission is)" "\\1" licence "${licence}")
string(STRIP "${licence}" licence)
string(REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REPLACE "\n" "\n " PRESSO_LICENCE "${licence}")
set(PRESSO_MAINTAINER "presso authors <presso@noreply.invalid>")
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian_copyright.in ${debian}/copyright @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian_changelog.in ${debian}/changelog @ONLY)
execute_process(COMMAND ${PRESSO_GZIP} -9nkf ${debian}/changelog
                COMMAND_ERROR_IS_FATAL ANY)
function(presso_debian_documents package component)
  install(FILES ${debian}/copyright ${debian}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
          COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()
presso_debian_documents(presso debian_command)
presso_debian_documents(libpresso-dev debian_library)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME presso)
set(CPACK_PACKAGE_CONTACT "${PRESSO_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL command debian_command library debian_library)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PRESSO_PACKAGE_NAME presso)
set(CPACK_DEBIAN_PRESSO_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PRESSO_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libpresso-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libc6-dev, libstdc++-dev | g++")
string(JOIN "\n" CPACK_DEBIAN_PRESSO_DESCRIPTION
  "The command presso keeps text, logs and tables in compressed blocks, searches"
  "them with regular expressions, and selects, joins and groups the rows of"
  "tables, without decompressing files.")
string(JOIN "\n" CPACK_DEBIAN_DEV_DESCRIPTION
  "Static C++20 libraries, headers, and files for CMake and pkg-config, which"
  "compress, decompress and search blocks of text, and ask questions of"
  "compressed tables.")
include(CPack)
cpack_add_component_group(presso)
cpack_add_component_group(dev)
cpack_add_component(command GROUP presso)
cpack_add_component(debian_command GROUP presso)
cpack_add_component(library GROUP dev)
cpack_add_component(debian_library GROUP dev)
