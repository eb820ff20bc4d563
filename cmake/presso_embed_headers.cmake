# presso_embed_headers(TARGET HEADERS NAME=FILE...): adds a generated source to the target that
# defines embedded_headers() (query/gpu/code/embedded_headers.h): the text of each FILE, a path from
# the repository's root, under the NAME by which sources include it. A FILE alone is its own name.
# It is made again when one of the files changes. As a script, this file writes that source:
#   cmake -DOUTPUT=FILE -DROOT=FOLDER "-DHEADERS=NAME=FILE;..." -P presso_embed_headers.cmake
function(presso_embed_headers target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS")
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_headers.cpp)
  list(TRANSFORM arg_HEADERS REPLACE "^.*=" "" OUTPUT_VARIABLE files)
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/)
  set(script ${PROJECT_SOURCE_DIR}/cmake/presso_embed_headers.cmake)
  add_custom_command(OUTPUT ${output} DEPENDS ${files} ${script} VERBATIM
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DROOT=${PROJECT_SOURCE_DIR}
            "-DHEADERS=${arg_HEADERS}" -P ${script}
    COMMENT "Embedding headers of kernels")
  set_source_files_properties(${output} PROPERTIES PRESSO_ALONE ON)
  target_sources(${target} PRIVATE ${output})
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()
set(entries)
foreach(header IN LISTS HEADERS)
  string(REGEX REPLACE "=.*" "" name "${header}")
  string(REGEX REPLACE ".*=" "" file "${header}")
  file(READ ${ROOT}/${file} text)
  if(text MATCHES "\\)presso\"")
    message(FATAL_ERROR "${file} has the end of a raw string literal: )presso\"")
  endif()
  string(APPEND entries "    {\"${name}\", R\"presso(${text})presso\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"query/gpu/code/embedded_headers.h\"

namespace presso::gpu {
namespace {

constexpr EmbeddedHeader kHeaders[] = {
${entries}};

}  // namespace

std::span<const EmbeddedHeader> embedded_headers() {
  return kHeaders;
}

}  // namespace presso::gpu
")
