// SPDX-License-Identifier: MIT
// Time zones by their names in the IANA database, from the system's files in /usr/share/zoneinfo
// (TZif, RFC 8536): the transitions that they list, and after the last one the rule at their end.
// Tested by tests/unit/query/compute/functions_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "presso/error.h"

namespace presso::query {

/// A time zone. Immutable; seconds are since 1970, offsets seconds east of UTC.
class TimeZone {
 public:
  /// Error: there is no zone of that name, or its file is not read.
  static Result<std::shared_ptr<const TimeZone>> load(const std::string& name);

  std::int64_t offset_at(std::int64_t utc) const;
  /// The moment at which clocks of the zone show `local`. If they do so twice it is the second one;
  /// a time that they skip is taken by the offset before.
  std::int64_t utc_of(std::int64_t local) const;

 private:
  /// When the clocks change each year.
  struct Change {
    char kind = 0;  ///< M: month, week and day; J: a day without February 29; 0: a day of the year
    int month = 0;
    int week = 0;
    int day = 0;
    std::int64_t seconds = 7200;  ///< of the local day

    std::int64_t in_year(std::int64_t year) const;
  };
  struct Rule {
    std::int64_t standard = 0;
    std::int64_t summer = 0;
    bool has_summer = false;
    Change to_summer;
    Change to_standard;
  };
  static Result<TimeZone> parse(const std::string& bytes);
  static std::optional<Rule> parse_rule(std::string_view text);
  static bool take_change(std::string_view& text, Change& change);
  std::int64_t offset_by_rule(std::int64_t utc) const;

  std::vector<std::int64_t> times_;    ///< of transitions, ascending
  std::vector<std::int64_t> offsets_;  ///< from each of them on
  std::int64_t first_offset_ = 0;      ///< before the first one
  std::optional<Rule> rule_;
};

}  // namespace presso::query
