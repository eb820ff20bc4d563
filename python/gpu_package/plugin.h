// SPDX-License-Identifier: MIT
// What the module presso._native asks of presso's code for GPUs, which is a library of its own, in
// the package presso-gpu, and is opened when a GPU is asked for. The two may be made by different
// compilers with different C++ libraries, so only C passes between them.
//
// Functions that may fail return 0, or 1 with `error` set. Texts are bytes with a length; they
// belong to whoever passes them, and need to live only until the call returns. Files of a query
// must stay readable until the query is closed and all its streams are released, those of a search
// until scan() returns. Calls may come from any thread; on one search handle only one at a time.
// Tested by python/tests/test_gpu.py.
#ifndef PRESSO_TOOLS_PYTHON_GPU_PACKAGE_PLUGIN_H
#define PRESSO_TOOLS_PYTHON_GPU_PACKAGE_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "presso/arrow_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// The version of these structs, which rises with every change of one of them. A library that
// states another version is refused.
#define PRESSO_GPU_ABI 1

// Bytes with a length; they need not end with a zero and need not be UTF-8.
struct presso_gpu_text {
  const char* data;
  size_t bytes;
};

// presso/error.h: numbers are 2^64 - 1 where there is none.
struct presso_gpu_error {
  uint32_t code;
  uint64_t block;
  uint64_t byte_offset;
  char what[2048]; /* ends with a zero; cut off where it is longer */
};

// Is read by several threads at once.
struct presso_gpu_file {
  const void* self;
  uint64_t bytes;
  int (*read_at)(const void* self, uint64_t offset, void* into, size_t bytes,
                 struct presso_gpu_error* error);
};

// --- Searching lines: presso/pattern.h, presso/lines.h

// How the texts of a pattern are read; each is an alternative.
enum presso_gpu_syntax { PRESSO_GPU_REGEX, PRESSO_GPU_FIXED, PRESSO_GPU_LIKE };

struct presso_gpu_pattern {
  const struct presso_gpu_text* texts;
  size_t count;
  uint32_t syntax; /* enum presso_gpu_syntax */
  uint32_t bounds; /* as presso::MatchBounds */
  int ignore_case;
  int unicode;
  int multiline;
};

// A line that the search has found, or one of its context. It is valid during the call only.
struct presso_gpu_line {
  uint32_t kind; /* as presso::LineKind */
  const void* text;
  size_t bytes;
  uint64_t offset;
  uint64_t number;
  const size_t* matches; /* begin and end of each */
  size_t match_count;
};

// Mirrors presso::DamagedBlock: a part of the file that could not be decoded.
struct presso_gpu_damage {
  uint64_t plain_offset;
  uint64_t plain_bytes;
  struct presso_gpu_error error;
};

// The options of one search, as presso::ScanOptions, and the functions that it calls, one
// at a time.
struct presso_gpu_scan {
  uint32_t threads;
  int invert;
  int line_numbers;
  int matches;
  int fail_fast;
  int use_index;
  uint64_t max_lines;
  uint64_t before_context;
  uint64_t after_context;
  uint64_t first_line;
  uint64_t last_line;
  // Another thread makes the byte 1 to end the search.
  const unsigned char* cancelled;
  // Every function below is called with `self` as its first argument.
  void* self;
  int (*on_line)(void* self, const struct presso_gpu_line* line); /* 0: stop; may be null */
  void (*on_progress)(void* self, uint64_t plain_bytes);
  void (*on_damage)(void* self, const struct presso_gpu_damage* damage);
};

// Mirrors presso::ScanSummary, and says whether the GPU or the CPU has searched.
struct presso_gpu_scan_summary {
  uint64_t lines;
  uint64_t matches;
  uint64_t plain_bytes;
  uint64_t damaged_blocks;
  uint64_t blocks;
  uint64_t blocks_read;
  uint64_t blocks_skipped;
  uint64_t bytes_read;
  char why_cpu[512]; /* empty: the GPU has searched */
};

// --- Asking tables: presso/query.h

