// SPDX-License-Identifier: MIT
// Implements key_filter.h, a filter that tells which probe keys can have a match. Threads divide
// the filter, not the keys: each walks over all keys and sets the bits of its own range, so that
// nothing is locked or merged. That is cheap, since reading keys in order costs little compared
// with reaching into a filter that does not fit into the cache.
#include "query/join/key_filter.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>

#include "format/cpu_loops.h"
#include "format/threads/parallel.h"
#include "query/join/build_rows.h"

namespace presso::query::join {
namespace {

// A bitmap is used for ranges of up to kFewBits (4 MB) whatever the keys, and for ranges of up to
// kMostBits (16 MB) if there are at most kSparsest bits for a key.
constexpr std::uint64_t kMostBits = std::uint64_t{1} << 27;
/// Ranges of keys up to this always get a bitmap.
constexpr std::uint64_t kFewBits = std::uint64_t{1} << 25;
constexpr std::uint64_t kBitsOfKey = 12;  ///< size of a Bloom filter, in bits for each key
constexpr std::uint64_t kSparsest = 32;   ///< bits of a bitmap for each key, at most
constexpr std::uint64_t kUnitsForAThread = 16'384;

/// Returns the bits of a bitmap, one of which is for keys out of range; 0 if a bitmap would be too
/// large.
std::uint64_t bitmap_bits(const JoinKeyFacts& facts) {
  const std::uint64_t span = facts.greatest - facts.least;
  if (span >= kMostBits || (span >= kFewBits && span / kSparsest >= facts.keys)) return 0;
  return span + 2;
}

/// Returns the number of Bloom blocks, with kBitsOfKey bits for each key (repeated keys count
/// again).
std::uint64_t block_count(const JoinKeyFacts& facts) {
  constexpr std::uint64_t kBitsOfBlock = 8 * sizeof(BloomBlock);
  return std::max<std::uint64_t>(1, (facts.keys * kBitsOfKey + kBitsOfBlock - 1) / kBitsOfBlock);
}

/// Calls work(begin, end) for parts of `units` bits or blocks. Each part belongs to one thread,
/// which walks over all keys.
template <class Work>
Status for_each_filter_part(std::uint64_t units, unsigned threads, const Work& work) {
  const std::uint64_t parts =
      std::min<std::uint64_t>(std::max(1u, threads), units / kUnitsForAThread + 1);
  return for_each_in_parallel(static_cast<std::size_t>(parts), threads,
                              [&](std::size_t i, unsigned) {
                                work(part_begin(units, i, parts), part_begin(units, i + 1, parts));
                                return Status();
                              });
}

}  // namespace

std::uint64_t KeyFilter::predict_bytes(const JoinKeyFacts& facts) {
  if (facts.keys == 0) return 0;
  const std::uint64_t bits = bitmap_bits(facts);
  if (bits != 0) return column_bytes<std::uint64_t>((bits + 63) / 64);
  return column_bytes<BloomBlock>(block_count(facts));
}

Result<KeyFilter> KeyFilter::build(const BuildKeys& keys, unsigned threads,
                                   std::uint64_t memory_bytes) {
  return without_bad_alloc([&]() -> Result<KeyFilter> {
    KeyFilter filter;
    PRESSO_ASSIGN(filter.facts_, facts_of(keys, std::max(1u, threads)));
    if (filter.facts_.keys == 0) return filter;
    if (predict_bytes(filter.facts_) > memory_bytes) return make_error(ErrorCode::kOutOfMemory);
    if (bitmap_bits(filter.facts_) != 0) {
      PRESSO_TRY(filter.fill_bitmap(keys, threads));
    } else {
      PRESSO_TRY(filter.fill_bloom(keys, threads));
    }
    return filter;
  });
}

/// If all bits turn out to be set the range alone says everything, and the bitmap is dropped.
Status KeyFilter::fill_bitmap(const BuildKeys& keys, unsigned threads) {
  kind_ = Kind::kBitmap;
  const std::uint64_t bits = bitmap_bits(facts_);
  bitmap_.extend(static_cast<std::size_t>((bits + 63) / 64));
  std::atomic<std::uint64_t> distinct{0};
  PRESSO_TRY(for_each_filter_part(bits, threads, [&](std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t from = facts_.least + begin, size = end - begin;
    for_each_key(keys, 0, facts_.rows, [&](std::uint64_t key, std::uint32_t) {
      if (key - from >= size) return;
      const std::uint64_t at = key - facts_.least;
      bitmap_[at / 64] |= std::uint64_t{1} << (at % 64);
    });
    std::uint64_t count = 0;
    for (std::uint64_t word = begin / 64; word < (end + 63) / 64; ++word) {
      count += static_cast<std::uint64_t>(std::popcount(bitmap_[word]));
    }
    distinct += count;
  }));
  distinct_ = distinct;
  if (distinct + 1 == bits) {
    kind_ = Kind::kRange;
    bitmap_ = grouping::Column<std::uint64_t>();
  }
  return {};
}

/// Keys are handed to the kernel in batches, because rows without a key must be left out.
Status KeyFilter::fill_bloom(const BuildKeys& keys, unsigned threads) {
  constexpr std::uint32_t kBatch = 1024;
  kind_ = Kind::kBloom;
  blocks_.extend(static_cast<std::size_t>(block_count(facts_)));
  const auto count = static_cast<std::uint32_t>(blocks_.size());
  const auto fill = loops_for<Kernels>().fill_bloom;
  return for_each_filter_part(count, threads, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t batch[kBatch];
    std::uint32_t waiting = 0;
    const auto empty = [&] {
      fill(batch, waiting, blocks_.data(), count, static_cast<std::uint32_t>(begin),
           static_cast<std::uint32_t>(end));
      waiting = 0;
    };
    for_each_key(keys, 0, facts_.rows, [&](std::uint64_t key, std::uint32_t) {
      batch[waiting++] = key;
      if (waiting == kBatch) empty();
    });
    empty();
  });
}

