// SPDX-License-Identifier: MIT
// Reads Parquet files as columns of tables. The code is presso's own: no library of C++ for Parquet
// is in Debian 12, and one that is opened at run time changes its symbols with each release. It
// reads every encoding and every codec but brotli and LZO. Reading takes 2,600 lines of code,
// writing (parquet_writer.h) 800.
//
// Columns: each column of a type that a table has; fields of structures are columns `a.b`; what is
// repeated (lists, maps) becomes JSON text. Times of day, UUIDs and intervals become text, decimals
// of more than 38 digits doubles, INT96 timestamps microseconds. Encrypted files are declined.
// Every length, level and code is checked; errors name row group, column and place. Tested by
// tests/cli/test_parquet.py and tests/differential/parquet_oracle.py.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/column_data.h"
#include "presso/table_schema.h"
#include "tools/io/column_file.h"
#include "tools/parquet/values.h"

namespace presso::cli {

struct ParquetFooter;
struct ParquetNode;

/// Whether a file that begins with these bytes is a Parquet file.
bool begins_parquet(Bytes begun);

/// An open file, which is kept by reference.
class ParquetReader final : public ColumnFile {
 public:
  /// Reads the footer. Errors: kInvalidArgument, kUnsupported, those of the file.
  static Result<std::unique_ptr<ParquetReader>> open(const RandomAccess& file);
  ~ParquetReader() override;

  const TableSchema& schema() const override { return schema_; }
  const std::vector<std::string>& notes() const override { return notes_; }
  std::string_view kind() const override { return "parquet"; }
  /// Leaves out row groups whose statistics rule them out.
  std::uint64_t leave_out(const RowConditions& conditions) override;
  /// Reads the columns of the type JSON, since a file says nothing about what is in them.
  Status find_fields(std::span<const std::size_t> columns, unsigned threads,
                     TableSchema& schema) const override;
  /// A column is read by one thread.
  Status read(std::span<const std::size_t> columns, unsigned threads,
              const OnRows& on_rows) const override;

 private:
  /// A column: a leaf of the schema, or a node whose values become JSON.
  struct Column {
    const ParquetNode* node = nullptr;
    std::vector<ValueConverter> converters;  ///< by leaf, from node->leaf on
    bool is_json = false;
  };
  class ColumnReader;

  ParquetReader(const RandomAccess& file, std::unique_ptr<ParquetFooter> footer);
  Status add_columns(const ParquetNode& node, const std::string& name);
  Status add_column(const ParquetNode& node, const std::string& name, bool is_json);

  const RandomAccess& file_;
  std::unique_ptr<ParquetFooter> footer_;
  TableSchema schema_;
  std::vector<Column> columns_;
  std::vector<std::string> notes_;
  std::size_t path_bytes_ = 0;  ///< of the fields of all columns
  std::vector<bool> left_out_;  ///< by row group; empty: none is
};

}  // namespace presso::cli
