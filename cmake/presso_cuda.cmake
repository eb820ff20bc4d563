# Decides whether the GPU code is built: sets PRESSO_CUDA to ON or OFF.
#   PRESSO_ENABLE_CUDA=AUTO  where a CUDA compiler works
#   PRESSO_ENABLE_CUDA=ON    or stop with an error
#   PRESSO_ENABLE_CUDA=OFF   do not even look for one
# Nothing is written in CUDA yet, so the language is found but not enabled: that stands in the
# folders' gpu/CMakeLists.txt once they exist, behind if(PRESSO_CUDA).
if(NOT PRESSO_ENABLE_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "PRESSO_ENABLE_CUDA must be AUTO, ON or OFF, not '${PRESSO_ENABLE_CUDA}'")
endif()

set(PRESSO_CUDA OFF)
if(NOT PRESSO_ENABLE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(PRESSO_CUDA ON)
  elseif(PRESSO_ENABLE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "PRESSO_ENABLE_CUDA is ON but no working CUDA compiler was found. "
                        "Name one with -DCMAKE_CUDA_COMPILER=/path/to/nvcc, or use AUTO or OFF.")
  endif()
endif()
message(STATUS "presso: CUDA ${PRESSO_CUDA} (asked for: ${PRESSO_ENABLE_CUDA}); no GPU code yet")
