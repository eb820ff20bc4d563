// SPDX-License-Identifier: MIT
// Passes through nested values by the places that earlier rows had: keys mostly follow one another
// as in the row before. The values of a place are collected for a part of the text and then given
// to TypeInference as the records of one column.
#include "compress/table/text/json_fields.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "compress/table/text/text_checks.h"
#include "format/columns/json_path.h"
#include "format/columns/schema.h"

namespace presso {
namespace {

/// Levels of nested values that are looked at.
constexpr std::uint32_t kMostLevels = 10;
/// The longest key, as it stands in the text.
constexpr std::size_t kMostKeyBytes = 255;
/// The most places of all columns together; beyond it no column has fields.
constexpr std::size_t kMostPlaces = 1u << 15;
/// How many values of a place are collected.
constexpr std::size_t kMostValues = 1u << 14;
/// Fields may take this part of the text of their column, and kFreeBytes in any case.
constexpr std::uint64_t kBytesForOne = 32;
constexpr std::uint64_t kFreeBytes = 1024;

constexpr Byte kind_bit(JsonKind kind) {
  return static_cast<Byte>(1u << static_cast<unsigned>(kind));
}

std::size_t after_space(Bytes text, std::size_t at) {
  while (text[at] <= ' ') ++at;
  return at;
}

/// The closing quote of the string that begins after the quote at `at`.
std::size_t closing_quote(Bytes text, std::size_t at) {
  while (true) {
    const void* const found = std::memchr(text.data() + at + 1, '"', text.size() - at - 1);
    at = static_cast<std::size_t>(static_cast<const Byte*>(found) - text.data());
    std::size_t slashes = 0;
    while (text[at - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return at;
  }
}

/// The end of a number or word.
std::size_t plain_end(Bytes text, std::size_t at) {
  while (text[at] > ' ' && text[at] != ',' && text[at] != ']' && text[at] != '}') ++at;
  return at;
}

/// The end of any value.
std::size_t value_end(Bytes text, std::size_t at) {
  if (text[at] == '"') return closing_quote(text, at) + 1;
  if (text[at] != '{' && text[at] != '[') return plain_end(text, at);
  std::size_t depth = 0;
  do {
    const Byte byte = text[at];
    if (byte == '"') at = closing_quote(text, at);
    if (byte == '{' || byte == '[') ++depth;
    if (byte == '}' || byte == ']') --depth;
    ++at;
  } while (depth != 0);
  return at;
}

/// Whether a query reads the text as a date or timestamp: 2024-12-31, and after a blank or 'T' a
/// time with any digits of a second, and 'Z'.
bool is_plain_moment(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd?dd:dd:dd";
  if (text.size() != 10 && text.size() < kShape.size()) return false;
  for (std::size_t i = 0; i < std::min(text.size(), kShape.size()); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == 'd' ? !digit : kShape[i] != '?' && kShape[i] != text[i]) return false;
  }
  if (text.size() == 10) return true;
  if (text[10] != ' ' && text[10] != 'T') return false;
  text.remove_prefix(kShape.size());
  if (text.ends_with('Z')) text.remove_suffix(1);
  if (text.empty()) return true;
  return text.size() > 1 && text[0] == '.' && text.find_first_not_of("0123456789", 1) == text.npos;
}

}  // namespace

void JsonFields::begin(Bytes text) {
  end();
  text_ = text;
}

void JsonFields::end() {
  for (const std::uint32_t place : waiting_) infer(places_[place]);
  waiting_.clear();
}

std::uint32_t JsonFields::add_place(std::string key, std::uint32_t parent, std::uint32_t column) {
  too_many_ |= places_.size() == kMostPlaces;
  columns_[column].too_many |= columns_[column].places == kMostFields;
  if (too_many_ || columns_[column].too_many) return kNone;
  ++columns_[column].places;
  Place& place = places_.emplace_back();
  // Until it is known how a key with such characters is written, no text may be taken for it.
  place.written = key.find_first_of("\"\\") == key.npos ? key : "\n";
  place.key = std::move(key);
  place.column = column;
  if (parent != kNone) place.depth = places_[parent].depth + 1;
  return static_cast<std::uint32_t>(places_.size() - 1);
}

std::uint32_t JsonFields::column_place(std::size_t column) {
  if (column >= columns_.size()) columns_.resize(column + 1);
  Column& one = columns_[column];
  if (one.place == kNone) one.place = add_place({}, kNone, static_cast<std::uint32_t>(column));
  return one.place;
}

std::uint32_t JsonFields::key_of(std::uint32_t place, const std::string& key) {
  const auto found = places_[place].keys.find(key);
  if (found != places_[place].keys.end()) return found->second;
  const std::uint32_t child = add_place(key, place, places_[place].column);
  if (child == kNone) return kNone;
  places_[place].keys.emplace(key, child);
  places_[place].children.push_back(child);
  return child;
}

/// The place whose key is number `number` among those of `place`, if it stands at `at`.
std::uint32_t JsonFields::expected_child(std::uint32_t place, std::size_t at,
                                         std::size_t number) const {
  const std::vector<std::uint32_t>& children = places_[place].children;
  if (number >= children.size()) return kNone;
  const std::string& key = places_[children[number]].written;
  const bool same = key.size() < text_.size() - at && text_[at + key.size()] == '"' &&
                    std::memcmp(text_.data() + at, key.data(), key.size()) == 0;
  return same ? children[number] : kNone;
}

/// The place of a key; kNone also for a long one.
std::uint32_t JsonFields::child_of(std::uint32_t place, Bytes written) {
  const std::string_view text = text_of(written);
  if (written.size() > kMostKeyBytes) return kNone;
  if (text.find('\\') == text.npos) return key_of(place, std::string(text));
  std::string key(text.size(), '\0');
  key.resize(unescape_json(written, reinterpret_cast<Byte*>(key.data())));
  const std::uint32_t child = key_of(place, key);
  if (child != kNone) places_[child].written = text;
  return child;
}

std::uint32_t JsonFields::elements_of(std::uint32_t place) {
  if (places_[place].elements != kNone) return places_[place].elements;
  const std::uint32_t elements = add_place({}, place, places_[place].column);
  places_[place].elements = elements;
  return elements;
}

void JsonFields::add(std::size_t column, std::size_t at) {
  const std::uint32_t place = column_place(column);
  if (place == kNone) return;
  columns_[column].bytes += read(place, at) - at;
}

/// Reads a value of a place and returns its end.
std::size_t JsonFields::read(std::uint32_t place, std::size_t at) {
  const Byte first = text_[at];
  if (place == kNone || (places_[place].depth == kMostLevels && (first == '{' || first == '['))) {
    if (place != kNone) note_nested(place);
    return value_end(text_, at);
  }
  if (first == '{') return read_object(place, at);
  if (first == '[') return read_array(place, at);
  return first == '"' ? read_string(place, at) : read_plain(place, at);
}

/// Notes that a value of the place is an array or object.
void JsonFields::note_nested(std::uint32_t place) {
  places_[place].kinds |= kind_bit(JsonKind::kNested);
  places_[place].is_text = true;
}

std::size_t JsonFields::read_object(std::uint32_t place, std::size_t at) {
  note_nested(place);
  at = after_space(text_, at + 1);
  for (std::size_t number = 0; text_[at] != '}'; ++number) {
    std::uint32_t child = expected_child(place, at + 1, number);
    const std::size_t quote =
        child == kNone ? closing_quote(text_, at) : at + 1 + places_[child].written.size();
    if (child == kNone) child = child_of(place, text_.subspan(at + 1, quote - at - 1));
    const std::size_t colon = after_space(text_, quote + 1);
    at = after_space(text_, read(child, after_space(text_, colon + 1)));
    if (text_[at] == ',') at = after_space(text_, at + 1);
  }
  return at + 1;
}

std::size_t JsonFields::read_array(std::uint32_t place, std::size_t at) {
  note_nested(place);
  at = after_space(text_, at + 1);
  while (text_[at] != ']') {
    at = after_space(text_, read(elements_of(place), at));
    if (text_[at] == ',') at = after_space(text_, at + 1);
  }
  return at + 1;
}

std::size_t JsonFields::read_string(std::uint32_t place, std::size_t at) {
  const std::size_t quote = closing_quote(text_, at);
  const bool is_moment =
      !places_[place].is_text && is_plain_moment(text_of(text_.subspan(at + 1, quote - at - 1)));
  places_[place].is_text |= !is_moment;
  places_[place].kinds |= kind_bit(JsonKind::kString);
  if (is_moment) note(place, JsonKind::kString, at + 1, quote);
  return quote + 1;
}

std::size_t JsonFields::read_plain(std::uint32_t place, std::size_t at) {
  const std::size_t end = plain_end(text_, at);
  const Byte first = text_[at];
  if (first == 'n') return end;
  const bool is_bool = first == 't' || first == 'f';
  const JsonKind kind = is_bool ? JsonKind::kBool : JsonKind::kNumber;
  places_[place].kinds |= kind_bit(kind);
  if (!places_[place].is_text) note(place, kind, at, end);
  return end;
}

/// Keeps a value for infer(); its kind is among those of the place.
void JsonFields::note(std::uint32_t number, JsonKind kind, std::size_t begin, std::size_t end) {
  Place& place = places_[number];
  place.is_text = place.kinds != kind_bit(kind);
  if (place.is_text || kind == JsonKind::kBool) return;
  if (place.values.empty()) waiting_.push_back(number);
  Field field;
  field.begin = static_cast<std::uint32_t>(begin);
  field.length = static_cast<std::uint32_t>(end - begin);
  field.quoted = kind == JsonKind::kString;
  place.values.push_back(field);
  if (place.values.size() == kMostValues) infer(place);
}

/// Gives the values that were collected to TypeInference. A place that infer() has emptied may be
/// waiting twice.
void JsonFields::infer(Place& place) {
  if (!place.is_text && !place.values.empty()) {
    if (!place.types) {
      TextForm form;
      form.kind = TextKind::kJsonLines;
      place.types.emplace(1, form);
    }
    RecordBatch batch;
    batch.fields.swap(place.values);
    batch.first_field.resize(batch.fields.size() + 1);
    std::iota(batch.first_field.begin(), batch.first_field.end(), 0u);
    batch.begin = batch.first_field;
    place.types->add(batch, text_, 1);
    place.values.swap(batch.fields);
  }
  place.values.clear();
}

void JsonFields::merge(const JsonFields& later, const std::vector<std::uint32_t>& columns) {
  for (std::size_t i = 0; i < later.columns_.size(); ++i) {
    if (later.columns_[i].place == kNone) continue;
    const std::uint32_t place = column_place(columns[i]);
    if (place != kNone) merge_place(later, later.columns_[i].place, place);
    Column& column = columns_[columns[i]];
    column.bytes += later.columns_[i].bytes;
    column.too_many |= later.columns_[i].too_many;
  }
  // A place that one part had no room for has values that were not looked at.
  too_many_ |= later.too_many_;
}

/// Merges a place and those below it.
void JsonFields::merge_place(const JsonFields& later, std::uint32_t from, std::uint32_t to) {
  const Place& other = later.places_[from];
  Place& own = places_[to];
  own.kinds |= other.kinds;
  own.is_text |= other.is_text || (own.kinds & (own.kinds - 1)) != 0;
  if (!own.is_text && other.types) {
    if (own.types) {
      own.types->merge(*other.types);
    } else {
      own.types = other.types;
    }
  }
  for (const std::uint32_t child : other.children) {
    const std::uint32_t place = key_of(to, later.places_[child].key);
    if (place != kNone) merge_place(later, child, place);
  }
  if (other.elements == kNone) return;
  const std::uint32_t place = elements_of(to);
  if (place != kNone) merge_place(later, other.elements, place);
}

/// The type of all values of a place; nullopt if they have none, or there are none.
std::optional<ColumnSchema> JsonFields::type_of(const Place& place) const {
  if (place.kinds == kind_bit(JsonKind::kNested)) return json_field_type();
  if (place.is_text || place.kinds == 0) return std::nullopt;
  ColumnSchema type;
  type.type = ColumnType::kBool;
  if (place.kinds == kind_bit(JsonKind::kBool)) return type;
  const ColumnSchema found = place.types->finish({}).columns[0];
  const bool is_moment = place.kinds == kind_bit(JsonKind::kString);
  if (is_string(found.type) || is_date_or_time(found.type) != is_moment) return std::nullopt;
  return bare_type(found);
}

/// Adds the fields of a place, which is not the column itself, and those below it.
void JsonFields::list(std::uint32_t number, const std::string& path,
                      std::vector<NestedField>& to) const {
  const Place& place = places_[number];
  auto type = path.empty() ? std::nullopt : type_of(place);
  if (type) to.push_back({path, *std::move(type)});
  for (const std::uint32_t child : place.children) {
    list(child, path + json_step_text({JsonStep::Kind::kKey, places_[child].key, 0}), to);
  }
  if (place.elements != kNone) list(place.elements, path + "[*]", to);
}

NestedFields JsonFields::of(std::size_t column) const {
  if (column >= columns_.size() || columns_[column].place == kNone) return {};
  if (columns_[column].too_many || too_many_) return {};
  std::vector<NestedField> fields;
  list(columns_[column].place, "", fields);
  std::sort(fields.begin(), fields.end(),
            [](const NestedField& a, const NestedField& b) { return a.path < b.path; });
  const std::uint64_t most = std::max(kFreeBytes, columns_[column].bytes / kBytesForOne);
  NestedFields result(fields);
  if (nested_field_bytes(result) <= most) return result;
  std::erase_if(fields, [](const NestedField& field) { return is_string(field.type.type); });
  result = NestedFields(std::move(fields));
  return nested_field_bytes(result) <= most ? result : NestedFields();
}

}  // namespace presso
