// SPDX-License-Identifier: MIT
// Numbers for keys that do not fit into a word: pairs of words and strings (forms kPair and kBytes
// of query/group's KeyCoder). The distinct keys of the build side get the numbers 0 to size() - 1,
// and keys of the probe side are looked up. Join tables therefore see only words, whatever the
// columns are.
//
// Keys are divided into parts by their hashes. Each part has a table of its own, which one thread
// fills, so that numbers depend on the keys and their order, not on the number of threads. Rates
// are in NOTES.md. Tested by tests/unit/query/join/key_numbers_test.cpp.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "presso/error.h"
#include "query/group/key_table.h"

namespace presso::query::join {

/// `Key` is grouping::WordPair, or StringRef, whose bytes are copied unless they are shared
/// (Rows::bytes). Immutable after build(); any number of threads may look keys up.
template <class Key>
class KeyNumbers {
 public:
  /// The keys of the build side, borrowed during build().
  struct Rows {
    std::span<const Key> keys;
    /// A bit a row, 0 where the row has no key; nullptr: all rows have one.
    const std::uint64_t* validity = nullptr;
    const std::uint64_t* hashes = nullptr;  ///< hash_key() of each key, if the caller has them
    /// Owner of the memory that keys point to, or nullptr to have it copied. It is kept if at least
    /// half of the rows have a key of their own; otherwise the few distinct keys are copied and it
    /// is released.
    std::shared_ptr<const void> bytes;
    std::uint64_t bytes_size = 0;
  };
  /// Numbers the keys, and writes the number of each row to `numbers`, 0 for rows without a key;
  /// `numbers` may be nullptr. kOutOfMemory if more than `memory_bytes` would be needed;
  /// kInvalidArgument for more distinct keys than a KeyTable holds.
  static Result<std::unique_ptr<KeyNumbers>> build(const Rows& rows, unsigned threads,
                                                   std::uint64_t memory_bytes,
                                                   std::uint64_t* numbers);
  /// For keys whose bytes are copied.
  static Result<std::unique_ptr<KeyNumbers>> build(std::span<const Key> keys,
                                                   const std::uint64_t* validity, unsigned threads,
                                                   std::uint64_t memory_bytes,
                                                   std::uint64_t* numbers) {
    return build(Rows{keys, validity, nullptr, nullptr, 0}, threads, memory_bytes, numbers);
  }

  /// Looks up at most kBatchRows keys: writes their numbers, and a bitmap that says which of them
  /// exist. Keys with a 0 bit in `validity` do not. Any number of threads may call this at once.
  void find(const Key* keys, std::uint32_t count, const std::uint64_t* validity,
            std::uint64_t* numbers, std::uint64_t* bits) const;

  /// Number of distinct keys.
  std::uint64_t size() const { return first_.back(); }
  std::uint64_t bytes() const;
  /// Calls take(key) for each distinct key, in the order of the numbers.
  template <class Take>
  void for_each(Take take) const {
    for (const auto& part : parts_) std::for_each_n(part.keys(), part.size(), take);
  }

 private:
  explicit KeyNumbers(std::size_t parts) : parts_(parts), first_(parts + 1) {}

  std::vector<grouping::KeyTable<Key>> parts_;
  std::shared_ptr<const void> bytes_;  ///< owner of the bytes that keys in parts_ point to
  std::uint64_t bytes_size_ = 0;
  std::vector<std::uint64_t> first_;  ///< number of each part's first key, and of all keys
};

extern template class KeyNumbers<grouping::WordPair>;
extern template class KeyNumbers<StringRef>;

}  // namespace presso::query::join
