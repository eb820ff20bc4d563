// SPDX-License-Identifier: MIT
// Times of the lines of a log: finds out how they are written, and reads them. A line without a
// time of its own belongs to the line before it, which is for the caller to know.
//
//   if (auto form = presso::find_time_form(text)) {
//     auto reader = presso::TimeReader::make(*form, now);
//     std::optional<std::int64_t> nanoseconds = reader->time_of(line);
//   }
//
// Tested by tests/unit/format/line_time_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// How lines tell their time.
struct TimeForm {
  /// Words in front of the time in most lines, which blanks separate. Without a key only.
  std::uint8_t words = 0;
  /// The name of the field that has the time, in lines of JSON or of key=value pairs; empty: the
  /// time stands behind the words.
  std::string key;
  /// As strptime() reads it: %Y %y %m %d %b %H %I %M %S %f %L %p %a %z, %s (seconds since 1970, or
  /// by the number of digits thousandths, millionths or nanoseconds) and %? (any byte). A blank is
  /// any number of them; %S takes a fraction, too.
  std::string format;

  friend bool operator==(const TimeForm&, const TimeForm&) = default;
};

/// Reads the times of lines. Immutable, so that any number of threads may use it.
class TimeReader {
  /// What has been read of a time.
  struct Parts {
    std::int64_t year = 0;
    std::int64_t month = 0;
    std::int64_t day = 0;
    std::int64_t hour = 0;
    std::int64_t minute = 0;
    std::int64_t second = 0;
    std::int64_t nanos = 0;
    std::int64_t offset = 0;
    std::optional<bool> is_afternoon;
    std::optional<std::int64_t> epoch;

    /// Since midnight, in nanoseconds.
    std::int64_t in_day() const {
      return ((hour * 60 + minute) * 60 + second) * 1'000'000'000 + nanos;
    }
  };

 public:
  /// Remembers the line before: a line that begins with the same bytes up to its hour
  /// is read in half the time.
  class Memo {
    friend class TimeReader;

    std::string_view begin_;  ///< of that line; empty: nothing is remembered
    Parts parts_;             ///< that stand there
    std::int64_t day_ = 0;    ///< midnight
  };

  /// `latest`: no line's day begins later than a day after it, in nanoseconds since 1970; it tells
  /// the year where lines do not. Error: kInvalidArgument for an unknown specifier, or a format
  /// without a day or without an hour.
  static Result<TimeReader> make(TimeForm form, std::int64_t latest);

  const TimeForm& form() const { return form_; }
  std::int64_t latest() const { return latest_; }
  /// Whether times are moments. Otherwise they are what a clock showed in a zone that is not known.
  bool has_zone() const { return has_zone_; }
  /// Whether the year is inferred: the latest one in which such a day is not after `latest`.
  bool lacks_year() const { return lacks_year_; }

  /// The time in nanoseconds since 1970, which reach from 1678 to 2261; nothing where the line has
  /// none. Some 30 ns.
  std::optional<std::int64_t> time_of(Bytes line) const;
  /// As above, for consecutive lines, whose bytes must stay in place while `memo` is used.
  std::optional<std::int64_t> time_of(Bytes line, Memo& memo) const;

 private:
  /// A specifier, or a byte that stands for itself.
  struct Item {
    char specifier = 0;
    char literal = 0;
    bool is_fixed = false;  ///< a number of exactly two digits, as more digits follow
    bool is_whole = false;  ///< seconds whose fraction is an item of its own
  };
  friend class TimeFormFinder;

  bool read_item(const Item& item, const char*& at, const char* end, Parts& parts) const;
  std::optional<std::int64_t> read(const char* at, const char* end, const char* line,
                                   Memo& memo) const;
  static const char* begin_of(const char* at, const char* end);
  static bool take_clock(const char*& at, const char* end, Parts& parts);
  bool read_items(std::size_t first, std::size_t last, const char*& at, const char* end,
                  Parts& parts) const;
  std::optional<std::int64_t> read_end(const char* at, const char* end, Parts& parts,
                                       const Memo& memo) const;
  std::optional<std::int64_t> time_of(const Parts& parts) const;

  TimeForm form_;
  std::vector<Item> items_;
  std::size_t clock_ = 0;  ///< of items_, the hour; items_.size(): there is none
  std::int64_t latest_ = 0;
  std::string quoted_key_;        ///< as JSON has it
  bool has_plain_clock_ = false;  ///< it is followed by minutes and seconds, with colons
  bool has_zone_ = false;
  bool has_half_ = false;  ///< AM or PM
  bool lacks_year_ = false;
};

/// What is known of it before a line has been seen; empty: nothing.
struct TimeHint {
  std::string key;     ///< as TimeForm has it
  std::string format;  ///< TimeReader::make() takes it
};

/// The bytes of a text's beginning that find_time_form() looks at.
constexpr std::size_t kTimeSampleBytes = std::size_t{64} << 10;

/// Finds how the lines of `text` tell their time: the form that most of its first lines have. One
/// line is enough, but one in ten must have a form without a year, and half of them a number of
/// seconds. Nothing where there is none, or where only the order of day and month is doubtful, as
/// no day is above 12. Looks at up to 300 lines of 64 KiB, which takes about 5 ms.
std::optional<TimeForm> find_time_form(Bytes text, const TimeHint& hint = {});

}  // namespace presso
