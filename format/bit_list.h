// SPDX-License-Identifier: MIT
// Reads the list that gives the length of each code word at the head of a Bit block (FORMAT.md
// 13.4): about 150 symbols of a small Huffman code, one after another, so it cannot be done in
// parallel. On GPUs one thread of a thread block does it. No allocation; safe on any input:
// whatever the bytes are, it ends, stays within its arrays and answers false for a list that is not
// valid.
// Tested by tests/unit/compress/bit_code_test.cpp and the files in tests/golden/bad.
#pragma once

#include <cstring>

#include "format/bit_code.h"
#include "format/block_header.h"
#include "format/host_device.h"
#include "presso/bytes.h"

namespace presso::bit {

/// Takes bits from a byte array, the lowest of a byte first. After the end it gives zeros; left()
/// is negative then, which callers check once at the end instead of at each bit.
class BitReader {
 public:
  PRESSO_HD BitReader(const Byte* data, std::uint32_t bytes, std::uint32_t first_bit)
      : data_(data), bytes_(bytes), at_(first_bit) {}

  /// At least the next 16 bits, from the lowest bit on, without taking them.
  PRESSO_HD std::uint32_t peek() const {
    const std::uint32_t byte = at_ / 8;
    std::uint32_t bits = 0;
    if (byte + sizeof bits <= bytes_) {
      std::memcpy(&bits, data_ + byte, sizeof bits);
      return bits >> at_ % 8;
    }
    for (std::uint32_t i = 0; i < 3 && byte + i < bytes_; ++i) {
      bits |= std::uint32_t{data_[byte + i]} << (8 * i);
    }
    return bits >> at_ % 8;
  }
  PRESSO_HD void skip(unsigned count) { at_ += count; }
  /// `count` at most 16.
  PRESSO_HD std::uint32_t take(unsigned count) {
    const std::uint32_t bits = peek() & ((1u << count) - 1);
    skip(count);
    return bits;
  }
  PRESSO_HD std::uint32_t at() const { return at_; }
  PRESSO_HD std::int64_t left() const { return std::int64_t{8} * bytes_ - at_; }

 private:
  const Byte* data_;
  std::uint32_t bytes_;
  std::uint32_t at_;
};

/// The list's own code as a table of 128 entries: for each value of the next 7 bits, the symbol
/// and the length of its word.
class ListCode {
 public:
  /// Fills the table from the lengths that `from` begins with; false where they make no code.
  PRESSO_HD bool read(BitReader& from) {
    Byte lengths[kListSymbols];
    for (Byte& length : lengths) length = static_cast<Byte>(from.take(kListLengthBits));
    std::uint32_t counts[kListLimit + 1];
    std::uint32_t next[kListLimit + 1];
    const Shape shape = shape_of(lengths, kListSymbols, kListLimit, counts);
    if (shape != Shape::kComplete && shape != Shape::kSingle) return false;
    first_words(counts, kListLimit, next);
    for (std::uint32_t symbol = 0; symbol < kListSymbols; ++symbol) {
      if (lengths[symbol] == 0) continue;
      const unsigned length = shape == Shape::kSingle ? 0 : lengths[symbol];
      const std::uint32_t word = length > 0 ? reversed(next[length]++, length) : 0;
      for (std::uint32_t at = word; at < 1u << kListLimit; at += 1u << length) {
        entries_[at] = static_cast<Byte>(symbol << 4 | length);
      }
    }
    return true;
  }

  /// Takes one word and returns its symbol.
  PRESSO_HD std::uint32_t take(BitReader& from) const {
    const Byte entry = entries_[from.peek() & ((1u << kListLimit) - 1)];
    from.skip(entry & 15);
    return entry >> 4;
  }

 private:
  Byte entries_[1u << kListLimit];
};

/// Fills `lengths` (kListedSymbols of them). False where the stored bits are no valid list. The
/// lengths are not compared with the codes' limits here; read_codes() does that.
PRESSO_HD inline bool read_list(BitReader& from, Byte* lengths) {
  ListCode code;
  if (!code.read(from)) return false;
  for (std::uint32_t done = 0; done < kListedSymbols;) {
    const std::uint32_t symbol = code.take(from);
    if (symbol < kRepeatLength) {
      lengths[done++] = static_cast<Byte>(symbol);
      continue;
    }
    if (symbol == kRepeatLength && done == 0) return false;
    const Byte length = symbol == kRepeatLength ? lengths[done - 1] : Byte{0};
    std::uint32_t count = run_of(symbol).least + from.take(run_of(symbol).extra_bits);
    if (count > kListedSymbols - done) return false;
    for (; count > 0; --count) lengths[done++] = length;
  }
  return true;
}

/// For a block with lanes: whether any symbol of `alphabet` can occur, so that its code must not be
/// empty. `lengths`: those of all alphabets.
PRESSO_HD inline bool may_occur(const BlockHeader& header, const Byte* lengths,
                                std::uint32_t alphabet) {
  if (alphabet == kLiterals) return header.literals > 0;
  if (alphabet == kCommands) return header.sequences > 0;
  const Byte* const commands = lengths + first_symbol(kCommands);
  for (std::uint32_t symbol = 0; symbol < kCommandSymbols; ++symbol) {
    if (commands[symbol] > 0 && leads_to(symbol, alphabet)) return true;
  }
  return false;
}

/// Reads everything in the head of `payload` after the sizes of the sub-streams: fills `lengths`
/// (kListedSymbols of them), and `shapes` for each code (at most kAlphabets). Returns false, which
/// callers report as kBadTree, for a bad list, bits left over, words where the layout has none, or
/// an empty code that is needed.
PRESSO_HD inline bool read_codes(const BlockHeader& header, const Byte* payload, Byte* lengths,
                                 Shape* shapes) {
  const BitFields& fields = header.bit;
  const std::uint32_t sizes =
      detail::sub_streams_of(header) * (std::uint32_t{fields.size_bits} + fields.count_bits);
  BitReader from(payload, fields.head_bytes, sizes);
  if (!read_list(from, lengths)) return false;
  if (from.left() < 0 || from.left() >= 8 || from.peek() != 0) return false;
  const bool joint = fields.layout != kLaneLayout;
  constexpr std::uint32_t kOfLanes = kCommandSymbols + kLengthSymbols;
  if (joint && used_symbols(lengths + first_symbol(kCommands), kOfLanes) > 0) return false;
  for (std::uint32_t number = 0; number < codes_of(fields); ++number) {
    std::uint32_t counts[kMaxLiteralLimit + 1];
    const Code code = code_of(fields, number);
    shapes[number] = shape_of(lengths + code.first, code.symbols, code.limit, counts);
    if (shapes[number] == Shape::kBad) return false;
    if (shapes[number] != Shape::kEmpty) continue;
    const bool needed = joint ? header.sequences + (number == 0 ? header.literals : 0) > 0
                              : may_occur(header, lengths, number);
    if (needed) return false;
  }
  return true;
}

}  // namespace presso::bit
