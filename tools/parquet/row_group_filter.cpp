// SPDX-License-Identifier: MIT
// Implements row_group_filter.h. Numbers, dates and times are compared as doubles.
#include "tools/parquet/row_group_filter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "format/ascii.h"
#include "format/columns/arrow_type.h"
#include "format/columns/leaf_text.h"
#include "presso/expression.h"

namespace presso::cli {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

constexpr double kMostExact = 9007199254740992.0;  // 2^53
constexpr double kDay = 86400;

/// A bound or a literal: bytes of a string, or a number. Times count in seconds, dates in days.
struct Bound {
  std::string_view text;
  double number = 0;
  double margin = 0;  ///< the true number is at most so far away
};

/// Whether a is less than b for certain.
bool is_less(const Bound& a, const Bound& b, bool is_text) {
  return is_text ? a.text < b.text : a.number + a.margin + b.margin < b.number;
}

bool is_at_most(const Bound& a, const Bound& b, bool is_text) {
  if (is_less(a, b, is_text)) return true;
  return is_text ? a.text == b.text : a.margin + b.margin == 0 && a.number == b.number;
}

Bound exact_number(double number) {
  return {{}, number, std::abs(number) < kMostExact ? 0 : std::abs(number) * 1e-12};
}

Bound near_number(double number) {
  return {{}, number, std::abs(number) * 1e-12};
}

/// A date, and the time of the day after it if there is one, in seconds since 1970.
std::optional<double> seconds_of(std::string_view text) {
  constexpr std::size_t kDateBytes = 10;
  static const LeafText kDates(*leaf_of("tdD"));
  Byte days[16] = {};
  const std::string_view date_text = text.substr(0, kDateBytes);
  if (date_text.find('-') == date_text.npos || !kDates.read(date_text, days)) return std::nullopt;
  const double date = kDay * load<std::int32_t>(days);
  if (text.size() <= kDateBytes) return date;
  const std::string time(text.substr(kDateBytes + 1));
  if (text[kDateBytes] != ' ') return std::nullopt;
  if (time.find_first_not_of("0123456789:.") != time.npos) return std::nullopt;
  unsigned hours = 0;
  unsigned minutes = 0;
  double seconds = 0;
  int read = 0;
  const int found = std::sscanf(time.c_str(), "%2u:%2u:%lf%n", &hours, &minutes, &seconds, &read);
  if (found != 3 || static_cast<std::size_t>(read) != time.size()) return std::nullopt;
  return date + 3600.0 * hours + 60.0 * minutes + seconds;
}

std::optional<Bound> number_of(const std::string& text, bool negative) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(number)) return std::nullopt;
  const bool whole = text.find_first_not_of("0123456789") == text.npos;
  return whole ? exact_number(negative ? -number : number)
               : near_number(negative ? -number : number);
}

/// A literal as a value of the column's type; nullopt where it is none that is understood.
std::optional<Bound> literal_of(const Expression& literal, const ColumnSchema& column) {
  if (is_date_or_time(column.type)) {
    const bool is_cast = literal.kind == Kind::kCast && literal.arguments.size() == 1 &&
                         (literal.type == "date" || literal.type == "timestamp");
    const Expression& value = is_cast ? literal.arguments[0] : literal;
    const bool is_text =
        value.kind == Kind::kString || value.kind == Kind::kDate || value.kind == Kind::kTime;
    const auto seconds = is_text ? seconds_of(value.text) : std::nullopt;
    if (!seconds) return std::nullopt;
    // A date is not compared with a time within the day.
    const bool is_date = column.type == ColumnType::kDate32;
    if (is_date && std::fmod(*seconds, kDay) != 0) return std::nullopt;
    Bound bound = is_date ? exact_number(*seconds / kDay) : near_number(*seconds);
    // The zone of the literal may be any.
    if (!column.zone.empty()) bound.margin += 2 * kDay;
    return bound;
  }
  if (is_string(column.type)) {
    return literal.kind == Kind::kString ? std::optional(Bound{literal.text, 0, 0}) : std::nullopt;
  }
  const bool negative = literal.kind == Kind::kOperator && literal.op == Op::kNegate;
  const Expression& number = negative ? literal.arguments[0] : literal;
  return number.kind == Kind::kNumber ? number_of(number.text, negative) : std::nullopt;
}

/// A least or greatest value as it stands in the footer.
std::optional<Bound> stored_bound(const std::string& bytes, const RangedColumn& column) {
  const ColumnSchema& schema = *column.schema;
  const auto* const at = reinterpret_cast<const Byte*>(bytes.data());
  const ParquetType type = column.leaf->type;
  if (type == ParquetType::kByteArray) {
    return schema.type == ColumnType::kUtf8 ? std::optional(Bound{bytes, 0, 0}) : std::nullopt;
  }
  const bool is_wide = type == ParquetType::kInt64 || type == ParquetType::kDouble;
  if (bytes.size() != (is_wide ? 8 : 4)) return std::nullopt;
  if (type == ParquetType::kFloat || type == ParquetType::kDouble) {
    const double value = is_wide ? load<double>(at) : load<float>(at);
    return std::isnan(value) ? std::nullopt : std::optional(Bound{{}, value, 0});
  }
  if (type != ParquetType::kInt32 && type != ParquetType::kInt64) return std::nullopt;
  if (is_string(schema.type) || schema.type == ColumnType::kBool) return std::nullopt;
  const double value = !is_signed(schema.type)
                           ? (is_wide ? static_cast<double>(load<std::uint64_t>(at))
                                      : static_cast<double>(load<std::uint32_t>(at)))
                           : (is_wide ? static_cast<double>(load<std::int64_t>(at))
                                      : static_cast<double>(load<std::int32_t>(at)));
  if (is_decimal(schema.type)) return near_number(value / std::pow(10.0, schema.scale));
  if (schema.type != ColumnType::kTimestamp) return exact_number(value);
  return near_number(value / std::pow(1000.0, static_cast<int>(schema.unit)));
}

