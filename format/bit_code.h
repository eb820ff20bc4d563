// SPDX-License-Identifier: MIT
// What encoder and decoders of the Bit coding share (FORMAT.md 13): alphabets, the classes that
// values are written by, the code words that follow from their lengths, how lanes divide the work.
// For CPU and GPU, no allocation. Tested by tests/unit/compress/bit_code_test.cpp.
#pragma once

#include <bit>
#include <cstdint>

#include "format/host_device.h"
#include "presso/wire.h"

namespace presso::bit {

enum Alphabet : std::uint32_t {
  kLiterals,
  kCommands,
  kLiteralLengths,
  kMatchLengths,
  kOffsets,
  kAlphabets
};

constexpr std::uint32_t kLiteralSymbols = 256;
constexpr std::uint32_t kCommandSymbols = 128;
constexpr std::uint32_t kLengthSymbols = 160;  ///< values below 2^22
constexpr std::uint32_t kOffsetSymbols = 92;   ///< values below 2^24
constexpr std::uint32_t kListedSymbols =
    kLiteralSymbols + kCommandSymbols + 2 * kLengthSymbols + kOffsetSymbols;

constexpr unsigned kLengthMantissa = 3;
constexpr unsigned kOffsetMantissa = 2;

/// Where an alphabet's lengths begin in the list of all.
PRESSO_HD constexpr std::uint32_t first_symbol(std::uint32_t alphabet) {
  if (alphabet <= kCommands) return alphabet * kLiteralSymbols;
  return kLiteralSymbols + kCommandSymbols + (alphabet - kLiteralLengths) * kLengthSymbols;
}
PRESSO_HD constexpr std::uint32_t symbols_of(std::uint32_t alphabet) {
  if (alphabet <= kCommands) return alphabet == kLiterals ? kLiteralSymbols : kCommandSymbols;
  return alphabet == kOffsets ? kOffsetSymbols : kLengthSymbols;
}
/// One of a block's codes: its symbols in the list of all, and how long words may be. Lanes have a
/// code for each alphabet. Sub-blocks have one for literals and match lengths, between which the
/// list has zeros, and one for offsets.
struct Code {
  std::uint32_t first;
  std::uint32_t symbols;
  unsigned limit;
};
PRESSO_HD constexpr std::uint32_t codes_of(const BitFields& fields) {
  return fields.layout == kLaneLayout ? std::uint32_t{kAlphabets} : 2;
}
PRESSO_HD constexpr Code code_of(const BitFields& fields, std::uint32_t number) {
  const unsigned limit = number == 0 ? fields.literal_limit : fields.sequence_limit;
  if (fields.layout == kLaneLayout) {
    return {first_symbol(number), symbols_of(number),
            number == kCommands ? fields.command_limit : limit};
  }
  return number == 0 ? Code{0, first_symbol(kOffsets), limit}
                     : Code{first_symbol(kOffsets), kOffsetSymbols, limit};
}
PRESSO_HD constexpr unsigned mantissa_of(std::uint32_t alphabet) {
  return alphabet == kOffsets ? kOffsetMantissa : kLengthMantissa;
}

/// Offset values below this are no distances: 0 is no match, 1 to 3 the last three distances.
constexpr std::uint32_t kRepeats = 3;
constexpr std::uint32_t kFirstDistances[kRepeats] = {1, 2, 4};

// --- Commands -----------------------------------------------------------------------------------
/// A command's lengths below these are the sequence's; at them, the rest follows in the length's
/// own code.
constexpr std::uint32_t kLongLiterals = 3;
constexpr std::uint32_t kLongMatch = 15;
/// The offset value that a command can hold: the distance used last. Others follow.
constexpr std::uint32_t kCommandOffset = 1;

/// What a command says of a sequence.
struct Command {
  std::uint32_t literals;  ///< at most kLongLiterals
  std::uint32_t match;     ///< value; at most kLongMatch
  bool repeats;            ///< the offset value is kCommandOffset
};

PRESSO_HD constexpr Command command_of(std::uint32_t symbol) {
  return {symbol >> 4 & 3, symbol & 15, symbol >> 6 != 0};
}

/// The encoder's, of a sequence's three values.
constexpr std::uint32_t command_symbol(std::uint32_t literals, std::uint32_t match,
                                       std::uint32_t offset) {
  return (offset == kCommandOffset ? 1u << 6 : 0u) |
         (literals < kLongLiterals ? literals : kLongLiterals) << 4 |
         (match < kLongMatch ? match : kLongMatch);
}

/// Whether something in this alphabet, one after kCommands, follows a command.
PRESSO_HD constexpr bool leads_to(std::uint32_t command_symbol, std::uint32_t alphabet) {
  const Command command = command_of(command_symbol);
  if (alphabet == kLiteralLengths) return command.literals == kLongLiterals;
  if (alphabet == kMatchLengths) return command.match == kLongMatch;
  return !command.repeats;
}

// --- The code of the list of lengths ------------------------------------------------------------
constexpr std::uint32_t kListSymbols = 16;
constexpr unsigned kListLimit = 7;
constexpr unsigned kListLengthBits = 3;
constexpr std::uint32_t kRepeatLength = 13;
constexpr std::uint32_t kFewZeros = 14;
constexpr std::uint32_t kManyZeros = 15;

struct Run {
  std::uint32_t least;
  unsigned extra_bits;
};
PRESSO_HD constexpr Run run_of(std::uint32_t list_symbol) {
  return list_symbol == kRepeatLength ? Run{3, 2}
                                      : (list_symbol == kFewZeros ? Run{3, 3} : Run{11, 7});
}

// --- Classes ------------------------------------------------------------------------------------
struct ClassOf {
  std::uint32_t symbol;
  std::uint32_t extra_bits;
};

/// The encoder's. Small values are their own symbols: they have no bits beyond the mantissa.
constexpr ClassOf class_of(std::uint32_t value, unsigned mantissa) {
  const unsigned log2 = 31 - static_cast<unsigned>(std::countl_zero(value | 1u << mantissa));
  const unsigned extra = log2 - mantissa;
  return {(extra << mantissa) + (value >> extra), extra};
}

/// A class means the values from top << extra_bits on.
struct ClassValue {
  std::uint32_t top;
  std::uint32_t extra_bits;
};

PRESSO_HD constexpr ClassValue value_of(std::uint32_t symbol, unsigned mantissa) {
  if (symbol < 2u << mantissa) return {symbol, 0};
  return {(1u << mantissa) + (symbol & ((1u << mantissa) - 1)), (symbol >> mantissa) - 1};
}

// --- Code words ---------------------------------------------------------------------------------

/// The lowest `count` bits in reverse; count at most 16.
PRESSO_HD constexpr std::uint32_t reversed(std::uint32_t bits, unsigned count) {
  bits = (bits & 0x5555u) << 1 | (bits >> 1 & 0x5555u);
  bits = (bits & 0x3333u) << 2 | (bits >> 2 & 0x3333u);
  bits = (bits & 0x0F0Fu) << 4 | (bits >> 4 & 0x0F0Fu);
  bits = (bits & 0x00FFu) << 8 | (bits >> 8 & 0x00FFu);
  return bits >> (16 - count);
}

/// Symbols up to the last one that has a word; most alphabets end in many without.
PRESSO_HD inline std::uint32_t used_symbols(const Byte* lengths, std::uint32_t symbols) {
  while (symbols > 0 && lengths[symbols - 1] == 0) --symbols;
  return symbols;
}

enum class Shape { kEmpty, kSingle, kComplete, kBad };

/// Counts words by length; `counts` has room for limit + 1. kBad where a length is above the limit
/// or the lengths make no code that FORMAT.md 13.4 allows.
PRESSO_HD inline Shape shape_of(const Byte* lengths, std::uint32_t symbols, unsigned limit,
                                std::uint32_t* counts) {
  symbols = used_symbols(lengths, symbols);
  for (unsigned length = 0; length <= limit; ++length) counts[length] = 0;
  for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) {
    if (lengths[symbol] > limit) return Shape::kBad;
    ++counts[lengths[symbol]];
  }
  if (counts[0] == symbols) return Shape::kEmpty;
  if (counts[0] == symbols - 1) return counts[1] == 1 ? Shape::kSingle : Shape::kBad;
  std::uint32_t used = 0;  // in units of 2^-limit
  for (unsigned length = 1; length <= limit; ++length) used += counts[length] << (limit - length);
  return used == 1u << limit ? Shape::kComplete : Shape::kBad;
}

