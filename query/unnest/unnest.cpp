// SPDX-License-Identifier: MIT
// Implements unnest.h, by one thread: a row group is read at a time, and rows are collected until
// they are a batch for KeepingSink.
#include "query/unnest/unnest.h"

#include <charconv>

#include "format/columns/json_path.h"
#include "format/columns/schema.h"
#include "query/compute/builder.h"
#include "query/compute/list_elements.h"
#include "query/compute/steps.h"
#include "query/compute/written_value.h"

namespace presso::query {
namespace {

/// Rows are given away when there are this many, or when they have this many bytes.
constexpr std::uint64_t kMostBatchRows = 65'536;
constexpr std::uint64_t kBatchBytes = 32u << 20;
constexpr std::string_view kEach = "[*]";

std::string_view view_of(Bytes text) {
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

/// The arrays of a column, one after another.
class ArrayReader {
 public:
  /// The elements of a text; nullptr for a null. `row` is for messages.
  Result<const std::vector<JsonMember>*> read(Bytes text, std::uint64_t row) {
    const std::vector<JsonMember>* none = nullptr;
    const std::string where = "row " + std::to_string(row + 1) + ": ";
    if (finder_.find(text, {}) == JsonFinder::Found::kNoJson) {
      return refused(where + json_failure(text, {}));
    }
    const JsonMember& value = finder_.value();
    if (value.kind == JsonKind::kNull) return none;
    if (text[value.begin] == '[') return &finder_.members();
    constexpr std::size_t kShown = 40;
    const std::string shown(view_of(text).substr(0, kShown));
    return refused(where + "unnest() takes arrays; this is `" + shown + "`");
  }

 private:
  JsonFinder finder_;
};

/// Finds the type of all elements.
class ElementType {
 public:
  void add(Bytes text, const JsonMember& element) {
    if (element.kind == JsonKind::kNull) return;
    kinds_ |= bit(element.kind);
    const Bytes value = text.subspan(element.begin, element.length);
    if (element.kind == JsonKind::kNumber) all_whole_ = all_whole_ && is_whole(view_of(value));
    if (element.kind != JsonKind::kString || !all_moments_) return;
    const auto moment = element.escaped ? std::nullopt : read_moment(value);
    all_moments_ = moment.has_value();
    any_time_ |= moment && moment->has_time;
  }

  ColumnSchema type() const {
    ColumnSchema type;
    type.valid_utf8 = true;
    if (kinds_ == bit(JsonKind::kBool)) {
      type.type = ColumnType::kBool;
    } else if (kinds_ == bit(JsonKind::kNumber)) {
      type.type = all_whole_ ? ColumnType::kInt64 : ColumnType::kDouble;
    } else if (kinds_ == bit(JsonKind::kString) && all_moments_) {
      type.type = any_time_ ? ColumnType::kTimestamp : ColumnType::kDate32;
      if (any_time_) type.unit = TimeUnit::kMicro;
    } else if (kinds_ == bit(JsonKind::kNested)) {
      type.text = ValueText::kRawJson;
    }
    type.valid_utf8 = is_string(type.type);
    return type;
  }

 private:
  static unsigned bit(JsonKind kind) { return 1u << static_cast<unsigned>(kind); }
  static bool is_whole(std::string_view number) {
    std::int64_t value = 0;
    const char* const end = number.data() + number.size();
    const auto read = std::from_chars(number.data(), end, value);
    return read.ec == std::errc() && read.ptr == end;
  }

  unsigned kinds_ = 0;
  bool all_whole_ = true;
  bool all_moments_ = true;
  bool any_time_ = false;
};

/// Makes a column value by value.
class ColumnMaker {
 public:
  explicit ColumnMaker(const ColumnSchema& type)
      : type_(type), bytes_(value_bytes(type.type)), node_(column_node(0, type, {}, true)) {
    clear();
  }

  std::uint64_t rows() const { return column_.rows; }
  std::uint64_t bytes() const { return column_.values.size(); }
  ColumnView view() const { return column_.view(); }

  void clear() {
    column_ = ColumnData();
    column_.type = type_.type;
    if (is_string(type_.type)) column_.offsets.push_back(0);
  }
  void add_null() {
    add_row(false);
    const Byte nothing[16] = {};
    add_bytes({nothing, bytes_});
  }
  /// Row `row` of a column of the same type.
  void add_value(const ColumnView& from, std::uint64_t row) {
    if (from.is_null(row)) return add_null();
    add_row(true);
    if (is_string(type_.type)) return add_bytes(from.string(row));
    if (type_.type == ColumnType::kBool)
      return add_bool((from.values[row / 8] >> (row % 8) & 1) != 0);
    add_bytes({from.values + row * bytes_, bytes_});
  }
  /// An element; false if it is not of the type.
  bool add_element(Bytes text, const JsonMember& element) {
    if (element.kind == JsonKind::kNull) {
      add_null();
      return true;
    }
    text_.clear();
    const bool is_json = type_.text == ValueText::kRawJson;
    if (is_json) {
      append_json(text, element, text_);
    } else {
      append_json_text(text, element, !is_string(type_.type), text_);
    }
    const Bytes value(reinterpret_cast<const Byte*>(text_.data()), text_.size());
    add_row(true);
    if (is_string(type_.type)) {
      add_bytes(value);
      return true;
    }
    alignas(16) Byte read[16] = {};
    if (!read_value(node_, value, read)) return false;
    if (type_.type == ColumnType::kBool) {
      add_bool(read[0] != 0);
      return true;
    }
    Byte stored[16] = {};
    store_value(type_, {node_.physical, read, nullptr}, 0, stored);
    add_bytes({stored, bytes_});
    return true;
  }

 private:
  void add_row(bool valid) {
    const std::uint64_t row = column_.rows++;
    if (row % 8 == 0) {
      column_.validity.push_back(0);
      if (type_.type == ColumnType::kBool) column_.values.append(Bytes(column_.validity).last(1));
    }
    if (valid) column_.validity.back() |= static_cast<Byte>(1u << (row % 8));
  }
  void add_bool(bool value) {
    const std::uint64_t row = column_.rows - 1;
    if (value) column_.values.data()[row / 8] |= static_cast<Byte>(1u << (row % 8));
  }
  void add_bytes(Bytes value) {
    column_.values.append(value);
    if (!is_string(type_.type)) return;
    column_.offsets.push_back(static_cast<std::int64_t>(column_.values.size()));
  }

  ColumnSchema type_;
  std::size_t bytes_;
  Node node_;
  ColumnData column_;
  std::string text_;  ///< scratch
};

/// One call of with_unnested().
class Unnesting {
 public:
  Unnesting(const KeptRows& rows, std::size_t column, bool keep_empty, const QueryOptions& options)
      : table_(rows.table), column_(column), keep_empty_(keep_empty), sink_(options) {}

  Result<KeptRows> run(std::string name) {
    TableSchema schema;
    schema.columns = table_.schema().columns;
    PRESSO_ASSIGN(ColumnSchema element, element_type(schema.columns[column_]));
    element.name = std::move(name);
    schema.columns.push_back(std::move(element));
    PRESSO_TRY(sink_.begin(schema));
    for (const ColumnSchema& one : schema.columns) makers_.emplace_back(one);
    std::vector<std::size_t> all(schema.columns.size() - 1);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    PRESSO_TRY(for_groups(all, [this](std::span<const ColumnData> part, std::uint64_t first) {
      return add_group(part, first);
    }));
    PRESSO_TRY(give_away());
    return sink_.finish();
  }

 private:
  /// Calls `use` for each row group; the second argument is the number of its first row.
  template <class Use>
  Status for_groups(std::span<const std::size_t> columns, Use use) const {
    std::uint64_t before = 0;
    for (std::uint64_t group = 0; group < table_.row_groups(); ++group) {
      const auto rows = static_cast<std::uint32_t>(table_.row_group(group).rows);
      PRESSO_ASSIGN(const std::vector<ColumnData> part, table_.read(group, columns, 0, rows));
      PRESSO_TRY(use(std::span<const ColumnData>(part), before));
      before += rows;
    }
    return {};
  }

  /// The type that the column's fields tell, or that the elements have.
  Result<ColumnSchema> element_type(const ColumnSchema& array) {
    const NestedField* const known = array.fields.find(kEach);
    if (known != nullptr) return type_of_field(array.fields, *known);
    ElementType found;
    const std::size_t columns[] = {column_};
    PRESSO_TRY(for_groups(columns, [&](std::span<const ColumnData> part, std::uint64_t first) {
      return add_types(part[0].view(), first, found);
    }));
    ColumnSchema type = found.type();
    if (type.text == ValueText::kRawJson) type.fields = fields_below(array.fields, kEach);
    return type;
  }

  Status add_types(const ColumnView& arrays, std::uint64_t first, ElementType& to) {
    for (std::uint64_t row = 0; row < arrays.rows; ++row) {
      if (arrays.is_null(row)) continue;
      const Bytes text = arrays.string(row);
      PRESSO_ASSIGN(const auto* const elements, arrays_.read(text, first + row));
      if (elements == nullptr) continue;
      for (const JsonMember& element : *elements) to.add(text, element);
    }
    return {};
  }

  Status add_group(std::span<const ColumnData> part, std::uint64_t first) {
    const ColumnView arrays = part[column_].view();
    for (std::uint64_t row = 0; row < arrays.rows; ++row) {
      const std::vector<JsonMember>* elements = nullptr;
      if (!arrays.is_null(row)) {
        PRESSO_ASSIGN(elements, arrays_.read(arrays.string(row), first + row));
      }
      if (elements == nullptr || elements->empty()) {
        if (!keep_empty_) continue;
        add_columns(part, row);
        makers_.back().add_null();
        continue;
      }
      for (const JsonMember& element : *elements) {
        add_columns(part, row);
        if (!makers_.back().add_element(arrays.string(row), element)) {
          return refused("row " + std::to_string(first + row + 1) +
                         ": an element is not of the type of the others");
        }
        PRESSO_TRY(give_away_if_full());
      }
    }
    return {};
  }

  void add_columns(std::span<const ColumnData> part, std::uint64_t row) {
    for (std::size_t i = 0; i < part.size(); ++i) makers_[i].add_value(part[i].view(), row);
  }

  Status give_away_if_full() {
    std::uint64_t bytes = 0;
    for (const ColumnMaker& maker : makers_) bytes += maker.bytes();
    if (makers_.back().rows() < kMostBatchRows && bytes < kBatchBytes) return {};
    return give_away();
  }

  Status give_away() {
    if (makers_.back().rows() == 0) return {};
    std::vector<ColumnView> views;
    for (const ColumnMaker& maker : makers_) views.push_back(maker.view());
    PRESSO_TRY(sink_.add(views));
    for (ColumnMaker& maker : makers_) maker.clear();
    return {};
  }

  const Table& table_;
  std::size_t column_;
  bool keep_empty_;
  KeepingSink sink_;
  ArrayReader arrays_;
  std::vector<ColumnMaker> makers_;
};

}  // namespace

Result<KeptRows> with_unnested(const KeptRows& rows, std::size_t column, bool keep_empty,
                               std::string name, const QueryOptions& options) {
  const ColumnSchema& array = rows.table.schema().columns[column];
  if (!is_string(array.type)) {
    return refused("unnest() takes arrays; column " + array.name + " is " + type_name(array));
  }
  return Unnesting(rows, column, keep_empty, options).run(std::move(name));
}

}  // namespace presso::query
