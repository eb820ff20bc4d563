// SPDX-License-Identifier: MIT
// Size and speed of coding 5 (tokens) on files of lines, each a column of strings, as CSV; one
// thread, the best of five runs. Usage: see kUsage.
//
// "train_encode" is what loading a row group costs: training on it, and encoding it all. Decoding
// has everything but the payload in the caches, and gives offsets too. The ratio counts dictionary,
// codes, and counts of codes as coding 4 (integers) packs them at best (a width for 1,024 rows),
// against the lines without their line feeds.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>

#include "compress/columns/token_encoder.h"
#include "compress/columns/token_trainer.h"
#include "decompress/columns/cpu/token_decoder.h"
#include "presso/stopwatch.h"

namespace presso::bench {
namespace {

constexpr const char* kUsage =
    "usage: token_rate [-r BYTES] FILE...\n"
    "  -r BYTES  repeat the lines until there are so many bytes (default: once)\n";
constexpr int kRuns = 5;
constexpr std::uint64_t kBlockRows = 65536;

ColumnData read_lines(const std::string& path, std::size_t bytes) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  ColumnData column;
  column.offsets.push_back(0);
  do {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      column.values.append({reinterpret_cast<const Byte*>(text.data()) + at, end - at});
      column.offsets.push_back(static_cast<std::int64_t>(column.values.size()));
      at = end + 1;
    }
  } while (!column.values.empty() && column.values.size() < bytes);
  column.rows = column.offsets.size() - 1;
  return column;
}

template <class Action>
double best_seconds(Action&& action) {
  double best = std::numeric_limits<double>::max();
  for (int run = 0; run < kRuns; ++run) {
    const Stopwatch watch;
    action();
    best = std::min(best, watch.seconds());
  }
  return best;
}

struct Block {
  std::vector<std::uint32_t> counts;
  Buffer payload;
  std::uint32_t codes = 0;
  std::size_t plain_bytes = 0;
};

std::vector<Block> encode(const ColumnView& column, const TokenDictionary& dictionary) {
  std::vector<Block> blocks;
  TokenEncoder encoder(dictionary);
  for (std::uint64_t first = 0; first < column.rows; first += kBlockRows) {
    const std::uint64_t rows = std::min(kBlockRows, column.rows - first);
    Block& block = blocks.emplace_back();
    encoder.encode(column, first, rows, block.counts, block.payload);
    block.codes = std::accumulate(block.counts.begin(), block.counts.end(), 0u);
    block.plain_bytes =
        static_cast<std::size_t>(column.offsets[first + rows] - column.offsets[first]);
  }
  return blocks;
}

/// All blocks one after another into the same memory; false where they are not the column.
bool decode(const ColumnView& column, const TokenDictionary& dictionary,
            const std::vector<Block>& blocks, Buffer& bytes, std::vector<std::int64_t>& offsets,
            bool compare) {
  std::int64_t at = 0;
  for (const Block& block : blocks) {
    bytes.resize_discarding(block.plain_bytes);
    offsets.resize(block.counts.size() + 1);
    const Status status = decode_tokens(dictionary, block.payload.bytes(), block.codes,
                                        block.counts, bytes.mutable_bytes(), offsets.data(), at);
    if (!status.ok()) return false;
    if (compare && !std::equal(bytes.data(), bytes.data() + bytes.size(), column.values + at)) {
      return false;
    }
    at = offsets.back();
  }
  return at == column.offsets[column.rows];
}

std::uint64_t count_bytes(const Block& block) {
  std::uint64_t bytes = 0;
  for (std::size_t row = 0; row < block.counts.size(); row += kVectorRows) {
    const auto n = std::min<std::size_t>(kVectorRows, block.counts.size() - row);
    const auto begin = block.counts.begin() + static_cast<std::ptrdiff_t>(row);
    const auto [least, most] = std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(n));
    const auto width = static_cast<std::uint32_t>(std::bit_width(*most - *least));
    bytes += 16 + 4 * lane_words(static_cast<std::uint32_t>(n), width);
  }
  return bytes;
}

bool measure(const std::string& path, std::size_t bytes) {
  const ColumnData column = read_lines(path, bytes);
  if (column.values.empty()) return false;
  TokenDictionary dictionary;
  const double train = best_seconds([&] { dictionary = train_tokens(column.view()); });
  TokenEstimate estimate;
  const double estimating =
      best_seconds([&] { estimate = estimate_tokens(column.view(), dictionary); });
  std::vector<Block> blocks;
  const double encoding = best_seconds([&] { blocks = encode(column.view(), dictionary); });
  Buffer out;
  std::vector<std::int64_t> offsets;
  if (!decode(column.view(), dictionary, blocks, out, offsets, true)) return false;
  const double decoding =
      best_seconds([&] { decode(column.view(), dictionary, blocks, out, offsets, false); });

  std::vector<Byte> stored;
  dictionary.append_to(stored);
  std::uint64_t payload = 0;
  std::uint64_t counts = 0;
  std::uint64_t codes = 0;
  for (const Block& block : blocks) {
    payload += block.payload.size();
    counts += count_bytes(block);
    codes += block.codes;
  }
  const auto plain = static_cast<double>(column.values.size());
  const auto total = static_cast<double>(stored.size() + payload + counts);
  std::printf("%s,%.0f,%llu,%u,%zu,%llu,%llu,%.3f,%.3f,%.2f,%.1f,%.1f,%.0f,%.0f,%.2f\n",
              path.substr(path.rfind('/') + 1).c_str(), plain,
              static_cast<unsigned long long>(column.rows), dictionary.size(), stored.size(),
              static_cast<unsigned long long>(payload), static_cast<unsigned long long>(counts),
              plain / total, static_cast<double>(estimate.total()) / total,
              plain / static_cast<double>(codes), train * 1e3, estimating * 1e3,
              plain / encoding / 1e6, plain / (train + encoding) / 1e6, plain / decoding / 1e9);
  return true;
}

}  // namespace
}  // namespace presso::bench

int main(int count, char** arguments) {
  int first = 1;
  std::size_t bytes = 0;
  if (count > 2 && std::string(arguments[1]) == "-r") {
    bytes = std::strtoull(arguments[2], nullptr, 10);
    first = 3;
  }
  if (first >= count || arguments[first][0] == '-') {
    std::fputs(presso::bench::kUsage, stderr);
    return 2;
  }
  std::puts(
      "file,plain_bytes,rows,tokens,dictionary_bytes,code_bytes,count_bytes,ratio,"
      "estimate_to_made,bytes_a_code,train_ms,estimate_ms,encode_mb_s,train_encode_mb_s,"
      "decode_gb_s");
  for (int i = first; i < count; ++i) {
    if (presso::bench::measure(arguments[i], bytes)) continue;
    std::fprintf(stderr, "token_rate: %s: cannot be read, or not given back\n", arguments[i]);
    return 2;
  }
  return 0;
}
