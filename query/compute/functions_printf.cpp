// SPDX-License-Identifier: MIT
// format('{:,.2f} {}', a, b) and printf('%,.2f %s', a, b). The format is a literal, which is taken
// apart when the call is bound: each place becomes a call of a kernel, and the parts are joined.
// Letters and marks are those of DuckDB 2.0.1, which also has them from Python's and C's formats;
// here '%s' takes any value and '%f' any number.
#include <algorithm>
#include <charconv>
#include <cstdio>

#include "query/compute/characters.h"
#include "query/compute/functions.h"

namespace presso::query::printf_functions {
namespace {

using Text = std::string_view;

constexpr int kMostDigits = 1000;  ///< widths and precisions

/// How a value is written.
struct Spec {
  char letter = 0;  ///< d, f, s and so on; 0: as its type is printed
  std::string fill = " ";
  char align = 0;  ///< < > or ^; 0: numbers to the right, texts as text_align says
  char text_align = '<';
  char sign = 0;       ///< + or a blank before numbers that are not negative
  char separator = 0;  ///< between groups of three digits
  bool zeros = false;  ///< between the sign and the digits, up to the width
  int width = 0;
  int precision = -1;
  std::string written;  ///< as it stands in the format

  bool is_one_of(Text letters) const { return letters.find(letter) != Text::npos; }
};

std::string with_padding(const Spec& spec, std::string text, char align) {
  const std::int64_t missing = spec.width - count_characters(bytes_of(text));
  if (missing <= 0) return text;
  if (spec.align != 0) align = spec.align;
  const std::int64_t before = align == '>' ? missing : align == '^' ? missing / 2 : 0;
  std::string result;
  for (std::int64_t i = 0; i < before; ++i) result += spec.fill;
  result += text;
  for (std::int64_t i = before; i < missing; ++i) result += spec.fill;
  return result;
}

/// The digits before a point or exponent, in groups of three.
std::string grouped(Text number, char separator) {
  const std::size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
  std::string result;
  for (std::size_t i = 0; i < digits; ++i) {
    if (i > 0 && (digits - i) % 3 == 0) result += separator;
    result += number[i];
  }
  return result.append(number.substr(digits));
}

/// A number as text, with its sign, groups and padding.
std::string finished(const Spec& spec, Text number) {
  const bool negative = number.starts_with('-');
  std::string sign = negative ? "-" : spec.sign != 0 ? std::string(1, spec.sign) : "";
  if (negative) number.remove_prefix(1);
  std::string digits = spec.separator != 0 ? grouped(number, spec.separator) : std::string(number);
  const std::size_t width = static_cast<std::size_t>(spec.width);
  if (spec.zeros && spec.align == 0 && sign.size() + digits.size() < width) {
    digits.insert(0, width - sign.size() - digits.size(), '0');
  }
  return with_padding(spec, sign + digits, '>');
}

Text format_digits(const Row& row, Text number) {
  return row.keep(finished(row.prepared<Spec>(), number));
}

Text format_real(const Row& row, double value) {
  const auto& spec = row.prepared<Spec>();
  const char form[] = {'%', '.', '*', spec.letter == 0 ? 'g' : spec.letter, '\0'};
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  const int size = std::snprintf(nullptr, 0, form, precision, value);
  std::string text(static_cast<std::size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), form, precision, value);
  text.pop_back();
  return row.keep(finished(spec, text));
}

Text format_integer(const Row& row, std::int64_t value) {
  const auto& spec = row.prepared<Spec>();
  const bool is_code = spec.letter == 'c';
  if (is_code && (value < 0 || value > 127)) return row.fail(), Text();
  if (is_code) return row.keep(with_padding(spec, std::string(1, static_cast<char>(value)), '<'));
  char digits[66];
  const int base = spec.is_one_of("xX") ? 16 : spec.letter == 'o' ? 8 : 2;
  char* const end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
  if (spec.letter == 'X') {
    std::transform(digits, end, digits,
                   [](char c) { return c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c; });
  }
  return row.keep(finished(spec, Text(digits, static_cast<std::size_t>(end - digits))));
}

Text format_text(const Row& row, Text text) {
  const auto& spec = row.prepared<Spec>();
  if (spec.precision >= 0) {
    text.remove_suffix(behind(bytes_of(text), spec.precision).size());
  }
  return row.keep(with_padding(spec, std::string(text), spec.text_align));
}

constexpr Kernel kDigits{"format", each<format_digits>};
constexpr Kernel kReal{"format", each<format_real>};
constexpr Kernel kInteger{"format", each<format_integer>, "a number is not a character of ASCII"};
constexpr Kernel kText{"format", each<format_text>};

/// Reads formats. A part is a text, or a value's number with how it is written.
class Format {
 public:
  struct Part {
    std::string text;
    std::optional<std::size_t> argument;
    Spec spec;
  };