void KeyFilter::test(const std::uint64_t* keys, std::uint32_t count, std::uint64_t* bits) const {
  const std::uint64_t span = facts_.greatest - facts_.least;
  switch (kind_) {
    case Kind::kNothing:
      std::fill_n(bits, (count + 63) / 64, std::uint64_t{0});
      return;
    case Kind::kRange:
      return loops_for<Kernels>().test_range(keys, count, facts_.least, span, bits);
    case Kind::kBitmap:
      return loops_for<Kernels>().test_bitmap(keys, count, facts_.least, span, bitmap_.data(),
                                              bits);
    case Kind::kBloom:
      return loops_for<Kernels>().test_bloom(keys, count, facts_.least, span, blocks_.data(),
                                             static_cast<std::uint32_t>(blocks_.size()), bits);
  }
}

/// Only a bitmap can say more than the range; it is read word by word.
bool KeyFilter::may_hold(std::uint64_t least, std::uint64_t most) const {
  if (kind_ == Kind::kNothing || most < facts_.least || least > facts_.greatest) return false;
  if (kind_ != Kind::kBitmap) return true;
  constexpr std::uint64_t kMostLookedAt = 65'536;
  const std::uint64_t first = std::max(least, facts_.least) - facts_.least;
  const std::uint64_t last = std::min(most, facts_.greatest) - facts_.least;
  if (last - first >= kMostLookedAt) return true;
  for (std::uint64_t word = first / 64; word <= last / 64; ++word) {
    std::uint64_t bits = bitmap_[static_cast<std::size_t>(word)];
    if (word == first / 64) bits &= ~std::uint64_t{0} << (first % 64);
    if (word == last / 64) bits &= ~std::uint64_t{0} >> (63 - last % 64);
    if (bits != 0) return true;
  }
  return false;
}

/// Goes from run of ones to run of ones; runs that continue in the next word are joined.
std::optional<std::vector<KeyFilter::Range>> KeyFilter::ranges(std::size_t most) const {
  std::vector<Range> ranges;
  if (kind_ == Kind::kNothing) return ranges;
  if (kind_ == Kind::kBloom) return std::nullopt;
  if (kind_ == Kind::kRange) {
    ranges.push_back({facts_.least, facts_.greatest});
    return most >= 1 ? std::optional(ranges) : std::nullopt;
  }
  for (std::size_t word = 0; word < bitmap_.size(); ++word) {
    for (std::uint64_t rest = bitmap_[word]; rest != 0;) {
      const auto bit = static_cast<unsigned>(std::countr_zero(rest));
      const auto ones = static_cast<unsigned>(std::countr_one(rest >> bit));
      const std::uint64_t least = facts_.least + 64 * word + bit;
      if (!ranges.empty() && ranges.back().most + 1 == least) {
        ranges.back().most = least + ones - 1;
      } else if (ranges.size() == most) {
        return std::nullopt;
      } else {
        ranges.push_back({least, least + ones - 1});
      }
      rest = bit + ones == 64 ? 0 : rest & ~std::uint64_t{0} << (bit + ones);
    }
  }
  return ranges;
}

std::string KeyFilter::describe() const {
  constexpr const char* kNames[] = {"nothing", "range", "bitmap", "Bloom filter"};
  std::string text = kNames[static_cast<std::size_t>(kind_)];
  if (bytes() == 0) return text;
  char size[40];
  std::snprintf(size, sizeof(size), ", %.1f MB", static_cast<double>(bytes()) / 1e6);
  return text + size;
}

}  // namespace presso::query::join
