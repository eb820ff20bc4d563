# Decides whether the GPU code is built: sets PRESSO_CUDA to ON or OFF and enables the language.
#   PRESSO_ENABLE_CUDA=AUTO  where a CUDA compiler works
#   PRESSO_ENABLE_CUDA=ON    or stop with an error
#   PRESSO_ENABLE_CUDA=OFF   do not even look for one
# PRESSO_CUDA_ARCHITECTURES lists what to compile for, as CMAKE_CUDA_ARCHITECTURES does.
if(NOT PRESSO_ENABLE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "PRESSO_ENABLE_CUDA must be AUTO, ON or OFF, not '${PRESSO_ENABLE_CUDA}'")
endif()
# Machine code for the A100 and H100 families; newer devices compile the intermediate code.
set(PRESSO_CUDA_ARCHITECTURES "80-real;90-real;90-virtual" CACHE STRING
    "GPU architectures to compile for, 80 or newer")
# AUTO, as in the presets for tests: ON where there is no GPU to run the kernels. They take a tenth
# of the time to compile and are several times slower: bin/compiled-fast marks such a build, which
# tests/gpu/run.sh and the scripts of lab/figures refuse.
set(PRESSO_CUDA_FAST_COMPILE OFF CACHE STRING
    "Compile kernels without optimisation (nvcc --Ofast-compile max): AUTO, ON or OFF")
set_property(CACHE PRESSO_CUDA_FAST_COMPILE PROPERTY STRINGS AUTO ON OFF)
set(PRESSO_CUDA_OLDEST 12.8)  # the first whose runtime loads kernels that NVRTC compiled

# Toolkits come with their own folder, which is in few people's PATH.
macro(presso_find_nvcc)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(PRESSO_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda
                 PATH_SUFFIXES bin)
    mark_as_advanced(PRESSO_NVCC)
    if(PRESSO_NVCC)
      set(CMAKE_CUDA_COMPILER ${PRESSO_NVCC})
    endif()
  endif()
endmacro()

# One compiler for all host code, so that sanitizers and the standard library agree.
macro(presso_enable_cuda)
  set(CMAKE_CUDA_ARCHITECTURES ${PRESSO_CUDA_ARCHITECTURES})
  set(CMAKE_CUDA_RUNTIME_LIBRARY None)  # linked by name: CUDA::cudart_static
  if(NOT CMAKE_CUDA_HOST_COMPILER AND NOT DEFINED ENV{CUDAHOSTCXX})
    set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
  endif()
endmacro()

set(PRESSO_CUDA OFF)
set(PRESSO_CUDA_REASON "not asked for")
if(NOT PRESSO_ENABLE_CUDA STREQUAL "OFF")
  presso_find_nvcc()
  presso_enable_cuda()
  if(NOT CMAKE_CUDA_COMPILER)
    set(PRESSO_CUDA_REASON "no working CUDA compiler was found")
  elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS PRESSO_CUDA_OLDEST)
    set(PRESSO_CUDA_REASON
        "CUDA ${CMAKE_CUDA_COMPILER_VERSION} is older than ${PRESSO_CUDA_OLDEST}")
  else()
    set(PRESSO_CUDA ON)
    set(PRESSO_CUDA_REASON
        "CUDA ${CMAKE_CUDA_COMPILER_VERSION} for ${PRESSO_CUDA_ARCHITECTURES}")
  endif()
  if(PRESSO_ENABLE_CUDA STREQUAL "ON" AND NOT PRESSO_CUDA)
    message(FATAL_ERROR "PRESSO_ENABLE_CUDA is ON but ${PRESSO_CUDA_REASON}. "
                        "Name a compiler with -DCMAKE_CUDA_COMPILER=/path/to/nvcc, "
                        "or use AUTO or OFF.")
  endif()
endif()
set(fast ${PRESSO_CUDA_FAST_COMPILE})
if(fast STREQUAL "AUTO")
  set(fast ON)
  if(EXISTS /dev/nvidiactl OR EXISTS /dev/dxg)
    set(fast OFF)
  endif()
endif()
file(REMOVE ${CMAKE_BINARY_DIR}/bin/compiled-fast)
if(PRESSO_CUDA AND fast)
  if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 13.0)
    message(STATUS "presso: kernels are optimised, since this nvcc cannot compile them fast")
  else()
    add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-Ofc=max>)
    string(APPEND PRESSO_CUDA_REASON ", compiled fast: not to be timed")
    file(WRITE ${CMAKE_BINARY_DIR}/bin/compiled-fast
         "The kernels of these programs are not optimised (PRESSO_CUDA_FAST_COMPILE).\n")
  endif()
endif()
message(STATUS "presso: GPU code ${PRESSO_CUDA} (${PRESSO_CUDA_REASON})")
