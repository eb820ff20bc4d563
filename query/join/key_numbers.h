// SPDX-License-Identifier: MIT
// Numbers for keys that do not fit into a word (forms kPair and kBytes of KeyCoder): the distinct
// keys of the build side get 0 to size() - 1, equal keys the same one, and keys of the probe side
// are looked up. So tables of joins never see anything but words, whatever the columns are.
//
// Keys are dealt out to parts by their hashes, each with a table of its own, which one thread
// fills: numbers depend on the keys and their order, not on how many threads there are.
// Tested by tests/unit/query/join/key_numbers_test.cpp.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "presso/error.h"
#include "query/group/key_table.h"

namespace presso::query::join {

/// Key: grouping::WordPair or StringRef, whose bytes are copied.
template <class Key>
class KeyNumbers {
 public:
  /// Keys of the build side.
  struct Rows {
    std::span<const Key> keys;
    const std::uint64_t* validity = nullptr;  ///< rows that have one; nullptr: all
    const std::uint64_t* hashes = nullptr;    ///< hash_key() of each; nullptr: they are made
    /// What keys point to; nullptr: that is copied. Kept unless most keys occur several times.
    std::shared_ptr<const void> bytes;
    std::uint64_t bytes_size = 0;
  };
  /// Writes the number of each key, and 0 for rows without one. `numbers` is nullptr where nobody
  /// asks for them. kOutOfMemory where that takes more than `memory_bytes`.
  static Result<std::unique_ptr<KeyNumbers>> build(const Rows& rows, unsigned threads,
                                                   std::uint64_t memory_bytes,
                                                   std::uint64_t* numbers);
  /// The same of keys whose bytes are copied.
  static Result<std::unique_ptr<KeyNumbers>> build(std::span<const Key> keys,
                                                   const std::uint64_t* validity, unsigned threads,
                                                   std::uint64_t memory_bytes,
                                                   std::uint64_t* numbers) {
    return build(Rows{keys, validity, nullptr, nullptr, 0}, threads, memory_bytes, numbers);
  }

  /// Writes the numbers of up to kBatchRows keys, and bits: which of them there are. A key without
  /// a bit in `validity` is not there. By any number of threads at once.
  void find(const Key* keys, std::uint32_t count, const std::uint64_t* validity,
            std::uint64_t* numbers, std::uint64_t* bits) const;

  std::uint64_t size() const { return first_.back(); }
  std::uint64_t bytes() const;
  template <class Take>
  void for_each(Take take) const {
    for (const auto& part : parts_) std::for_each_n(part.keys(), part.size(), take);
  }

 private:
  explicit KeyNumbers(std::size_t parts) : parts_(parts), first_(parts + 1) {}

  std::vector<grouping::KeyTable<Key>> parts_;
  std::shared_ptr<const void> bytes_;  ///< that keys of parts_ point to
  std::uint64_t bytes_size_ = 0;
  std::vector<std::uint64_t> first_;  ///< number of each part's first key, and of all keys
};

extern template class KeyNumbers<grouping::WordPair>;
extern template class KeyNumbers<StringRef>;

}  // namespace presso::query::join
