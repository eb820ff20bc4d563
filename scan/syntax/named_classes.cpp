// SPDX-License-Identifier: MIT
// Tables come from ../make_unicode_tables.pl. Which name of a general category, script or property
// is meant follows Unicode's UAX 44 (loose matching, LM3). Tested by
// tests/unit/scan/syntax/regex_class_test.cpp.
#include "scan/syntax/named_classes.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace presso::scan_detail {
namespace {

struct PropertyName {
  const char* name;
  std::uint32_t begin;
  std::uint32_t end;
};

#include "scan/unicode/unicode_properties.inc"

std::uint32_t read_number(const Byte*& at) {
  std::uint32_t number = 0;
  for (std::uint32_t shift = 0;; shift += 7) {
    const Byte byte = *at++;
    number |= (byte & 0x7Fu) << shift;
    if (byte < 0x80) return number;
  }
}

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

std::string loose_name(std::string_view name) {
  std::string loose;
  for (const char letter : name) {
    if (letter == ' ' || letter == '_' || letter == '-') continue;
    loose.push_back(letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter);
  }
  return loose;
}

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

/// Ranges of a class in pairs of characters: "azAZ" is [a-zA-Z].
CodeSet from_pairs(std::string_view pairs) {
  CodeSet set;
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    set.add(static_cast<Byte>(pairs[i]), static_cast<Byte>(pairs[i + 1]));
  }
  return set;
}

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

/// \w as UTS 18 says, which is_word() in scan/unicode/unicode.h says too.
CodeSet unicode_word() {
  CodeSet set;
  for (const char* part : {"alphabetic", "m", "nd", "pc", "joincontrol"}) {
    set.add(*find_lone_name(part));
  }
  return set;
}

/// A copy with its ranges in order: others may read it from several threads at once.
CodeSet settled(CodeSet set) {
  set.ranges();
  return set;
}

}  // namespace

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

std::optional<CodeSet> posix_class(std::string_view name) {
  for (const PosixClass& entry : kPosixClasses) {
    if (entry.name == name) return from_pairs(entry.pairs);
  }
  return std::nullopt;
}

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
