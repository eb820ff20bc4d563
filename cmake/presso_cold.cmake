# PRESSO_COLD_OPTIONS: compiler options of the files in which little time is spent; they follow
# those of the build type. Where it is empty, as it is unless a wheel is made, all is compiled for
# speed. -Oz (tools/python/wheels.sh) halves these files.
# What is not named here is taken for hot: what touches every byte, value, row or match, and the
# search for what compresses best.
set(PRESSO_COLD_OPTIONS "" CACHE STRING "Options for code in which little time is spent")

# Paths from the repository's root, as regular expressions.
set(presso_cold_files
  # The command, apart from what writes every line, match or row.
  "tools/(bench|cli|compress|decompress|device|info|io)/.*" "tools/[a-z]*"
  "tools/python/src/(archive|compress|errors|gpu_.*|module|opened_file|part_ranges|query|scan)"
  "tools/scan/(flags_.*|glob|scan_(colors|command|device|explain|input|patterns))"
  "tools/scan/scan_(plan|report|statistics|unescape|walk)"
  "tools/select/(arrow_answer|auto_device|flags_select|.*_command|select_.*|stored_answer)"
  # What is read, decided or written once for each file, block or row group.
  "format/(archive_.*|container_rules|cpu|error|metadata|suggest|tail_section|temporary_file|wire)"
  "format/columns/(arrow_format|header_line|json_orders|schema|table_.*|token_dictionary|type_name)"
  "compress/(compress|choose/(block_size|dictionary)_choice|arrow/compress_arrow)"
  "compress/table/(compress_table|delimited_kind|dialect|header|json_kind|named_columns)"
  "compress/table/(table|type)_.*"
  "decompress/(block_stream|decompress|dictionary|table/(table|zone_check))"
  "decompress/arrow/(arrow_stream|ipc_message|stream_frame|write_arrow)"
  # Planning of searches and queries.
  "scan/(expression|pattern|syntax|unicode)/.*" "scan/automaton/compiler"
  "scan/blocks/(block_.*|indexed_chunks|scanned_file)"
  "scan/compute/(binder.*|builder.*|graph|node_text|program|written_value)"
  "scan/group/(group_output|ratio)" "scan/literal/literal_(plan|spellings|units)"
  "scan/query/(answer_stream|bind_.*|condition_.*|device_.*|execution|explain.*|.*_forecast)"
  "scan/query/(intervals|join_condition|joint_shares|key_conditions|make_plan|partial_query)"
  "scan/query/(plan_text|planner|query.*|rates|string_facts|table_facts|zone_counts)"
  "scan/regex/(prefilter|regex_automata|required)" "scan/strings/(compiled_condition|token_plan)"
  "scan/text/(multiline.*|scan|scanner)")

# presso_compile_cold(TARGET...): gives those of their files that are named above the options.
function(presso_compile_cold)
  foreach(target IN LISTS ARGN)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      presso_file_is_cold(cold ${folder}/${source})
      if(cold)
        set_property(SOURCE ${folder}/${source} TARGET_DIRECTORY ${target}
                     APPEND PROPERTY COMPILE_OPTIONS ${PRESSO_COLD_OPTIONS})
      endif()
    endforeach()
  endforeach()
endfunction()

function(presso_file_is_cold result path)
  cmake_path(RELATIVE_PATH path BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  set(${result} FALSE PARENT_SCOPE)
  foreach(pattern IN LISTS presso_cold_files)
    if(path MATCHES "^${pattern}\\.cpp$")
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
