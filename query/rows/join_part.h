// SPDX-License-Identifier: MIT
// Where a build side does not fit into memory, its keys are divided into parts that do. A part is a
// range of the keys themselves, where these are words whose order is that of a column: then the
// part is a condition on that column too, which is tested on packed values, and zones leave out
// what is not of the part. Else a part is a range of the keys' hashes.
// Tested by tests/unit/query/rows/join_part_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace presso::query {

/// Rows are counted in so many slots, by the highest bits of hashes, or by equal ranges of words.
constexpr unsigned kPartSlotBits = 12;
constexpr std::uint32_t kPartSlots = 1u << kPartSlotBits;

struct JoinPart {
  bool by_word = false;                    ///< else by hash
  std::uint64_t first = 0;                 ///< of words, or of hashes
  std::uint64_t last = ~std::uint64_t{0};  ///< included

  bool is_all() const { return first == 0 && last == ~std::uint64_t{0}; }
  /// Rows without a key, too, are of one part.
  bool has_nulls() const { return first == 0; }
  /// `value`: the word or hash, if there is one.
  bool has(std::uint64_t value, bool valid) const {
    return valid ? value - first <= last - first : has_nulls();
  }
};

/// How many rows of a build side there are in each slot.
struct PartSizes {
  std::vector<std::uint64_t> by_hash;
  std::vector<std::uint64_t> by_word;  ///< empty: keys are no words with an order
  std::uint64_t first_word = 0;        ///< of the first slot
  unsigned word_bits = 0;              ///< a slot has 2^word_bits words
  /// Of a row that is kept, and while the table is made: of parts of hashes, and of words.
  double row_bytes = 0;
  double word_row_bytes = 0;
};

/// What rows take while a part is built: they are there twice when they are put together, then
/// beside the table; and a little more for slices that differ, and filters.
double part_bytes(double rows, double rows_bytes, double table_bytes);

/// The slot of a word; words in front of the first slot, or behind the last, are in those.
std::uint32_t slot_of_word(const PartSizes& sizes, std::uint64_t word);

/// As few parts as fit into `bytes`, each of as many slots as fit; those of one slot that does not
/// fit by itself are none.
std::vector<JoinPart> parts_by_word(const PartSizes& sizes, double bytes);
std::vector<JoinPart> parts_by_hash(const PartSizes& sizes, double bytes);

}  // namespace presso::query
