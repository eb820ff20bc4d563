// SPDX-License-Identifier: MIT
// What the results of a scan go to: text as ripgrep prints it (scan_printer.h) or JSON Lines
// (scan_json.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "presso/scan.h"

namespace presso::cli {

inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A file when it is done.
struct FileResult {
  ScanSummary summary;
  bool quit = false;  ///< a NUL byte ended the search of a file that recursion found
  std::chrono::nanoseconds elapsed{0};
};

class ScanSink {
 public:
  virtual ~ScanSink() = default;
  virtual void begin_file(std::string path) = 0;
  virtual void line(const MatchedLine& line) = 0;
  /// Behind the lines of a file; returns the bytes printed for it.
  virtual std::uint64_t end_file(const FileResult& result) = 0;
};

}  // namespace presso::cli
