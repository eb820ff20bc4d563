// SPDX-License-Identifier: MIT
// The time of all threads is added up, so it may be a multiple of the time on the clock. Tested by
// tests/cli/test_compress.py.
#include "tools/compress/compress_seconds.h"

#include "tools/cli/bind.h"

namespace presso::cli {

// The order is that of the work.
std::vector<std::pair<const char*, double>> named_parts(const CompressSeconds& seconds) {
  return {{"sampling", seconds.sampling}, {"training", seconds.training},
          {"coding", seconds.coding},     {"indexing", seconds.indexing},
          {"reading", seconds.reading},   {"writing", seconds.writing}};
}

/// Where the time went, for --verbose: shares of the processor time of all threads, not of the time
/// on the clock. Parts below half a percent are left out.
std::string work_text(const CompressSeconds& seconds) {
  double all = 0;
  for (const auto& [name, part] : named_parts(seconds)) all += part;
  std::string text = decimal_text(all, 3) + " s of work";
  const char* separator = ": ";
  // Parts below half a percent would only fill the line.
  for (const auto& [name, part] : named_parts(seconds)) {
    if (part < 0.005 * all) continue;
    text += separator + std::string(name) + " " + decimal_text(100 * part / all, 0) + " %";
    separator = ", ";
  }
  return text;
}

}  // namespace presso::cli
