// SPDX-License-Identifier: MIT
// Reads the doubtful lines once more, without quotes or comments.
#include "compress/table/text/hidden_rows.h"

#include <algorithm>
#include <cstring>

#include "format/line_facts.h"

namespace presso {
namespace {

constexpr std::size_t kManyLines = 4;  ///< of texts only, that are no accident

bool has_irregular_field(const RecordBatch& batch, std::size_t record) {
  const auto begin = batch.fields.begin() + batch.first_field[record];
  const auto end = batch.fields.begin() + batch.first_field[record + 1];
  return std::any_of(begin, end, [](const Field& field) { return field.irregular; });
}

/// Whether the record has several lines, and its lines as many delimiters as rows have. Most values
/// of several lines are passed over by this.
bool may_hide_rows(const Dialect& dialect, Bytes record, std::size_t columns) {
  const Byte* at = record.data();
  const Byte* const end = at + record.size();
  const auto* line_end = static_cast<const Byte*>(std::memchr(at, '\n', record.size()));
  if (line_end == nullptr) return count_lines(record) > 1;
  if (line_end + 1 == end) return false;
  if (dialect.trailing_delimiter || dialect.merges_delimiters) return true;
  while (at != end) {
    const auto least = static_cast<std::ptrdiff_t>(columns - 1);
    if (std::count(at, line_end, dialect.delimiter) != least) return false;
    at = std::min(line_end + 1, end);
    line_end = std::find(at, end, Byte{'\n'});
  }
  return true;
}

/// Whether all lines are rows by the test.
bool are_rows(const Dialect& dialect, Bytes lines, const RowTest& test, RecordBatch& rows) {
  if (!tokenize(dialect, lines, 0, ~std::size_t{0}, true, rows).ok()) return false;
  for (std::size_t r = 0; r < rows.records(); ++r) {
    if (rows.fields_of(r) != test.columns || !test.fits(rows, lines, r)) return false;
  }
  return rows.records() > 0;
}

}  // namespace

Status refuse_rows_in_quotes(const Dialect& dialect, Bytes text, const RecordBatch& batch,
                             const RowTest& test, std::uint64_t first_line) {
  if (batch.records() == 0 || dialect.quote == 0 || test.columns < 2) return {};
  const Bytes all = text.subspan(batch.begin[0], batch.begin.back() - batch.begin[0]);
  if (std::memchr(all.data(), dialect.quote, all.size()) == nullptr) return {};
  // Counting line feeds alone is faster; a text without them has lone carriage returns.
  const std::uint64_t line_feeds = line_feeds_in(all);
  const std::uint64_t lines = line_feeds > 0 ? line_feeds : count_lines(all);
  if (lines <= batch.records()) return {};
  Dialect no_quotes = dialect;
  no_quotes.quote = no_quotes.escape = 0;
  RecordBatch rows;
  for (std::size_t r = 0; r < batch.records(); ++r) {
    const std::size_t begin = batch.text_begin(r);
    const Bytes record = text.subspan(begin, batch.begin[r + 1] - begin);
    if (!may_hide_rows(dialect, record, test.columns)) continue;
    if (!are_rows(no_quotes, record, test, rows)) continue;
    const bool is_accident = test.only_texts && rows.records() < kManyLines;
    if (rows.records() < 2 || (is_accident && !has_irregular_field(batch, r))) continue;
    return error_in_line(first_line + count_lines(text.first(begin)),
                         "a quote that opens here encloses lines that read as rows, up to line " +
                             grouped(first_line + count_lines(text.first(batch.begin[r + 1])) - 1) +
                             "; with --quote none quotes are text, with --quote '" +
                             std::string(1, static_cast<char>(dialect.quote)) +
                             "' the lines are one value");
  }
  return {};
}

Status refuse_rows_in_comments(const Dialect& dialect, Bytes text, const RecordBatch& batch,
                               std::size_t end, const RowTest& test, std::uint64_t first_line) {
  if (dialect.comment == 0) return {};
  Dialect no_comments = dialect;
  no_comments.comment = 0;
  RecordBatch rows;
  for (std::size_t r = 0; r <= batch.records(); ++r) {
    std::size_t at = batch.begin[r];
    const std::size_t stop = r < batch.records() ? batch.text_begin(r) : end;
    while (at < stop) {
      const auto line_end = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at),
                                         text.begin() + static_cast<std::ptrdiff_t>(stop),
                                         [](Byte byte) { return byte == '\n' || byte == '\r'; });
      const auto line = text.subspan(at, static_cast<std::size_t>(line_end - text.begin()) - at);
      if (!line.empty() && line[0] == dialect.comment && are_rows(no_comments, line, test, rows)) {
        const std::string comment(1, static_cast<char>(dialect.comment));
        return error_in_line(first_line + count_lines(text.first(at)),
                             "begins with '" + comment +
                                 "' as comments do, but reads as a row; with --comment none it is "
                                 "one, with --comment '" +
                                 comment + "' it is none");
      }
      at += line.size() + 1;
    }
  }
  return {};
}

}  // namespace presso
