// SPDX-License-Identifier: MIT
// A window crosses to Python and back as a tuple of numbers and texts, which can be pickled. The
// order of its members is known to this file alone.
#include "python/src/line_rules.h"

#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "python/src/errors.h"
#include "python/src/opened_file.h"
#include "tools/scan/scan_patterns.h"
#include "tools/times/time_window.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

nb::tuple tuple_of(const TimeWindow& window) {
  return nb::make_tuple(window.moments.since, window.moments.until, window.clocks.since,
                        window.clocks.until, window.hint.key, window.hint.format, window.latest,
                        window.latest_is_given);
}

/// The window that texts mean, as the flags of the command do; empty texts and None stand for what
/// was not given. Raises ArgumentError, which names the option.
nb::tuple time_window(std::string since, std::string until, std::string zone,
                      const nb::object& year, const nb::object& format, std::string field) {
  cli::TimeSettings settings;
  settings.since = std::move(since);
  settings.until = std::move(until);
  settings.zone = std::move(zone);
  if (!year.is_none()) settings.year = nb::cast<std::uint64_t>(year);
  settings.hint.key = std::move(field);
  settings.mark.clear();
  if (!format.is_none()) {
    settings.hint.format = nb::cast<std::string>(format);
    const auto reader = TimeReader::make({0, "", settings.hint.format}, 0);
    if (!reader.ok()) {
      raise(make_error(ErrorCode::kInvalidArgument, "time_format: " + reader.error().what));
    }
  }
  return tuple_of(take(cli::time_window(settings)));
}

}  // namespace

std::optional<TimeWindow> window_of(const nb::object& tuple) {
  if (tuple.is_none()) return std::nullopt;
  TimeWindow window;
  std::int64_t* const numbers[] = {&window.moments.since, &window.moments.until,
                                   &window.clocks.since, &window.clocks.until};
  std::size_t at = 0;
  for (std::int64_t* const number : numbers) *number = nb::cast<std::int64_t>(tuple[at++]);
  window.hint.key = nb::cast<std::string>(tuple[at++]);
  window.hint.format = nb::cast<std::string>(tuple[at++]);
  window.latest = nb::cast<std::int64_t>(tuple[at++]);
  window.latest_is_given = nb::cast<bool>(tuple[at]);
  return window;
}

std::optional<RecordRule> records_of(const nb::object& tuple, bool unicode) {
  if (tuple.is_none()) return std::nullopt;
  RecordRule rule;
  const std::string kind = nb::cast<std::string>(tuple[0]);
  rule.most_bytes = nb::cast<std::uint64_t>(tuple[2]);
  rule.times = window_of(tuple[3]);
  if (kind != "start") {
    rule.kind = cli::record_kind(kind);
    return rule;
  }
  rule.kind = RecordRule::Kind::kStart;
  PatternOptions options;
  options.unicode = unicode;
  const std::string start = bytes_of(nb::cast<nb::bytes>(tuple[1]));
  rule.start = take(cli::compile_record_start(start, options, "record_start"));
  return rule;
}

void set_latest(ScanOptions& options, std::optional<std::int64_t> modified) {
  std::optional<TimeWindow> none;
  for (auto* window : {&options.times, options.records ? &options.records->times : &none}) {
    if (modified && *window && !(*window)->latest_is_given) (*window)->latest = *modified;
  }
}

Error with_advice(Error error, const ScanOptions& options) {
  const bool has_times = options.times || (options.records && options.records->times);
  if (has_times && error.code == ErrorCode::kInvalidArgument) {
    error.what += "; time_format= says how they are written, time_field= where";
  } else if (options.records && error.code == ErrorCode::kUnsupported) {
    error.what += " (record_limit= sets how long one may be)";
  }
  return error;
}

/// Declares the function to Python. Its arguments were checked by presso/_times.py.
void bind_line_rules(nb::module_& module) {
  module.def("time_window", &time_window, nb::arg("since"), nb::arg("until"), nb::arg("zone"),
             nb::arg("year").none(), nb::arg("format").none(), nb::arg("field"),
             "The times of lines that texts mean, in a form that can be pickled.");
}

}  // namespace presso::python
