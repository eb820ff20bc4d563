// SPDX-License-Identifier: MIT
// --json: prints ripgrep's JSON Lines. A file with something to show gives "begin", a "match" or
// "context" for each line, and "end" with its figures; "summary" comes last. Text that is not UTF-8
// is given as {"bytes": base64}. The text is written by hand, because the order of the members is
// part of the format that scripts have come to know, and because it is printed a line at a time at
// the scan's rate. If several patterns were given, each submatch has a member "pattern" with its
// pattern's number, after ripgrep's members. Tested by tests/cli/scan_against_rg.py and
// test_scan_output.py. The format has no version; scripts that read ripgrep's output read this one.
#pragma once

#include <string>
#include <string_view>

#include "tools/io/output.h"
#include "tools/scan/scan_sink.h"
#include "tools/scan/scan_statistics.h"

namespace presso::cli {

/// Prints all files of one command. One thread uses it, file by file.
class ScanJson final : public ScanSink {
 public:
  explicit ScanJson(Output& output) : output_(output) {}

  void begin_file(std::string path) override;
  void line(const MatchedLine& line) override;
  std::uint64_t end_file(const FileResult& result) override;
  /// Prints the summary; to be called once, after everything.
  void summary(const ScanStatistics& statistics);
  /// Whether the current file has had output; only such files count in the summary.
  bool printed_file() const { return begun_; }

 private:
  /// Writes the "begin" message, once for a file.
  void begin();
  void submatches(const MatchedLine& line);

  Output& output_;
  std::string path_;  ///< {"text":...}
  bool begun_ = false;
  std::uint64_t begun_at_ = 0;
};

/// Appends `text` as {"text":"..."}, or as {"bytes":"..."} if it is not UTF-8.
void append_json_data(std::string_view text, std::string& into);

}  // namespace presso::cli
