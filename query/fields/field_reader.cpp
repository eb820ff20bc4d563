// SPDX-License-Identifier: MIT
// FieldReader: the wanted paths are a small tree, through which the reader goes along with the
// line. Most keys are ruled out by their length alone. The reader calls itself only for nested
// values that are wanted, so its depth is that of the paths.
#include "query/fields/field_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "format/columns/string_text.h"

namespace presso::query {
namespace {

using FieldKind = FieldValue::Kind;

bool is_blank(Byte byte) {
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

bool equals(Bytes text, std::string_view word) {
  return text.size() == word.size() && std::memcmp(text.data(), word.data(), word.size()) == 0;
}

std::uint64_t length_bit(std::size_t length) {
  return std::uint64_t{1} << std::min<std::size_t>(length, 63);
}

/// The first quote or backslash at or after `at`, or `end`; 16 bytes a step.
[[gnu::always_inline]] inline const Byte* find_mark(const Byte* at, const Byte* end) {
  const string_text::ByteVector quote = string_text::all('"');
  const string_text::ByteVector backslash = string_text::all('\\');
  for (; end - at >= static_cast<std::ptrdiff_t>(string_text::kStep); at += string_text::kStep) {
    const string_text::ByteVector bytes = string_text::load_vector(at);
    const auto marks =
        (string_text::ByteVector)(bytes == quote) | (string_text::ByteVector)(bytes == backslash);
    const std::uint32_t found = string_text::top_bits(marks);
    if (found != 0) return at + std::countr_zero(found);
  }
  while (at != end && *at != '"' && *at != '\\') ++at;
  return at;
}

/// The UTF-16 unit of the escape \uXXXX at `at`; above 0xFFFF if there is none.
std::uint32_t unit_at(Bytes text, std::size_t at) {
  if (text.size() - at < 6 || text[at] != '\\' || text[at + 1] != 'u') return ~std::uint32_t{0};
  return json_hex_unit(text.data() + at + 2);
}

}  // namespace

/// Bytes up to the next backslash are copied 16 at a time, some of them in vain: what is written
/// never lies beyond what was read.
std::size_t unescape_field(Bytes text, Byte* to) {
  const Byte* const begin = to;
  const string_text::ByteVector backslash = string_text::all('\\');
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= string_text::kStep) {
      const string_text::ByteVector bytes = string_text::load_vector(text.data() + at);
      std::memcpy(to, &bytes, string_text::kStep);
      const std::uint32_t found =
          string_text::top_bits((string_text::ByteVector)(bytes == backslash));
      const std::size_t plain =
          found == 0 ? string_text::kStep : static_cast<std::size_t>(std::countr_zero(found));
      at += plain;
      to += plain;
      if (found == 0) continue;
    }
    const Byte letter = text[at] == '\\' && at + 1 < text.size() ? text[at + 1] : Byte{0};
    if (const Byte byte = json_escaped_byte(letter); byte != 0) {
      *to++ = byte;
      at += 2;
      continue;
    }
    std::uint32_t code = letter == 'u' ? unit_at(text, at) : ~std::uint32_t{0};
    if (code > 0xFFFF) {
      *to++ = text[at++];
      continue;
    }
    at += 6;
    if (code - 0xD800 < 0x800) {
      const std::uint32_t low = code < 0xDC00 && at < text.size() ? unit_at(text, at) : 0;
      const bool is_pair = low - 0xDC00 < 0x400;
      code = is_pair ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
      if (is_pair) at += 6;
    }
    to = string_text::put_utf8(code, to);
  }
  return static_cast<std::size_t>(to - begin);
}

/// Most places have no white space, or one space.
[[gnu::always_inline]] inline const Byte* FieldReader::pass_space(const Byte* at) const {
  if (at != end_ && *at > ' ') return at;
  while (at != end_ && is_blank(*at)) ++at;
  return at;
}

/// Passes a string from its opening quote to after its closing one.
[[gnu::always_inline]] inline const Byte* FieldReader::pass_string(const Byte* at,
                                                                   bool& escaped) const {
  const Byte* const end = end_;
  for (at = find_mark(at + 1, end); at != end; at = find_mark(at, end)) {
    if (*at == '"') return at + 1;
    escaped = true;
    if (end - at < 2) return nullptr;
    at += 2;
  }
  return nullptr;
}

FieldReader::FieldReader(const std::vector<FieldPath>& fields) : nodes_(1) {
  for (const FieldPath& field : fields) {
    const std::uint32_t slot = add_slot(field.steps);
    const JsonPath joined = {{JsonStep::Kind::kKey, field.joined, 0}};
    slots_.emplace_back(slot, field.joined.empty() ? kNone : add_slot(joined));
  }
  values_.resize(fields.size());
}

