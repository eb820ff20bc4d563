// SPDX-License-Identifier: MIT
// Builds one column in memory from the fields of records (RecordBatch in csv_tokenizer.h; JSON
// lines are given that form by json_keys.h), batch by batch. Nulls are fields that equal the null
// text and stand in no quotes, fields that a record lacks, and in columns that are not of strings
// words such as NA; under a null stands 0 or an empty string. Values may be in any spelling
// (field_reader.h), which is kept where the column is `spelled`. Doubled quotes in strings are
// halved, JSON's escapes replaced. Not for several threads. Tested by
// tests/unit/compress/table/column_builder_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"
#include "compress/table/text/field_reader.h"
#include "format/columns/value_text.h"
#include "presso/column_data.h"
#include "presso/table_schema.h"

namespace presso {

/// The builder of one column of the given type; finish() gives the column.
class ColumnBuilder {
 public:
  ColumnBuilder(const ColumnSchema& column, const TextForm& form, const ReadingRules& rules = {});

  /// Appends the batch's fields number `index`. `first_line`: the line of text[0], for
  /// messages. kInvalidArgument: a value that the type does not have, or a null in a column
  /// without nulls; the builder is of no use after that.
  Status append(const RecordBatch& batch, Bytes text, std::size_t index,
                std::uint64_t first_line = 1);
  /// Makes room for `times` as many rows as were appended, so that memory is not asked for again
  /// and again as it grows. More or fewer may come.
  void expect(double times);
  /// Whether append() takes the record's field.
  bool fits(const RecordBatch& batch, Bytes text, std::size_t record, std::size_t index) const;
  /// Returns the column; the builder is empty after it and can be used again.
  ColumnData finish();
  /// After finish(): the spellings of its rows, strings; empty unless the column is `spelled`.
  ColumnData take_spellings() { return std::move(spellings_); }

 private:
  void begin_data();
  void put_null(std::uint64_t row);
  void put_string(const Field& field, Bytes text);
  bool put_value(std::uint64_t row, const Field& field, Bytes text);
  bool put_unusual(FieldReader& reader, std::uint64_t row, const Field& field, Bytes text);
  void put_quotes(std::uint64_t row, const Field& field, Bytes text);
  void spell_null(std::uint64_t row, const Field& field, Bytes text);
  void put_field(std::uint64_t row, const Field& field, Bytes text);
  void put_spelling(std::uint64_t row, std::string_view spelling);
  void mark_valid(std::uint64_t row) {
    if (!data_.validity.empty()) set_valid(row);
  }
  void set_valid(std::uint64_t row);
  FieldReader reader() const;
  bool is_null_field(const Field& field, Bytes text) const;
  bool has_usual_quotes(const Field& field, Bytes text) const;
  bool is_usual(const Byte* value, Bytes text) const;
  void reserve(const RecordBatch& batch, std::size_t index);
  Error refuse(const RecordBatch& batch, Bytes text, std::size_t record, std::size_t index,
               std::uint64_t first_line) const;

  ColumnSchema column_;
  std::string null_text_;
  std::vector<std::string> null_words_;
  std::optional<TimeFormat> date_format_;
  Byte delimiter_;
  Byte quote_;
  Byte escape_;
  bool json_;
  std::uint32_t width_;  ///< bytes of a value; 0: bits or a string
  ParseValue parse_;
  ColumnData data_;
  std::size_t string_bytes_ = 0;
  bool strict_;  ///< whether a value that the parser takes has no spelling
  ColumnData spellings_;
};

}  // namespace presso
