// SPDX-License-Identifier: MIT
// Implements array_builder.h. Offsets, codes and ends of runs are kept in 64 bits and brought to
// the width of the type at the end.
#include "decompress/arrow/array_builder.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "decompress/arrow/owned_arrow.h"
#include "format/columns/bit_copy.h"
#include "format/columns/json_reader.h"
#include "format/columns/string_text.h"
#include "format/columns/utf8_check.h"
#include "format/columns/value_patterns.h"

namespace presso {
namespace {

/// A null of a fixed list has elements that no text stands for.
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 28;
constexpr std::size_t kViewBytes = 16;
constexpr std::size_t kInlineBytes = 12;

std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Where a string that begins after a quote ends; npos without a quote.
std::size_t string_end(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at < text.size() ? at : text.npos;
}

/// Appends the numbers as integers of type T; false where one does not fit.
template <class T>
bool append_narrow(const std::vector<std::int64_t>& numbers, std::vector<Byte>& to) {
  to.resize(numbers.size() * sizeof(T));
  bool fits = true;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto narrow = static_cast<T>(numbers[i]);
    fits = fits && std::in_range<T>(numbers[i]);
    store(to.data() + i * sizeof(T), narrow);
  }
  return fits;
}

/// Does that for the format of an integer.
bool append_integers(char format, const std::vector<std::int64_t>& numbers, std::vector<Byte>& to) {
  switch (format) {
    case 'c':
      return append_narrow<std::int8_t>(numbers, to);
    case 'C':
      return append_narrow<std::uint8_t>(numbers, to);
    case 's':
      return append_narrow<std::int16_t>(numbers, to);
    case 'S':
      return append_narrow<std::uint16_t>(numbers, to);
    case 'i':
      return append_narrow<std::int32_t>(numbers, to);
    case 'I':
      return append_narrow<std::uint32_t>(numbers, to);
    default:
      return append_narrow<std::int64_t>(numbers, to);
  }
}

/// Whether a format has offsets of 64 bits.
bool has_wide_offsets(std::string_view format) {
  return format == "U" || format == "Z" || format == "+L" || format == "+vL";
}

}  // namespace

/// What an array's private_data points to.
struct ArrayBuilder::Built {
  std::vector<std::vector<Byte>> memory;
  std::vector<const void*> buffers;
  ArrowChildren<ArrowArray> children;
  ArrowChildren<ArrowArray> dictionary;

  Built(std::size_t count, std::size_t dictionaries) : children(count), dictionary(dictionaries) {}
  void add(std::vector<Byte> bytes) {
    if (bytes.empty()) bytes.reserve(1);  // some readers want an address in any case
    memory.push_back(std::move(bytes));
    buffers.push_back(memory.back().data());
  }
};

bool JsonCursor::take_value(std::string_view& value) {
  std::size_t depth = 0;
  std::size_t at = 0;
  for (; at < rest_.size(); ++at) {
    const char letter = rest_[at];
    if (letter == '"') {
      at = string_end(rest_, at + 1);
      if (at == rest_.npos) return false;
    } else if (letter == '[' || letter == '{') {
      ++depth;
    } else if (letter == ']' || letter == '}') {
      if (depth == 0) break;
      --depth;
    } else if ((letter == ',' || letter == ':') && depth == 0) {
      break;
    }
  }
  value = rest_.substr(0, at);
  rest_.remove_prefix(at);
  return !value.empty() && depth == 0;
}

ArrayBuilder::ArrayBuilder(const ArrowType& type, bool nested)
    : type_{type.format, type.name, type.flags, {}, {}, {}}, kind_(*kind_of(type)) {
  if (kind_ == ArrowKind::kValues) {
    leaf_ = *leaf_of(type.format);
    if (!is_string(leaf_.type)) text_ = LeafText(leaf_);
  }
  if (kind_ == ArrowKind::kFixedList) elements_ = elements_of(type);
  if (kind_ == ArrowKind::kMap) text_keys_ = has_text_keys(type);
  for (const ArrowType& child : type.children) {
    inner_.emplace_back(child, nested);
    if (kind_ != ArrowKind::kStruct) continue;
    string_text::append_json_string(
        {reinterpret_cast<const Byte*>(child.name.data()), child.name.size()},
        keys_.emplace_back());
    keys_.back() += ':';
  }
  for (const ArrowType& values : type.dictionary) inner_.emplace_back(values, nested);
  if (!type.entries.empty()) take_entries(type.entries, nested);
  const bool has_offsets = is_string_type() || kind_ == ArrowKind::kList ||
                           kind_ == ArrowKind::kListView || kind_ == ArrowKind::kMap;
  if (has_offsets) offsets_.push_back(0);
}

