# PRESSO_COLD_OPTIONS: compiler options of the files in which little time is spent; they follow
# those of the build type. -Oz, which wheels are made with (python/wheels.sh), halves these files.
# Where it is empty, whole folders of such files are compiled with -O1, in two thirds of the time
# (presso_unity), and everything else for speed.
# What is not named here is taken for hot: files that have 2 % or more of the time of some command
# (lab/figures/hot_files.py), kernels for AVX2 and AVX-512, what only callers of the library use.
set(PRESSO_COLD_OPTIONS "" CACHE STRING "Options for code in which little time is spent")

# Paths from the repository's root, as regular expressions.
set(presso_cold_files
  # The command, apart from what writes every line, match or row.
  "tools/(bench|cli|compress|decompress|device|info|io)/.*" "tools/[a-z]*"
  "python/src/(archive|compress|errors|gpu_.*|line_rules|module|opened_file|part_ranges|query|scan)"
  "tools/scan/(flags_.*|glob|scan_(colors|command|device|explain|ignore|input|order|patterns))"
  "tools/scan/scan_(multiline_printer|plan|replace|report|statistics|types|unescape|walk)"
  "tools/parquet/(footer|json_assembler|load_parquet|parquet_.*|thrift)"
  "tools/select/(.*_answer|auto_device|flags_select|needed_columns|.*_command|select_.*)"
  # What a GPU is told to do.
  "(decompress|scan|query|python)/gpu.*"
  # For CPUs without AVX2.
  ".*_portable"
  # What is read, decided or written once for each file, block or row group.
  "format/(archive_.*|container_rules|cpu|error|frame_reader|line_table|metadata|suggest)"
  "format/(tail_section|temporary_file|wire)"
  "format/columns/(arrow_format|header_line|json_orders|row_group|schema|table_.*|type_name)"
  "compress/(compress|choose/(block_size_choice|dictionary_choice|size_trial))"
  "compress/arrow/compress_arrow" "compress/columns/vector_plan"
  "compress/table/text/(begun_text|delimited_kind|dialect|header|hidden_rows)"
  "compress/table/text/json_(key_order|kind|loader)"
  "compress/table/(text/(rough_kind|type_candidate)|rows/row_sorter)"
  "compress/table/write/(block_appender|compress_table|group_collector)"
  "compress/table/write/(header_reason|named_columns)"
  "compress/table/write/(row_group_encoder|string_choice|table_.*)"
  "decompress/(block_stream|decompress|dictionary|utf16_mark)"
  "decompress/table/(block_reader|group_reader|table)"
  "decompress/arrow/(arrow_(export|stream)|ipc_message|stream_frame|write_arrow)"
  # Planning of searches and queries, and what happens once for each batch of rows.
  "(query/(bind|expression|plan|statement)|scan/(pattern|syntax|unicode))/.*"
  "scan/automaton/(aho_corasick|compiler|determinizer|minimal_dfa|transition_monoid)"
  "scan/blocks/(block_.*|chunk_source|indexed_chunks|line_parts|scanned_file)"
  "query/fields/(field_types|required_strings)"
  "query/compute/(binder.*|builder.*|graph|node_text|program|steps_conversion|written_value)"
  "query/group/(dense_grouping|sum_states)"
  "query/join/key_filter"
  "scan/literal/literal_(plan|spellings|units)"
  "query/order/(ordering|run_file|run_merge)"
  "query/[a-z]+/(answer_stream|bind_.*|coded_.*|condition_.*|device_.*|execution|explain.*|filter)"
  "query/[a-z]+/(.*_forecast|group_(answer|input|spill)|intervals|join_(columns|condition))"
  "query/[a-z]+/(join_(run|spill)|joint_shares|key_conditions|key_order|make_plan|output)"
  "query/[a-z]+/(ordered_answer|part_file|partial_query|plan_text|planner|query.*|rates|run_.*)"
  "query/[a-z]+/(string_facts|table_facts|zone_counts)"
  "scan/regex/(prefilter|regex_automata|required)"
  "query/strings/(compiled_condition|condition_automaton|plain_tests|string_automaton|token_plan)"
  "scan/text/(assembler_records|context_lines|multiline.*|scan|scanner)")

# presso_compile_cold(FOLDER): gives the options to those files of FOLDER's targets, and of those of
# the folders below it, that are named above.
function(presso_compile_cold folder)
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(one IN LISTS below)
    presso_compile_cold(${one})
  endforeach()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
      presso_file_is_cold(cold ${source})
      if(cold)
        set_property(SOURCE ${source} TARGET_DIRECTORY ${target}
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
