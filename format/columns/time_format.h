// SPDX-License-Identifier: MIT
// The formats of strftime(), strptime() and --date-format, such as "%d.%m.%Y": compiled once, then
// written or read for each row. Specifiers and rules are those of DuckDB 2.0.1. Tested by
// tests/unit/query/compute/functions_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "presso/table_schema.h"

namespace presso {

/// A compiled format. Immutable.
class TimeFormat {
 public:
  /// `format` as SQL writes it. Error: an unknown specifier, a '%' at the end, nothing at all.
  static Result<TimeFormat> compile(std::string_view format);

  /// Whether the format holds this specifier.
  bool has(char specifier) const;
  /// Whether texts of this format tell a day: its year, and its place there.
  bool tells_day() const;
  /// The type of texts of this format: date, or timestamp in the unit that the format has, which is
  /// the second if it has no fraction. With a zone, or without one.
  ColumnSchema type() const;
  /// Writes a moment: days since 1970-01-01, which are not beyond 2^40, and nanoseconds of the day.
  std::string written(std::int64_t days, std::int64_t nanos) const;
  /// Reads a text whole, apart from white space around it; what the format leaves out is that of
  /// 1900-01-01 00:00. Returns nanoseconds since 1970, or nothing for a text of another form or a
  /// day that does not exist.
  std::optional<__int128> read(std::string_view text) const;

 private:
  struct Item {
    char specifier = 0;  ///< 0: the text stands for itself
    bool padded = true;  ///< numbers have leading zeros; %-d has none
    std::string text;
  };
  struct Fields;
  bool read_item(const Item& item, std::string_view& text, Fields& fields) const;

  std::vector<Item> items_;
};

}  // namespace presso
