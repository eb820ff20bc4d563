// SPDX-License-Identifier: MIT
// Loads a piece of delimited text: tokenises it in batches of 1,024 records that stay in the cache,
// and appends each batch to all columns. Tested by tests/unit/compress/table/csv_loader_test.cpp.
#include "compress/table/text/csv_loader.h"

#include "compress/table/text/column_builder.h"
#include "compress/table/text/exact_lines.h"
#include "compress/table/text/hidden_rows.h"

namespace presso {
namespace {

/// One call of load_rows() or find_bad_rows().
class Loader {
 public:
  Loader(Bytes text, const TableSchema& schema, std::uint64_t first_line,
         const LoadOptions& options)
      : text_(text),
        schema_(schema),
        first_line_(first_line),
        options_(options),
        dialect_(dialect_of(schema.text, schema.columns.size(), options.rules)) {
    for (const ColumnSchema& column : schema.columns) {
      builders_.emplace_back(column, schema.text, options.rules);
    }
  }

  /// All rows of the piece, or an error with its line.
  Result<LoadedRows> load() {
    PRESSO_TRY(read());
    return finish_rows(text_, schema_, ends_, builders_);
  }

  /// Only called after load() has failed: it parses everything once more.
  Result<std::vector<RowPlace>> find_bad_rows() const {
    std::vector<RowPlace> bad;
    RecordBatch batch;
    for (std::size_t at = 0; at < text_.size();) {
      PRESSO_ASSIGN(at, tokenize(dialect_, text_, at, kBatchRecords, true, batch, first_line_));
      for (std::size_t r = 0; r < batch.records(); ++r) {
        if (has_right_fields(batch, r) && has_right_values(batch, text_, r)) continue;
        bad.push_back({batch.text_begin(r), batch.begin[r + 1]});
      }
    }
    return bad;
  }

 private:
  /// Tokenises and fills columns, batch by batch.
  Status read() {
    RecordBatch batch;
    for (std::size_t at = 0; at < text_.size();) {
      PRESSO_ASSIGN(at, tokenize(dialect_, text_, at, kBatchRecords, true, batch, first_line_));
      PRESSO_TRY(check_fields(batch));
      PRESSO_TRY(check_lines(batch, at));
      for (std::size_t i = 0; i < builders_.size(); ++i) {
        PRESSO_TRY(builders_[i].append(batch, text_, i, first_line_));
      }
      if (ends_.empty() && batch.records() > 0) expect_rows(at);
      ends_.insert(ends_.end(), batch.begin.begin() + 1, batch.begin.end());
    }
    return {};
  }

  /// Makes room for all rows of the text, if they are like those of the first batch, which ends at
  /// `at`.
  void expect_rows(std::size_t at) {
    constexpr double kSomeMore = 1.05;
    const double times = kSomeMore * static_cast<double>(text_.size()) / static_cast<double>(at);
    for (ColumnBuilder& builder : builders_) builder.expect(times);
  }

  /// Refuses rows that quotes or comments would hide, where these were only guessed.
  Status check_lines(const RecordBatch& batch, std::size_t end) const {
    if (!options_.doubts_quotes && !options_.doubts_comments) return {};
    RowTest test{builders_.size(), true,
                 [this](const RecordBatch& rows, Bytes lines, std::size_t r) {
                   return has_right_values(rows, lines, r);
                 }};
    for (const ColumnSchema& column : schema_.columns) {
      test.only_texts = test.only_texts && is_string(column.type);
    }
    if (options_.doubts_quotes) {
      PRESSO_TRY(refuse_rows_in_quotes(dialect_, text_, batch, test, first_line_));
    }
    if (!options_.doubts_comments) return {};
    return refuse_rows_in_comments(dialect_, text_, batch, end, test, first_line_);
  }

  Status check_fields(const RecordBatch& batch) const {
    for (std::size_t r = 0; r < batch.records(); ++r) {
      if (!has_right_fields(batch, r)) return wrong_fields(batch, r);
    }
    return {};
  }

  /// With `fill`, missing fields count as nulls.
  bool has_right_fields(const RecordBatch& batch, std::size_t record) const {
    const std::size_t fields = batch.fields_of(record);
    return fields == builders_.size() || (options_.fill && fields < builders_.size());
  }

  /// Names the line and shows the record's beginning. Lines are counted only here, since that
  /// reads the text again.
  Error wrong_fields(const RecordBatch& batch, std::size_t record) const {
    const std::size_t fields = batch.fields_of(record);
    const std::size_t begin = batch.text_begin(record);
    std::string what = grouped(fields);
    what.append(fields == 1 ? " field, expected " : " fields, expected ");
    what.append(grouped(builders_.size())).append(": ");
    what.append(shown(text_.subspan(begin, batch.begin[record + 1] - begin)));
    what += hint(text_.subspan(begin, batch.begin[record + 1] - begin), fields);
    return error_in_line(first_line_ + count_lines(text_.first(begin)), what);
  }

  /// Names the option that may help with a record of another number of fields.
  std::string hint(Bytes record, std::size_t fields) const {
    const bool may_be_comment = dialect_.comment == 0 && !record.empty() && record[0] == '#';
    if (may_be_comment) return " (--comment '#' passes over such lines)";
    for (const char other : {',', ';', '|', '\t'}) {
      const auto others = std::count(record.begin(), record.end(), static_cast<Byte>(other));
      if (fields == 1 && static_cast<std::size_t>(others) + 1 == builders_.size()) {
        return std::string(" (--delimiter ") +
               (other == '\t' ? "tab" : std::string("'") + other + "'") +
               " reads it, so the text is written in two ways)";
      }
    }
    if (builders_.size() == 1) return " (--skip N passes over lines before the header)";
    if (fields > builders_.size()) return "";
    const std::string fill = " (--ragged fill makes missing fields null";
    return fill + (fields == 1 ? ", --bad-rows FILE sets such lines aside)" : ")");
  }

  /// Whether every field parses as its column's type.
  bool has_right_values(const RecordBatch& batch, Bytes text, std::size_t record) const {
    for (std::size_t i = 0; i < builders_.size(); ++i) {
      if (!builders_[i].fits(batch, text, record, i)) return false;
    }
    return true;
  }

  Bytes text_;
  const TableSchema& schema_;
  std::uint64_t first_line_;
  const LoadOptions& options_;
  Dialect dialect_;
  std::vector<ColumnBuilder> builders_;
  std::vector<std::uint32_t> ends_;  ///< where each row ends in the text
};

}  // namespace

// A piece has at most 2 GiB, since places are 32-bit numbers.
Result<LoadedRows> load_rows(Bytes text, const TableSchema& schema, std::uint64_t first_line,
                             const LoadOptions& options) {
  return without_bad_alloc(
      [&]() -> Result<LoadedRows> { return Loader(text, schema, first_line, options).load(); });
}

Result<std::vector<RowPlace>> find_bad_rows(Bytes text, const TableSchema& schema,
                                            const LoadOptions& options) {
  return without_bad_alloc([&] { return Loader(text, schema, 1, options).find_bad_rows(); });
}

}  // namespace presso
