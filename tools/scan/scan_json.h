// SPDX-License-Identifier: MIT
// --json: ripgrep's JSON Lines. A file with something to show gives "begin", a "match" or "context"
// for each line, and "end" with its figures; "summary" comes last. Text that is not UTF-8 is given
// as {"bytes": base64}. Written by hand, because the order of the members is part of the format
// that scripts have come to know, and because it is printed a line at a time at the scan's rate.
// Where several patterns were given, each submatch says which of them it is of: "pattern", after
// ripgrep's members.
#pragma once

#include <string>
#include <string_view>

#include "tools/io/output.h"
#include "tools/scan/scan_sink.h"
#include "tools/scan/scan_statistics.h"

namespace presso::cli {

class ScanJson final : public ScanSink {
 public:
  explicit ScanJson(Output& output) : output_(output) {}

  void begin_file(std::string path) override;
  void line(const MatchedLine& line) override;
  std::uint64_t end_file(const FileResult& result) override;
  /// Once, after everything.
  void summary(const ScanStatistics& statistics);
  /// Only files with output count in the summary.
  bool printed_file() const { return begun_; }

 private:
  void begin();
  void submatches(const MatchedLine& line);

  Output& output_;
  std::string path_;  ///< {"text":...}
  bool begun_ = false;
  std::uint64_t begun_at_ = 0;
};

/// `text` as {"text":"..."}, or {"bytes":"..."} where it is not UTF-8; appended to `into`.
void append_json_data(std::string_view text, std::string& into);

}  // namespace presso::cli
