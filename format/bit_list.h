// SPDX-License-Identifier: MIT
// Reads what a Bit block's head says of its codes (FORMAT.md 13.4): about 150 symbols of a small
// code, one after another. For CPU and GPU, no allocation; safe on any input.
// Tested by tests/unit/compress/bit_code_test.cpp and the files in tests/golden/bad.
#pragma once

#include <cstring>

#include "format/bit_code.h"
#include "format/block_header.h"
#include "format/host_device.h"
#include "presso/bytes.h"

namespace presso::bit {

/// Bits from a byte array, lowest first. Behind the end there are zeros; left() is negative then.
class BitReader {
 public:
  PRESSO_HD BitReader(const Byte* data, std::uint32_t bytes, std::uint32_t first_bit)
      : data_(data), bytes_(bytes), at_(first_bit) {}

  /// The next 16 bits at least.
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

/// The list's own code: for each of the next 7 bits the symbol and its length.
class ListCode {
 public:
  /// False where the lengths that `from` begins with make no code.
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

  PRESSO_HD std::uint32_t take(BitReader& from) const {
    const Byte entry = entries_[from.peek() & ((1u << kListLimit) - 1)];
    from.skip(entry & 15);
    return entry >> 4;
  }

 private:
  Byte entries_[1u << kListLimit];
};

/// Fills `lengths` (kListedSymbols); false where there is no such list. Checks neither the codes'
/// limits nor their shapes.
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

/// Whether there may be symbols of a lane's code; `lengths` are those of all alphabets.
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

/// Everything in the head after the sizes: fills `lengths`, and `shapes` by code (kAlphabets at
/// most). False: kBadTree.
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
