// SPDX-License-Identifier: MIT
// Implements list_elements.h.
#include "query/compute/list_elements.h"

#include "format/columns/schema.h"

namespace presso::query {
namespace {

constexpr std::string_view kEach = "[*]";

std::string_view quoted_json(const Row& row, std::string_view text) {
  std::string json;
  string_text::append_json_string(bytes_of(text), json);
  return row.keep(json);
}

constexpr Kernel kQuotedJson{"to_json", each<quoted_json>};

bool is_json(const Node& node) {
  return node.family == Family::kNull || node.schema.text == ValueText::kRawJson;
}

}  // namespace

ColumnSchema json_schema() {
  ColumnSchema type = json_field_type();
  type.valid_utf8 = true;
  return type;
}

ColumnSchema list_schema_of(const ColumnSchema& element) {
  ColumnSchema type = json_schema();
  type.fields = fields_of_list(element);
  return type;
}

ColumnSchema element_schema(const NestedFields& fields) {
  const NestedField* const element = fields.find(kEach);
  if (element == nullptr) return schema_of(Family::kString);
  return type_of_field(fields, *element);
}

ColumnSchema type_of_field(const NestedFields& fields, const NestedField& field) {
  if (!is_string(field.type.type)) return field.type;
  ColumnSchema type = json_schema();
  type.fields = fields_below(fields, field.path);
  return type;
}

Result<NodeId> element_as(const Builder& build, NodeId text, const ColumnSchema& type) {
  if (type.text == ValueText::kRawJson) return build.with_schema(text, type);
  return is_string(type.type) ? Result<NodeId>(text) : build.cast(text, type);
}

Status check_list(const Call& call) {
  if (is_json(call.at(0))) return {};
  return refused(
      call.name + "() takes a list; this is " + call.build.type_of(call.arguments[0]) +
      (call.at(0).family == Family::kString ? ", and json(text) makes text a list" : ""));
}

Result<NodeId> as_json(const Builder& build, NodeId value) {
  const Node& node = build.at(value);
  const bool is_number = node.family == Family::kInteger || node.family == Family::kDecimal ||
                         node.family == Family::kDouble || node.family == Family::kBool;
  const bool is_quoted = !is_number && !is_json(node);
  NodeId text = build.to_string(value);
  if (is_quoted) text = build.call(kQuotedJson, json_schema(), {text});
  return build.coalesce({text, build.string("null")});
}

}  // namespace presso::query
