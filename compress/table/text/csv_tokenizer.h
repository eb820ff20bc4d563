// SPDX-License-Identifier: MIT
// Cuts delimited text into records and fields, batch by batch, without copying a byte. The
// rules are RFC 4180's, widened so that every text has one reading:
// - LF, CR LF and a lone CR end a line.
// - A quote opens a field only as its first byte; elsewhere in an unquoted field it is data. In
//   quotes a doubled quote is one quote, and line ends and delimiters are data.
// - Text after a closing quote (`"a"b`) makes the field irregular: it reaches to the next
//   delimiter or line end, and its value is its text as it stands, quotes included.
// - Blank lines and lines that begin with the comment byte are no records; they belong to what
//   stands before the next record. In a text of one column, though, a blank line is a record of one
//   empty field, since that is how a null is written there (Dialect::blank_records).
// - With an escape byte, the byte after it is data in quotes, as a quote is in `\"`; outside of
//   quotes it is data itself.
// - Where blanks are merged, a run of delimiters is one, and those at the beginning and the end of
// a
//   line are none, as in columns that are aligned with blanks.
// - Every other byte is data, NUL included.
// The only text that cannot be read is one with a quote that is never closed. Linear; one pass
// with vector compares (token_loop_body.h). Tested by
// tests/unit/compress/table/csv_tokenizer_test.cpp against a reader that goes byte by byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "format/columns/time_format.h"
#include "presso/cpu.h"
#include "presso/error.h"
#include "presso/table_schema.h"

namespace presso {

/// The bytes that separate fields.
struct Dialect {
  Byte delimiter = ',';
  Byte quote = '"';  ///< 0: fields are never quoted
  Byte comment = 0;  ///< lines that begin with it are no records; 0: there are no such lines
  /// A delimiter follows the last field; where it is missing, the field ends at the line's end.
  bool trailing_delimiter = false;
  bool blank_records = false;  ///< a blank line is a record of one empty field
  Byte escape = 0;  ///< makes data of the byte after it, in quotes only; 0: there is no such byte
  bool merges_delimiters = false;  ///< a run of delimiters is one
  friend bool operator==(const Dialect&, const Dialect&) = default;
};

/// What only the reader of a text needs to know, and TextForm does not keep: rows that it makes
/// different from what would be printed are kept as they stand.
struct ReadingRules {
  Byte comment = 0;                      ///< Dialect::comment
  Byte escape = 0;                       ///< Dialect::escape
  bool merges_delimiters = false;        ///< Dialect::merges_delimiters
  std::vector<std::string> null_words;   ///< TableTextOptions::null_words
  Byte decimal = 0;                      ///< TableTextOptions::decimal; 0: found out
  std::vector<TimeFormat> date_formats;  ///< TableTextOptions::date_formats
};

/// `columns`: how many the text has; 0 where that is not known yet. Blank lines are records where
/// that gives a null, in texts of one column.
Dialect dialect_of(const TextForm& form, std::size_t columns, const ReadingRules& rules = {});
/// kInvalidArgument where two of the bytes are the same, or are line ends.
Status check(const Dialect& dialect);

/// A field's value is text[begin, begin + length); if it is `escaped`, doubled quotes in it
/// must be halved and escape bytes left out.
struct Field {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;  ///< without the quotes
  bool quoted = false;
  bool escaped = false;    ///< holds doubled quotes or escapes; only where it is quoted
  bool irregular = false;  ///< a closed quotation with text after it; not `quoted`
};

/// Records of a text. Record r has the fields [first_field[r], first_field[r + 1]). With its
/// line end and the blank lines and comments before it, it has the bytes [begin[r], begin[r +
/// 1]): these pieces follow one another without gaps.
struct RecordBatch {
  std::vector<Field> fields;
  std::vector<std::uint32_t> first_field;
  std::vector<std::uint32_t> begin;

  std::size_t records() const { return begin.empty() ? 0 : begin.size() - 1; }
  std::size_t fields_of(std::size_t record) const {
    return first_field[record + 1] - first_field[record];
  }
  /// Where the record's first field begins, its opening quote included.
  std::size_t text_begin(std::size_t record) const {
    const Field& first = fields[first_field[record]];
    return first.begin - (first.quoted ? 1 : 0);
  }
  /// Whether no quotation has text after it.
  bool is_regular() const {
    return std::none_of(fields.begin(), fields.end(),
                        [](const Field& field) { return field.irregular; });
  }
  /// Whether all records from `first` on have this many fields.
  bool all_have(std::size_t first, std::size_t count) const {
    for (std::size_t r = first; r < records(); ++r) {
      if (fields_of(r) != count) return false;
    }
    return true;
  }
};

/// A batch of this many records stays within a core's caches.
constexpr std::size_t kBatchRecords = 1024;
/// The longest text; longer ones must be cut, see last_record_end().
constexpr std::size_t kMaxCsvText = std::size_t{1} << 31;

/// Replaces `batch` by at most `most_records` records of `text` from `at`, which must be the
/// beginning of the text or what an earlier call returned. Returns where the next record
/// begins, with its blank lines and comments; batch.begin.back() is the same place, except at
/// the very end, where whatever follows the last record is skipped. Unless the text ends here,
/// a last record without a line end is left for later, as is one that ends in a CR which may
/// become a CR LF. kInvalidArgument: a quote is open where the text ends; the message names the
/// line where it was opened, counted from `first_line`, the line of text[0].
Result<std::size_t> tokenize(const Dialect& dialect, Bytes text, std::size_t at,
                             std::size_t most_records, bool text_ends_here, RecordBatch& batch,
                             std::uint64_t first_line = 1);
/// tokenize() by the loop of a given CPU level, for tests.
Result<std::size_t> tokenize(const Dialect& dialect, Bytes text, std::size_t at,
                             std::size_t most_records, bool text_ends_here, RecordBatch& batch,
                             std::uint64_t first_line, CpuLevel level);

/// Where to cut a text that goes on, so that the first part has whole records only: after its
/// last record that is surely complete; 0 if there is none. `text` must begin where a record
/// does.
Result<std::size_t> last_record_end(const Dialect& dialect, Bytes text);

/// The number of line ends in `text`: LF, CR LF and lone CR.
std::uint64_t count_lines(Bytes text);

/// Whether the field is a null. Fields in quotes never are.
inline bool is_null(const Field& field, Bytes text, const std::string& null_text) {
  return !field.quoted && field.length == null_text.size() &&
         (null_text.empty() ||
          std::memcmp(text.data() + field.begin, null_text.data(), null_text.size()) == 0);
}

/// Whether the field is one of the further texts for nulls, which are few and often none.
inline bool is_null_by(const std::vector<std::string>& words, const Field& field, Bytes text) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return is_null(field, text, word); });
}

/// An error "line 18,342: what" with kInvalidArgument.
Error error_in_line(std::uint64_t line, std::string_view what);

/// The beginning of a text for a message, up to its first line end and 60 bytes; "..." if more
/// follows than line ends.
std::string shown(Bytes text);

/// Writes a value that is Field::escaped to `to`, which has room for all of it: doubled quotes are
/// halved, escape bytes left out. Returns the number of bytes.
std::size_t unescape_value(Bytes value, Byte quote, Byte escape, Byte* to);
/// Appends the field's value to `to`, without what makes it Field::escaped.
void append_value_text(const Field& field, Bytes text, const Dialect& dialect,
                       std::vector<Byte>& to);

}  // namespace presso
