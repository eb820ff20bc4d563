// SPDX-License-Identifier: MIT
// Counting strings in compressed blocks against decoding them and counting (sources: S5.20).
//
// CSV: string, occurrences, percent of plain bytes that were made, GB/s of plain bytes for both.
// The best of five runs over all blocks, CPU time of one thread, file and plain text in memory.
#include <string>
#include <vector>

#include "lab/compressed_search/compressed_search.h"
#include "lab/harness/command_line.h"
#include "lab/harness/files.h"
#include "lab/harness/report.h"
#include "lab/harness/timing.h"

namespace presso::strings {
namespace {

using namespace presso::harness;

struct Totals {
  std::uint64_t occurrences = 0;
  std::uint64_t made = 0;
  double seconds = 1e300;
};

std::vector<BlockItem> blocks_of(const std::string& path) {
  const FdRandomAccess file = value_or_exit(open_file(path));
  RangeSource source(file, 0, file.size());
  BlockStream stream(source, {});
  std::vector<BlockItem> blocks;
  while (auto item = value_or_exit(stream.next())) blocks.push_back(std::move(*item));
  return blocks;
}

CompressedCount count_decoded(const BlockItem& item, Buffer& plain, const std::string& string) {
  const BlockHeader& header = item.block.header;
  plain.resize_discarding(header.plain_bytes);
  const Status status = decode_block(header, item.block.payload.data(), item.dictionary.get(),
                                     {.verify = false}, plain.data());
  if (!status.ok()) give_up(status.error());
  const std::string_view text(reinterpret_cast<const char*>(plain.data()), header.plain_bytes);
  CompressedCount count{0, header.plain_bytes};
  for (auto at = text.find(string); at != text.npos; at = text.find(string, at + 1)) {
    ++count.occurrences;
  }
  return count;
}

template <class Count>
Totals best_of(const std::vector<BlockItem>& blocks, const Count& count) {
  Totals best;
  for (int run = 0; run < 5; ++run) {
    Totals totals;
    totals.seconds = seconds_of(Clock::kThread, [&] {
      for (const BlockItem& item : blocks) {
        const CompressedCount one = count(item);
        totals.occurrences += one.occurrences;
        totals.made += one.bytes_decoded;
      }
    });
    if (totals.seconds < best.seconds) best = totals;
  }
  return best;
}

void compare(const std::vector<BlockItem>& blocks, const std::string& string, Report& report) {
  Buffer plain;
  const Totals decoded =
      best_of(blocks, [&](const BlockItem& item) { return count_decoded(item, plain, string); });
  const Totals searched = best_of(blocks, [&](const BlockItem& item) {
    return value_or_exit(count_in_block(item.block.header, item.block.payload.data(),
                                        item.dictionary.get(), string));
  });
  if (decoded.occurrences != searched.occurrences) {
    give_up(make_error(ErrorCode::kContent, "the counts differ: " + string));
  }
  const auto bytes = static_cast<double>(decoded.made);
  report.add({string, searched.occurrences,
              fixed(100 * static_cast<double>(searched.made) / bytes, 2),
              fixed(bytes / searched.seconds / 1e9, 3), fixed(bytes / decoded.seconds / 1e9, 3)});
}

}  // namespace
}  // namespace presso::strings

int main(int count, char** arguments) {
  using namespace presso::harness;
  const CommandLine line("FILE.presso STRING...", "Counts strings in compressed blocks.");
  const std::vector<std::string> operands = line.parse(count, arguments, 2);
  const auto blocks = presso::strings::blocks_of(operands[0]);
  Report report(Report::Form::kCsv,
                "string,occurrences,made_percent,compressed_gb_per_s,decode_gb_per_s");
  for (std::size_t i = 1; i < operands.size(); ++i) {
    presso::strings::compare(blocks, operands[i], report);
  }
}
