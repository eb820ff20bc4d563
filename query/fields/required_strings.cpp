// SPDX-License-Identifier: MIT
// RequiredStrings looks only at operators that give no true (or, below NOT, no false) for a null.
#include "query/fields/required_strings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// With it all escapes of ASCII characters begin.
constexpr std::string_view kEscape = "\\u00";
/// Larger sets are not made, as a search for more strings, of which one has four bytes only, goes
/// by hashes (scan/literal/literal_plan.h): 1.7 times the time of testing all lines.
constexpr std::size_t kMostStrings = 64;
constexpr std::array<std::string_view, 5> kTestsOfParts = {"contains", "starts_with", "prefix",
                                                           "ends_with", "suffix"};

/// A set of which the line must hold one string.
struct StringSet {
  std::vector<std::string> strings;
  bool of_value = false;  ///< not of a name
  /// The length of the shortest string, \u00 aside.
  std::size_t length() const {
    std::size_t least = ~std::size_t{0};
    for (const std::string& string : strings) {
      if (string != kEscape) least = std::min(least, string.size());
    }
    return least;
  }
};
using StringSets = std::vector<StringSet>;

/// Whether JSON and logfmt write the character as itself or as \u00XX, and in no other way.
bool is_plain(char letter) {
  return letter >= ' ' && letter <= '~' && letter != '"' && letter != '\\' && letter != '/';
}

/// The longest stretch of `text` of plain characters without those of `ends`.
std::string longest_plain(std::string_view text, std::string_view ends = {}) {
  std::string_view best;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool inside = i < text.size() && is_plain(text[i]) && ends.find(text[i]) == ends.npos;
    if (inside) continue;
    if (i - begin > best.size()) best = text.substr(begin, i - begin);
    begin = i + 1;
  }
  return std::string(best);
}

/// Whether a line must write the text of a value in quotes, or after '='. JSON writes what looks
/// like a number, a word, or a nested value without quotes, too.
bool is_quoted_text(std::string_view text) {
  const bool is_word = text == "true" || text == "false" || text == "NaN" || text == "Infinity";
  const char first = text.empty() ? '-' : text[0];
  const bool may_be_bare =
      first == '-' || (first >= '0' && first <= '9') || first == '{' || first == '[';
  return !is_word && !may_be_bare && longest_plain(text).size() == text.size();
}

class RequiredStrings {
 public:
  explicit RequiredStrings(const std::vector<TypedField>& fields) : fields_(fields) {}

  /// The sets for `e` to be true.
  StringSets of(const Expression& e) const {
    if (e.kind == Kind::kColumn) return names(e);
    if (e.kind == Kind::kFunction) return of_function(e);
    if (e.kind != Kind::kOperator) return {};
    switch (e.op) {
      case Op::kAnd:
        return of_all(e);
      case Op::kOr:
        return of_any(e);
      case Op::kNot:
        return decided(e.arguments[0]);
      case Op::kIsNull:
        return e.negated ? names(e.arguments[0]) : StringSets();
      default:
        return of_test(e);
    }
  }

 private:
  /// The sets of all operands count.
  StringSets of_all(const Expression& e) const {
    StringSets sets;
    for (const Expression& operand : e.arguments) append(sets, of(operand));
    return sets;
  }

  /// One set for all operands, if each of them has one.
  StringSets of_any(const Expression& e) const {
    StringSet all;
    all.of_value = true;
    for (const Expression& operand : e.arguments) {
      StringSets sets = of(operand);
      if (sets.empty()) return {};
      sort(sets);
      all.of_value = all.of_value && sets[0].of_value;
      for (std::string& string : sets[0].strings) add(all, std::move(string));
    }
    if (all.strings.size() > kMostStrings) return {};
    return {std::move(all)};
  }

  /// The sets for `e` to be false: what is needed for it not to be null.
  StringSets decided(const Expression& e) const {
    if (e.kind == Kind::kColumn) return names(e);
    if (e.kind != Kind::kOperator || e.op == Op::kAnd || e.op == Op::kOr || e.op == Op::kIsNull ||
        e.op == Op::kIsDistinct) {
      return {};
    }
    if (e.op == Op::kNot) return decided(e.arguments[0]);
    return names_of_test(e);
  }

  /// A comparison, IN, BETWEEN or a pattern.
  StringSets of_test(const Expression& e) const {
    StringSets sets = names_of_test(e);
    if (e.negated) return sets;
    const Expression& left = e.arguments[0];
    const bool is_text = is_text_column(left);
    if (e.op == Op::kEqual) {
      if (is_text) append(sets, value({e.arguments.begin() + 1, e.arguments.end()}));
      if (is_text_column(e.arguments[1])) append(sets, value({left}));
    } else if (e.op == Op::kIn && is_text) {
      append(sets, value({e.arguments.begin() + 1, e.arguments.end()}));
    } else if (e.op == Op::kLike && is_text) {
      std::string ends = "%_";
      if (e.arguments.size() > 2) ends += e.arguments[2].text;
      append(sets, part(longest_plain(e.arguments[1].text, ends)));
    }
    return sets;
  }

