// SPDX-License-Identifier: MIT
// Implements nested_values.h. A value is written when everything above it has been checked for its
// row, so that no index leads out of an array as far as arrays tell their sizes.
#include "compress/arrow/nested_values.h"

#include <algorithm>

#include "compress/arrow/array_values.h"
#include "format/columns/bit_copy.h"
#include "format/columns/string_text.h"
#include "format/columns/utf8_check.h"

namespace presso {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 56;  // sums of these do not overflow
/// Bytes of an integer with this format.
std::uint64_t integer_bytes(char format) {
  switch (format | 0x20) {
    case 'c':
      return 1;
    case 's':
      return 2;
    case 'i':
      return 4;
    default:
      return 8;
  }
}

/// Whether a format has offsets of 64 bits.
bool is_wide(std::string_view format) {
  return format == "U" || format == "Z" || format == "+L" || format == "+vL";
}

}  // namespace

/// What is needed for each value is found out once.
NestedValues::NestedValues(const ArrowType& type, const ArrowSchema& schema)
    : type_{type.format, type.name, type.flags, {}, {}, {}}, kind_(*kind_of(type)) {
  const std::string_view format = schema.format;
  width_ = is_wide(format) ? 8 : 4;
  if (kind_ == ArrowKind::kValues) {
    leaf_ = *leaf_of(type.format);
    is_view_ = format.starts_with('v');
    if (!is_string(leaf_.type)) {
      text_ = LeafText(leaf_);
      width_ = is_decimal(leaf_.type) ? decimal_bytes(format)
               : format == "tdm"      ? 8
                                      : value_bytes(leaf_.type);
    }
  } else if (kind_ == ArrowKind::kDictionary) {
    width_ = integer_bytes(format[0]);
    is_signed_ = format[0] >= 'a';
    inner_.emplace_back(type.dictionary[0], *schema.dictionary);
  } else if (kind_ == ArrowKind::kMap) {
    text_keys_ = has_text_keys(type);
  }
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    inner_.emplace_back(type.children[i], *schema.children[i]);
    if (kind_ != ArrowKind::kStruct) continue;
    const std::string& name = type.children[i].name;
    string_text::append_json_string({reinterpret_cast<const Byte*>(name.data()), name.size()},
                                    keys_.emplace_back());
    keys_.back() += ':';
  }
}

bool NestedValues::fail(const char* problem) const {
  problem_ = problem;
  return false;
}

const char* NestedValues::problem() const {
  if (problem_ != nullptr) return problem_;
  for (const NestedValues& one : inner_) {
    if (one.problem() != nullptr) return one.problem();
  }
  return nullptr;
}

/// How many buffers there must be, and that there are values where rows are.
const char* NestedValues::check_buffers(const ArrowArray& array) const {
  if (kind_ == ArrowKind::kNull) return nullptr;  // some libraries give nulls a bitmap
  std::int64_t least = 2;
  switch (kind_) {
    case ArrowKind::kRunEnds:
      least = 0;
      break;
    case ArrowKind::kStruct:
    case ArrowKind::kFixedList:
      least = 1;
      break;
    case ArrowKind::kListView:
      least = 3;
      break;
    case ArrowKind::kValues:
      least = is_string(leaf_.type) ? 3 : 2;
      break;
    default:
      break;
  }
  const bool right = is_view_ ? array.n_buffers >= least : array.n_buffers == least;
  if (!right || (least > 0 && array.buffers == nullptr)) return "number of buffers";
  for (std::int64_t i = 1; i < (is_view_ ? 2 : least); ++i) {
    const bool is_text = i == 2 && kind_ == ArrowKind::kValues;  // may be missing where it is empty
    if (array.length > 0 && array.buffers[i] == nullptr && !is_text) return "has no values";
  }
  const bool has_bitmap = least > 0 && array.buffers[0] != nullptr;
  if (array.null_count > 0 && least > 0 && !has_bitmap) return "has nulls but does not say where";
  return nullptr;
}

const char* NestedValues::begin(const ArrowArray& array) {
  problem_ = nullptr;
  if (array.length < 0 || array.offset < 0 || array.length >= kMost || array.offset >= kMost) {
    return "length or offset";
  }
  if (const char* const problem = check_buffers(array)) return problem;
  const bool is_coded = kind_ == ArrowKind::kDictionary;
  if ((array.dictionary != nullptr) != is_coded) return "dictionary";
  const std::size_t children = is_coded ? 0 : inner_.size();
  if (array.n_children != static_cast<std::int64_t>(children)) return "number of children";
  if (children > 0 && array.children == nullptr) return "has no children";
  array_ = &array;
  const bool has_bitmap = kind_ != ArrowKind::kNull && array.n_buffers > 0 && array.null_count != 0;
  validity_ = has_bitmap ? buffer_of(array, 0) : nullptr;
  const bool by_row = kind_ == ArrowKind::kStruct || kind_ == ArrowKind::kFixedList;
  const std::uint64_t each = kind_ == ArrowKind::kFixedList ? elements_of(type_) : 1;
  for (std::size_t i = 0; i < inner_.size(); ++i) {
    const ArrowArray* const inner = is_coded ? array.dictionary : array.children[i];
    if (inner == nullptr) return "has no children";
    if (const char* const problem = inner_[i].begin(*inner)) return problem;
    // A struct's members and a fixed list's elements have the rows that the offset skips, too.
    if (by_row && each > 0 && inner_[i].rows() / each < first_row() + rows()) {
      return "a child has fewer rows";
    }
  }
  if (kind_ == ArrowKind::kRunEnds && inner_[0].rows() > inner_[1].rows()) {
    return "a child has fewer rows";
  }
  return nullptr;
}

