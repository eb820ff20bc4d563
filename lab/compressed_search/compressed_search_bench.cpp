// SPDX-License-Identifier: MIT
// Counting strings in compressed blocks against decoding them and counting (sources: S5.20).
//
//   compressed_search_bench FILE.presso STRING...
//
// CSV: string, occurrences, percent of plain bytes that were made, GB/s of plain bytes for both.
// The best of five runs over all blocks, CPU time of one thread, file and plain text in memory.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lab/compressed_search/compressed_search.h"

namespace presso::strings {
namespace {

struct Totals {
  std::uint64_t occurrences = 0;
  std::uint64_t made = 0;
  double seconds = 1e300;
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "compressed_search_bench: %s\n", what.c_str());
  std::exit(1);
}

double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::vector<BlockItem> blocks_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  MemorySource source({reinterpret_cast<const Byte*>(bytes.data()), bytes.size()});
  BlockStream stream(source, {});
  std::vector<BlockItem> blocks;
  for (;;) {
    auto item = stream.next();
    if (!item.ok()) fail(item.error().message());
    if (!*item) return blocks;
    blocks.push_back(std::move(**item));
  }
}

CompressedCount count_decoded(const BlockItem& item, Buffer& plain, const std::string& string) {
  const BlockHeader& header = item.block.header;
  plain.resize_discarding(header.plain_bytes);
  const Status status = decode_block(header, item.block.payload.data(), item.dictionary.get(),
                                     {.verify = false}, plain.data());
  if (!status.ok()) fail(status.error().message());
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
    const double begin = now();
    for (const BlockItem& item : blocks) {
      const CompressedCount one = count(item);
      totals.occurrences += one.occurrences;
      totals.made += one.bytes_decoded;
    }
    totals.seconds = now() - begin;
    if (totals.seconds < best.seconds) best = totals;
  }
  return best;
}

void compare(const std::vector<BlockItem>& blocks, const std::string& string) {
  Buffer plain;
  const Totals decoded =
      best_of(blocks, [&](const BlockItem& item) { return count_decoded(item, plain, string); });
  const Totals searched = best_of(blocks, [&](const BlockItem& item) {
    auto count =
        count_in_block(item.block.header, item.block.payload.data(), item.dictionary.get(), string);
    if (!count.ok()) fail(count.error().message());
    return *count;
  });
  if (decoded.occurrences != searched.occurrences) fail("the counts differ: " + string);
  const auto bytes = static_cast<double>(decoded.made);
  std::printf("%s,%llu,%.2f,%.3f,%.3f\n", string.c_str(),
              static_cast<unsigned long long>(searched.occurrences),
              100 * static_cast<double>(searched.made) / bytes, bytes / searched.seconds / 1e9,
              bytes / decoded.seconds / 1e9);
}

}  // namespace
}  // namespace presso::strings

int main(int count, char** arguments) {
  using namespace presso::strings;
  if (count < 3) fail("usage: compressed_search_bench FILE.presso STRING...");
  const auto blocks = blocks_of(arguments[1]);
  std::puts("string,occurrences,made_percent,compressed_gb_per_s,decode_gb_per_s");
  for (int i = 2; i < count; ++i) compare(blocks, arguments[i]);
}
