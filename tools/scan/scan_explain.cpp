// SPDX-License-Identifier: MIT
// The lines are meant for people and are no stable format. The index and the filters are read once
// for this and for the search; one block header is read in addition. Tested by
// tests/cli/test_scan_device.py.
#include "tools/scan/scan_explain.h"

#include <chrono>
#include <cstdio>

#include "presso/archive_reader.h"
#include "scan/blocks/block_index.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/info/archive_report.h"
#include "tools/io/progress.h"

namespace presso::cli {
namespace {

/// Seconds with four digits, for times from microseconds to hours.
std::string seconds_in_words(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g s", seconds);
  return text;
}

/// The rate; a search below the clock's resolution has none.
std::string rate(double bytes, double seconds) {
  return seconds > 0 ? rate_text(bytes / seconds) : "too fast to tell";
}

}  // namespace

/// Tells before the search what is known of a large file: its size, its blocks, and how many the
/// index lets through. Small files are not spoken of.
void FileExplanation::before(ScanInput& input) {
  if (input.scanned_file() == nullptr) {
    inform(name_, "read in order from one end to the other; its size is not known");
    spoken_of_ = true;
    return;
  }
  const std::optional<Extent> extent = extent_of(*input.scanned_file());
  if (!extent || extent->plain_bytes < kExplainedBytes) return;
  spoken_of_ = true;
  describe(*extent);
}

/// Reads as much of the file as tells its extent; nothing where its index cannot be read.
std::optional<FileExplanation::Extent> FileExplanation::extent_of(ScannedFile& file) const {
  Extent extent;
  // Plain text is as long as its file.
  if (!file.is_compressed()) {
    extent.plain_bytes = file.file().size();
    return extent;
  }
  const ArchiveIndex* const index = file.index();
  if (index == nullptr || index->block_count() == 0) return std::nullopt;
  extent.plain_bytes = index->plain_bytes();
  extent.blocks = index->block_count();
  // The coding is that of the block in the middle, which is typical of the file.
  const auto header = index->read_block_header(extent.blocks / 2);
  if (header.ok()) extent.coding = cli::name(header->coding);
  const auto filters = file.filters(pattern_, options_);
  if (!filters) return extent;
  extent.has_index = true;
  for (std::uint64_t block = 0; block < extent.blocks; ++block) {
    if (filters->wanted(block)) ++extent.wanted_blocks;
  }
  return extent;
}

/// Prints the extent as one line on stderr.
void FileExplanation::describe(const Extent& extent) const {
  std::string text = grouped(extent.plain_bytes) + " bytes of text";
  if (extent.blocks == 0) return inform(name_, text + ", plain");
  text += " in " + grouped(extent.blocks) + " blocks";
  if (!extent.coding.empty()) text += ", coding " + extent.coding;
  text += extent.has_index
              ? "; by the index " + grouped(extent.wanted_blocks) + " of them may hold a match"
              : "; no index that this pattern can use, all of them are read";
  inform(name_, text);
}

/// Tells after the search how long it took and what was read. Files without a first line get none
/// here, unless they turned out to be long.
void FileExplanation::after(const FileResult& result) const {
  const ScanSummary& summary = result.summary;
  if (!spoken_of_ && summary.plain_bytes < kExplainedBytes) return;
  const double seconds = std::chrono::duration<double>(result.elapsed).count();
  std::string text = "actual: " + seconds_in_words(seconds) + ", " +
                     rate(static_cast<double>(summary.plain_bytes), seconds) + ", " +
                     grouped(summary.plain_bytes) + " bytes of text";
  if (summary.blocks > 0) {
    text += "; blocks: " + grouped(summary.blocks_read) + " read, " +
            grouped(summary.blocks_skipped) + " skipped by the index";
    if (summary.index_used) text += ", " + grouped(summary.blocks_read_in_vain) + " read in vain";
  }
  inform(name_, text);
}

}  // namespace presso::cli
