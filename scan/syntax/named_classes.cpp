// SPDX-License-Identifier: MIT
// The tables come from ../make_unicode_tables.pl, which packs the ranges of a property as
// differences in numbers of variable length (seven bits a byte). Which property a name means
// follows Unicode's UAX 44 (loose matching, LM3).
#include "scan/syntax/named_classes.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace presso::scan_detail {
namespace {

/// The name of a property and where its packed ranges lie in kPropertyData.
struct PropertyName {
  const char* name;
  std::uint32_t begin;
  std::uint32_t end;
};

#include "scan/unicode/unicode_properties.inc"

/// Reads one packed number and moves past it.
std::uint32_t read_number(const Byte*& at) {
  std::uint32_t number = 0;
  for (std::uint32_t shift = 0;; shift += 7) {
    const Byte byte = *at++;
    number |= (byte & 0x7Fu) << shift;
    if (byte < 0x80) return number;
  }
}

/// Unpacks ranges: each is two numbers, the gap from the range before and the length.
CodeSet unpack(const PropertyName& property) {
  CodeSet set;
  const Byte* at = kPropertyData + property.begin;
  CodePoint next = 0;
  while (at != kPropertyData + property.end) {
    const CodePoint low = next + read_number(at);
    const CodePoint high = low + read_number(at);
    set.add(low, high);
    next = high + 1;
  }
  return set;
}

/// Looks a name up in one of the tables, which are sorted by name.
template <std::size_t kCount>
std::optional<CodeSet> find_name(const PropertyName (&table)[kCount], std::string_view name) {
  const PropertyName* entry =
      std::lower_bound(std::begin(table), std::end(table), name,
                       [](const PropertyName& left, std::string_view right) {
                         return right.compare(left.name) > 0;
                       });
  if (entry == std::end(table) || entry->name != name) return std::nullopt;
  return unpack(*entry);
}

/// The name as it is compared: in lower case, without spaces, '_' and '-'.
std::string loose_name(std::string_view name) {
  std::string loose;
  for (const char letter : name) {
    if (letter == ' ' || letter == '_' || letter == '-') continue;
    loose.push_back(letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter);
  }
  return loose;
}

/// The set of \p{key=value}; nothing for an unknown key or value.
std::optional<CodeSet> find_value(const std::string& key, const std::string& value) {
  if (key == "gc" || key == "generalcategory" || key == "category") {
    return find_name(kCategories, value);
  }
  if (key == "sc" || key == "script") return find_name(kScripts, value);
  if (key == "scx" || key == "scriptextensions") return find_name(kScriptExtensions, value);
  return std::nullopt;
}

std::optional<CodeSet> find_lone_name(const std::string& name) {
  if (auto set = find_name(kProperties, name)) return set;
  if (auto set = find_name(kCategories, name == "l&" ? "lc" : name)) return set;
  return find_name(kScripts, name);
}

/// A set from the bounds of its ranges in pairs of characters: "azAZ" is [a-zA-Z].
CodeSet from_pairs(std::string_view pairs) {
  CodeSet set;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    set.add(static_cast<Byte>(pairs[i]), static_cast<Byte>(pairs[i + 1]));
  }
  return set;
}

/// A POSIX class: its name, and its ranges as pairs of characters.
struct PosixClass {
  std::string_view name;
  std::string_view pairs;
};

constexpr PosixClass kPosixClasses[] = {
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"ascii", {"\0\x7F", 2}},
    {"blank", "\t\t  "},
    {"cntrl", {"\0\x1F\x7F\x7F", 4}},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"word", "09AZ__az"},
    {"xdigit", "09AFaf"},
};

/// \w as UTS 18 defines it; is_word() in scan/unicode/unicode.h has the same members.
CodeSet unicode_word() {
  CodeSet set;
  for (const char* part : {"alphabetic", "m", "nd", "pc", "joincontrol"}) {
    set.add(*find_lone_name(part));
  }
  return set;
}

/// A copy with its ranges in order, since several threads may read it at once.
CodeSet settled(CodeSet set) {
  set.ranges();
  return set;
}

}  // namespace

/// The set of \d, \s or \w; made once and shared, so thread-safe.
const CodeSet& perl_class(char letter, bool unicode) {
  static const CodeSet digit = settled(*find_lone_name("nd"));
  static const CodeSet space = settled(*find_lone_name("whitespace"));
  static const CodeSet word = settled(unicode_word());
  static const CodeSet ascii_digit = settled(*posix_class("digit"));
  static const CodeSet ascii_space = settled(*posix_class("space"));
  static const CodeSet ascii_word = settled(*posix_class("word"));
  if (letter == 'd') return unicode ? digit : ascii_digit;
  if (letter == 's') return unicode ? space : ascii_space;
  return unicode ? word : ascii_word;
}

/// The set of [:name:], which is ASCII; nothing for an unknown name.
std::optional<CodeSet> posix_class(std::string_view name) {
  for (const PosixClass& entry : kPosixClasses) {
    if (entry.name == name) return from_pairs(entry.pairs);
  }
  return std::nullopt;
}

/// The set of \p{name}, \p{key=value}, \p{key:value} or \p{key!=value}; names are compared loosely,
/// as Unicode's UAX 44 says. Nothing for an unknown name.
std::optional<CodeSet> unicode_property(std::string_view name) {
  const std::size_t equals = name.find_first_of("=:");
  if (equals != std::string_view::npos) {
    const bool unequal = equals > 0 && name[equals - 1] == '!';
    const std::string key = loose_name(name.substr(0, unequal ? equals - 1 : equals));
    auto set = find_value(key, loose_name(name.substr(equals + 1)));
    if (set && unequal) set->negate(kLastCodePoint);
    return set;
  }
  const std::string loose = loose_name(name);
  if (auto set = find_lone_name(loose)) return set;
  if (loose.starts_with("is")) return find_lone_name(loose.substr(2));
  return std::nullopt;
}

}  // namespace presso::scan_detail
