// SPDX-License-Identifier: MIT
// Where the values of rows stand in their text (FORMAT.md 20). A row group may be stored as the
// text that it was made from, coded as bytes are, which is never much larger than the text alone
// would be. A second stream tells readers of columns how to cut the text: a plan for each run of
// rows that are written alike, which names one cut after another. Values are read from the text
// that is cut out; those that it does not give are stored beside the plans. Text output needs
// neither plans nor values. Tested by tests/unit/decompress/table/text_cuts_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/columns/json_reader.h"
#include "format/columns/packed_rows.h"
#include "format/columns/value_text.h"
#include "presso/byte_stream.h"
#include "presso/table_schema.h"

namespace presso {

/// The longest text of a row group that is stored in this form.
constexpr std::uint64_t kMostCutText = 1u << 31;

/// What is cut out, from the place on that a cut names. The numbers are stored in files.
enum class CutPiece : Byte {
  kDelimited = 0,  ///< a field of delimited text, up to a delimiter, a line end or its quote
  kJson = 1,       ///< a value of JSON
  kFixed = 2,      ///< a number of bytes
};
/// What the column's value is. The numbers are stored in files.
enum class CutValue : Byte {
  kText = 0,    ///< what was cut out says it
  kNull = 1,    ///< null
  kStored = 2,  ///< it is stored beside the plans
};

/// One step of a plan.
struct TextCut {
  CutPiece piece = CutPiece::kDelimited;
  CutValue value = CutValue::kText;
  std::uint32_t column = 0;
  std::uint32_t skipped = 0;  ///< bytes between the cut before it and this one
  std::uint32_t bytes = 0;    ///< with kFixed
};

/// Appends a cut of a plan; `next`: the column after that of the cut before it.
void append_cut(const TextCut& cut, std::uint32_t next, std::vector<Byte>& to);
/// Ends a plan.
constexpr Byte kEndOfPlan = 0;

/// A piece of the text.
struct CutText {
  Bytes bytes;  ///< without quotes
  bool is_null = false;
  bool has_escapes = false;  ///< quotes stand twice in it, or it has escapes of JSON
};

/// Cuts pieces out of one text.
class TextCutter {
 public:
  /// Keeps both by reference.
  TextCutter(const TableSchema& schema, Bytes text);
  TextCutter(const TextCutter&) = delete;
  TextCutter& operator=(const TextCutter&) = delete;

  /// Cuts at `at`, which moves to after the piece. False where there is no such piece.
  bool cut(CutPiece piece, std::uint32_t column, std::uint32_t bytes, std::size_t& at, CutText& to);
  /// Appends the piece without its escapes.
  void append_plain(CutPiece piece, Bytes text, Buffer& to) const;

 private:
  bool cut_delimited(std::uint32_t column, std::size_t& at, CutText& to) const;
  bool cut_quoted(std::size_t& at, CutText& to) const;
  bool cut_json(std::uint32_t column, std::size_t& at, CutText& to);

  Bytes text_;
  Byte delimiter_;
  Byte quote_;
  std::vector<std::string_view> nulls_;  ///< of each column
  std::vector<bool> raw_;                ///< columns whose values are JSON themselves
  std::vector<JsonMember> members_;
  JsonReader json_;
};

/// Reads values of one column, which is not one of strings, from text that may be written in other
/// ways than print_value() does: with blanks around, a plus, further zeros, without a zero before
/// the point, and floating numbers in any way that std::from_chars() reads.
class LooseValue {
 public:
  /// Keeps the column by reference.
  explicit LooseValue(const ColumnSchema& column);
  bool read(Bytes text, Byte* value) const;

 private:
  bool read_number(Bytes text, Byte* value) const;

  const ColumnSchema& column_;
  ParseValue parse_;
};

/// Finds the fields of all columns. kBadRowGroup where the cuts are not sound or do not fit the
/// text. `made` gets text that does not stand in the text as it is.
Result<std::vector<FieldPlace>> cut_rows(const TableSchema& schema, Bytes text, Bytes cuts,
                                         std::uint32_t rows, Buffer& made);

}  // namespace presso
