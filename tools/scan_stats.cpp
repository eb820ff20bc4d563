// SPDX-License-Identifier: MIT
#include "tools/scan_stats.h"

#include <cstdio>

namespace presso::cli {
namespace {

std::string seconds_text(std::chrono::duration<double> seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", seconds.count());
  return text;
}

std::string line(std::uint64_t value, const char* what) {
  return std::to_string(value) + " " + what + "\n";
}

}  // namespace

void ScanStats::add(const ScanSummary& summary, std::chrono::duration<double> seconds,
                    bool invert) {
  ++files_;
  if (summary.lines > 0) ++files_with_matches_;
  if (summary.index_used) ++files_with_index_;
  searching_ += seconds;
  sum_.lines += summary.lines;
  sum_.matches += invert ? 0 : summary.matches;
  sum_.plain_bytes += summary.plain_bytes;
  sum_.blocks += summary.blocks;
  sum_.blocks_read += summary.blocks_read;
  sum_.blocks_skipped += summary.blocks_skipped;
  sum_.blocks_read_in_vain += summary.blocks_read_in_vain;
  sum_.bytes_read += summary.bytes_read;
}

std::string ScanStats::text(std::uint64_t printed) const {
  std::string out = "\n";
  out += line(sum_.matches, "matches");
  out += line(sum_.lines, "matched lines");
  out += line(files_with_matches_, "files contained matches");
  out += line(files_, "files searched");
  out += line(printed, "bytes printed");
  out += line(sum_.plain_bytes, "bytes searched");
  out += seconds_text(searching_) + " seconds spent searching\n";
  out += seconds_text(std::chrono::steady_clock::now() - begin_) + " seconds\n";
  out += line(files_with_index_, "files with an index that was used");
  out += line(sum_.blocks, "blocks");
  out += line(sum_.blocks_read, "blocks read");
  out += line(sum_.blocks_skipped, "blocks skipped");
  out += line(sum_.blocks_read_in_vain, "blocks read in vain (the index let them through)");
  out += line(sum_.bytes_read, "compressed bytes read");
  return out;
}

}  // namespace presso::cli
