// SPDX-License-Identifier: MIT
// The levels of the first column below a node tell whether there is a value, and whether a further
// element follows. All columns below it move on together.
#include "tools/parquet/json_assembler.h"

#include <algorithm>
#include <cmath>

#include "format/columns/arrow_type.h"
#include "format/columns/json_path.h"
#include "format/columns/schema.h"
#include "format/columns/string_text.h"
#include "format/columns/utf8_check.h"
#include "format/columns/value_text.h"

namespace presso::cli {
namespace {

bool is_repeated(const ParquetNode& node) {
  return node.repetition == ParquetRepetition::kRepeated;
}

void count_leaves(const ParquetNode& node, std::size_t& leaves) {
  if (node.is_leaf()) ++leaves;
  for (const ParquetNode& child : node.children) count_leaves(child, leaves);
}

std::size_t leaves_of(const ParquetNode& node) {
  std::size_t leaves = 0;
  count_leaves(node, leaves);
  return leaves;
}

bool is_map(const ParquetNode& node) {
  return node.meaning == ParquetMeaning::kMap && node.children.size() == 1 &&
         is_repeated(node.children[0]) && node.children[0].children.size() == 2;
}

/// Lists the types of values; it goes through a node as JsonAssembler does.
class FieldLister {
 public:
  FieldLister(const ParquetNode& top, std::span<const ValueConverter> converters)
      : top_(top), converters_(converters) {}

  void field(const ParquetNode& node, const std::string& path) {
    if (is_repeated(node)) return content(node, path + "[*]");
    content(node, path);
  }
  std::vector<NestedField> found() { return std::move(found_); }

 private:
  void content(const ParquetNode& node, const std::string& path) {
    if (node.is_leaf()) return leaf(node, path);
    if (is_map(node)) return field(node.children[0].children[1], path + ".*");
    const ListNodes list = list_nodes(node);
    if (list.repeated != nullptr && list.repeated == list.element) {
      return content(*list.element, path + "[*]");
    }
    if (list.repeated != nullptr) return field(*list.element, path + "[*]");
    for (const ParquetNode& child : node.children) {
      field(child, path + json_step_text({JsonStep::Kind::kKey, child.name, 0}));
    }
  }
  void leaf(const ParquetNode& node, const std::string& path) {
    const ColumnSchema& type = converters_[node.leaf - top_.leaf].schema();
    if (is_string(type.type) || path.empty() || path.size() > kMaxNameBytes) return;
    found_.push_back({path, bare_type(type)});
  }

  const ParquetNode& top_;
  std::span<const ValueConverter> converters_;
  std::vector<NestedField> found_;
};

}  // namespace

ListNodes list_nodes(const ParquetNode& node) {
  if (node.meaning != ParquetMeaning::kList || node.children.size() != 1 ||
      !is_repeated(node.children[0])) {
    return {};
  }
  const ParquetNode& repeated = node.children[0];
  // The rules for lists of old writers, in LogicalTypes.md of apache/parquet-format.
  const bool is_element = repeated.children.size() != 1 || repeated.name == "array" ||
                          repeated.name == node.name + "_tuple";
  return {&repeated, is_element ? &repeated : &repeated.children[0]};
}

NestedFields json_fields(const ParquetNode& node, std::span<const ValueConverter> converters) {
  FieldLister lister(node, converters);
  lister.field(node, "");
  return fields_in_order(lister.found());
}

JsonAssembler::JsonAssembler(const ParquetNode& node, std::span<const ChunkValues> columns,
                             std::span<const ValueConverter> converters)
    : node_(node), columns_(columns), converters_(converters), cursors_(columns.size()) {}

bool JsonAssembler::next_row(std::vector<Byte>& text) {
  out_ = &text;
  if (!is_repeated(node_) && def_level(node_) < node_.def_level) {
    pass(node_);
    return false;
  }
  field(node_);
  return true;
}

bool JsonAssembler::ok() const {
  if (failed_) return false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (cursors_[i].entry != columns_[i].entries) return false;
  }
  return true;
}

int JsonAssembler::def_level(const ParquetNode& node) {
  const std::size_t column = node.leaf - node_.leaf;
  if (cursors_[column].entry < columns_[column].entries) {
    return columns_[column].def_levels.empty()
               ? node.def_level
               : columns_[column].def_levels[cursors_[column].entry];
  }
  failed_ = true;
  return 0;
}

