// SPDX-License-Identifier: MIT
// Parts of the keys of a join whose build side does not fit into memory: the root, the table that
// is read row by row (query/plan/join_plan.h), is read once for each part. If keys are packed into
// 64-bit words that have the order of a column (query/group/key_coder.h), a part is a range of
// words. It then is also a condition on that column, which is tested on packed values and skips
// slices by their zones. Otherwise a part is a range of the keys' hashes. Cost and choice are
// described in ../NOTES.md, "Joins in less memory". Tested by
// tests/unit/query/rows/join_part_test.cpp.
//
// Example: the build side has a million rows with keys from 1 to 6,000,000, and memory allows
// 300,000 rows. A slot of words then has 2^11 words and about 341 rows; 879 slots fit into a part,
// so there are four parts, the first of which is the keys up to about 1.8 million.
#pragma once

#include <cstdint>
#include <vector>

namespace presso::query {

/// Rows are counted in 4,096 slots: by the highest bits of their hashes, and by equal ranges of
/// words.
constexpr unsigned kPartSlotBits = 12;
constexpr std::uint32_t kPartSlots = 1u << kPartSlotBits;

/// One part: a range of words or hashes.
struct JoinPart {
  bool by_word = false;                    ///< whether the range is of words; otherwise of hashes
  std::uint64_t first = 0;                 ///< first word or hash
  std::uint64_t last = ~std::uint64_t{0};  ///< last word or hash, included

  bool is_all() const { return first == 0 && last == ~std::uint64_t{0}; }
  /// Rows without a key belong to the first part, so that outer joins give them once.
  bool has_nulls() const { return first == 0; }
  /// Whether a row belongs to the part. `value` is its word or hash, `valid` whether it has a key.
  bool has(std::uint64_t value, bool valid) const {
    return valid ? value - first <= last - first : has_nulls();
  }
};

/// How many rows of a build side are in each slot, counted by reading its keys once.
struct PartSizes {
  std::vector<std::uint64_t> by_hash;
  std::vector<std::uint64_t> by_word;  ///< empty if keys are no words with the order of a column
  std::uint64_t first_word = 0;        ///< where the first slot begins
  unsigned word_bits = 0;              ///< a slot has 2^word_bits words
  /// Bytes of a row, both while rows are kept and while the table is made: for parts by hash, and
  /// for parts by word, whose tables are smaller.
  double row_bytes = 0;
  double word_row_bytes = 0;
};

/// Returns the memory that `rows` rows take while a part is built: the rows twice when they are put
/// together, or the rows and the table, and 8 bytes a row for filters and for slices that differ.
double part_bytes(double rows, double rows_bytes, double table_bytes);

/// Returns the slot of a word; words outside of all slots belong to the first or last.
std::uint32_t slot_of_word(const PartSizes& sizes, std::uint64_t word);

/// Returns as few parts as possible, each of consecutive slots that fit into `bytes`. Returns none
/// if a single slot does not fit.
std::vector<JoinPart> parts_by_word(const PartSizes& sizes, double bytes);
std::vector<JoinPart> parts_by_hash(const PartSizes& sizes, double bytes);

}  // namespace presso::query
