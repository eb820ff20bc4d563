# presso_library(NAME HEADERS ... SOURCES ... DEPENDS ...): one of the static libraries, target
# presso_NAME, known and exported as presso::NAME, its public headers in a FILE_SET below include/.
# presso_compile_options(TARGET): the warnings and sanitizers that all our code is built with.

function(presso_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                                           -Wnon-virtual-dtor -Woverloaded-virtual)
  if(PRESSO_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(PRESSO_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${PRESSO_SANITIZE}
                                             -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${PRESSO_SANITIZE})
  endif()
  if(PRESSO_BUILD_FUZZERS)  # coverage for libFuzzer to steer by
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${target} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
endfunction()

function(presso_library name)
  cmake_parse_arguments(arg "" "" "HEADERS;SOURCES;DEPENDS" ${ARGN})
  # The prefix keeps plain words such as "format" free for projects that include this one.
  set(target presso_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(presso::${name} ALIAS ${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR}/include
                                  FILES ${arg_HEADERS})
  # Private headers are included by their path from the repository's root.
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  presso_compile_options(${target})
  set_property(GLOBAL APPEND PROPERTY PRESSO_LIBRARIES ${target})
endfunction()
