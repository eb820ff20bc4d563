# presso_library(NAME HEADERS ... SOURCES ... DEPENDS ...): one of the static libraries, target
# presso_NAME, known and exported as presso::NAME, its public headers in a FILE_SET below include/.
# presso_gpu_library(NAME ...): the same with CUDA sources; exported apart, since who uses it needs
# the CUDA toolkit. Its public headers need none.
# presso_compile_options(TARGET): the warnings and sanitizers that all our code is built with.

# presso_unity(TARGET [BATCH N]): compiles the target's C++ files folder by folder, or N at a time,
# each folder as one unit, since most of the time of a small file goes into headers. Files with
# compile options of their own or with the property PRESSO_ALONE stay single units. The units
# name files by their path from the root, so that ccache knows them in another clone (CMake's own
# UNITY_BUILD names them by their whole path). Wheels give each file options of its own, so they
# have no such units.

option(PRESSO_UNITY_BUILD "Compile the C++ files of a folder as one unit" ON)

function(presso_unity target)
  if(PRESSO_UNITY_BUILD AND NOT PRESSO_COLD_OPTIONS)
    # Later, when all sources and their properties are known.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL presso_make_units ${target} ${ARGN})")
  endif()
endfunction()

function(presso_make_units target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BATCH" "")
  get_target_property(sources ${target} SOURCES)
  set(count 0)
  foreach(source IN LISTS sources)
    get_source_file_property(alone ${source} PRESSO_ALONE)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(NOT source MATCHES "^[^$]*\\.cpp$" OR alone OR options)
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET path PARENT_PATH unit)
    if(arg_BATCH)
      math(EXPR unit "${count} / ${arg_BATCH}")
      math(EXPR count "${count} + 1")
    endif()
    string(MAKE_C_IDENTIFIER "${target}_${unit}" unit)
    list(APPEND units ${unit})
    string(APPEND content_of_${unit} "#include \"${path}\"\n")
    presso_file_is_cold(cold ${PROJECT_SOURCE_DIR}/${path})
    if(NOT cold)
      set(hot_${unit} TRUE)
    endif()
    set_source_files_properties(${source} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
  list(REMOVE_DUPLICATES units)
  foreach(unit IN LISTS units)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${unit}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${content_of_${unit}}" @ONLY)
    target_sources(${target} PRIVATE ${file})
    if(NOT hot_${unit} AND CMAKE_BUILD_TYPE STREQUAL "Release")
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS -O1)
    endif()
  endforeach()
endfunction()

# presso_cpu_levels(TARGET SET [WIDE] [LEVELS LEVEL...] [OPTIONS OPTION...]): compiles a set of
# loops once for each CPU level (presso/cpu.h): portable, avx2 and avx512, or those of LEVELS.
# Machines other than x86-64 have the portable level alone. SET is a path without an ending. A level
# with code of its own has a file SET_LEVEL.cpp; the others share SET_body.h, which a unit in the
# build folder includes. Both find PRESSO_LEVEL defined, the level's name. Their code must be in a
# namespace of that name, so that the linker never takes a function of one level for another's
# (tests/house/levels.py). PRESSO_AVX2 is defined at the levels avx2 and avx512, PRESSO_AVX512 at
# avx512. format/cpu_loops.h picks the loops of a level at run time.
# WIDE: the compiler's own vectors have 512 bits at avx512, where it would take 256.
# Products of doubles must be the same at every level, so none becomes a fused operation.
function(presso_cpu_levels target set)
  cmake_parse_arguments(PARSE_ARGV 2 arg "WIDE" "" "LEVELS;OPTIONS")
  if(NOT arg_LEVELS)
    set(arg_LEVELS portable avx2 avx512)
  endif()
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(FILTER arg_LEVELS INCLUDE REGEX portable)
  endif()
  set(options_portable ${arg_OPTIONS} -ffp-contract=off)
  set(options_avx2 ${options_portable} -mavx2 -mbmi -mbmi2 -mpopcnt)
  # g++ 12 takes the undefined registers of its own headers for a mistake (its bug 105593).
  set(options_avx512 ${options_avx2} -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vbmi2
      $<$<BOOL:${arg_WIDE}>:-mprefer-vector-width=512>
      "$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized>")
  set(defined_avx2 PRESSO_AVX2)
  set(defined_avx512 PRESSO_AVX2 PRESSO_AVX512)
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}
             OUTPUT_VARIABLE room)
  foreach(level IN LISTS arg_LEVELS)
    set(file ${set}_${level}.cpp)
    if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
      set(file ${CMAKE_CURRENT_BINARY_DIR}/${file})
      file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${room}/${set}_body.h\"\n" @ONLY)
    endif()
    target_sources(${target} PRIVATE ${file})
    set_source_files_properties(${file} PROPERTIES
      COMPILE_OPTIONS "${options_${level}}"
      COMPILE_DEFINITIONS "PRESSO_LEVEL=${level};${defined_${level}}")
  endforeach()
endfunction()

# presso_cxx_and_cuda(TARGET OPTION...): options for the host compiler, which nvcc hands on.
function(presso_cxx_and_cuda target)
  string(REPLACE ";" "," for_nvcc "${ARGN}")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:${ARGN}>
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler=${for_nvcc}>")
endfunction()

function(presso_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  presso_cxx_and_cuda(${target} -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                      -Wnon-virtual-dtor -Woverloaded-virtual)
  # CMake 3.25 does not know that nvcc has C++20. A launch without a stream is a warning.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;-Wdefault-stream-launch>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CONFIG:RelWithDebInfo>>:-lineinfo>)
  if(PRESSO_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Werror>
      "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings>")
  endif()
  if(PRESSO_SANITIZE)
    string(REPLACE "," ";-fsanitize=" one_by_one "-fsanitize=${PRESSO_SANITIZE}")
    presso_cxx_and_cuda(${target} ${one_by_one} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${PRESSO_SANITIZE})
  endif()
  if(PRESSO_BUILD_FUZZERS)  # coverage for libFuzzer to steer by
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
    target_link_options(${target} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# Creates the target; presso_library and presso_gpu_library say to which package it belongs.
function(presso_add_library name)
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
  presso_unity(${target})
endfunction()

function(presso_library name)
  presso_add_library(${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY PRESSO_LIBRARIES presso_${name})
endfunction()

function(presso_gpu_library name)
  presso_add_library(${name} ${ARGN})
  target_link_libraries(presso_${name} PRIVATE CUDA::cudart_static)
  set_property(GLOBAL APPEND PROPERTY PRESSO_GPU_LIBRARIES presso_${name})
endfunction()
