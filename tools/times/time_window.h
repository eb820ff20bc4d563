// SPDX-License-Identifier: MIT
// The flags about the times of lines: --since and --until with what helps to read times, and the
// window of times that they mean (TimeWindow). Python's scan has the same options. Tested by
// tests/cli/test_scan_times.py and python/tests/test_times.py.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/lines.h"
#include "tools/cli/flag.h"

namespace presso::query {
class TimeZone;
}

namespace presso::cli {

/// The flags as they were given; empty: not given.
struct TimeSettings {
  bool limits() const { return !since.empty() || !until.empty(); }

  std::string since;
  std::string until;
  std::string zone;
  std::optional<std::uint64_t> year;
  TimeHint hint;
  /// What stands before the names of options in messages; nothing in Python.
  std::string mark = "--";
};

/// A zone: that of --tz, or the system's.
class LocalZone {
 public:
  /// `settings.zone`: of the IANA database; empty: the system's. Error: kInvalidArgument, which
  /// names the flag.
  static Result<LocalZone> load(const TimeSettings& settings);

  /// Seconds east of UTC at a moment, in seconds since 1970.
  std::int64_t offset_at(std::int64_t utc) const;
  /// The moment at which clocks show `local`; where they do so twice, either of the two.
  std::int64_t utc_of(std::int64_t local) const;

 private:
  std::shared_ptr<const query::TimeZone> named_;  ///< nullptr: the system's
};

/// Seconds since 1970, as "2026-11-28 10:00:00".
std::string clock_text(std::int64_t seconds);

/// "15m", "1h30m", "2d": seconds; nullopt for another text.
std::optional<std::int64_t> span_seconds(std::string_view text);

/// What helps where no times were found in a file.
inline constexpr const char* kTimeAdvice =
    "; --time-format says how they are written, --time-field where";

/// --time-format and --time-field, which say how lines tell their time, bound to `hint`.
std::vector<Flag> time_hint_flags(TimeHint& hint);
/// All flags, bound to `settings`.
std::vector<Flag> time_flags(TimeSettings& settings);

/// The window that the flags mean, `latest` being the present unless --year was given. Error:
/// kInvalidArgument, which names the flag.
Result<TimeWindow> time_window(const TimeSettings& settings);

/// TimeWindow::latest for a file, unless a year was given: its last change.
std::int64_t latest_of(const struct stat& about);

}  // namespace presso::cli
