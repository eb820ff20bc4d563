// SPDX-License-Identifier: MIT
// Implements known_entries.h, a cache of dictionary entries that were looked up among the keys of a
// build side.
#include "query/rows/known_entries.h"

#include <algorithm>
#include <memory>

namespace presso::query {
namespace {

/// The entries of a batch that were not known; too large for the stack.
struct NewEntries {
  StringRef keys[kBatchRows];
  std::uint64_t words[kBatchRows];
  std::uint64_t bits[kBatchWords];
};

}  // namespace

/// New entries are looked up among the keys, all others are answered from here.
void KnownEntries::find(const join::KeyNumbers<StringRef>& numbers, const StringRef* keys,
                        const std::uint64_t* hashes, std::uint32_t count, std::uint64_t* words,
                        std::uint64_t* bits) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() > kMostEntries) return numbers.find(keys, count, nullptr, words, bits);
  std::uint32_t ids[kBatchRows];
  grouping::NewKeys added;
  entries_.reserve(count);
  entries_.find_or_add(keys, hashes, count, ids, added);
  if (added.count > 0) {
    const auto fresh = std::make_unique<NewEntries>();
    for (std::uint32_t i = 0; i < added.count; ++i) fresh->keys[i] = keys[added.rows[i]];
    numbers.find(fresh->keys, added.count, nullptr, fresh->words, fresh->bits);
    words_.insert(words_.end(), fresh->words, fresh->words + added.count);
    for (std::uint32_t i = 0; i < added.count; ++i) {
      known_.push_back(has_bit(fresh->bits, i) ? 1 : 0);
    }
  }
  std::fill_n(bits, (count + 63) / 64, std::uint64_t{0});
  for (std::uint32_t i = 0; i < count; ++i) {
    words[i] = words_[ids[i]];
    bits[i / 64] |= std::uint64_t{known_[ids[i]] != 0} << (i % 64);
  }
}

}  // namespace presso::query
