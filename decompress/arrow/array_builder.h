// SPDX-License-Identifier: MIT
// Makes an Arrow array of any type that can be stored (FORMAT.md 15.9), value by value: of JSON
// text for nested types, of a column's values for others. Text comes from files: it is checked
// against the type. Tested by tests/unit/decompress/arrow/nested_export_test.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/columns/arrow_type.h"
#include "format/columns/leaf_text.h"
#include "presso/arrow_abi.h"
#include "presso/column_data.h"

namespace presso {

/// Takes JSON apart that has no white space. Everything returns false where the text is another.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : rest_(text) {}

  bool take(std::string_view what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  /// Takes a value of any kind, with its quotes if it has them.
  bool take_value(std::string_view& value);
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

class ArrayBuilder {
 public:
  /// `nested`: values are JSON, also those of dictionaries and runs.
  ArrayBuilder(const ArrowType& type, bool nested);

  /// Whether the entries of dictionaries are values of their type.
  bool is_sound() const;
  /// False where the text is no value of the type.
  bool append_json(JsonCursor& from);
  /// False where more elements would be needed than an array should have.
  bool append_null();
  /// For types that are not nested: a value of the column in which they are stored.
  bool append_stored(const ColumnView& column, std::uint64_t row);
  /// Moves what was appended into `out`. False if the array is too long for the offsets, codes or
  /// ends of runs of its type.
  bool finish(ArrowArray& out);

 private:
  struct Built;
  /// Finds texts without making strings of them.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  void take_entries(std::string_view entries, bool nested);
  std::string stored_key() const;
  void add_row(bool valid);
  bool append_leaf(std::string_view value);
  bool append_list(JsonCursor& from);
  bool append_struct(JsonCursor& from);
  bool append_map(JsonCursor& from);
  bool append_repeated(std::string_view key, bool& is_new);
  void append_stored_value(const ColumnView& column, std::uint64_t row);
  void append_fixed(const Byte* value);
  void append_bytes(std::string_view bytes);
  void end_element() { offsets_.push_back(static_cast<std::int64_t>(inner_[0].rows_)); }
  bool is_string_type() const { return kind_ == ArrowKind::kValues && is_string(leaf_.type); }
  bool add_own_buffers(Built& built);
  bool add_strings(Built& built);

  ArrowType type_;  ///< without what is in it
  ArrowKind kind_;
  ColumnSchema leaf_;
  LeafText text_;
  std::uint64_t elements_ = 0;     ///< of each value of a fixed list
  bool text_keys_ = false;         ///< maps
  std::vector<std::string> keys_;  ///< structs: the members' names as JSON, with the colon
  std::vector<ArrayBuilder> inner_;

  std::uint64_t rows_ = 0;
  std::uint64_t nulls_ = 0;
  std::vector<Byte> validity_;
  std::vector<Byte> values_;
  std::vector<std::int64_t> offsets_;  ///< strings, lists; codes; the ends of runs
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> codes_;
  std::string last_;  ///< the value of the last run, empty for null
  std::string scratch_;
  bool sound_ = true;  ///< the entries of the type are values of it
};

}  // namespace presso
