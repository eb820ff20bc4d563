// SPDX-License-Identifier: MIT
// Finds out, from all of a text's records, which type each column has: the narrowest that *every*
// value prints back from to its own text (type_candidate.h), never a guess from a sample. What is
// seen of several parts of a text, by several threads, can be merged.
//
// A field in quotes is a value, never null; one without that equals the null text is null. A column
// without values is utf8. Integers are int64 here, as the file packs them by their values.
// Columns are looked at one after another within a batch, by a loop for the present candidate; a
// value that does not have it widens the candidate and changes the loop.
// Cost: csv_rate in lab/programs/columns. Tested by
// tests/unit/compress/table/type_inference_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"
#include "compress/table/text/type_candidate.h"
#include "presso/table_schema.h"

namespace presso {

/// A type that all values had until this one.
struct GivenUpType {
  ColumnSchema type;
  std::string value;  ///< its begin
  std::uint64_t line = 0;
};

struct ColumnReport {
  std::uint64_t values = 0;  ///< not nulls
  std::uint64_t nulls = 0;
  std::uint32_t least_length = 0;  ///< of values, as they stand in the text, without quotes
  std::uint32_t most_length = 0;
  std::string first_value;            ///< its begin
  std::uint64_t first_line = 0;       ///< where that stands
  std::vector<GivenUpType> given_up;  ///< in the order of their lines
  /// Every date can be read as month/day and as day/month: the column was left a string.
  bool ambiguous_date = false;

  /// "value `007` at line 12 keeps it a string"; empty where the first type was not given up.
  std::string why(const ColumnSchema& column) const;
};

/// Records with more or fewer fields than there are columns.
struct RaggedRecords {
  std::uint64_t count = 0;
  std::uint64_t first_line = 0;
};

class TypeInference {
 public:
  TypeInference(std::size_t columns, TextForm form);

  /// Records of `text`, whose first byte is in line `first_line`. Fields that a record lacks or has
  /// too many are left out.
  void add(const RecordBatch& batch, Bytes text, std::uint64_t first_line);
  /// Adds `lines` to every line that was noted.
  void move_lines(std::uint64_t lines);
  /// What was seen of a later part of the text.
  void merge(const TypeInference& later);
  /// The same where column i of `later` is column columns[i] here.
  void merge(const TypeInference& later, const std::vector<std::uint32_t>& columns);
  /// More columns, without values so far: for texts in which they turn up as they go.
  void add_columns(std::size_t columns) { columns_.resize(columns_.size() + columns); }

  /// All columns may be null, so that tables of the same kind can follow one another in a file.
  TableSchema finish(const std::vector<std::string>& names) const;
  std::vector<ColumnReport> report() const;
  const RaggedRecords& ragged() const { return ragged_; }
  std::uint64_t rows() const { return rows_; }

 private:
  /// What is known of one column.
  struct Column {
    TypeCandidate candidate;
    ColumnReport report;
    bool valid_utf8 = true;
    bool unquoted_values = false;
    bool needless_quotes = false;
  };
  struct Part;  ///< the records being added
  /// How many lines of a text were counted.
  struct LineCount {
    const Byte* text = nullptr;
    std::uint64_t first_line = 0;
    std::size_t at = 0;  ///< so far
    std::uint64_t line = 0;
  };
  template <class Check>
  std::size_t pass(const Part& part, std::size_t index, std::size_t row, Check&& check);
  void note_value(Column& column, const Field& field, Bytes value) const;
  void add_column(Part& part, std::size_t index);
  std::size_t add_while_fitting(const Part& part, std::size_t index, std::size_t row);
  static void widen(Column& column, Bytes value, std::uint64_t line);
  static void merge_column(Column& column, const Column& later);
  bool needs_quotes(const Field& field, Bytes value) const;
  std::uint64_t line_of(Part& part, std::size_t record);
  void count_ragged(Part& part);

  TextForm form_;
  std::vector<Column> columns_;
  RaggedRecords ragged_;
  std::uint64_t rows_ = 0;
  LineCount counted_;
};

}  // namespace presso