  /// The names of fields that must not be null for a test to be true or false.
  StringSets names_of_test(const Expression& e) const {
    StringSets sets;
    switch (e.op) {
      case Op::kEqual:
      case Op::kNotEqual:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual:
        append(sets, names(e.arguments[0]));
        append(sets, names(e.arguments[1]));
        return sets;
      case Op::kIn:
      case Op::kLike:
      case Op::kIlike:
      case Op::kMatches:
        return names(e.arguments[0]);
      case Op::kBetween:
        // x between 5 and null is false for x = 1, but null for no x is not.
        return names(e.arguments[0]);
      default:
        return {};
    }
  }

  StringSets of_function(const Expression& e) const {
    const bool tests_part =
        std::find(kTestsOfParts.begin(), kTestsOfParts.end(), e.text) != kTestsOfParts.end() &&
        e.arguments.size() == 2;
    if (!tests_part || !is_text_column(e.arguments[0])) return {};
    StringSets sets = names(e.arguments[0]);
    if (e.arguments[1].kind == Kind::kString) {
      append(sets, part(longest_plain(e.arguments[1].text)));
    }
    return sets;
  }

  bool is_text_column(const Expression& e) const {
    return e.kind == Kind::kColumn && e.text.starts_with("##") &&
           fields_[field_number(e)].type == FieldType::kText;
  }

  /// The set for a field to equal one of these literals.
  static StringSets value(const std::vector<Expression>& literals) {
    StringSet set;
    set.of_value = true;
    for (const Expression& literal : literals) {
      if (literal.kind == Kind::kNull) continue;
      if (literal.kind != Kind::kString) return {};
      if (is_quoted_text(literal.text)) {
        add(set, '"' + literal.text + '"');
        add(set, '=' + literal.text);
      } else {
        std::string plain = longest_plain(literal.text);
        if (plain.empty()) return {};
        add(set, std::move(plain));
      }
    }
    add(set, std::string(kEscape));
    if (set.strings.size() > kMostStrings) return {};
    return {std::move(set)};
  }

  /// The set for a field to contain a text.
  static StringSets part(std::string plain) {
    if (plain.empty()) return {};
    StringSet set;
    set.of_value = true;
    set.strings = {std::move(plain), std::string(kEscape)};
    return {std::move(set)};
  }

  /// The sets for the fields of `e` to be there, where it is null without them.
  StringSets names(const Expression& e) const {
    StringSets sets;
    if (e.kind == Kind::kColumn && e.text.starts_with("##")) {
      append(sets, name(fields_[field_number(e)]));
    } else if (e.kind == Kind::kCast) {
      append(sets, names(e.arguments[0]));
    } else if (e.kind == Kind::kOperator &&
               (e.op == Op::kAdd || e.op == Op::kSubtract || e.op == Op::kMultiply ||
                e.op == Op::kDivide || e.op == Op::kNegate)) {
      for (const Expression& operand : e.arguments) append(sets, names(operand));
    }
    return sets;
  }

  /// The longest key on the way to a field, with what stands beside it where it is the only one and
  /// has a value.
  static StringSets name(const TypedField& field) {
    StringSet set;
    std::string key;
    for (const JsonStep& step : field.path.steps) {
      std::string plain = longest_plain(step.key);
      if (plain.size() > key.size()) key = std::move(plain);
    }
    if (key.empty()) return {};
    const bool has_value = field.type == FieldType::kNumber || field.type == FieldType::kWhole;
    if (has_value && field.path.steps.size() == 1 && key == field.path.steps[0].key) {
      set.strings = {'"' + key + '"', key + '='};
    } else {
      set.strings = {std::move(key)};
    }
    set.strings.emplace_back(kEscape);
    return {std::move(set)};
  }

  static void add(StringSet& set, std::string string) {
    if (std::find(set.strings.begin(), set.strings.end(), string) == set.strings.end()) {
      set.strings.push_back(std::move(string));
    }
  }

  static void append(StringSets& sets, StringSets more) {
    std::move(more.begin(), more.end(), std::back_inserter(sets));
  }

 public:
  static void sort(StringSets& sets) {
    std::stable_sort(sets.begin(), sets.end(), [](const StringSet& a, const StringSet& b) {
      return std::pair(a.of_value, a.length()) > std::pair(b.of_value, b.length());
    });
  }

 private:
  const std::vector<TypedField>& fields_;
};

}  // namespace

std::vector<std::vector<std::string>> required_strings(const TypedCondition& condition) {
  StringSets sets = RequiredStrings(condition.fields).of(condition.expression);
  RequiredStrings::sort(sets);
  std::vector<std::vector<std::string>> strings;
  for (StringSet& set : sets) strings.push_back(std::move(set.strings));
  return strings;
}

}  // namespace presso::query