// The clauses of a query. A query is a list of steps, which are added in order; what does not go
// together is found when it is opened.
enum presso_gpu_clause {
  PRESSO_GPU_FROM, /* once, first: files */
  PRESSO_GPU_SQL,  /* in place of all others but options: a statement; a file for each table */
  PRESSO_GPU_ALIAS,
  PRESSO_GPU_JOIN, /* files, kind of join, and `text`: what it is on */
  PRESSO_GPU_WHERE,
  PRESSO_GPU_SELECT,
  PRESSO_GPU_DISTINCT,
  PRESSO_GPU_GROUP_BY,
  PRESSO_GPU_AGGREGATE,
  PRESSO_GPU_HAVING,
  PRESSO_GPU_ORDER_BY,
  PRESSO_GPU_LIMIT /* rows, offset */
};

// One clause. Members that the clause does not have are 0.
struct presso_gpu_step {
  uint32_t clause; /* enum presso_gpu_clause */
  struct presso_gpu_text text;
  const struct presso_gpu_file* files;
  const struct presso_gpu_text* names; /* of the files, for messages */
  size_t file_count;
  uint32_t join_kind; /* as presso::JoinKind */
  uint64_t rows;
  uint64_t offset;
};

// 0 stands for all threads, and for the usual memory.
struct presso_gpu_query_options {
  uint32_t threads;
  uint64_t memory_bytes;
};

// Mirrors presso::QuerySummary: what one query has read, and how.
struct presso_gpu_query_summary {
  uint64_t rows;
  uint64_t rows_in;
  uint64_t rows_matched;
  uint64_t groups;
  uint64_t bytes_read;
  uint64_t bytes_stored;
  uint64_t blocks_read;
  uint64_t blocks_skipped;
  uint64_t passes;
  char device[256];
  char on_device[256];
  char why_cpu[512];
};

// A GPU; its number is its place in the list.
struct presso_gpu_device {
  char name[256];
  uint64_t total_memory_bytes;
  uint64_t free_memory_bytes;
};

// --- What the library has

// Handles. Each is opened and closed by the functions below and belongs to the caller.
struct presso_gpu_search;
struct presso_gpu_query;

// The functions. None of them throws, and each can be called without Python's lock.
struct presso_gpu_api {
  uint32_t abi; /* PRESSO_GPU_ABI; the rest is only read where it is that */
  const char* version;

  // Lists the GPUs: writes at most `room` of them, and to `count` how many exist.
  int (*devices)(struct presso_gpu_device* out, size_t room, size_t* count,
                 struct presso_gpu_error* error);

  // Opens a GPU and compiles a pattern for it, which is kept for any number of files.
  int (*open_search)(const struct presso_gpu_pattern* pattern, int device,
                     struct presso_gpu_search** out, struct presso_gpu_error* error);
  // Searches one file; where the GPU does not take the search, the CPU does, and `why_cpu` says so.
  int (*scan)(struct presso_gpu_search* search, const struct presso_gpu_file* file,
              const struct presso_gpu_scan* how, struct presso_gpu_scan_summary* out,
              struct presso_gpu_error* error);
  void (*close_search)(struct presso_gpu_search* search);

  // Opens the files and checks the steps; nothing is computed yet.
  int (*open_query)(const struct presso_gpu_step* steps, size_t count,
                    const struct presso_gpu_query_options* options, int device,
                    struct presso_gpu_query** out, struct presso_gpu_error* error);
  // `out`: may outlive the handle.
  int (*stream)(const struct presso_gpu_query* query, struct ArrowArrayStream* out,
                struct presso_gpu_error* error);
  // Runs the query to its end and discards the rows: only the summary is handed out.
  int (*run)(const struct presso_gpu_query* query, const unsigned char* cancelled,
             struct presso_gpu_query_summary* out, struct presso_gpu_error* error);
  // `take(self, text)` gets the plan, once.
  int (*explain)(const struct presso_gpu_query* query, int analyze, const unsigned char* cancelled,
                 void (*take)(void* self, struct presso_gpu_text text), void* self,
                 struct presso_gpu_error* error);
  void (*close_query)(struct presso_gpu_query* query);
};

// The library's only exported symbol: returns the table of its functions, which lives as long
// as the library is loaded.
const struct presso_gpu_api* presso_gpu_plugin(void);
typedef const struct presso_gpu_api* (*presso_gpu_plugin_function)(void);

#ifdef __cplusplus
}
#endif

#endif
