// SPDX-License-Identifier: MIT
// Text with rows (CSV, TSV, .tbl, JSON lines) compressed as a table: typed columns side by side,
// from which the text can be given back byte for byte (FORMAT.md 15). Sources, as docs/sources.md
// numbers them: S1.4, S7.24, L1. Tested by tests/unit/compress/table and
// tests/differential/table_round_trip_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "presso/compress.h"
#include "presso/table_schema.h"

namespace presso {

/// How the text is written, as far as the caller knows; what is not given is found out from the
/// text.
struct TableTextOptions {
  /// The name of the file, whose ending may say what the delimiter is (`.tsv`, `.tbl` and others:
  /// compress/table/text/dialect.h); empty if there is none.
  std::string name;
  /// Which kind of text it is; kNone: that is found out from the first line.
  TextKind kind = TextKind::kNone;
  /// The encoding, from which UTF-8 is made. Without a value UTF-16 is found out, and all other
  /// text is taken as it is, like UTF-8.
  std::optional<TextEncoding> encoding;
  std::optional<Byte> delimiter;
  std::optional<Byte> quote;  ///< 0: the text has no quotes; without a value: found out
  std::optional<bool> header;
  std::optional<bool> trailing_delimiter;
  std::string null_text;                ///< a field without quotes that is exactly this is null
  std::vector<std::string> null_words;  ///< further texts that say the same
  std::optional<Byte> decimal;          ///< the decimal point of numbers: '.' or ','
  /// Formats of strptime(). A column that is otherwise text, or a date, has the type of the first
  /// one that reads all of its values. At most 8.
  std::vector<std::string> date_formats;
  std::optional<Byte> comment;   ///< lines that begin with it are no rows; 0: no such lines
  std::optional<Byte> escape;    ///< the byte after it is data in quotes; 0: there is no such byte
  std::uint64_t skip_lines = 0;  ///< before the header
  /// Fields that a row lacks are null; else such a row is an error.
  bool fill = false;
};

/// One column by which rows are sorted.
struct SortBy {
  std::string column;
  bool descending = false;
};

/// By which columns the rows are to be sorted before they are stored, and the limits of sorting.
/// Values come before nulls, NaN after all other numbers, strings in the order of their bytes;
/// descending is the exact reverse of that. Rows that are equal in these columns stay in their
/// order. The file is the same for any limits and any number of threads.
struct TableSortOptions {
  std::vector<SortBy> by;  ///< the first one counts most; empty: rows stay in their order
  /// If the rows take more memory than this, they are sorted by way of temporary files.
  std::uint64_t memory_bytes = std::uint64_t{256} << 20;
  /// The folder of these files, in which they have no names; empty: what TMPDIR names, else /tmp.
  std::string temporary_directory;
  /// Rows of the text that are sorted at once, at most; 0: those of 32 MiB. For tests.
  std::uint32_t run_rows = 0;
};

/// Everything that compress_table() can be told.
struct TableOptions {
  TableTextOptions text;
  /// Types of columns, by name; the types of all other columns are found out. A value that is not
  /// of its column's type is an error.
  std::vector<ColumnSchema> types;
  /// The text shall be given back byte for byte, except for rows that on_bad_rows was given.
  /// Without effect where rows are sorted.
  bool exact = true;
  /// For a table that is read soon and then dropped: strings are not coded and nothing is tried
  /// out, so that loading costs little more than parsing. The table is about as large as its values
  /// in memory.
  bool quick = false;
  /// Row groups whose columns would take more room than their text are stored as text, with the
  /// columns side by side. A query reads such a row group as a whole. Only of exact tables.
  bool packs = false;
  TableSortOptions sort;
  /// If given, rows with the wrong number of fields or with a value that is not of its type are no
  /// errors: they are left out and passed to this function as they stood, in their order, one call
  /// at a time, by any of the threads. Its error ends the compression.
  std::function<Status(Bytes rows)> on_bad_rows;
  /// How many rows a row group has, at most kMaxTableGroupRows and 2^26 values. It has fewer where
  /// these rows take more than 32 MiB of text (of rows that are sorted: 1 GiB in memory). 0: the
  /// rows of 32 MiB of text.
  std::uint32_t group_rows = 0;
  /// Level and coding of strings that get neither a dictionary nor tokens, whose bytes are
  /// compressed as those of a file are, and of the few integers that are; and the threads, the
  /// metadata and the progress of the whole compression.
  CompressOptions compress;
};
/// The most rows that a row group may have (FORMAT.md 15).
constexpr std::uint32_t kMaxTableGroupRows = 1u << 24;

/// Statistics of a column, and the reason for its type.
struct ColumnFinding {
  std::uint64_t values = 0;  ///< not nulls
  std::uint64_t nulls = 0;
  std::string why;  ///< "value `007` at line 12 keeps it a string", or empty
};

/// Seconds of work; threads that work at the same time add up.
struct TableSeconds {
  double inferring = 0;  ///< the pass that finds out the types
  double parsing = 0;    ///< fields, values, comparison with the text
  double sorting = 0;
  double coding = 0;
};

/// Counts of a finished compression, and the schema that was chosen.
struct TableSummary {
  std::uint64_t plain_bytes = 0;  ///< of text
  std::uint64_t compressed_bytes = 0;
  std::uint64_t rows = 0;
  // How delimited text is written, as far as the schema does not say it.
  bool has_header = false;
  std::string header_why;  ///< "`price` stands above values of type double"; empty: JSON lines
  Byte comment = 0;        ///< as TableTextOptions::comment
  Byte escape = 0;         ///< as TableTextOptions::escape
  bool merges_delimiters = false;  ///< runs of blanks separate fields
  std::uint64_t row_groups = 0;
  /// How many texts are stored beside the values, because printing the values would not give back
  /// the same bytes: of rows, or of what follows the last row. Only with TableOptions::exact.
  std::uint64_t exact_lines = 0;
  std::uint64_t bad_rows = 0;  ///< passed to TableOptions::on_bad_rows
  std::string first_bad_row;   ///< "line 18,342: 3 fields, expected 4: 1,2,3"
  std::string file_kind;       ///< set by callers who read no text: "parquet", "arrow"
  TableSchema schema;
  std::vector<ColumnFinding> findings;  ///< by column
  std::vector<std::string> notes;       ///< for people: columns that were renamed
  std::uint64_t spilled_bytes = 0;      ///< written to temporary files to sort
  TableSeconds seconds;
};

/// Compresses the text that `source` gives into `sink`. `types_from` is the same text once more,
/// from its beginning; types are then found out from all of it, in a first pass. Without it (a
/// pipe) they are found out from the first 32 MiB, and a later value that does not fit is an error.
/// Memory: a few row groups for each thread, and TableSortOptions::memory_bytes where rows are
/// sorted.
///
/// Errors: kInvalidArgument with the line, for rows with the wrong number of fields, values that
/// are not of their type, a quote that is never closed, a text without a row, an unknown column to
/// sort by, or bytes that are no characters of the encoding; kUnsupported for UTF-32; kIo and
/// kNoSpace that name the folder for temporary files; those of `source` and `sink`.
Result<TableSummary> compress_table(ByteSource& source, ByteSource* types_from, ByteSink& sink,
                                    const TableOptions& options);
/// Compresses a text that can be read at any place, which all threads do: the file comes out the
/// same, and with many threads sooner. Types are found out from all of the text.
Result<TableSummary> compress_table(const RandomAccess& text, ByteSink& sink,
                                    const TableOptions& options);

/// Finds out and checks what compress_table() would, and writes nothing: row groups, compressed
/// bytes and the rows that are kept as text are 0. Errors: those of compress_table() apart from the
/// sink's. Rows that do not fit go to TableOptions::on_bad_rows and are no error, if it is set.
Result<TableSummary> describe_table_text(ByteSource& source, ByteSource* types_from,
                                         const TableOptions& options);
Result<TableSummary> describe_table_text(const RandomAccess& text, const TableOptions& options);

}  // namespace presso
