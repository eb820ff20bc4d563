// SPDX-License-Identifier: MIT
// The results of presso bench as a table or as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/bench/measure.h"

namespace presso::cli {

struct FileMeasurements {
  std::string path;
  std::uint64_t plain_bytes = 0;
  std::uint32_t block_bytes = 0;
  unsigned threads = 1;
  std::string scan_pattern;  ///< empty: no scan
  Measurements measurements;
};

std::string bench_table(const FileMeasurements& file);
/// `absent`: peers that were asked for and are not part of this build.
std::string bench_json(const std::vector<FileMeasurements>& files,
                       const std::vector<std::string>& absent);

}  // namespace presso::cli
