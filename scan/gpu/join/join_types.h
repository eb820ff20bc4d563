// SPDX-License-Identifier: MIT
// What a join on a GPU is asked for and what it gives. Trivially copyable, host and device.
//
// Rows are numbers below 2^32 - 1. A *match* is a pair of a probe row and a build row with the same
// key. Keys are images of values: equal where their bits are.
#pragma once

#include <cstdint>

namespace presso::gpu {

/// Stands where there is no row: the build row of an unmatched row of a left join.
constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

/// inner: matches. left: also selected probe rows without one. semi: probe rows with at least one
/// match, once each. anti: selected probe rows with none.
enum class JoinKind : std::uint8_t { kInner, kLeft, kSemi, kAnti };

/// direct: an array over the range of keys. table: one open-addressing table in device memory.
/// radix: both sides are partitioned, and each part has a table in shared memory. merge: keys of
/// both sides ascend.
enum class JoinStrategy : std::uint8_t { kDirect, kTable, kRadix, kMerge };

/// One side. Device memory. Bitmaps have one bit a row, the lowest of a word first, whole words;
/// none means that all bits are set. A row takes part where both bits are set. A selected probe row
/// that is not valid has no match, but left and anti joins give it.
struct JoinRows {
  const void* d_keys = nullptr;  ///< std::uint32_t or std::uint64_t, at a multiple of 16
  const std::uint32_t* d_valid = nullptr;
  const std::uint32_t* d_selected = nullptr;
  std::uint32_t count = 0;
};

struct JoinInput {
  JoinRows build;
  JoinRows probe;
  std::uint32_t key_bytes = 8;  ///< 4 or 8
  JoinKind kind = JoinKind::kInner;
  JoinStrategy strategy = JoinStrategy::kTable;
  /// Pairs ascend by probe row, then build row; else they come in any order, another each time.
  bool ordered = false;
  /// No two build rows that take part have the same key, as the caller knows. Where that is wrong
  /// some matches are missing.
  bool unique = false;
  /// direct: the range of the build side's keys. Build rows with other keys take no part.
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  /// Where not null: a bit for each build row, whole words, which says afterwards whether the row
  /// has a match.
  std::uint32_t* d_matched = nullptr;
};

/// Where pairs are written: device memory for `capacity` numbers each. Semi and anti joins do not
/// use d_build. Further pairs are counted and not written.
struct JoinPairs {
  std::uint32_t* d_probe = nullptr;
  std::uint32_t* d_build = nullptr;
  std::uint64_t capacity = 0;
};

/// What is read back after counting.
struct JoinTotals {
  std::uint64_t pairs = 0;
  std::uint32_t has_duplicates = 0;  ///< whether build keys repeat; not told of unique ones
  std::uint32_t reserved = 0;
};

}  // namespace presso::gpu
