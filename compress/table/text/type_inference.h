// SPDX-License-Identifier: MIT
// Finds out, from all of a text's records, which type each column has: the narrowest that *every*
// value has by what it means (type_candidate.h), never a guess from a sample.
// Several threads can look at parts of a text, and their results be merged.
//
// A field without quotes that equals the null text is null, as is, in a column whose values have a
// type, a word such as NA (is_null_word()). A column without values is utf8. Integers are int64
// here, since the file packs them by their values anyway. Columns are looked at one after another
// within a batch, by a loop for the present candidate; a value that does not have the type widens
// the candidate and changes the loop. Tested by tests/unit/compress/table/type_inference_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"
#include "compress/table/text/type_candidate.h"
#include "presso/table_schema.h"

namespace presso {

/// A type that all values had until this one came.
struct GivenUpType {
  ColumnSchema type;
  std::string value;  ///< the value's beginning
  std::uint64_t line = 0;
};

/// What inference has seen of a column, for `presso` to print.
struct ColumnReport {
  std::uint64_t values = 0;  ///< without nulls
  std::uint64_t nulls = 0;
  std::uint32_t least_length = 0;  ///< shortest value as it stands in the text, without quotes
  std::uint32_t most_length = 0;
  std::string first_value;            ///< its beginning
  std::uint64_t first_line = 0;       ///< the line where it stands
  std::vector<GivenUpType> given_up;  ///< in the order of their lines
  std::uint64_t other_line = 0;       ///< of the first value that is not UTF-8; 0: there is none
  std::string other_value;            ///< its beginning
  /// Whether every date can be read in two orders of day, month and year. The column is left a
  /// string then.
  bool ambiguous_date = false;

  /// Whether the first values, at least three, have a type that another one took away, or all can
  /// be read as dates in two ways. Single letters are rarely meant as truth values.
  bool had_type() const {
    if (ambiguous_date || given_up.empty()) return ambiguous_date;
    const bool letters = given_up.back().type.type == ColumnType::kBool && most_length == 1;
    return !letters && given_up.back().line >= first_line + 3;
  }
  /// "value `007` at line 12 keeps it a string"; empty if the first type was never given up.
  std::string why(const ColumnSchema& column) const;
};

/// Records with more or fewer fields than there are columns.
struct RaggedRecords {
  std::uint64_t count = 0;
  std::uint64_t first_line = 0;
};

/// The findings of one thread.
class TypeInference {
 public:
  /// `rules`: of these, the texts for nulls and the formats of dates.
  TypeInference(std::size_t columns, TextForm form, ReadingRules rules = {});

  /// Adds records of `text`, whose first byte is in line `first_line`. Surplus fields are
  /// ignored.
  void add(const RecordBatch& batch, Bytes text, std::uint64_t first_line);
  /// Adds `lines` to every line that was noted.
  void move_lines(std::uint64_t lines);
  /// Merges the findings of a later part of the text into these.
  void merge(const TypeInference& later);
  /// Like merge() above, where column i of `later` is column columns[i] here.
  void merge(const TypeInference& later, const std::vector<std::uint32_t>& columns);
  /// Adds columns without values so far, for texts in which columns turn up late. Strings of JSON
  /// are UTF-8, as its reader has checked; they are not checked again.
  void add_columns(std::size_t columns) {
    Column column;
    column.valid_utf8 = form_.kind != TextKind::kJsonLines;
    columns_.resize(columns_.size() + columns, column);
  }

  /// The schema. All columns may be null, so that tables of one kind can follow one another in
  /// a file.
  TableSchema finish(const std::vector<std::string>& names) const;
  std::vector<ColumnReport> report() const;
  const RaggedRecords& ragged() const { return ragged_; }
  std::uint64_t rows() const { return rows_; }

 private:
  /// A word for a missing value, and how many fields have it.
  struct NullWord {
    std::string text;
    std::uint64_t count = 0;
  };
  /// The state of inference for one column.
  struct Column {
    TypeCandidate candidate;
    ColumnReport report;
    bool valid_utf8 = true;
    std::uint64_t quoted_values = 0;
    bool quoted_nulls = false;
    bool needless_quotes = false;
    std::vector<NullWord> null_words;
    std::vector<NullWord> nan_words;  ///< before any other value: numbers, or missing values
    bool several_nulls = false;       ///< nulls are written in several of the ways that were given
    /// Bit i: the date format i has read all values but these words for missing ones.
    Byte date_formats = 0xFF;
    std::uint64_t dates = 0;
    std::uint64_t date_nulls = 0;
  };
  struct Part;  ///< the records that are being added
  /// How far the lines of a text were counted.
  struct LineCount {
    const Byte* text = nullptr;
    std::uint64_t first_line = 0;
    std::size_t at = 0;  ///< place up to which lines were counted
    std::uint64_t line = 0;
  };
  template <class Check>
  std::size_t pass(const Part& part, std::size_t index, std::size_t row, Check&& check);
  void note_value(Column& column, const Field& field, Bytes value) const;
  void add_column(Part& part, std::size_t index);
  void note_other_encoding(Part& part, std::size_t index);
  std::size_t add_while_fitting(const Part& part, std::size_t index, std::size_t row);
  static bool note_null_word(Column& column, const Field& field, Bytes value);
  static NullWord& null_word(std::vector<NullWord>& words, Bytes text);
  static std::vector<NullWord> null_words(const Column& column, ColumnType type);
  void take_null_words(const Column& from, ColumnSchema& column) const;
  void note_dates(const Part& part, std::size_t index);
  std::size_t date_format_of(const Column& column, ColumnType type) const;
  ColumnSchema found_type(const Column& column) const;
  ColumnReport report_of(const Column& column) const;
  static void widen(Column& column, Bytes value, std::uint64_t line);
  static void merge_column(Column& column, const Column& later);
  bool needs_quotes(const Field& field, Bytes value) const;
  std::uint64_t line_of(Part& part, std::size_t record);
  void count_ragged(Part& part);

  TextForm form_;
  ReadingRules rules_;
  std::vector<Column> columns_;
  RaggedRecords ragged_;
  std::uint64_t rows_ = 0;
  LineCount counted_;
};

}  // namespace presso