  Format(std::string function, Text text) : function_(std::move(function)), rest_(text) {}

  Result<std::vector<Part>> braces() {
    while (!rest_.empty()) {
      const char first = rest_.front();
      const bool doubled = rest_.starts_with("{{") || rest_.starts_with("}}");
      if (doubled || (first != '{' && first != '}')) {
        add_text(doubled ? 2 : 1);
        continue;
      }
      if (first == '}') return wrong("'}' without a '{'; '}}' is a brace");
      rest_.remove_prefix(1);
      const std::size_t end = rest_.find('}');
      if (end == Text::npos) return wrong("a '{' is never closed; '{{' is a brace");
      Text inner = rest_.substr(0, end);
      rest_.remove_prefix(end + 1);
      Part& part = add_value(inner);
      if (const auto place = take_number(inner)) part.argument = *place;
      if (!inner.empty() && inner.front() == ':') {
        inner.remove_prefix(1);
        take_alignment(inner, part.spec);
      }
      PRESSO_TRY(take_spec(inner, part.spec));
    }
    return std::move(parts_);
  }

  Result<std::vector<Part>> percents() {
    while (!rest_.empty()) {
      const bool doubled = rest_.starts_with("%%");
      if (doubled || rest_.front() != '%') {
        add_text(doubled ? 2 : 1);
        continue;
      }
      rest_.remove_prefix(1);
      const std::size_t end = rest_.find_first_not_of("-+ #0123456789.,_'hlLqjzt");
      if (end == Text::npos) return wrong("no letter follows a '%'; '%%' is a percent sign");
      std::string inner(rest_.substr(0, end + 1));
      rest_.remove_prefix(end + 1);
      Spec spec;
      for (const char flag : Text("-'hlLqjzt")) {
        if (flag == '-' && inner.find('-') != inner.npos) spec.align = '<';
        inner.erase(std::remove(inner.begin(), inner.end(), flag), inner.end());
      }
      if (inner.back() == 'i') inner.back() = 'd';
      Part& part = add_value(inner);
      part.spec.align = spec.align;
      part.spec.text_align = '>';
      PRESSO_TRY(take_spec(inner, part.spec));
    }
    return std::move(parts_);
  }

 private:
  Error wrong(const std::string& what) const { return refused(function_ + "(): " + what); }
  void add_text(std::size_t bytes) {
    if (parts_.empty() || parts_.back().argument) parts_.emplace_back();
    parts_.back().text += rest_.front();
    rest_.remove_prefix(bytes);
  }
  Part& add_value(Text written) {
    Part& part = parts_.emplace_back();
    part.argument = next_++;
    part.spec.written = written;
    return part;
  }
  static bool take_letter(Text& text, Text letters, char& to) {
    if (text.empty() || letters.find(text.front()) == Text::npos) return false;
    to = text.front();
    text.remove_prefix(1);
    return true;
  }
  static std::optional<std::size_t> take_number(Text& text) {
    std::size_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    return number;
  }
  /// A character to fill with, then < > or ^; or one of these alone.
  static void take_alignment(Text& text, Spec& spec) {
    Text rest = text;
    const Text fill = rest.empty() ? rest : take_character(rest);
    if (take_letter(rest, "<>^", spec.align)) {
      spec.fill = fill;
      text = rest;
    } else {
      take_letter(text, "<>^", spec.align);
    }
  }
  /// Marks, width, precision and letter, which both kinds of formats have.
  Status take_spec(Text text, Spec& spec) const {
    char mark = 0;
    while (take_letter(text, "+ #0,_t", mark)) {
      if (mark == '+' || mark == ' ') spec.sign = mark;
      if (mark == '0') spec.zeros = true;
      if (mark == ',' || mark == '_') spec.separator = mark;
      if (mark == 't' && !take_letter(text, ",_'. ", spec.separator)) break;
    }
    if (const auto width = take_number(text)) spec.width = at_most(*width);
    take_letter(text, ",_", spec.separator);
    if (!text.empty() && text.front() == '.') {
      text.remove_prefix(1);
      spec.precision = at_most(take_number(text).value_or(0));
    }
    take_letter(text, "dsfFeEgGxXobc", spec.letter);
    if (text.empty() && spec.width <= kMostDigits && spec.precision <= kMostDigits) return {};
    return wrong("'" + spec.written + "' is no way to write a value");
  }
  static int at_most(std::size_t number) {
    return static_cast<int>(std::min<std::size_t>(number, kMostDigits + 1));
  }

