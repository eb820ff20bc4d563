// SPDX-License-Identifier: MIT
// Loads a piece of JSON by the schema that inference found. The kind of each value is checked apart
// from its text, since "1" and 1 have the same text but not the same type.
#include "compress/table/text/json_loader.h"

#include <algorithm>

#include "compress/table/text/column_builder.h"
#include "compress/table/text/exact_lines.h"
#include "compress/table/text/json_keys.h"

namespace presso {
namespace {

std::vector<std::string> names_of(const TableSchema& schema) {
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema.columns) names.push_back(column.name);
  return names;
}

/// Columns that keep values as they stand in the text, quotes included, because rows disagree
/// on their kind.
bool is_raw(const ColumnSchema& column) {
  return is_string(column.type) && column.text == ValueText::kRawJson;
}

/// The kind of value that a column has, unless it is raw JSON.
JsonKind kind_of(const ColumnSchema& column) {
  if (is_date_or_time(column.type) || is_string(column.type)) return JsonKind::kString;
  return column.type == ColumnType::kBool ? JsonKind::kBool : JsonKind::kNumber;
}

/// One piece of text, loaded by one thread.
class JsonLoader {
 public:
  JsonLoader(Bytes text, const TableSchema& schema, std::uint64_t first_line, JsonLayout layout,
             const ReadingRules& rules)
      : text_(text),
        schema_(schema),
        first_line_(first_line),
        layout_(layout),
        keys_(names_of(schema)) {
    TextForm form = schema.text;
    form.null_text.clear();
    for (const ColumnSchema& column : schema.columns) {
      builders_.emplace_back(column, form, rules);
      raw_.push_back(is_raw(column));
      kinds_.push_back(kind_of(column));
    }
  }

  /// All rows of the piece, or the first error with its line.
  Result<LoadedRows> load() {
    PRESSO_TRY(read());
    return finish_rows(text_, schema_, ends_, builders_);
  }

  /// The places of what load() would refuse, in the order of the text.
  std::vector<RowPlace> find_bad_rows() {
    std::vector<RowPlace> bad;
    JsonBatch batch;
    RecordBatch records;
    const std::size_t rows = json_batch_rows(builders_.size());
    for (std::size_t at = 0; at < text_.size();) {
      at = tokenize_json(text_, at, rows, layout_, batch);
      if (layout_ != JsonLayout::kLines && !batch.faults.empty()) return {};
      keys_.resolve(batch, text_, false, columns_);
      for (const JsonFault& fault : batch.faults) bad.push_back({fault.begin, fault.end});
      spread_members(batch, columns_, raw_, records);
      for (std::size_t r = 0; r < batch.rows(); ++r) {
        if (!is_right(batch, records, r)) bad.push_back(place_of(batch, r));
      }
    }
    std::sort(bad.begin(), bad.end(),
              [](const RowPlace& a, const RowPlace& b) { return a.begin < b.begin; });
    return bad;
  }

 private:
  /// Tokenises, checks and fills columns, batch by batch.
  Status read() {
    JsonBatch batch;
    RecordBatch records;
    const std::size_t rows = json_batch_rows(builders_.size());
    for (std::size_t at = 0; at < text_.size();) {
      at = tokenize_json(text_, at, rows, layout_, batch);
      keys_.resolve(batch, text_, false, columns_);
      PRESSO_TRY(check(batch));
      spread_members(batch, columns_, raw_, records);
      for (std::size_t i = 0; i < builders_.size(); ++i) {
        PRESSO_TRY(builders_[i].append(records, text_, i, first_line_));
      }
      ends_.insert(ends_.end(), batch.begin.begin() + 1, batch.begin.end());
    }
    return {};
  }

  // The row with its line end, from the beginning of its line on if no other row precedes it there.
  RowPlace place_of(const JsonBatch& batch, std::size_t row) const {
    std::size_t begin = batch.object[row];
    while (begin > batch.begin[row] && text_[begin - 1] != '\n') --begin;
    return {begin, batch.begin[row + 1]};
  }

  /// Whether load() would take the row.
  bool is_right(const JsonBatch& batch, const RecordBatch& records, std::size_t row) const {
    for (std::size_t m = batch.first_member[row]; m < batch.first_member[row + 1]; ++m) {
      const std::uint32_t column = columns_[m];
      if (column == JsonKeys::kUnknown || !is_right(batch.members[m], column)) return false;
    }
    for (std::size_t i = 0; i < builders_.size(); ++i) {
      if (!builders_[i].fits(records, text_, row, i)) return false;
    }
    return true;
  }

  /// Whether a value has the kind of its column; null is right anywhere.
  bool is_right(const JsonMember& member, std::uint32_t column) const {
    return member.kind == kinds_[column] || member.kind == JsonKind::kNull || raw_[column];
  }

  /// Faults, unknown keys and values of the wrong kind are errors with their line.
  Status check(const JsonBatch& batch) const {
    if (!batch.faults.empty()) {
      const JsonFault& fault = batch.faults.front();
      return refuse(fault.at, fault_text(fault, text_, layout_));
    }
    for (std::size_t m = 0; m < batch.members.size(); ++m) {
      const JsonMember& member = batch.members[m];
      const std::uint32_t column = columns_[m];
      if (column == JsonKeys::kUnknown) {
        const Bytes key = text_.subspan(member.key_begin, member.key_length);
        std::string what("key '");
        what.append(shown(key)).append("', which is not a column");
        return refuse(member.key_begin, what);
      }
      if (is_right(member, column)) continue;
      std::string what("`");
      what.append(shown(text_.subspan(member.begin, member.length))).append("` in column '");
      what.append(schema_.columns[column].name).append("' is of another kind than ");
      return refuse(member.begin, what.append(type_name(schema_.columns[column])));
    }
    return {};
  }

  /// Lines are counted only here, as there is one error at most.
  Error refuse(std::size_t begin, const std::string& what) const {
    return error_in_line(first_line_ + count_lines(text_.first(begin)), what);
  }

  Bytes text_;
  const TableSchema& schema_;
  std::uint64_t first_line_;
  JsonLayout layout_;
  JsonKeys keys_;
  std::vector<ColumnBuilder> builders_;
  std::vector<bool> raw_;
  std::vector<JsonKind> kinds_;
  std::vector<std::uint32_t> columns_;  ///< the column of each of the batch's members
  std::vector<std::uint32_t> ends_;     ///< where each row ends in the text
};

}  // namespace

// Refuses a piece of more than 2 GiB (kMaxJsonText) with kInvalidArgument, because places in the
// text are kept as 32-bit numbers.
Result<LoadedRows> load_json_rows(Bytes text, const TableSchema& schema, std::uint64_t first_line,
                                  JsonLayout layout, const ReadingRules& rules) {
  if (text.size() > kMaxJsonText) {
    return make_error(ErrorCode::kInvalidArgument, "more than 2 GiB of JSON in one piece");
  }
  return without_bad_alloc([&]() -> Result<LoadedRows> {
    return JsonLoader(text, schema, first_line, layout, rules).load();
  });
}

Result<std::vector<RowPlace>> find_bad_json_rows(Bytes text, const TableSchema& schema,
                                                 JsonLayout layout, const ReadingRules& rules) {
  return without_bad_alloc([&]() -> Result<std::vector<RowPlace>> {
    return JsonLoader(text, schema, 1, layout, rules).find_bad_rows();
  });
}

}  // namespace presso