/// -1 at the end.
int JsonAssembler::next_rep_level(const ParquetNode& node) const {
  const std::size_t column = node.leaf - node_.leaf;
  if (cursors_[column].entry >= columns_[column].entries) return -1;
  return columns_[column].rep_levels[cursors_[column].entry];
}

/// Passes over one entry, without a value, of each column below.
void JsonAssembler::pass(const ParquetNode& node) {
  const std::size_t first = node.leaf - node_.leaf;
  const std::size_t end = first + leaves_of(node);
  for (std::size_t column = first; column < end; ++column) ++cursors_[column].entry;
}

void JsonAssembler::field(const ParquetNode& node) {
  if (failed_) return;
  if (is_repeated(node)) return array(node, node);
  if (def_level(node) < node.def_level) {
    pass(node);
    return raw("null");
  }
  content(node);
}

void JsonAssembler::content(const ParquetNode& node) {
  if (node.is_leaf()) return leaf(node);
  if (is_map(node)) return map(node.children[0]);
  const ListNodes list = list_nodes(node);
  if (list.repeated != nullptr) return array(*list.repeated, *list.element);
  object(node);
}

void JsonAssembler::object(const ParquetNode& node) {
  char separator = '{';
  for (const ParquetNode& child : node.children) {
    out_->push_back(static_cast<Byte>(separator));
    separator = ',';
    quoted({reinterpret_cast<const Byte*>(child.name.data()), child.name.size()});
    raw(":");
    field(child);
  }
  raw("}");
}

void JsonAssembler::array(const ParquetNode& repeated, const ParquetNode& element) {
  if (def_level(repeated) < repeated.def_level) {
    pass(repeated);
    return raw("[]");
  }
  char separator = '[';
  do {
    out_->push_back(static_cast<Byte>(separator));
    separator = ',';
    if (&repeated == &element) {
      content(element);
    } else {
      field(element);
    }
  } while (!failed_ && next_rep_level(repeated) == repeated.rep_level);
  raw("]");
}

void JsonAssembler::map(const ParquetNode& entries) {
  if (def_level(entries) < entries.def_level) {
    pass(entries);
    return raw("{}");
  }
  char separator = '{';
  do {
    out_->push_back(static_cast<Byte>(separator));
    separator = ',';
    // A key is a string in JSON, whatever it is here.
    std::vector<Byte> key;
    std::vector<Byte>* const out = std::exchange(out_, &key);
    field(entries.children[0]);
    out_ = out;
    if (key.empty() || key[0] != '"') {
      quoted(key);
    } else {
      out_->insert(out_->end(), key.begin(), key.end());
    }
    raw(":");
    field(entries.children[1]);
  } while (!failed_ && next_rep_level(entries) == entries.rep_level);
  raw("}");
}

void JsonAssembler::leaf(const ParquetNode& node) {
  const std::size_t column = node.leaf - node_.leaf;
  Cursor& cursor = cursors_[column];
  ++cursor.entry;
  if (cursor.value >= columns_[column].values.count) {
    failed_ = true;
    return;
  }
  print(converters_[column], columns_[column].values, cursor.value++);
}

void JsonAssembler::print(const ValueConverter& converter, const DenseValues& values,
                          std::size_t i) {
  const ColumnSchema& type = converter.schema();
  if (is_string(type.type)) return quoted(values.string(i));
  const Byte* value = values.values.data() + i * converter.width();
  char text[kMaxValueText];
  const std::string_view printed(text, print_value(type, value, text));
  const bool is_real = type.type == ColumnType::kFloat || type.type == ColumnType::kDouble;
  if (is_date_or_time(type.type)) {
    quoted({reinterpret_cast<const Byte*>(printed.data()), printed.size()});
  } else if (is_real && printed.ends_with("nan")) {
    raw("NaN");
  } else if (is_real && printed.ends_with("inf")) {
    raw(printed[0] == '-' ? "-Infinity" : "Infinity");
  } else {
    raw(printed);
  }
}

void JsonAssembler::quoted(Bytes text) {
  std::vector<Byte> valid;
  if (!is_valid_utf8(text)) {
    append_as_utf8(valid, text);
    text = valid;
  }
  const std::size_t before = out_->size();
  out_->resize(before + string_text::escaped_json_bytes(text) + 2 + string_text::kStep);
  char* const begin = reinterpret_cast<char*>(out_->data());
  char* end = begin + before;
  *end++ = '"';
  end = string_text::escape_json(text, end);
  *end++ = '"';
  out_->resize(static_cast<std::size_t>(end - begin));
}

}  // namespace presso::cli
