// SPDX-License-Identifier: MIT
// What the versions of the loop of csv_tokenizer.h share: the state that the tokenizer, its driver,
// carries from call to call. The loop (token_loop_body.h) takes blocks of 64 bytes. A block becomes
// one bit for each byte that may matter (delimiter, quote, line end), and the loop visits only
// those. Inside quotes only quotes matter, so long quoted fields cost just the comparison. The idea
// is that of simdcsv and simdjson (Langdale and Lemire, 2019), without their carry-less
// multiplication. Fields go to plain arrays, for which the driver makes room, so that files
// compiled for other CPUs hold no code of containers.
#pragma once

#include "compress/table/text/csv_tokenizer.h"

namespace presso {

/// Why the loop has stopped.
enum class TokenStop {
  kRoom,      ///< the arrays must grow; call again with the same state
  kRecords,   ///< there are TokenState::most_records records
  kEnd,       ///< the text ends
  kUnclosed,  ///< the text ends inside the quotation that opened at `open`
};

/// Everything that the loop needs to go on.
struct TokenState {
  const Byte* text = nullptr;
  std::size_t text_size = 0;
  Dialect dialect;
  bool text_ends_here = true;
  std::size_t most_records = 0;
  // The arrays; first_field and begin hold one entry more than there are records.
  Field* fields = nullptr;
  std::uint32_t* first_field = nullptr;
  std::uint32_t* begin = nullptr;
  std::size_t field_room = 0;
  std::size_t record_room = 0;
  // How far the loop has come. The driver sets base and at to the place where reading begins.
  bool started = false;
  std::size_t base = 0;         ///< the next block
  std::size_t at = 0;           ///< bytes before it are done
  std::size_t field_begin = 0;  ///< where the present field begins
  std::size_t record_end = 0;   ///< where the last whole record ends
  std::size_t field_count = 0;
  std::size_t record_first = 0;  ///< number of the present record's first field
  std::size_t record_count = 0;
  std::size_t open = 0;  ///< place of the opening quote
  bool in_quotes = false;
  bool escaped = false;
};

constexpr std::size_t kTokenBlock = 64;  ///< bytes of a block

/// One bit for each byte of a block.
struct TokenMasks {
  std::uint64_t any;    ///< delimiters, quotes, line ends
  std::uint64_t quote;  ///< quotes
};

using TokenLoop = TokenStop (*)(TokenState&);

/// The loop that keeps fields, and one that only finds where records end.
struct TokenLoops {
  TokenLoop keep;
  TokenLoop skip;

  /// One set a level; loops_for() of format/cpu_loops.h picks one.
  static const TokenLoops portable, avx2;
};

}  // namespace presso