bool ArrayBuilder::is_sound() const {
  return sound_ && std::all_of(inner_.begin(), inner_.end(),
                               [](const ArrayBuilder& one) { return one.is_sound(); });
}

/// Codes begin with the entries that the type has.
void ArrayBuilder::take_entries(std::string_view entries, bool nested) {
  ArrayBuilder& values = inner_[0];
  if (!nested && values.kind_ != ArrowKind::kValues) return;  // their keys are not known
  JsonCursor from(entries);
  sound_ = from.take("[");
  if (from.take("]")) return;
  while (sound_) {
    std::string_view text;
    sound_ = from.take_value(text);
    JsonCursor value(text);
    sound_ = sound_ && values.append_json(value) && value.empty();
    if (!sound_) return;
    const auto code = static_cast<std::int64_t>(values.rows_ - 1);
    if (text != "null") codes_.emplace(nested ? std::string(text) : values.stored_key(), code);
    if (from.take("]")) break;
    sound_ = from.take(",");
  }
  sound_ = sound_ && from.empty();
}

/// The key that append_stored() has for the last value.
std::string ArrayBuilder::stored_key() const {
  if (is_string(leaf_.type)) {
    const auto begin = static_cast<std::size_t>(offsets_[offsets_.size() - 2]);
    const Bytes bytes = Bytes(values_).subspan(begin);
    return std::string("\"").append(as_text(bytes));
  }
  if (leaf_.type == ColumnType::kBool) return bit_at(values_.data(), rows_ - 1) ? "1" : "0";
  const std::size_t width = is_decimal(leaf_.type) ? 16 : value_bytes(leaf_.type);
  if (type_.format != "tdm") return std::string(as_text(Bytes(values_).last(width)));
  Byte days[4];
  store(days, static_cast<std::int32_t>(load<std::int64_t>(values_.data() + values_.size() - 8) /
                                        86'400'000));
  return std::string(as_text(days));
}

void ArrayBuilder::add_row(bool valid) {
  if (rows_ % 8 == 0) validity_.push_back(0);
  if (valid) validity_.back() |= static_cast<Byte>(1u << (rows_ % 8));
  ++rows_;
  nulls_ += valid ? 0 : 1;
}

void ArrayBuilder::append_fixed(const Byte* value) {
  Byte made[8];
  std::size_t width = value_bytes(leaf_.type);
  if (leaf_.type == ColumnType::kBool) {
    if (rows_ % 8 == 1) values_.push_back(0);  // the row has been added
    if (*value != 0) values_.back() |= static_cast<Byte>(1u << ((rows_ - 1) % 8));
    return;
  }
  if (is_decimal(leaf_.type)) width = 16;
  if (type_.format == "tdm") {
    store(made, std::int64_t{86'400'000} * load<std::int32_t>(value));
    value = made;
    width = 8;
  }
  values_.insert(values_.end(), value, value + width);
}

void ArrayBuilder::append_bytes(std::string_view bytes) {
  values_.insert(values_.end(), bytes.begin(), bytes.end());
  offsets_.push_back(static_cast<std::int64_t>(values_.size()));
}

bool ArrayBuilder::append_null() {
  constexpr Byte kNothing[16] = {};
  if (kind_ == ArrowKind::kRunEnds) {
    bool is_new = false;
    return append_repeated({}, is_new) && (!is_new || inner_[1].append_null());
  }
  add_row(false);
  if (kind_ == ArrowKind::kDictionary) offsets_.push_back(0);
  if (kind_ == ArrowKind::kValues && !is_string_type()) append_fixed(kNothing);
  if (!offsets_.empty() && kind_ != ArrowKind::kDictionary) offsets_.push_back(offsets_.back());
  if (kind_ == ArrowKind::kStruct) {
    return std::all_of(inner_.begin(), inner_.end(), [](auto& one) { return one.append_null(); });
  }
  if (inner_.empty() || inner_[0].rows_ + elements_ > kMostElements) return elements_ == 0;
  for (std::uint64_t i = 0; i < elements_; ++i) {
    if (!inner_[0].append_null()) return false;
  }
  return true;
}

/// A value is one of those before it, or the next of a dictionary or run. Keys of nulls are empty.
bool ArrayBuilder::append_repeated(std::string_view key, bool& is_new) {
  if (kind_ == ArrowKind::kRunEnds) {
    is_new = offsets_.empty() || last_ != key;
    ++rows_;
    if (is_new) offsets_.push_back(0);
    if (is_new) last_ = key;
    offsets_.back() = static_cast<std::int64_t>(rows_);
    return true;
  }
  add_row(true);
  auto found = codes_.find(key);
  is_new = found == codes_.end();
  const auto next = static_cast<std::int64_t>(inner_[0].rows_);
  if (is_new) found = codes_.emplace(key, next).first;
  offsets_.push_back(found->second);
  return true;
}