/// The first word of each length, from the counts of a complete code; `next` like `counts`.
PRESSO_HD inline void first_words(const std::uint32_t* counts, unsigned limit,
                                  std::uint32_t* next) {
  std::uint32_t word = 0;
  for (unsigned length = 1; length <= limit; ++length) {
    next[length] = word;
    word = (word + counts[length]) << 1;
  }
}

// --- Lanes --------------------------------------------------------------------------------------
constexpr std::uint32_t kLiteralsTogether = 4;

/// Sequences of all lanes but the last ones.
PRESSO_HD constexpr std::uint32_t run_length(std::uint32_t sequences, unsigned lanes_log2) {
  return (sequences + (1u << lanes_log2) - 1) >> lanes_log2;
}

/// How many of `literals` a lane has.
PRESSO_HD constexpr std::uint32_t literals_of_lane(std::uint32_t literals, unsigned lanes_log2,
                                                   std::uint32_t lane) {
  const std::uint32_t round = kLiteralsTogether << lanes_log2;
  const std::uint32_t rest = literals % round;
  const std::uint32_t before = lane * kLiteralsTogether;
  const std::uint32_t more = rest <= before ? 0 : rest - before;
  return literals / round * kLiteralsTogether +
         (more < kLiteralsTogether ? more : kLiteralsTogether);
}

}  // namespace presso::bit
