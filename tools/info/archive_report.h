// SPDX-License-Identifier: MIT
// Gathers what `presso info` shows of one file from its index and headers; nothing is decoded. For
// a file of bytes that means its index, the search index, the line facts and at most 64 block
// headers unless all are wanted; for a table, its schema and the directories of its row groups.
// Tested by tests/cli/test_reports.py. It costs a few reads for a file of any size, unless all
// headers are wanted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/line_time.h"
#include "tools/device/calibrate.h"
#include "tools/info/devices_report.h"
#include "tools/io/input_file.h"

namespace presso::cli {

/// A block: its header and where it lies.
struct BlockRow {
  std::uint64_t number = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t plain_offset = 0;
  BlockHeader header;
};

/// A column of a table, over all row groups together.
struct ColumnRow {
  std::string name;
  NestedFields fields;
  std::string type;
  std::uint64_t nulls = 0;
  std::string least;  ///< as text; strings: their first 8 bytes; empty: not known
  std::string most;
  std::uint64_t distinct = 0;  ///< the most in a row group, where it is known; 0: not known
  std::string stored_as;       ///< "plain", "dictionary", "token+bytes"
  std::uint64_t stored_bytes = 0;
};

/// The facts that only a table has.
struct TableFacts {
  std::uint64_t rows = 0;
  std::uint64_t row_groups = 0;
  bool exact = false;
  std::vector<ColumnRow> columns;
};

/// The times of a file's lines, as it stores them for its blocks.
struct TimeSpan {
  std::string first;  ///< as "2026-11-28 10:00:00.000"; empty: not known for all blocks
  std::string last;
  bool has_zone = false;  ///< they are in UTC; else as clocks showed them
  bool lacks_year = false;
  TimeForm form;
  std::uint64_t timed_lines = 0;
};

/// The facts about a file. Sizes are in bytes; "-" stands in a text for something that the file
/// does not have.
struct ArchiveReport {
  std::string path;
  std::uint64_t compressed_bytes = 0;
  std::uint64_t plain_bytes = 0;
  std::uint64_t blocks = 0;
  std::uint32_t block_bytes = 0;       ///< of the first member
  std::uint64_t dictionary_bytes = 0;  ///< plain, all members together
  std::uint64_t filter_bytes = 0;      ///< stored, all members together
  std::string filter;                  ///< "3-grams", "3-grams+4-grams", "damaged", "-"
  std::optional<std::uint64_t> lines;  ///< by the line facts; nullopt: none, or damaged
  bool line_facts_damaged = false;
  std::optional<TimeSpan> times;  ///< of the lines; nullopt: none, or damaged
  std::uint64_t members = 0;
  std::uint16_t version = 0;
  /// Taken from the block headers that were read: all of them, or a sample spread over the file.
  std::string coding;  ///< "byte", "raw", "byte+raw"
  std::string rule;    ///< "none", ..., "mixed"
  std::uint64_t headers_read = 0;
  Metadata metadata;
  bool index_rebuilt = false;
  bool truncated = false;  ///< no trailer at the end
  std::vector<BlockRow> rows;
  std::optional<TableFacts> table;  ///< nullopt: a file of bytes

  double ratio() const {
    return compressed_bytes == 0
               ? 0
               : static_cast<double>(plain_bytes) / static_cast<double>(compressed_bytes);
  }
};

/// Reads the facts of a file. `all_blocks` reads every block header and fills `rows`. Errors are
/// those of ArchiveIndex::open(), and kUnsupported for what is not a regular file.
Result<ArchiveReport> report_archive(const std::string& path, const InputFile& input,
                                     bool all_blocks);

/// Reads the facts of a table, from its index and the directories of its row groups.
Result<ArchiveReport> report_table(const std::string& path, const InputFile& input);

/// The names in the output, as users give them to flags.
std::string_view name(Coding coding);
std::string_view name(DependencyRule rule);

/// The reports as one JSON document, with devices, compiler and rates if these were asked for.
/// `texts`: the objects of files that are texts, as JSON.
std::string reports_json(const std::vector<ArchiveReport>& reports,
                         const std::vector<std::string>& texts, bool with_blocks,
                         const std::optional<Devices>& devices,
                         const std::optional<gpu::QueryCompilerInfo>& compiler,
                         const std::optional<MachineRates>& rates);

}  // namespace presso::cli
