// SPDX-License-Identifier: MIT
// Reads numbers and truth values from the bytes of fields. Whole numbers of up to 18 digits, which
// nearly all are, take a loop of their own.
#include "query/fields/field_columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "query/compute/written_value.h"

namespace presso::query {
namespace {

using FieldKind = FieldValue::Kind;

std::string_view view_of(Bytes text) {
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

/// Up to 18 digits with an optional minus.
std::optional<std::int64_t> short_number(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus) text.remove_prefix(1);
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::int64_t number = 0;
  for (const char letter : text) {
    const auto digit = static_cast<unsigned>(letter - '0');
    if (digit > 9) return std::nullopt;
    number = number * 10 + digit;
  }
  return minus ? -number : number;
}

/// Any number as a double; one that is too large is infinite, one that is too small is 0.
std::optional<double> real_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits == "NaN") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  if (digits == "Infinity") return text.size() == digits.size() ? infinity : -infinity;
  // Other words that from_chars knows, such as "inf", are no numbers here.
  const bool begins =
      !digits.empty() && (digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'));
  if (!begins) return std::nullopt;
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return std::nullopt;
  if (problem == std::errc::result_out_of_range) {
    const std::size_t exponent = text.find_first_of("eE");
    const bool is_small = exponent != text.npos && text.substr(exponent + 1).starts_with('-');
    if (is_small) return 0.0;
    return text.size() == digits.size() ? infinity : -infinity;
  }
  return problem == std::errc() ? std::optional(number) : std::nullopt;
}

/// A number rounded down to a whole one of at most 38 digits.
std::optional<Int128> whole_number_of(std::string_view text) {
  if (const auto number = short_number(text)) return *number;
  Int128 exact = 0;
  unsigned scale = 0;
  if (read_decimal(text, exact, scale)) return floor_divide(exact, power_of_ten(scale));
  const auto number = real_number(text);
  if (!number || std::isnan(*number)) return std::nullopt;
  const Int128 most = power_of_ten(kMostDigits) - 1;
  if (*number >= 1e38) return most;
  if (*number <= -1e38) return -most;
  return static_cast<Int128>(std::floor(*number));
}

Physical physical_of(FieldType type) {
  switch (type) {
    case FieldType::kNumber:
      return Physical::kDouble;
    case FieldType::kWhole:
      return Physical::kInt128;
    case FieldType::kTruth:
      return Physical::kBool;
    default:
      return Physical::kString;
  }
}

}  // namespace

FieldColumns::FieldColumns(const std::vector<TypedField>& fields) {
  for (const TypedField& field : fields) {
    Column& column = columns_.emplace_back();
    column.type = field.type;
    column.physical = physical_of(field.type);
    column.values.resize(kBatchRows * physical_bytes(column.physical));
  }
}

void FieldColumns::clear(std::uint32_t rows) {
  strings_.clear();
  for (Column& column : columns_) {
    std::fill(std::begin(column.validity), std::end(column.validity), std::uint64_t{0});
    // Steps read values under nulls, too.
    if (column.physical == Physical::kString) {
      std::fill_n(column.values.begin(), rows * sizeof(StringRef), Byte{0});
    }
  }
}

/// The text without escapes, in memory that the next call overwrites.
Bytes FieldColumns::unescaped(const FieldValue& value) {
  if (!value.escaped) return value.text;
  scratch_.resize(std::max(scratch_.size(), value.text.size()));
  return Bytes(scratch_.data(), unescape_field(value.text, scratch_.data()));
}

void FieldColumns::set_text(Column& column, std::uint32_t row, const FieldValue& value) {
  if (value.escaped) {
    column.put(row, strings_.add(unescaped(value)));
    return;
  }
  const std::string_view word = value.kind == FieldKind::kTrue    ? "true"
                                : value.kind == FieldKind::kFalse ? "false"
                                                                  : std::string_view();
  const Bytes text =
      word.empty() ? value.text : Bytes(reinterpret_cast<const Byte*>(word.data()), word.size());
  column.put(row, StringRef{text.data(), text.size()});
}

void FieldColumns::set(std::uint32_t row, const std::vector<FieldValue>& values) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const FieldValue& value = values[i];
    if (value.is_null()) continue;
    Column& column = columns_[i];
    const bool is_number = value.kind == FieldKind::kNumber || value.kind == FieldKind::kText;
    switch (column.type) {
      case FieldType::kText:
        set_text(column, row, value);
        break;
      case FieldType::kNested:
        if (value.kind == FieldKind::kNested) set_text(column, row, value);
        break;
      case FieldType::kNumber:
        if (!is_number) break;
        if (const auto number = short_number(view_of(unescaped(value)))) {
          column.put(row, static_cast<double>(*number));
        } else if (const auto real = real_number(view_of(unescaped(value)))) {
          column.put(row, *real);
        }
        break;
      case FieldType::kWhole:
        if (!is_number) break;
        if (const auto number = whole_number_of(view_of(unescaped(value)))) {
          column.put(row, *number);
        }
        break;
      case FieldType::kTruth: {
        const std::string_view text = view_of(unescaped(value));
        const bool is_text = value.kind == FieldKind::kText;
        const bool is_true = value.kind == FieldKind::kTrue || value.kind == FieldKind::kAlone ||
                             (is_text && text == "true");
        const bool is_false = value.kind == FieldKind::kFalse || (is_text && text == "false");
        if (is_true || is_false) column.put(row, static_cast<Byte>(is_true ? 1 : 0));
        break;
      }
    }
  }
}

}  // namespace presso::query
