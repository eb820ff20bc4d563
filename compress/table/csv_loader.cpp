// SPDX-License-Identifier: MIT
#include "compress/table/csv_loader.h"

#include "compress/table/column_builder.h"
#include "compress/table/exact_lines.h"

namespace presso {
namespace {

class Loader {
 public:
  Loader(Bytes text, const TableSchema& schema, std::uint64_t first_line,
         const LoadOptions& options)
      : text_(text),
        schema_(schema),
        first_line_(first_line),
        fill_(options.fill),
        dialect_(dialect_of(schema.text, options.comment)) {
    for (const ColumnSchema& column : schema.columns) builders_.emplace_back(column, schema.text);
  }

  Result<LoadedRows> load() {
    PRESSO_TRY(read());
    LoadedRows loaded;
    loaded.rows = ends_.size();
    for (ColumnBuilder& builder : builders_) loaded.columns.push_back(builder.finish());
    if (schema_.exact) PRESSO_TRY(keep_exact_lines(text_, schema_, ends_, loaded));
    return loaded;
  }

 private:
  Status read() {
    RecordBatch batch;
    for (std::size_t at = 0; at < text_.size();) {
      PRESSO_ASSIGN(at, tokenize(dialect_, text_, at, kBatchRecords, true, batch, first_line_));
      PRESSO_TRY(check_fields(batch));
      for (std::size_t i = 0; i < builders_.size(); ++i) {
        PRESSO_TRY(builders_[i].append(batch, text_, i, first_line_));
      }
      ends_.insert(ends_.end(), batch.begin.begin() + 1, batch.begin.end());
    }
    return {};
  }

  Status check_fields(const RecordBatch& batch) const {
    for (std::size_t r = 0; r < batch.records(); ++r) {
      const std::size_t fields = batch.fields_of(r);
      if (fields == builders_.size() || (fill_ && fields < builders_.size())) continue;
      const Field& first = batch.fields[batch.first_field[r]];
      const std::size_t begin = first.begin - (first.quoted ? 1 : 0);
      const std::uint64_t line = first_line_ + count_lines(text_.first(begin));
      std::string what = grouped(fields);
      what.append(fields == 1 ? " field, expected " : " fields, expected ");
      what.append(grouped(builders_.size())).append(": ");
      what.append(shown(text_.subspan(begin, batch.begin[r + 1] - begin)));
      return error_in_line(line, what);
    }
    return {};
  }

  Bytes text_;
  const TableSchema& schema_;
  std::uint64_t first_line_;
  bool fill_;
  Dialect dialect_;
  std::vector<ColumnBuilder> builders_;
  std::vector<std::uint32_t> ends_;  ///< of each row
};

}  // namespace

Result<LoadedRows> load_rows(Bytes text, const TableSchema& schema, std::uint64_t first_line,
                             const LoadOptions& options) {
  return without_bad_alloc(
      [&]() -> Result<LoadedRows> { return Loader(text, schema, first_line, options).load(); });
}

}  // namespace presso