void NestedValues::keep_entries(ArrowType& type) {
  if (kind_ == ArrowKind::kDictionary) {
    NestedValues& values = inner_[0];
    std::string entries = "[";
    bool all = true;
    for (std::uint64_t i = 0; i < values.rows() && all; ++i) {
      if (i > 0) entries += ',';
      all = values.append(values.first_row() + i, entries) && entries.size() < kMostEntriesBytes;
    }
    if (all) type.entries = entries + ']';
    if (!all) type.flags &= static_cast<Byte>(~ARROW_FLAG_DICTIONARY_ORDERED);
    return values.keep_entries(type.dictionary[0]);
  }
  for (std::size_t i = 0; i < inner_.size(); ++i) inner_[i].keep_entries(type.children[i]);
}

/// Nulls of a dictionary's values are those of the column, and so are those of runs.
bool NestedValues::is_null(std::uint64_t row) const {
  if (kind_ == ArrowKind::kNull || (validity_ != nullptr && !bit_at(validity_, row))) return true;
  std::uint64_t at = 0;
  if (kind_ == ArrowKind::kDictionary && code_of(row, at)) {
    return inner_[0].is_null(at + inner_[0].first_row());
  }
  if (kind_ == ArrowKind::kRunEnds && run_of(row, at)) {
    return inner_[1].is_null(at + inner_[1].first_row());
  }
  return false;
}

/// An offset, size, code or end of a run. What has no sign and is too large becomes negative.
std::int64_t NestedValues::index_at(std::int64_t buffer, std::uint64_t row) const {
  const Byte* const at = buffer_of(*array_, buffer) + row * width_;
  switch (width_) {
    case 1:
      return is_signed_ ? load<std::int8_t>(at) : load<std::uint8_t>(at);
    case 2:
      return is_signed_ ? load<std::int16_t>(at) : load<std::uint16_t>(at);
    case 4:
      return is_signed_ ? load<std::int32_t>(at) : load<std::uint32_t>(at);
    default:
      return load<std::int64_t>(at);
  }
}

/// The rows of the elements of a list or map.
bool NestedValues::elements(std::uint64_t row, Range& range) const {
  const NestedValues& inner = inner_[0];
  if (kind_ == ArrowKind::kFixedList) {
    const std::uint64_t count = elements_of(type_);
    range = {row * count, (row + 1) * count};
  } else {
    const std::int64_t begin = index_at(1, row);
    std::int64_t end = 0;
    if (kind_ == ArrowKind::kListView) {
      const std::int64_t size = index_at(2, row);
      if (begin < 0 || size < 0 || begin >= kMost || size >= kMost) return fail("offsets");
      end = begin + size;
    } else {
      end = index_at(1, row + 1);
    }
    if (begin < 0 || end < begin) return fail("offsets");
    range = {static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)};
  }
  if (range.end > inner.rows()) return fail("offsets beyond the child");
  range.begin += inner.first_row();
  range.end += inner.first_row();
  return true;
}

/// Runs are found by halving, since rows are read in any order.
bool NestedValues::run_of(std::uint64_t row, std::uint64_t& run) const {
  const NestedValues& ends = inner_[0];
  std::uint64_t first = 0;
  std::uint64_t last = ends.rows();
  while (first < last) {
    const std::uint64_t middle = first + (last - first) / 2;
    const bool after = ends.index_at(1, ends.first_row() + middle) > static_cast<std::int64_t>(row);
    (after ? last : first) = after ? middle : middle + 1;
  }
  run = first;
  return first < ends.rows() || fail("runs end before the rows");
}

bool NestedValues::code_of(std::uint64_t row, std::uint64_t& code) const {
  code = static_cast<std::uint64_t>(index_at(1, row));
  return code < inner_[0].rows() || fail("a code beyond the dictionary");
}

