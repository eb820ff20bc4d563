// SPDX-License-Identifier: MIT
// What encoder and decoders of the Bit coding share (FORMAT.md 13): its five alphabets, the classes
// by which large values are written, canonical Huffman code words (called words here) from their
// lengths alone, and how work is divided among lanes. A lane is one of 2^lanes_log2 streams of bits
// in a block that are decoded apart from each other; the other layout has sub-blocks in their
// place, runs of a few sequences (13.7). Everything is constexpr or inline, allocates nothing, and
// runs on CPUs and GPUs alike. The encoder chooses the lengths of words
// (compress/encode/huffman_lengths.h).
// Tested by tests/unit/compress/bit_code_test.cpp.
#pragma once

#include <bit>
#include <cstdint>

#include "format/host_device.h"
#include "presso/wire.h"

namespace presso::bit {

/// The kinds of symbols, in the order in which a block's head lists the lengths of their words.
enum Alphabet : std::uint32_t {
  // Each literal byte is a symbol.
  kLiterals,
  // Commands pack the short part of a sequence: literal length, match length, "last distance
  // again".
  kCommands,
  // Literal lengths of kLongLiterals and more, less kLongLiterals.
  kLiteralLengths,
  // Match lengths of kLongMatch and more, less kLongMatch.
  kMatchLengths,
  // Distances, and 1 to 3 for one of the last three (kRepeats).
  kOffsets,
  // The number of alphabets.
  kAlphabets
};

constexpr std::uint32_t kLiteralSymbols = 256;
constexpr std::uint32_t kCommandSymbols = 128;
constexpr std::uint32_t kLengthSymbols = 160;  ///< values below 2^22
constexpr std::uint32_t kOffsetSymbols = 92;   ///< values below 2^24
constexpr std::uint32_t kListedSymbols =
    kLiteralSymbols + kCommandSymbols + 2 * kLengthSymbols + kOffsetSymbols;

/// How many bits of a value after its leading one are part of its class (class_of()), and so of the
/// symbol: more for lengths, where small differences change the frequency, than for distances.
constexpr unsigned kLengthMantissa = 3;
constexpr unsigned kOffsetMantissa = 2;

/// Where an alphabet's lengths begin in the list of the lengths of all alphabets.
PRESSO_HD constexpr std::uint32_t first_symbol(std::uint32_t alphabet) {
  if (alphabet <= kCommands) return alphabet * kLiteralSymbols;
  return kLiteralSymbols + kCommandSymbols + (alphabet - kLiteralLengths) * kLengthSymbols;
}
/// The number of symbols of an alphabet.
PRESSO_HD constexpr std::uint32_t symbols_of(std::uint32_t alphabet) {
  if (alphabet <= kCommands) return alphabet == kLiterals ? kLiteralSymbols : kCommandSymbols;
  return alphabet == kOffsets ? kOffsetSymbols : kLengthSymbols;
}
/// One of a block's Huffman codes: its symbols as a range of the list of all lengths, and the
/// length that no word exceeds. With lanes there is a code for each alphabet. With sub-blocks there
/// are two: one for literals and match lengths together, where the unused alphabets between them
/// are zeros in the list, and one for offsets.
struct Code {
  std::uint32_t first;
  std::uint32_t symbols;
  unsigned limit;
};
/// The number of codes in a block of this layout.
PRESSO_HD constexpr std::uint32_t codes_of(const BitFields& fields) {
  return fields.layout == kLaneLayout ? std::uint32_t{kAlphabets} : 2;
}
/// The code with this number, which is below codes_of().
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

/// Offset values up to this are no distances: 0 is no match, 1 to 3 are the distances used last in
/// the sub-stream. A greater value v is the distance v - kRepeats. A sub-stream begins with
/// kFirstDistances, the first of them as the last one used.
constexpr std::uint32_t kRepeats = 3;
constexpr std::uint32_t kFirstDistances[kRepeats] = {1, 2, 4};

// --- Commands -----------------------------------------------------------------------------------
/// Lengths that are smaller than these are told by the command alone. A command that has the
/// value itself means "at least": the rest follows in that length's own alphabet.
constexpr std::uint32_t kLongLiterals = 3;
constexpr std::uint32_t kLongMatch = 15;
/// The only offset value that a command can tell: 1, the distance used last. Any other follows
/// in kOffsets.
constexpr std::uint32_t kCommandOffset = 1;

/// What the decoder learns of a sequence from its command.
struct Command {
  std::uint32_t literals;  ///< at most kLongLiterals
  std::uint32_t match;     ///< match length less the block's min_match; at most kLongMatch
  bool repeats;            ///< the offset value is kCommandOffset
};

/// Takes a symbol of kCommands apart.
PRESSO_HD constexpr Command command_of(std::uint32_t symbol) {
  return {symbol >> 4 & 3, symbol & 15, symbol >> 6 != 0};
}

/// The inverse of command_of(), for encoders.
constexpr std::uint32_t command_symbol(std::uint32_t literals, std::uint32_t match,
                                       std::uint32_t offset) {
  return (offset == kCommandOffset ? 1u << 6 : 0u) |
         (literals < kLongLiterals ? literals : kLongLiterals) << 4 |
         (match < kLongMatch ? match : kLongMatch);
}

/// Whether a symbol of `alphabet` (kLiteralLengths, kMatchLengths or kOffsets) follows this
/// command.
PRESSO_HD constexpr bool leads_to(std::uint32_t command_symbol, std::uint32_t alphabet) {
  const Command command = command_of(command_symbol);
  if (alphabet == kLiteralLengths) return command.literals == kLongLiterals;
  if (alphabet == kMatchLengths) return command.match == kLongMatch;
  return !command.repeats;
}

// --- The code of the list of lengths ------------------------------------------------------------
/// The lengths of all words are themselves written in a small Huffman code of 16 symbols: a
/// length of 0 to 12, or a run of equal lengths. This is the scheme of DEFLATE's code length
/// codes (RFC 1951, 3.2.7) with other run lengths.
constexpr std::uint32_t kListSymbols = 16;
constexpr unsigned kListLimit = 7;
constexpr unsigned kListLengthBits = 3;
// The last length again, 3 to 6 times.
constexpr std::uint32_t kRepeatLength = 13;
// Zeros: 3 to 10 with kFewZeros, 11 to 138 with kManyZeros.
constexpr std::uint32_t kFewZeros = 14;
constexpr std::uint32_t kManyZeros = 15;

/// How many repetitions a run symbol stands for: `least` plus a number of `extra_bits` bits.
struct Run {
  std::uint32_t least;
  unsigned extra_bits;
};
PRESSO_HD constexpr Run run_of(std::uint32_t list_symbol) {
  return list_symbol == kRepeatLength ? Run{3, 2}
                                      : (list_symbol == kFewZeros ? Run{3, 3} : Run{11, 7});
}

// --- Classes ------------------------------------------------------------------------------------
/// A value's symbol and the number of low bits that are written after it, unchanged.
struct ClassOf {
  std::uint32_t symbol;
  std::uint32_t extra_bits;
};

/// The encoder's half: a value is its leading one, `mantissa` bits below that, and the rest as
/// extra bits. Values below 2 << mantissa are their own symbols. The symbols' number grows by 1
/// << mantissa for each doubling of the value.
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

/// The decoder's half: what a symbol of kLiteralLengths, kMatchLengths or kOffsets means.
PRESSO_HD constexpr ClassValue value_of(std::uint32_t symbol, unsigned mantissa) {
  if (symbol < 2u << mantissa) return {symbol, 0};
  return {(1u << mantissa) + (symbol & ((1u << mantissa) - 1)), (symbol >> mantissa) - 1};
}

// --- Code words ---------------------------------------------------------------------------------

/// The lowest `count` bits in reverse order; count is at most 16. Words are stored with their
/// first bit lowest, as readers take bits from the low end.
PRESSO_HD constexpr std::uint32_t reversed(std::uint32_t bits, unsigned count) {
  bits = (bits & 0x5555u) << 1 | (bits >> 1 & 0x5555u);
  bits = (bits & 0x3333u) << 2 | (bits >> 2 & 0x3333u);
  bits = (bits & 0x0F0Fu) << 4 | (bits >> 4 & 0x0F0Fu);
  bits = (bits & 0x00FFu) << 8 | (bits >> 8 & 0x00FFu);
  return bits >> (16 - count);
}

/// How many symbols there are up to the last one that has a word; most alphabets end in many
/// without.
PRESSO_HD inline std::uint32_t used_symbols(const Byte* lengths, std::uint32_t symbols) {
  while (symbols > 0 && lengths[symbols - 1] == 0) --symbols;
  return symbols;
}

/// What a list of lengths makes: no word at all, one symbol (whose word has 0 bits), a complete
/// prefix code, or none that is allowed.
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

/// Canonical Huffman words (Schwartz and Kallick, 1964): words of one length are consecutive
/// numbers in the order of symbols, so lengths tell all. Writes the first word of each length
/// to `next`, which has room like `counts`. The code must be complete.
PRESSO_HD inline void first_words(const std::uint32_t* counts, unsigned limit,
                                  std::uint32_t* next) {
  std::uint32_t word = 0;
  for (unsigned length = 1; length <= limit; ++length) {
    next[length] = word;
    word = (word + counts[length]) << 1;
  }
}

// --- Lanes --------------------------------------------------------------------------------------
/// Literals go to lanes in turns of four, which is one 32-bit store of a GPU's thread.
constexpr std::uint32_t kLiteralsTogether = 4;

/// How many consecutive sequences each lane has, except the last lanes, which have fewer or none.
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
