// SPDX-License-Identifier: MIT
// The interface for the results of a scan: text as ripgrep prints it (scan_printer.h) or JSON Lines
// (scan_json.h). One of the two is chosen when the command begins; the rest of scan_command.cpp
// does not know which. Tested by tests/cli/test_scan_output.py.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "presso/scan.h"

namespace presso::cli {

/// The bytes as text for the functions of strings; nothing is copied.
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The result of a file when it is done.
struct FileResult {
  ScanSummary summary;
  bool quit = false;  ///< a NUL byte ended the search of a file that recursion found
  std::chrono::nanoseconds elapsed{0};
};

/// Takes the lines of one file after another, in order, on one thread.
class ScanSink {
 public:
  virtual ~ScanSink() = default;
  /// Called before a file's lines, also if there will be none.
  virtual void begin_file(std::string path) = 0;
  /// Takes a line, which is valid during the call only.
  virtual void line(const MatchedLine& line) = 0;
  /// Ends a file after its lines; returns the bytes printed for it.
  virtual std::uint64_t end_file(const FileResult& result) = 0;
};

}  // namespace presso::cli
