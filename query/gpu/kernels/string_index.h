// SPDX-License-Identifier: MIT
// A set of different strings in device memory, each with a number, so that string columns can be
// compared by number: the strings of one column are inserted, those of other columns are looked up.
// These are the structures that kernels (string_index.cuh, number_rows.cuh) and the host share.
// Trivially copyable, for host and device. Tests: tests/queries/strings.txt.
#pragma once

#include <cstdint>

#include "query/gpu/kernels/table_block.h"
#include "query/gpu/strings/string_batch.h"

namespace presso::gpu {

/// A string of up to 16 bytes as a whole; of a longer one the front. One sector of memory.
struct alignas(32) StringCell {  // allow(bare-32): bytes of a sector
  static constexpr std::uint32_t kFrontWords = 2;
  std::uint64_t front[kFrontWords];  ///< the first byte lowest; zeros behind the end
  std::uint64_t rest_at;             ///< of what is behind it, in StringIndex::rest
  std::uint32_t length;              ///< in bytes
  std::uint32_t unused;
};

/// Words of 64 bits behind the front.
PRESSO_HD constexpr std::uint32_t rest_words(std::uint32_t length) {
  const std::uint32_t words = length / 8 + (length % 8 == 0 ? 0 : 1);
  return words < StringCell::kFrontWords ? 0 : words - StringCell::kFrontWords;
}

/// How much of it is taken, and whether something found no room. In device memory.
struct StringIndexState {
  std::uint64_t strings = 0;  ///< numbers that were given, but by rows; some belong to nobody
  std::uint64_t words = 0;    ///< of `rest`; where one was lacking, more than there are
  std::uint32_t lacks_words = 0;
  std::uint32_t lacks_strings = 0;
};

constexpr std::uint32_t kPlacesOfBucket = 4;

/// A table of places, four of which are a bucket and a sector of memory. A place has half of its
/// string's hash above the number and 1; 0: it is free. So a string that is there is mostly found
/// with two sectors: its bucket, and its cell. Equal hashes are always compared by bytes.
struct StringIndex {
  std::uint64_t* places = nullptr;
  std::uint32_t buckets = 0;
  std::uint32_t most_strings = 0;  ///< fewer than half of the places
  StringCell* cells = nullptr;     ///< by number
  std::uint64_t* rest = nullptr;
  std::uint64_t most_words = 0;  ///< of `rest`
  StringIndexState* state = nullptr;
  /// A string has the number of its first row to come, not the next one that is free: numbers, and
  /// cells, come without asking for them, and those of strings that repeat have gaps.
  bool by_rows = false;
  std::uint64_t hash_bits = ~std::uint64_t{0};  ///< that are used; fewer in tests
};

/// What becomes of a block of tokens, beside what StringBlock says of it. Or of text, which is that
/// of a row group: its "codes" are bytes, its payload is not looked at.
struct NumberedBlock {
  DeviceTokens tokens;
  std::uint32_t* numbers = nullptr;  ///< by row
  std::uint32_t plain_bytes = 0;
  // Of text:
  const Byte* text = nullptr;              ///< of all rows, one after another
  const std::uint64_t* lengths = nullptr;  ///< of each row
  std::uint32_t* counts = nullptr;         ///< StringBlock::counts, to be written
};

/// Rows that are tokens, or text. All pointers are to device memory.
struct NumberBatch {
  StringBatch strings;  ///< `matches` is for the bytes of each block's rows
  const NumberedBlock* blocks = nullptr;
  const std::uint32_t* numbers = nullptr;  ///< of all rows of the column
  bool has_text = false;                   ///< of all its blocks
  StringIndex index;
  std::uint32_t none = 0;  ///< the number of a string that is not there
  bool adds = false;       ///< such strings are put in
};

/// Entries of dictionaries, which have no numbers by rows.
struct EntryBatch {
  const Byte* bytes = nullptr;
  const std::uint32_t* ends = nullptr;  ///< of entry i; it begins where the one before ends
  std::uint32_t* numbers = nullptr;
  std::uint32_t count = 0;
  StringIndex index;
  std::uint32_t none = 0;
  bool adds = false;
};

/// A slice of the column; what its rows have for numbers in the end.
struct NumberedSlice {
  TableBlock block;
  /// Of a dictionary's codes; nullptr: its rows, but the nulls, have their numbers.
  const std::uint32_t* entry_numbers = nullptr;
  std::uint32_t* numbers = nullptr;
};

struct SliceBatch {
  const NumberedSlice* slices = nullptr;
  std::uint32_t count = 0;
  std::uint32_t null_number = 0;
};

/// Strings that are wanted back, by their numbers. All pointers are to device memory.
struct StringList {
  const std::uint32_t* numbers = nullptr;
  std::uint32_t count = 0;
  const StringCell* cells = nullptr;      ///< those of StringIndex, as the next
  const std::uint64_t* rest = nullptr;    ///< likewise
  std::uint32_t* lengths = nullptr;       ///< to be written, in bytes, where `words` is nullptr
  std::uint64_t* words = nullptr;         ///< what the strings are written to
  const std::uint64_t* places = nullptr;  ///< of each one's first word; zeros stand behind its end
};

}  // namespace presso::gpu
