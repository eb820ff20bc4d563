// SPDX-License-Identifier: MIT
// What the kernel takes that tests few rows of tokens, those that other conditions have left
// (left_rows.cuh). Trivially copyable, host and device. Tested by tests/queries/tokens.txt.
#pragma once

#include <cstdint>

#include "query/gpu/strings/string_batch.h"

namespace presso::gpu {

/// Vectors of a slice, whose bits lie as those of Pipeline::row_bits.
constexpr std::uint32_t kLeftVectors = kMaxIntegerRows / kVectorRows;

/// Rows [first_row, first_row + rows) of a row group, and the blocks of tokens that have them.
/// `first_row` is a multiple of kMaxIntegerRows, as that of a block of counts is.
struct LeftSlice {
  std::uint32_t first_block = 0;  ///< in LeftRows::batch
  std::uint32_t end_block = 0;    ///< none: the rows are stored otherwise
  std::uint32_t first_row = 0;
  std::uint32_t rows = 0;
  /// LoadedStrings::step_begins, of its first row and those behind.
  const std::uint32_t* begins = nullptr;
  IntegerBlock counts;    ///< the number of codes of each row, which have been checked
  bool is_plain = false;  ///< the payload is the counts, of 4 bytes each
};

/// All pointers are to device memory.
struct LeftRows {
  /// `first_row` and `first_code` of the blocks are used; their tables are of kWide.
  StringBatch batch;
  const LeftSlice* slices = nullptr;
  std::uint32_t count = 0;  ///< of slices
  bool negated = false;
  bool keeps_others = false;  ///< bits of slices without blocks stay; else they are cleared
  /// The rows to test, as Pipeline::row_bits; nullptr: all.
  const std::uint32_t* left = nullptr;
  std::uint32_t* to = nullptr;      ///< those of them that pass; in the same form
  std::uint32_t* tested = nullptr;  ///< how many rows were tested is added to it
};

/// More codes in a row group would not be added up right.
constexpr std::uint32_t kMostStepCodes = 1u << 26;

/// The codes of a row group, at most kMostStepCodes, from its counts: for each 32 rows where their
/// codes begin.
struct StepGroup {
  const std::uint32_t* counts = nullptr;
  std::uint32_t* begins = nullptr;
  std::uint32_t rows = 0;
  std::uint32_t codes = 0;
  std::uint32_t first_block = 0;  ///< in StepBatch::blocks
  std::uint32_t end_block = 0;
};

/// Where a block of tokens begins, in the rows and the codes of its row group.
struct StepBlock {
  std::uint32_t row = 0;
  std::uint32_t code = 0;
};

struct StepBatch {
  const StepGroup* groups = nullptr;
  const StepBlock* blocks = nullptr;
  std::uint32_t count = 0;         ///< of groups
  std::uint32_t* fault = nullptr;  ///< becomes 1 where counts and blocks disagree
};

}  // namespace presso::gpu
