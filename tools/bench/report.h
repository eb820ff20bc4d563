// SPDX-License-Identifier: MIT
// Prints the results of presso bench as a table or as JSON. Rates are in megabytes (10^6 plain
// bytes) a second. Tested by tests/cli/test_reports.py.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/measure.h"

namespace presso::cli {

/// The figures of one file and what they were measured with.
struct FileMeasurements {
  std::string path;
  std::uint64_t plain_bytes = 0;
  std::uint32_t block_bytes = 0;
  unsigned threads = 1;
  std::string scan_pattern;  ///< empty: no scan
  Measurements measurements;
};

/// The table of one file, with a title before it and where presso's time went after it.
std::string bench_table(const FileMeasurements& file);
/// All files as one JSON document. `absent` are the codecs that were asked for and are not part of
/// this build.
std::string bench_json(const std::vector<FileMeasurements>& files,
                       const std::vector<std::string>& absent);

}  // namespace presso::cli
