// SPDX-License-Identifier: MIT
// What the versions of the tokeniser share: the state that a driver carries from call to call, and
// the loop over blocks of 64 bytes. A block becomes one bit for each byte that may matter
// (delimiter, quote, line end); the loop visits those alone. Inside quotes only quotes may matter,
// so long quoted fields cost the comparison and nothing else. Fields go to plain arrays that the
// driver gives room to, so that files compiled for other machines hold no code of containers.
#pragma once

#include "compress/table/text/csv_tokenizer.h"

namespace presso {

enum class TokenStop {
  kRoom,      ///< the arrays must grow; call again with the same state
  kRecords,   ///< as many records as were asked for
  kEnd,       ///< of the text
  kUnclosed,  ///< the text ends inside the quotation that opened at `open`
};

struct TokenState {
  Bytes text;
  Dialect dialect;
  bool text_ends_here = true;
  std::size_t most_records = 0;
  // The arrays; first_field and begin hold one entry more than there are records.
  Field* fields = nullptr;
  std::uint32_t* first_field = nullptr;
  std::uint32_t* begin = nullptr;
  std::size_t field_room = 0;
  std::size_t record_room = 0;
  // How far it has come. The driver sets base and at to where reading begins.
  bool started = false;
  std::size_t base = 0;         ///< the next block
  std::size_t at = 0;           ///< bytes before it are dealt with
  std::size_t field_begin = 0;  ///< of the field that is being read
  std::size_t record_end = 0;   ///< of the last whole record
  std::size_t field_count = 0;
  std::size_t record_first = 0;  ///< number of the present record's first field
  std::size_t record_count = 0;
  std::size_t open = 0;  ///< the opening quote
  bool in_quotes = false;
  bool escaped = false;
};

constexpr std::size_t kTokenBlock = 64;

/// One bit a byte of a block.
struct TokenMasks {
  std::uint64_t any;    ///< delimiters, quotes, line ends
  std::uint64_t quote;  ///< quotes
};

using TokenLoop = TokenStop (*)(TokenState&);

/// With fields kept, and without: for finding where records end.
struct TokenLoops {
  TokenLoop keep;
  TokenLoop skip;
};
TokenLoops token_loops_portable();
TokenLoops token_loops_avx2();

}  // namespace presso
