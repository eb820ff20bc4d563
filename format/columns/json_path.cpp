// SPDX-License-Identifier: MIT
// Implements json_path.h. A container's members are listed by JsonReader, which has checked what
// they hold; the value that a step takes is then listed in turn.
#include "format/columns/json_path.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "format/columns/string_text.h"

namespace presso {
namespace {

using Kind = JsonStep::Kind;

/// A place that no array has.
constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max();

/// Digits, after a minus sign if `negative` allows one.
std::optional<std::int64_t> whole_number(std::string_view text, bool negative) {
  std::int64_t number = 0;
  if (!negative && text.starts_with('-')) return std::nullopt;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// What stands in brackets.
std::optional<JsonStep> bracket_step(std::string_view inside, bool each) {
  if (inside == "*" && each) return JsonStep{Kind::kEach, {}, 0};
  if (inside == "#") return JsonStep{Kind::kPlace, {}, kNowhere};
  const bool from_end = inside.starts_with("#-");
  const auto place = whole_number(inside.substr(from_end ? 2 : 0), !from_end);
  if (!place) return std::nullopt;
  return JsonStep{Kind::kPlace, {}, from_end ? -*place : *place};
}

/// Takes the key that begins at `at`, and moves `at` behind it; nullopt if there is none.
std::optional<std::string> take_key(std::string_view text, std::size_t& at) {
  std::string key;
  if (at < text.size() && text[at] == '"') {
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      key += text[at];
    }
    if (at == text.size()) return std::nullopt;
    ++at;
    return key;
  }
  const std::size_t end = std::min(text.find_first_of(".[", at), text.size());
  key = text.substr(at, end - at);
  at = end;
  if (key.empty() || key == "*" || key == "**") return std::nullopt;
  return key;
}

/// "$.a[0]"; `text` begins after the '$'.
std::optional<JsonPath> dollar_path(std::string_view text, bool each) {
  JsonPath path;
  for (std::size_t at = 0; at < text.size();) {
    const char mark = text[at++];
    std::optional<JsonStep> step;
    if (mark == '.' && each && text.substr(at).starts_with('*')) {
      step = JsonStep{Kind::kAnyKey, {}, 0};
      ++at;
    } else if (mark == '.') {
      auto key = take_key(text, at);
      if (key) step = JsonStep{Kind::kKey, *std::move(key), 0};
    } else if (mark == '[') {
      const std::size_t end = text.find(']', at);
      if (end == text.npos) return std::nullopt;
      step = bracket_step(text.substr(at, end - at), each);
      at = end + 1;
    }
    if (!step) return std::nullopt;
    path.push_back(*std::move(step));
  }
  return path;
}

/// A part of a pointer, in which "~1" is '/' and "~0" is '~'.
JsonStep pointer_step(std::string_view part) {
  JsonStep step;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool escaped = part[i] == '~' && i + 1 < part.size() && part[i + 1] <= '1';
    step.key += escaped ? (part[++i] == '1' ? '/' : '~') : part[i];
  }
  const auto place = whole_number(part, false);
  if (!place || (part.size() > 1 && part[0] == '0')) return step;
  step.kind = Kind::kEither;
  step.place = *place;
  return step;
}

/// "/a/0".
JsonPath pointer_path(std::string_view text) {
  JsonPath path;
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::size_t end = std::min(text.find('/'), text.size());
    path.push_back(pointer_step(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return path;
}

/// Writes digits with a point after the first `whole` of them, as JavaScript does.
void append_digits(std::string_view digits, int whole, std::string& to) {
  const auto count = static_cast<int>(digits.size());
  if (whole <= -6 || whole > 21) {
    to += digits[0];
    if (count > 1) to.append(".").append(digits.substr(1));
    to += 'e' + std::to_string(whole - 1);
  } else if (whole <= 0) {
    to.append("0.").append(static_cast<std::size_t>(-whole), '0').append(digits);
  } else if (whole >= count) {
    to.append(digits).append(static_cast<std::size_t>(whole - count), '0').append(".0");
  } else {
    const auto before = static_cast<std::size_t>(whole);
    to.append(digits.substr(0, before)).append(".").append(digits.substr(before));
  }
}

/// A number that no double holds stays as it is.
void append_number(std::string_view number, std::string& to) {
  if (number == "-0") number = "0";
  double value = 0;
  const bool is_real = number.find_first_of(".eE") != number.npos;
  if (!is_real ||
      std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc()) {
    to += number;
    return;
  }
  char text[32];
  const char* const end =
      std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  std::string_view shortest(text, static_cast<std::size_t>(end - text));
  if (shortest.starts_with('-')) {
    to += '-';
    shortest.remove_prefix(1);
  }
  const std::size_t mark = shortest.find('e');
  std::string digits(shortest.substr(0, mark));
  std::erase(digits, '.');
  const bool up = shortest[mark + 1] == '+';
  const auto exponent = whole_number(shortest.substr(mark + (up ? 2 : 1)), true);
  append_digits(digits, static_cast<int>(*exponent) + 1, to);
}

void append_unescaped(Bytes string, std::string& to) {
  const std::size_t size = to.size();
  to.resize(size + string.size());
  to.resize(size + unescape_json(string, reinterpret_cast<Byte*>(to.data()) + size));
}

/// A string's text as JSON, with its quotes.
void append_string(Bytes string, std::string& to) {
  if (std::find(string.begin(), string.end(), Byte{'\\'}) == string.end()) {
    to += '"';
    to += string_text::view_of(string);
    to += '"';
    return;
  }
  std::string plain;
  append_unescaped(string, plain);
  string_text::append_json_string({reinterpret_cast<const Byte*>(plain.data()), plain.size()}, to);
}

/// The end of the string whose text begins at `at`: its closing quote.
std::size_t string_end(Bytes text, std::size_t at) {
  while (text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at;
}

/// An object or array, which was checked.
void append_nested(Bytes text, std::string& to) {
  constexpr std::string_view kEnds = ",]} \t\r\n";
  for (std::size_t at = 0; at < text.size();) {
    const char first = static_cast<char>(text[at]);
    if (first == '"') {
      const std::size_t end = string_end(text, at + 1);
      append_string(text.subspan(at + 1, end - at - 1), to);
      at = end + 1;
    } else if (first == '-' || (first >= '0' && first <= '9')) {
      const std::string_view rest = string_text::view_of(text.subspan(at));
      const std::size_t size = rest.find_first_of(kEnds);
      append_number(rest.substr(0, size), to);
      at += size;
    } else {
      if (first > ' ') to += first;
      ++at;
    }
  }
}

}  // namespace

std::optional<JsonPath> parse_json_path(std::string_view text, bool each) {
  if (text.starts_with('$')) return dollar_path(text.substr(1), each);
  if (text.starts_with('/')) return pointer_path(text);
  if (text.empty()) return JsonPath();
  return JsonPath{{Kind::kKey, std::string(text), 0}};
}

/// Keys of ASCII letters, digits and '_' need no quotes.
std::string json_step_text(const JsonStep& step) {
  if (step.kind == Kind::kEach) return "[*]";
  if (step.kind == Kind::kAnyKey) return ".*";
  if (step.kind == Kind::kPlace) {
    return '[' + (step.place == kNowhere ? "#" : std::to_string(step.place)) + ']';
  }
  const bool plain = std::all_of(step.key.begin(), step.key.end(), [](char letter) {
    return letter == '_' || (letter >= '0' && letter <= '9') ||
           ((letter | 0x20) >= 'a' && (letter | 0x20) <= 'z');
  });
  if (plain && !step.key.empty()) return '.' + step.key;
  std::string text = ".\"";
  for (const char letter : step.key) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + '"';
}

std::string json_path_text(const JsonPath& path) {
  std::string text = "$";
  for (const JsonStep& step : path) text += json_step_text(step);
  return text;
}

/// Lists the members of the object or array at `at`.
bool JsonFinder::open(std::size_t at) {
  members_.clear();
  return text_[at] == '{' ? reader_.read(at, true) : reader_.read_array(at);
}

bool JsonFinder::is_key(const JsonMember& member, const std::string& key) {
  const Bytes written = text_.subspan(member.key_begin, member.key_length);
  if (!member.key_escaped) return string_text::view_of(written) == key;
  key_.clear();
  append_unescaped(written, key_);
  return key_ == key;
}

/// The member of the value that was found last which a step leads to, or nullptr.
const JsonMember* JsonFinder::take(const JsonStep& step) {
  const bool is_array = text_[value_.begin] == '[';
  if (!is_array) {
    if (step.kind != Kind::kKey && step.kind != Kind::kEither) return nullptr;
    const auto found = std::find_if(members_.begin(), members_.end(),
                                    [&](const JsonMember& one) { return is_key(one, step.key); });
    return found == members_.end() ? nullptr : &*found;
  }
  if (step.kind != Kind::kPlace && step.kind != Kind::kEither) return nullptr;
  const auto count = static_cast<std::int64_t>(members_.size());
  const std::int64_t place = step.place < 0 ? step.place + count : step.place;
  return place < 0 || place >= count ? nullptr : &members_[static_cast<std::size_t>(place)];
}

// The text is checked before a step is taken.
JsonFinder::Found JsonFinder::find(Bytes text, const JsonPath& path) {
  text_ = text;
  reader_.begin(text);
  if (text.size() > kMaxJsonText) return Found::kNoJson;
  const Byte first = reader_.next();
  const std::size_t begin = reader_.at();
  if (path.empty() || (first != '{' && first != '[')) {
    if (!reader_.read_text(value_)) return Found::kNoJson;
    return path.empty() ? Found::kValue : Found::kNothing;
  }
  if (!open(begin) || !reader_.ends()) return Found::kNoJson;
  value_.begin = static_cast<std::uint32_t>(begin);
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i > 0 && (value_.kind != JsonKind::kNested || !open(value_.begin))) return Found::kNothing;
    const JsonMember* const next = take(path[i]);
    if (next == nullptr) return Found::kNothing;
    value_ = *next;
  }
  return Found::kValue;
}

const std::vector<JsonMember>& JsonFinder::members() {
  open(value_.begin);
  return members_;
}

void append_json(Bytes text, const JsonMember& value, std::string& to) {
  const Bytes written = text.subspan(value.begin, value.length);
  switch (value.kind) {
    case JsonKind::kString:
      return append_string(written, to);
    case JsonKind::kNumber:
      return append_number(string_text::view_of(written), to);
    case JsonKind::kNested:
      return append_nested(written, to);
    default:
      to += string_text::view_of(written);
  }
}

void append_json_text(Bytes text, const JsonMember& value, bool as_written, std::string& to) {
  const Bytes written = text.subspan(value.begin, value.length);
  if (value.kind == JsonKind::kString) return append_unescaped(written, to);
  if (value.kind == JsonKind::kNumber && as_written) {
    to += string_text::view_of(written);
    return;
  }
  append_json(text, value, to);
}

}  // namespace presso
