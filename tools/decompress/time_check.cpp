// SPDX-License-Identifier: MIT
// Implements time_check.h: blocks are decoded on all threads and joined in order.
#include "tools/decompress/time_check.h"

#include <utility>

#include "format/time_facts.h"
#include "presso/decompress.h"
#include "presso/ordered_pipeline.h"

namespace presso::cli {
namespace {

/// Whether all times of `lines` are told.
bool covers(const BlockTimes& told, const BlockTimes& lines) {
  return lines.empty() || (told.least <= lines.least && told.greatest >= lines.greatest);
}

Result<ReadTimes> read_block_times(const CompressedFile& archive, std::uint64_t block,
                                   const TimeReader& reader) {
  Buffer plain;
  Buffer stored;
  PRESSO_TRY(archive.read_block(block, plain, stored));
  return read_times(reader, plain.bytes());
}

Status check_member(const CompressedFile& archive, std::uint64_t first, std::uint64_t blocks,
                    const TimeFacts& told, unsigned threads) {
  Result<TimeReader> reader = TimeReader::make(told.form, told.latest);
  // A search does not trust such times.
  if (!reader.ok()) return {};
  TimeFactsBuilder builder(*reader);
  std::uint64_t next = first;
  const Status done = run_ordered<std::uint64_t, Result<ReadTimes>>(
      {threads_or_all(threads), 0},
      [&]() -> Result<std::optional<std::uint64_t>> {
        if (next == first + blocks) return std::optional<std::uint64_t>();
        return std::optional(next++);
      },
      [&](std::uint64_t block, unsigned) { return read_block_times(archive, block, *reader); },
      [&](Result<ReadTimes> read) -> Result<bool> {
        if (!read.ok()) return std::move(read.error());
        builder.add(std::move(*read));
        return true;
      });
  PRESSO_TRY(done);
  const TimeFacts found = builder.finish(false);
  for (std::size_t i = 0; i < found.blocks.size(); ++i) {
    // Where this does not know a time, as a line began in the member before, the file need not.
    if (found.blocks[i] == BlockTimes::unknown() || covers(told.blocks[i], found.blocks[i]))
      continue;
    Error wrong = make_error(ErrorCode::kBadHeader, "lines have other times");
    wrong.block = first + i;
    return wrong;
  }
  return {};
}

}  // namespace

Status check_times(const RandomAccess& file, const DecodeOptions& options, unsigned threads) {
  PRESSO_ASSIGN(const CompressedFile archive, CompressedFile::open(file, options));
  std::uint64_t first = 0;
  for (const ArchiveMember& member : archive.index().members()) {
    PRESSO_ASSIGN(const std::optional<TimeFacts> told, read_time_facts(file, member));
    if (told) PRESSO_TRY(check_member(archive, first, member.block_count, *told, threads));
    first += member.block_count;
  }
  return {};
}

}  // namespace presso::cli
