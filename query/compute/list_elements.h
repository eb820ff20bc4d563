// SPDX-License-Identifier: MIT
// Lists as expressions have them: the text of a JSON array (ValueText::kRawJson), whose schema may
// say which type its elements have. Tested by tests/unit/query/compute/functions_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "format/columns/json_path.h"
#include "format/columns/string_text.h"
#include "query/compute/characters.h"
#include "query/compute/functions.h"

namespace presso::query {

/// The elements of one row's list, in which places count from 1.
class ListElements {
 public:
  /// The row fails if the text is no JSON array. The text must outlive the elements.
  ListElements(const Row& row, std::string_view list) {
    const bool is_list = finder_.find(bytes_of(list), {}) == JsonFinder::Found::kValue &&
                         list[finder_.value().begin] == '[';
    if (is_list) {
      members_ = finder_.members();
    } else {
      row.fail();
    }
  }
  std::int64_t count() const { return static_cast<std::int64_t>(members_.size()); }
  JsonKind kind(std::int64_t place) const { return at(place).kind; }
  bool is_null_at(std::int64_t place) const { return at(place).kind == JsonKind::kNull; }
  /// The text of a string, and the JSON of other values.
  std::string text(std::int64_t place) const {
    std::string text;
    append_json_text(finder_.text(), at(place), true, text);
    return text;
  }
  std::string json(std::int64_t place) const {
    std::string text;
    append_json(finder_.text(), at(place), text);
    return text;
  }

 private:
  const JsonMember& at(std::int64_t place) const {
    return members_[static_cast<std::size_t>(place - 1)];
  }
  JsonFinder finder_;
  std::vector<JsonMember> members_;
};

/// The type of JSON that stands within other JSON.
ColumnSchema json_schema();
/// The type of lists whose elements have this type. Elements of text are lists without types.
ColumnSchema list_schema_of(const ColumnSchema& element);
/// The type of a list's elements: what its fields say, else text.
ColumnSchema element_schema(const NestedFields& fields);
/// The type of one of the fields; that of arrays and objects has the fields within them.
ColumnSchema type_of_field(const NestedFields& fields, const NestedField& field);
/// The text of an element as a value of that type.
Result<NodeId> element_as(const Builder& build, NodeId text, const ColumnSchema& type);
/// A value as JSON that stands within other JSON.
Result<NodeId> as_json(const Builder& build, NodeId value);
/// Error: the argument is no list.
Status check_list(const Call& call);

}  // namespace presso::query