/// Adds the nodes that lead to a value, as far as other paths have not, and a slot for it.
std::uint32_t FieldReader::add_slot(const JsonPath& steps) {
  std::uint32_t at = 0;
  for (const JsonStep& step : steps) {
    const auto child = static_cast<std::uint32_t>(nodes_.size());
    const auto enter = [&](auto& children, const auto& name) {
      for (const auto& [known, node] : children) {
        if (known == name) return node;
      }
      children.emplace_back(name, child);
      return child;
    };
    Node& node = nodes_[at];
    if (step.kind == JsonStep::Kind::kPlace) {
      at = enter(node.places, step.place);
    } else {
      node.key_lengths |= length_bit(step.key.size());
      at = enter(node.keys, step.key);
    }
    if (at == child) nodes_.emplace_back();
  }
  const auto slot = static_cast<std::uint32_t>(found_.size());
  nodes_[at].slots.push_back(slot);
  found_.emplace_back();
  return slot;
}

/// The node of a member that is wanted; nullptr if none of this key is.
const FieldReader::Node* FieldReader::wanted(const Node& node, Bytes key, bool escaped) {
  if (escaped) {
    key_.resize(key.size());
    key = Bytes(key_.data(), unescape_field(key, key_.data()));
  }
  if ((node.key_lengths & length_bit(key.size())) == 0) return nullptr;
  for (const auto& [name, child] : node.keys) {
    const bool differs =
        key.size() != name.size() || (!name.empty() && key[0] != static_cast<Byte>(name[0]));
    if (!differs && equals(key, name)) return &nodes_[child];
  }
  return nullptr;
}

void FieldReader::set(const Node& node, const FieldValue& value) {
  for (const std::uint32_t slot : node.slots) found_[slot] = value;
}

/// Forgets what was found of an earlier value at this node, and in it.
void FieldReader::forget(const Node& node) {
  set(node, {});
  for (const auto& [key, child] : node.keys) forget(nodes_[child]);
  for (const auto& [place, child] : node.places) forget(nodes_[child]);
}

void FieldReader::clear() {
  for (FieldValue& value : found_) value = {};
}

void FieldReader::read(Bytes line) {
  const Byte* at = line.data();
  end_ = at + line.size();
  clear();
  elements_.clear();
  at = pass_space(at);
  const bool sound = at != end_ && (*at == '{' ? read_json(at) : read_logfmt(at));
  if (!sound) clear();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto [slot, joined] = slots_[i];
    const bool has_joined = joined != kNone && found_[joined].kind != FieldKind::kAbsent;
    values_[i] = found_[has_joined ? joined : slot];
  }
}

/// Reads the line's object.
bool FieldReader::read_json(const Byte* at) {
  at = read_object(nodes_[0], at);
  return at != nullptr && pass_space(at) == end_;
}

/// Passes the object whose '{' is at `at`, and reads its members.
const Byte* FieldReader::read_object(const Node& node, const Byte* at) {
  at = pass_space(at + 1);
  if (at != end_ && *at == '}') return at + 1;
  while (at != end_ && *at == '"') {
    const Byte* const begin = at + 1;
    bool escaped = false;
    at = pass_string(at, escaped);
    if (at == nullptr) return nullptr;
    const Bytes key(begin, static_cast<std::size_t>(at - 1 - begin));
    at = pass_space(at);
    if (at == end_ || *at != ':') return nullptr;
    at = pass_space(at + 1);
    if (const Node* const member = wanted(node, key, escaped)) {
      at = read_value(*member, at);
    } else {
      FieldValue unused;
      at = pass_value(at, unused);
    }
    if (at == nullptr) return nullptr;
    at = pass_space(at);
    if (at == end_) return nullptr;
    if (*at == '}') return at + 1;
    if (*at != ',') return nullptr;
    at = pass_space(at + 1);
  }
  return nullptr;
}

/// Passes the array whose '[' is at `at`. Where its elements are is kept until its end is known,
/// since places may count from there; then those that are wanted are read.
const Byte* FieldReader::read_array(const Node& node, const Byte* at) {
  const std::size_t first = elements_.size();
  at = pass_space(at + 1);
  const bool is_empty = at != end_ && *at == ']';
  while (!is_empty) {
    elements_.push_back(at);
    FieldValue unused;
    at = pass_value(at, unused);
    if (at == nullptr) return nullptr;
    at = pass_space(at);
    if (at == end_) return nullptr;
    if (*at == ']') break;
    if (*at != ',') return nullptr;
    at = pass_space(at + 1);
  }
  const auto count = static_cast<std::int64_t>(elements_.size() - first);
  for (const auto& [place, child] : node.places) {
    const std::int64_t index = place < 0 ? count + place : place;
    if (index < 0 || index >= count) continue;
    const Byte* const element = elements_[first + static_cast<std::size_t>(index)];
    if (read_value(nodes_[child], element) == nullptr) return nullptr;
  }
  elements_.resize(first);
  return at + 1;
}