bool NestedValues::bytes_of(std::uint64_t row, Bytes& bytes) const {
  if (is_view_) return string_of_view(*array_, row, bytes) || fail("views");
  const std::int64_t begin = index_at(1, row);
  const std::int64_t end = index_at(1, row + 1);
  if (begin < 0 || end < begin) return fail("offsets");
  const Byte* const values = buffer_of(*array_, 2);
  if (values == nullptr && end > begin) return fail("has no values");
  bytes = {values == nullptr ? nullptr : values + begin, static_cast<std::size_t>(end - begin)};
  return true;
}

/// A string in quotes; bytes are hexadecimal digits.
bool NestedValues::append_string(std::uint64_t row, std::string& to) const {
  Bytes bytes;
  if (!bytes_of(row, bytes)) return false;
  if (leaf_.type == ColumnType::kBinary) {
    to += '"';
    append_hex(bytes, to);
    to += '"';
    return true;
  }
  if (!is_valid_utf8(bytes)) return fail("a string is not UTF-8");
  string_text::append_json_string(bytes, to);
  return true;
}

/// Points `value` to the value as LeafText takes it, in `made` where it lies otherwise.
bool NestedValues::leaf_at(std::uint64_t row, Byte* made, const Byte*& value) const {
  const Byte* const values = buffer_of(*array_, 1);
  value = made;
  if (leaf_.type == ColumnType::kBool) {
    made[0] = bit_at(values, row) ? 1 : 0;
  } else if (is_decimal(leaf_.type)) {
    return as_decimal128(values + row * width_, width_, made) ||
           fail("a decimal has more than 38 digits");
  } else if (type_.format == "tdm") {
    return as_days(load<std::int64_t>(values + row * width_), made) ||
           fail("a date64 is no whole day");
  } else {
    value = values + row * width_;
  }
  return true;
}

/// A key is in quotes, whatever its type.
bool NestedValues::append_leaf(std::uint64_t row, bool as_key, std::string& to) const {
  if (is_string(leaf_.type)) return append_string(row, to);
  Byte made[16];
  const Byte* value = nullptr;
  if (!leaf_at(row, made, value)) return false;
  if (!as_key) {
    text_.append_json(value, to);
    return true;
  }
  to += '"';
  text_.append(value, to);
  to += '"';
  return true;
}

bool NestedValues::append_list(std::uint64_t row, std::string& to) {
  Range range;
  if (!elements(row, range)) return false;
  to += '[';
  for (std::uint64_t i = range.begin; i < range.end; ++i) {
    if (i > range.begin) to += ',';
    if (!inner_[0].append(i, to)) return false;
  }
  to += ']';
  return true;
}

/// A member's rows are those of the struct.
bool NestedValues::append_struct(std::uint64_t row, std::string& to) {
  to += '{';
  for (std::size_t i = 0; i < inner_.size(); ++i) {
    if (i > 0) to += ',';
    to += keys_[i];
    if (!inner_[i].append(row + inner_[i].first_row(), to)) return false;
  }
  to += '}';
  return true;
}

/// Keys may be in a dictionary or in runs.
bool NestedValues::append_key(std::uint64_t row, std::string& to) {
  if (is_null(row)) return fail("a key of a map is null");
  std::uint64_t at = 0;
  if (kind_ == ArrowKind::kDictionary) {
    return code_of(row, at) && inner_[0].append_key(at + inner_[0].first_row(), to);
  }
  if (kind_ == ArrowKind::kRunEnds) {
    return run_of(row, at) && inner_[1].append_key(at + inner_[1].first_row(), to);
  }
  return append_leaf(row, true, to);
}

bool NestedValues::append_map(std::uint64_t row, std::string& to) {
  Range range;
  if (!text_keys_) return append_list(row, to);
  if (!elements(row, range)) return false;
  NestedValues& keys = inner_[0].inner_[0];
  NestedValues& values = inner_[0].inner_[1];
  to += '{';
  for (std::uint64_t i = range.begin; i < range.end; ++i) {
    if (i > range.begin) to += ',';
    if (inner_[0].is_null(i)) return fail("an entry of a map is null");
    if (!keys.append_key(i + keys.first_row(), to)) return false;
    to += ':';
    if (!values.append(i + values.first_row(), to)) return false;
  }
  to += '}';
  return true;
}

bool NestedValues::append(std::uint64_t row, std::string& to) {
  if (is_null(row)) {
    to += "null";
    return true;
  }
  std::uint64_t at = 0;
  switch (kind_) {
    case ArrowKind::kStruct:
      return append_struct(row, to);
    case ArrowKind::kMap:
      return append_map(row, to);
    case ArrowKind::kRunEnds:
      return run_of(row, at) && inner_[1].append(at + inner_[1].first_row(), to);
    case ArrowKind::kDictionary:
      return code_of(row, at) && inner_[0].append(at + inner_[0].first_row(), to);
    case ArrowKind::kValues:
      return append_leaf(row, false, to);
    default:
      return append_list(row, to);
  }
}

}  // namespace presso
