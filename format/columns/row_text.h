// SPDX-License-Identifier: MIT
// Prints rows of a table as text, delimited or JSON lines. It is the way back from columns to the
// text that was loaded, it is how the loader checks that this gives the same bytes, and all other
// text of rows comes from it, too.
//
// Delimited text: TextForm and Quoting say how fields are written (table_schema.h). With a quote, a
// value that would be read as null stands in quotes whatever its type, as does a number that holds
// the delimiter (dates with a delimiter '-'). Without one (quote 0) fields are written as they are.
// JSON lines: {"name":value,...}, nulls as null; strings, dates, timestamps and numbers that JSON
// does not have (nan, inf) in quotes; bools true and false whatever their ValueText; strings that
// are JSON themselves (kRawJson) as they are. Bytes that are not valid UTF-8 are written as they
// are where the text is to be that of the input again, and as U+FFFD where it is an answer
// (JsonBytes), which must be JSON. TextForm says whether there are spaces, whether nulls are left
// out, what is escaped, and the order of keys.
//
// Rows are written in batches: room for the longest text that a batch can have is made first,
// so that nothing is checked later. Cost: 0.8 GB/s a core for rows like TPC-H's lineitem, 1.9
// GB/s as JSON. While a string is printed it takes at
// most 6 times its bytes; everything else takes 2 MiB or a row. Printing is const: threads may
// share a printer.
// Tested by tests/unit/format/columns/row_text_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/columns/json_orders.h"
#include "format/columns/string_text.h"
#include "format/columns/value_text.h"
#include "presso/column_data.h"

namespace presso {

/// What becomes of bytes in strings and names that are not UTF-8, in JSON lines.
enum class JsonBytes { kAsTheyAre, kReplaced };

/// The printer for the rows of a set of columns. See above for what it costs.

class RowPrinter {
 public:
  /// Takes one row group, or a part of it, with one column for each of the schema's, of the
  /// same type and all with the same number of rows. Everything is kept by reference and must
  /// outlive the printer. `exact` may be nullptr. Spellings and null texts of columns count only
  /// where the schema is exact.
  RowPrinter(const TableSchema& schema, std::span<const ColumnView> columns,
             const ExactLines* exact = nullptr, JsonBytes json_bytes = JsonBytes::kAsTheyAre);

  /// Appends the text of these rows; after the columns' last row also the exact text that follows
  /// it. TextForm::head is not printed. Errors: kInvalidArgument where columns or exact lines do
  /// not fit the schema or each other, there are no such rows, or the schema has no form of text;
  /// kOutOfMemory.
  Status print(std::uint64_t first_row, std::uint64_t rows, Buffer& to) const;

  /// Like print(); `ends` becomes the place in `to` where each row ends. Exact text that
  /// follows the last row comes after the last end.
  Status print_rows(std::uint64_t first_row, std::uint64_t rows, Buffer& to,
                    std::vector<std::uint64_t>& ends) const;

  /// How many rows take up to 2 MiB of text without their strings: at least 1 and at most 1,024. A
  /// caller that must stop at some size of the text prints in steps of this.
  std::uint64_t batch_rows() const;

 private:
  // How a field is printed, decided once for each column.
  enum class Kind : Byte {
    kValue,         ///< as print_value() writes it
    kQuotedValue,   ///< in quotes
    kCheckedValue,  ///< may need quotes, like a string
    kBool,          ///< one of two words
    kString,        ///< copied; in quotes where needed
    kQuotedString,  ///< in quotes, quotes doubled or escaped
    kRawString,     ///< as it is
    kJsonReal,      ///< in quotes where it is not a number
  };
  struct Field {
    Kind kind = Kind::kValue;
    std::uint32_t value_bytes = 0;
    PrintValue print = nullptr;
    ColumnSchema schema;
    ColumnView column;
    const Byte* values_end = nullptr;  ///< of strings
    std::string before;                ///< JSON: `,"name":`, with white space
    std::string words[2];              ///< bools: false and true, in quotes if need be
    std::string null_text;
    bool is_spelled = false;     ///< a field may have a spelling, or the column has one
    ColumnView spellings;        ///< of each row; no offsets: there are none
    std::size_t most_bytes = 0;  ///< of the field in a row, without the string's own
  };

  /// The strings of a column after their bytes that are not UTF-8 were replaced.
  struct ReplacedStrings {
    std::vector<Byte> values;
    std::vector<std::int64_t> offsets;
  };

  ColumnView with_valid_strings(const ColumnSchema& schema, const ColumnView& column);
  Field make_field(const ColumnSchema& schema, const ColumnView& column) const;
  void add_spellings();
  Kind kind_of(const ColumnSchema& schema) const;
  std::string bool_field(const ColumnSchema& schema, bool value) const;
  bool may_need_quotes(const ColumnSchema& schema) const;
  Status check(std::uint64_t first_row, std::uint64_t rows) const;
  Status check_columns() const;

  void print_all(std::uint64_t row, std::uint64_t end, Buffer& to,
                 std::vector<std::uint64_t>* ends) const;
  void print_plain(std::uint64_t row, std::uint64_t end, Buffer& to,
                   std::vector<std::uint64_t>* ends) const;
  std::uint64_t string_bytes(std::uint64_t row, std::uint64_t end) const;
  std::uint64_t most_string_bytes(std::uint64_t row, std::uint64_t end) const;
  Bytes exact_text(std::size_t number) const;

  char* print_row(std::uint64_t row, char* at) const;
  char* print_json_row(std::uint64_t row, char* at) const;
  const JsonOrder* order_of(std::uint64_t row) const;
  template <bool Json>
  char* print_field(const Field& field, std::uint64_t row, char* at) const;
  template <bool Json>
  char* print_spelled_string(const Field& field, std::string_view spelling, std::uint64_t row,
                             char* at) const;
  template <bool Json>
  char* print_spelled_field(const Field& field, std::uint64_t row, char* at) const;
  bool needs_quotes(char* text, std::size_t size) const;
  template <bool Json>
  char* print_string(Bytes text, const Byte* end, char* at) const;
  template <bool Json>
  char* print_quoted(Bytes text, const Byte* end, char* at) const;

  const TextForm& form_;
  std::size_t schema_columns_;
  std::span<const ColumnView> columns_;
  const ExactLines* exact_;
  std::uint64_t rows_ = 0;
  bool json_;
  bool replaces_bytes_;
  char quote_;
  string_text::FieldMarks field_marks_;
  string_text::QuoteMark quote_mark_;
  string_text::JsonEscapes json_escapes_;
  string_text::JsonMarks json_marks_;
  JsonOrders json_orders_;
  std::string row_begin_;  ///< JSON: '{', with white space
  std::string row_end_;
  bool rows_are_lines_ = true;
  std::size_t most_row_bytes_ = 0;  ///< without strings' own bytes
  std::vector<ReplacedStrings> replaced_;
  std::vector<Field> fields_;
};

}  // namespace presso