/// Passes a value that is wanted, or parts of it.
const Byte* FieldReader::read_value(const Node& node, const Byte* at) {
  FieldValue value;
  const Byte* after = nullptr;
  if (node.wants_parts()) forget(node);
  if (node.wants_parts() && at != end_ && (*at == '{' || *at == '[')) {
    after = *at == '{' ? read_object(node, at) : read_array(node, at);
    if (after == nullptr) return nullptr;
    value.kind = FieldKind::kNested;
    value.text = Bytes(at, static_cast<std::size_t>(after - at));
  } else {
    after = pass_value(at, value);
  }
  set(node, value);
  return after;
}

/// Passes any value and says what it is.
const Byte* FieldReader::pass_value(const Byte* at, FieldValue& value) {
  if (at == end_) return nullptr;
  const Byte* after = nullptr;
  if (*at == '"') {
    value.kind = FieldKind::kText;
    after = pass_string(at, value.escaped);
    if (after != nullptr) value.text = Bytes(at + 1, static_cast<std::size_t>(after - at - 2));
    return after;
  }
  if (*at != '{' && *at != '[') return pass_word(at, value);
  value.kind = FieldKind::kNested;
  after = pass_nested(at);
  if (after != nullptr) value.text = Bytes(at, static_cast<std::size_t>(after - at));
  return after;
}

/// Passes an object or an array by counting brackets outside of strings.
const Byte* FieldReader::pass_nested(const Byte* at) const {
  std::size_t depth = 0;
  bool escaped = false;
  while (at != end_) {
    const Byte byte = *at;
    if (byte == '"') {
      at = pass_string(at, escaped);
      if (at == nullptr) return nullptr;
      continue;
    }
    ++at;
    if (byte == '{' || byte == '[') ++depth;
    if ((byte == '}' || byte == ']') && --depth == 0) return at;
  }
  return nullptr;
}

/// Passes a number, true, false or null, up to a comma, a bracket or white space. NaN and Infinity
/// are numbers, too; other words are no JSON.
const Byte* FieldReader::pass_word(const Byte* at, FieldValue& value) const {
  const Byte* const begin = at;
  while (at != end_ && *at != ',' && *at != '}' && *at != ']' && !is_blank(*at)) ++at;
  value.text = Bytes(begin, static_cast<std::size_t>(at - begin));
  if (value.text.empty()) return nullptr;
  const Byte first = *begin;
  if (first == '-' || (first >= '0' && first <= '9')) {
    value.kind = FieldKind::kNumber;
    return at;
  }
  if (equals(value.text, "NaN") || equals(value.text, "Infinity")) {
    value.kind = FieldKind::kNumber;
    return at;
  }
  value.kind = first == 't'   ? FieldKind::kTrue
               : first == 'f' ? FieldKind::kFalse
                              : FieldKind::kNull;
  const bool is_word = equals(value.text, first == 't' ? "true" : first == 'f' ? "false" : "null");
  return is_word ? at : nullptr;
}

/// Reads words up to the line's end. Returns false if none of them has a value.
bool FieldReader::read_logfmt(const Byte* at) {
  bool has_values = false;
  for (at = pass_space(at); at != end_; at = pass_space(at)) {
    const Byte* const begin = at;
    while (at != end_ && *at != '=' && !is_blank(*at)) ++at;
    const Bytes key(begin, static_cast<std::size_t>(at - begin));
    FieldValue value;
    value.kind = FieldKind::kAlone;
    if (at != end_ && *at == '=') {
      if (key.empty()) {
        while (at != end_ && !is_blank(*at)) ++at;
        continue;
      }
      has_values = true;
      at = read_logfmt_value(at + 1, value);
    }
    if (const Node* const field = wanted(nodes_[0], key, false)) set(*field, value);
  }
  return has_values;
}

/// Reads what stands after '='.
const Byte* FieldReader::read_logfmt_value(const Byte* at, FieldValue& value) const {
  value.kind = FieldKind::kText;
  if (at != end_ && *at == '"') {
    const Byte* const after = pass_string(at, value.escaped);
    if (after != nullptr) {
      value.text = Bytes(at + 1, static_cast<std::size_t>(after - at - 2));
      return after;
    }
    value.escaped = false;
  }
  const Byte* const begin = at;
  while (at != end_ && !is_blank(*at)) ++at;
  value.text = Bytes(begin, static_cast<std::size_t>(at - begin));
  return at;
}

}  // namespace presso::query
