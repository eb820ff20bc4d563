// SPDX-License-Identifier: MIT
// Finds out which fields the nested values of JSON have, and their types: numbers, dates and truth
// by the rules that columns have (json_inference.h), or JSON, where all are arrays and objects.
// Arrays have one field for all elements. A field is only listed if it has a type; its values are
// those of this type in every row, so that a query can read them as such. Values of the eleventh
// level and below are passed over, and a column with more than kMostFields different keys, which
// are data then, has no fields.
//
// Costs, for text that has nested values: another pass over them, which reads keys and values but
// copies nothing. Strings are looked at until one is no date. Tested by
// tests/unit/compress/table/json_fields_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compress/table/text/type_inference.h"
#include "format/columns/json_reader.h"

namespace presso {

/// The findings of one thread.
class JsonFields {
 public:
  /// Begins with another part of a text. Values that were added before are looked at then.
  void begin(Bytes text);
  /// Adds the object or array of a column at `at` in the part, which JsonReader has checked.
  void add(std::size_t column, std::size_t at);
  /// Looks at the types of what was added; the part's text is not needed after it.
  void end();
  /// Merges the findings of a later part of the text, whose column i is columns[i] here.
  void merge(const JsonFields& later, const std::vector<std::uint32_t>& columns);

  /// The fields of a column, ordered by their paths.
  NestedFields of(std::size_t column) const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// A value that may be in every row: of a key, of all elements of an array, or of a column.
  struct Place {
    std::string key;
    std::string written;   ///< the key as it last stood in the text, with its escapes
    std::uint32_t column;  ///< a number in columns_
    std::uint32_t depth = 0;
    std::map<std::string, std::uint32_t, std::less<>> keys;
    std::vector<std::uint32_t> children;  ///< the keys in the order in which they came
    std::uint32_t elements = kNone;
    Byte kinds = 0;             ///< a bit for each JsonKind
    bool is_text = false;       ///< no type fits
    std::vector<Field> values;  ///< to be looked at
    std::optional<TypeInference> types;
  };
  /// A column that has nested values.
  struct Column {
    std::uint32_t place = kNone;
    std::uint32_t places = 0;
    bool too_many = false;
    std::uint64_t bytes = 0;
  };

  std::uint32_t add_place(std::string key, std::uint32_t parent, std::uint32_t column);
  std::uint32_t column_place(std::size_t column);
  std::uint32_t expected_child(std::uint32_t place, std::size_t at, std::size_t number) const;
  std::uint32_t child_of(std::uint32_t place, Bytes written);
  std::uint32_t key_of(std::uint32_t place, const std::string& key);
  std::uint32_t elements_of(std::uint32_t place);
  std::size_t read(std::uint32_t place, std::size_t at);
  void note_nested(std::uint32_t place);
  std::size_t read_object(std::uint32_t place, std::size_t at);
  std::size_t read_array(std::uint32_t place, std::size_t at);
  std::size_t read_string(std::uint32_t place, std::size_t at);
  std::size_t read_plain(std::uint32_t place, std::size_t at);
  void note(std::uint32_t place, JsonKind kind, std::size_t begin, std::size_t end);
  void infer(Place& place);
  void merge_place(const JsonFields& later, std::uint32_t from, std::uint32_t to);
  std::optional<ColumnSchema> type_of(const Place& place) const;
  void list(std::uint32_t place, const std::string& path, std::vector<NestedField>& to) const;

  Bytes text_;
  std::vector<Place> places_;
  std::vector<Column> columns_;
  bool too_many_ = false;               ///< places of all columns
  std::vector<std::uint32_t> waiting_;  ///< places with values that were not looked at
};

}  // namespace presso
