// SPDX-License-Identifier: MIT
// --count-by and --histogram: what is found is counted, by a text that is made of each match or by
// the time of each line, and printed after all files. Memory grows with the number of different
// texts. Tested by tests/cli/test_scan_counts.py.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "tools/io/output.h"
#include "tools/scan/scan_replace.h"
#include "tools/scan/scan_settings.h"
#include "tools/scan/scan_sink.h"
#include "tools/times/time_window.h"

namespace presso::cli {

class ScanCounts final : public ScanSink {
 public:
  /// Counts for --histogram or --count-by, whichever is set. Keeps the output by reference. Error:
  /// kInvalidArgument, which names the flag.
  static Result<ScanCounts> make(const ScanSettings& settings, const Pattern& pattern,
                                 Output& output);

  void begin_file(std::string) override {}
  void line(const MatchedLine& line) override;
  std::uint64_t end_file(const FileResult&) override { return 0; }
  /// Prints all counts; once, after all files. `bars`: a histogram gets these.
  void print(bool bars);

 private:
  ScanCounts(const Pattern& pattern, Output& output) : groups_(pattern), output_(output) {}
  void print_histogram(bool bars);
  void print_texts();

  PatternGroups groups_;
  Output& output_;
  std::optional<Replacement> text_;
  std::unordered_map<std::string, std::uint64_t> by_text_;
  std::int64_t span_ = 0;  ///< seconds; 0: no histogram
  std::optional<LocalZone> zone_;
  std::map<std::int64_t, std::uint64_t> by_time_;  ///< by the span's begin, as clocks show it
};

}  // namespace presso::cli