/// The value with its quotes, if it has them.
bool ArrayBuilder::append_leaf(std::string_view value) {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  if (quoted) value = value.substr(1, value.size() - 2);
  add_row(true);
  if (!is_string_type()) {
    Byte read[16] = {};
    if (!text_.read(value, read)) return false;
    append_fixed(read);
    return true;
  }
  if (!quoted) return false;
  scratch_.clear();
  if (leaf_.type == ColumnType::kBinary) {
    if (!read_hex(value, scratch_)) return false;
    append_bytes(scratch_);
    return true;
  }
  const Bytes bytes(reinterpret_cast<const Byte*>(value.data()), value.size());
  if (value.find('\\') == value.npos) {
    append_bytes(value);
    return is_valid_utf8(bytes);
  }
  // The text has been read as JSON, so that escapes are whole.
  std::vector<JsonMember> none;
  JsonMember member;
  const std::string whole = '"' + std::string(value) + '"';
  JsonReader reader({reinterpret_cast<const Byte*>(whole.data()), whole.size()}, none);
  if (!reader.read_text(member)) return false;
  scratch_.resize(value.size());
  scratch_.resize(unescape_json(bytes, reinterpret_cast<Byte*>(scratch_.data())));
  append_bytes(scratch_);
  return true;
}

bool ArrayBuilder::append_list(JsonCursor& from) {
  const std::uint64_t before = inner_[0].rows_;
  if (!from.take("[")) return false;
  if (!from.take("]")) {
    do {
      if (!inner_[0].append_json(from)) return false;
    } while (from.take(","));
    if (!from.take("]")) return false;
  }
  add_row(true);
  if (kind_ == ArrowKind::kFixedList) return inner_[0].rows_ - before == elements_;
  end_element();
  return true;
}

/// Members stand in the order of the type, none left out.
bool ArrayBuilder::append_struct(JsonCursor& from) {
  if (!from.take("{")) return false;
  for (std::size_t i = 0; i < inner_.size(); ++i) {
    if ((i > 0 && !from.take(",")) || !from.take(keys_[i]) || !inner_[i].append_json(from)) {
      return false;
    }
  }
  add_row(true);
  return from.take("}");
}

bool ArrayBuilder::append_map(JsonCursor& from) {
  if (!text_keys_) return append_list(from);
  ArrayBuilder& entries = inner_[0];
  if (!from.take("{")) return false;
  if (!from.take("}")) {
    do {
      std::string_view key;
      if (!from.take_value(key) || key.front() != '"' || !from.take(":")) return false;
      JsonCursor of_key(key);
      if (!entries.inner_[0].append_json(of_key) || !entries.inner_[1].append_json(from)) {
        return false;
      }
      entries.add_row(true);
    } while (from.take(","));
    if (!from.take("}")) return false;
  }
  add_row(true);
  end_element();
  return true;
}

bool ArrayBuilder::append_json(JsonCursor& from) {
  if (from.take("null")) return append_null();
  switch (kind_) {
    case ArrowKind::kNull:
      return false;
    case ArrowKind::kStruct:
      return append_struct(from);
    case ArrowKind::kMap:
      return append_map(from);
    case ArrowKind::kValues: {
      std::string_view value;
      return from.take_value(value) && append_leaf(value);
    }
    case ArrowKind::kDictionary:
    case ArrowKind::kRunEnds: {
      std::string_view value;
      bool is_new = false;
      if (!from.take_value(value) || !append_repeated(value, is_new)) return false;
      JsonCursor of_value(value);
      return !is_new || inner_.back().append_json(of_value);
    }
    default:
      return append_list(from);
  }
}

/// The value is not null.
void ArrayBuilder::append_stored_value(const ColumnView& column, std::uint64_t row) {
  add_row(true);
  if (is_string(column.type)) return append_bytes(as_text(column.string(row)));
  Byte made[16];
  const Byte* value = column.values + row * value_bytes(column.type);
  if (column.type == ColumnType::kBool) {
    made[0] = bit_at(column.values, row) ? 1 : 0;
    value = made;
  } else if (column.type == ColumnType::kDecimal64) {
    store(made, Int128{load<std::int64_t>(value)});
    value = made;
  }
  append_fixed(value);
}