  std::string function_;
  Text rest_;
  std::vector<Part> parts_;
  std::size_t next_ = 0;
};

/// The text of one value.
Result<NodeId> written(const Call& call, std::size_t argument, const Spec& spec) {
  const Builder& build = call.build;
  const Family family = call.at(argument).family;
  const bool is_real = family == Family::kDouble || family == Family::kDecimal;
  const bool is_whole = family == Family::kInteger || family == Family::kBool;
  const auto with = [&](const Kernel& kernel, NodeId value) {
    const std::string key = spec.written + spec.align + spec.text_align;
    return build.call(kernel, schema_of(Family::kString), {value}, std::make_shared<Spec>(spec),
                      key);
  };
  if (family == Family::kNull) return build.to_string(call.arguments[argument]);
  if (spec.letter == 's' || (!is_real && !is_whole)) {
    if (spec.letter == 0 || spec.letter == 's') {
      return with(kText, build.to_string(call.arguments[argument]));
    }
  } else if (spec.is_one_of("fFeEgG") || (is_real && spec.letter == 0 && spec.precision >= 0)) {
    PRESSO_ASSIGN(const NodeId value, real_argument(call, argument));
    return with(kReal, value);
  } else if (spec.letter == 0 && family == Family::kBool) {
    return with(kText, build.to_string(call.arguments[argument]));
  } else if (is_whole && spec.is_one_of("xXobc")) {
    PRESSO_ASSIGN(const NodeId value, integer_argument(call, argument));
    return with(kInteger, value);
  } else if (spec.letter == 0 || (spec.letter == 'd' && is_whole)) {
    NodeId value = call.arguments[argument];
    if (family == Family::kDecimal && spec.letter == 0) value = build.to_real(value);
    if (family == Family::kBool) {
      ColumnSchema type = schema_of(Family::kInteger);
      PRESSO_ASSIGN(value, build.cast(value, type));
    }
    return with(kDigits, build.to_string(value));
  }
  return refused(call.name + "() cannot write " + build.type_of(call.arguments[argument]) +
                 " as '" + spec.written + "'");
}

template <bool braces>
Result<NodeId> bind(Call& call) {
  if (!call.is_constant(0) || call.at(0).family != Family::kString) {
    return refused(call.name + "() takes a literal format");
  }
  if (call.at(0).is_null) return call.build.to_string(call.build.null());
  Format format(call.name, call.at(0).text);
  PRESSO_ASSIGN(const std::vector<Format::Part> parts,
                braces ? format.braces() : format.percents());
  std::vector<NodeId> texts = {call.build.string("")};
  for (const Format::Part& part : parts) {
    if (!part.argument) {
      texts.push_back(call.build.string(part.text));
      continue;
    }
    if (*part.argument + 2 > call.arguments.size()) {
      return refused(call.name + "() has no value for '" + part.spec.written +
                     "', which is number " + std::to_string(*part.argument + 1));
    }
    PRESSO_ASSIGN(const NodeId text, written(call, *part.argument + 1, part.spec));
    texts.push_back(text);
  }
  return call.build.step(Step::kConcat, Family::kString, std::move(texts));
}

}  // namespace

void add(Functions& functions) {
  functions["format"] = {1, 1000, bind<true>};
  functions["printf"] = {1, 1000, bind<false>};
}

}  // namespace presso::query::printf_functions
