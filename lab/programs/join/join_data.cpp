// SPDX-License-Identifier: MIT
#include "lab/programs/join/join_data.h"

#include <algorithm>
#include <cmath>

#include "corpora/random.h"
#include "query/values/hash.h"

namespace presso::bench {
namespace {

using corpora::Random;

std::uint64_t below(Random& random, std::uint64_t limit) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(random.next()) * limit) >> 64);
}

/// The words of distinct keys, by number; those from `count` on are words that are no keys.
class KeyWords {
 public:
  KeyWords(std::uint64_t count, std::uint64_t range) : count_(count), range_(range) {}
  std::uint64_t operator[](std::uint64_t key) const {
    if (range_ == 0) return query::hash_word(key);
    const std::uint64_t step = std::max<std::uint64_t>(1, range_ / count_);
    if (key < count_) return key * step;
    return step > 1 ? (key - count_) * step + 1 : key;  // between two keys, or behind them
  }

 private:
  const std::uint64_t count_;
  const std::uint64_t range_;
};

std::vector<double> zipf_sums(std::uint64_t count, double exponent) {
  std::vector<double> sums(count);
  double sum = 0;
  for (std::uint64_t rank = 0; rank < count; ++rank) {
    sum += std::pow(static_cast<double>(rank + 1), -exponent);
    sums[rank] = sum;
  }
  return sums;
}

/// Numbers of the keys of the build side.
std::vector<std::uint64_t> build_keys(const JoinDataOptions& options, std::uint64_t count) {
  std::vector<std::uint64_t> keys(options.build_rows);
  Random random(1);
  if (options.zipf > 0) {
    const std::vector<double> sums = zipf_sums(count, options.zipf);
    for (std::uint64_t& key : keys) {
      const double at = sums.back() * static_cast<double>(random.next() >> 11) * 0x1p-53;
      key =
          static_cast<std::uint64_t>(std::upper_bound(sums.begin(), sums.end(), at) - sums.begin());
    }
  } else {
    for (std::uint64_t i = 0; i < keys.size(); ++i) keys[i] = i / options.duplicates;
  }
  return keys;
}

void put_in_order(std::vector<std::uint64_t>& words, KeyOrder order, Random& random) {
  if (order == KeyOrder::kSorted) {
    std::sort(words.begin(), words.end());
    return;
  }
  for (std::uint64_t i = words.size(); i > 1; --i) {
    std::swap(words[i - 1], words[below(random, i)]);
  }
}

}  // namespace

JoinData make_join_data(const JoinDataOptions& options) {
  const std::uint64_t count = std::max<std::uint64_t>(
      1, options.zipf > 0 ? options.build_rows
                          : (options.build_rows + options.duplicates - 1) / options.duplicates);
  const KeyWords words(count, options.key_range);
  std::vector<std::uint32_t> rows(count);
  JoinData data;
  data.build = build_keys(options, count);
  for (std::uint64_t& key : data.build) {
    ++rows[key];
    key = words[key];
  }
  data.probe.resize(options.probe_rows);
  Random random(2);
  const auto match = static_cast<std::uint64_t>(options.match * 0x1p32);
  for (std::uint64_t& word : data.probe) {
    std::uint64_t key = below(random, count);
    if ((random.next() >> 32) < match) {
      data.pairs += rows[key];
      data.matches += rows[key] != 0 ? 1 : 0;
    } else {
      key += count;
    }
    word = words[key];
  }
  put_in_order(data.build, options.build_order, random);
  put_in_order(data.probe, options.probe_order, random);
  return data;
}

}  // namespace presso::bench