bool ArrayBuilder::append_stored(const ColumnView& column, std::uint64_t row) {
  if (column.is_null(row)) return append_null();
  if (kind_ == ArrowKind::kValues) {
    append_stored_value(column, row);
    return true;
  }
  if (is_string(column.type)) {
    scratch_ = '"';  // so that no value has the key of a null
    scratch_ += as_text(column.string(row));
  } else if (column.type == ColumnType::kBool) {
    scratch_ = bit_at(column.values, row) ? "1" : "0";
  } else {
    const std::size_t width = value_bytes(column.type);
    scratch_ = as_text({column.values + row * width, width});
  }
  bool is_new = false;
  return append_repeated(scratch_, is_new) && (!is_new || inner_.back().append_stored(column, row));
}

/// Views of a single buffer with all bytes.
bool ArrayBuilder::add_strings(Built& built) {
  if (type_.format[0] != 'v') {
    std::vector<Byte> offsets;
    const char width = has_wide_offsets(type_.format) ? 'l' : 'i';
    if (!append_integers(width, offsets_, offsets)) return false;
    built.add(std::move(offsets));
    built.add(std::move(values_));
    return true;
  }
  if (!std::in_range<std::int32_t>(values_.size())) return false;
  std::vector<Byte> views(rows_ * kViewBytes);
  for (std::uint64_t row = 0; row < rows_; ++row) {
    Byte* const view = views.data() + row * kViewBytes;
    const auto begin = static_cast<std::size_t>(offsets_[row]);
    const auto size = static_cast<std::size_t>(offsets_[row + 1]) - begin;
    store(view, static_cast<std::int32_t>(size));
    const std::size_t shown = size <= kInlineBytes ? size : 4;
    std::copy_n(values_.data() + begin, shown, view + 4);
    if (size > kInlineBytes) store(view + 12, static_cast<std::int32_t>(begin));
  }
  std::vector<Byte> sizes(8);
  store(sizes.data(), static_cast<std::int64_t>(values_.size()));
  built.add(std::move(views));
  built.add(std::move(values_));
  built.add(std::move(sizes));
  return true;
}

/// All buffers after the validity.
bool ArrayBuilder::add_own_buffers(Built& built) {
  if (is_string_type()) return add_strings(built);
  std::vector<Byte> bytes;
  const char width = has_wide_offsets(type_.format) ? 'l' : 'i';
  switch (kind_) {
    case ArrowKind::kValues:
      built.add(std::move(values_));
      return true;
    case ArrowKind::kDictionary:
      if (!append_integers(type_.format[0], offsets_, bytes)) return false;
      built.add(std::move(bytes));
      return true;
    case ArrowKind::kList:
    case ArrowKind::kMap:
      if (!append_integers(width, offsets_, bytes)) return false;
      built.add(std::move(bytes));
      return true;
    case ArrowKind::kListView: {
      std::vector<std::int64_t> sizes;
      for (std::size_t i = 1; i < offsets_.size(); ++i) {
        sizes.push_back(offsets_[i] - offsets_[i - 1]);
      }
      offsets_.pop_back();
      std::vector<Byte> narrow;
      if (!append_integers(width, offsets_, bytes) || !append_integers(width, sizes, narrow)) {
        return false;
      }
      built.add(std::move(bytes));
      built.add(std::move(narrow));
      return true;
    }
    default:
      return true;
  }
}

bool ArrayBuilder::finish(ArrowArray& out) {
  const bool coded = kind_ == ArrowKind::kDictionary;
  auto built = std::make_unique<Built>(coded ? 0 : inner_.size(), coded ? 1 : 0);
  if (kind_ == ArrowKind::kRunEnds) {
    // The ends are the values of the first child.
    inner_[0].rows_ = offsets_.size();
    if (!append_integers(inner_[0].type_.format[0], offsets_, inner_[0].values_)) return false;
  } else if (kind_ != ArrowKind::kNull) {
    if (nulls_ == 0) validity_.clear();
    built->add(std::move(validity_));
    if (nulls_ == 0) built->buffers.back() = nullptr;
  }
  if (!add_own_buffers(*built)) return false;
  for (std::size_t i = 0; i < built->children.structs.size(); ++i) {
    if (!inner_[i].finish(built->children.structs[i])) return false;
  }
  if (coded && !inner_[0].finish(built->dictionary.structs[0])) return false;
  ArrowArray* const dictionary = coded ? built->dictionary.pointers[0] : nullptr;
  const auto nulls = kind_ == ArrowKind::kNull ? rows_ : nulls_;
  const auto buffers = static_cast<std::int64_t>(built->buffers.size());
  out = owning_array(std::move(built), static_cast<std::int64_t>(rows_),
                     static_cast<std::int64_t>(nulls), buffers);
  out.dictionary = dictionary;
  return true;
}

}  // namespace presso