class Filter {
 public:
  Filter(const RowConditions& conditions, std::span<const RangedColumn> columns,
         const ParquetRowGroup& group)
      : conditions_(conditions), columns_(columns), group_(group) {}

  bool rules_out(const Expression& condition) const {
    if (condition.kind != Kind::kOperator || condition.negated) {
      return condition.op == Op::kIsNull && is_about_null(condition);
    }
    const auto& parts = condition.arguments;
    const auto ruled_out = [this](const Expression& part) { return rules_out(part); };
    switch (condition.op) {
      case Op::kAnd:
        return std::any_of(parts.begin(), parts.end(), ruled_out);
      case Op::kOr:
        return std::all_of(parts.begin(), parts.end(), ruled_out);
      case Op::kIsNull:
        return is_about_null(condition);
      case Op::kBetween:
        return compares(Op::kGreaterEqual, parts[0], parts[1]) ||
               compares(Op::kLessEqual, parts[0], parts[2]);
      case Op::kIn:
        return std::all_of(parts.begin() + 1, parts.end(), [&](const Expression& value) {
          return compares(Op::kEqual, parts[0], value);
        });
      case Op::kEqual:
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual:
        return compares(condition.op, parts[0], parts[1]) ||
               compares(mirrored(condition.op), parts[1], parts[0]);
      default:
        return false;
    }
  }

 private:
  static Op mirrored(Op op) {
    return op == Op::kLess           ? Op::kGreater
           : op == Op::kLessEqual    ? Op::kGreaterEqual
           : op == Op::kGreater      ? Op::kLess
           : op == Op::kGreaterEqual ? Op::kLessEqual
                                     : op;
  }

  /// The column that an expression is, if it has statistics and no other has its name in any letter
  /// case.
  const RangedColumn* column_of(const Expression& expression) const {
    const auto means = [&expression](const std::string& name) {
      return ascii::same_letters(name, expression.text);
    };
    if (expression.kind != Kind::kColumn ||
        std::any_of(conditions_.hidden.begin(), conditions_.hidden.end(), means)) {
      return nullptr;
    }
    if (!expression.qualifier.empty() &&
        !ascii::same_letters(expression.qualifier, conditions_.alias)) {
      return nullptr;
    }
    const RangedColumn* found = nullptr;
    for (const RangedColumn& column : columns_) {
      if (!ascii::same_letters(column.schema->name, expression.text)) continue;
      if (found != nullptr) return nullptr;
      found = &column;
    }
    return found != nullptr && found->leaf != nullptr ? found : nullptr;
  }

  /// IS NULL where no value is null, IS NOT NULL where all are.
  bool is_about_null(const Expression& condition) const {
    const RangedColumn* const column = column_of(condition.arguments[0]);
    if (condition.kind != Kind::kOperator || column == nullptr) return false;
    const ParquetChunk& chunk = group_.chunks[column->leaf->leaf];
    return chunk.nulls && *chunk.nulls == (condition.negated ? group_.rows : 0);
  }

  /// Whether no value of the column has this relation to the literal.
  bool compares(Op op, const Expression& of_column, const Expression& literal) const {
    const RangedColumn* const column = column_of(of_column);
    if (column == nullptr) return false;
    const auto value = literal_of(literal, *column->schema);
    if (!value) return false;
    const ParquetChunk& chunk = group_.chunks[column->leaf->leaf];
    if (chunk.nulls && *chunk.nulls == group_.rows) return true;
    if (!chunk.range) return false;
    const auto least = stored_bound(chunk.range->first, *column);
    const auto most = stored_bound(chunk.range->second, *column);
    if (!least || !most) return false;
    const bool text = is_string(column->schema->type);
    // NaN, which is in no range, is greater than any number.
    const bool may_be_nan =
        column->schema->type == ColumnType::kFloat || column->schema->type == ColumnType::kDouble;
    switch (op) {
      case Op::kLess:
        return is_at_most(*value, *least, text);
      case Op::kLessEqual:
        return is_less(*value, *least, text);
      case Op::kGreater:
        return !may_be_nan && is_at_most(*most, *value, text);
      case Op::kGreaterEqual:
        return !may_be_nan && is_less(*most, *value, text);
      default:
        return is_less(*value, *least, text) || is_less(*most, *value, text);
    }
  }

  const RowConditions& conditions_;
  std::span<const RangedColumn> columns_;
  const ParquetRowGroup& group_;
};

}  // namespace

bool is_ruled_out(const RowConditions& conditions, std::span<const RangedColumn> columns,
                  const ParquetRowGroup& group) {
  const Filter filter(conditions, columns, group);
  return std::any_of(conditions.conditions.begin(), conditions.conditions.end(),
                     [&](const Expression& condition) { return filter.rules_out(condition); });
}

}  // namespace presso::cli
