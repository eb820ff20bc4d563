// SPDX-License-Identifier: MIT
// Words are the bits as a stream has them, so that a word of n bits owns every 2^n-th entry. A code
// of one symbol owns all, with no bits; so does, with symbol 0, a code without symbols, which is
// never looked up.
#include "decompress/cpu/bit_tables.h"

#include <algorithm>
#include <bit>

#include "format/bit_list.h"

namespace presso {
namespace {

LiteralEntry literal_entry(std::uint32_t symbol, unsigned length) {
  return static_cast<LiteralEntry>(symbol << 8 | length);
}

ValueEntry value_entry(std::uint32_t symbol, unsigned length, unsigned mantissa) {
  const bit::ClassValue value = bit::value_of(symbol, mantissa);
  return {value.top << value.extra_bits, static_cast<std::uint16_t>(length | value.extra_bits << 8),
          static_cast<std::uint16_t>(length + value.extra_bits)};
}

unsigned longest(const Byte* lengths, std::uint32_t alphabet) {
  const Byte* const first = lengths + bit::first_symbol(alphabet);
  const std::uint32_t used = bit::used_symbols(first, bit::symbols_of(alphabet));
  return used == 0 ? 0 : *std::max_element(first, first + used);
}

/// The symbols that have words, in the order of their words.
class SymbolsByWord {
 public:
  SymbolsByWord(const Byte* lengths, std::uint32_t symbols) {
    std::array<std::uint32_t, kMaxLiteralLimit + 2> begins{};
    symbols = bit::used_symbols(lengths, symbols);
    for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) ++begins[lengths[symbol] + 1u];
    count_ = symbols - begins[1];
    begins[1] = 0;
    for (std::size_t length = 1; length < begins.size(); ++length) {
      begins[length] += begins[length - 1];
    }
    for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) {
      if (lengths[symbol] == 0) continue;
      sorted_[begins[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
    }
  }

  const std::uint16_t* begin() const { return sorted_.data(); }
  const std::uint16_t* end() const { return sorted_.data() + count_; }

 private:
  std::uint32_t count_;
  std::array<std::uint16_t, bit::kListedSymbols> sorted_;
};

/// The word after `word` in the order of words of `length` bits, both reversed; any for the last.
std::uint32_t next_word(std::uint32_t word, unsigned length) {
  const std::uint32_t free = ~word & ((1u << length) - 1);
  const std::uint32_t top = std::bit_floor(free);
  return (word & (top - 1)) | top;
}

/// Fills 2^bits entries; make(symbol, length) is a word's. Words of n bits are put into a table of
/// 2^n; what is there belongs to longer ones too, and is doubled when they come.
template <class Entry, class Make>
void fill(const Byte* lengths, std::uint32_t symbols, bit::Shape shape, unsigned bits,
          Entry* entries, Make&& make) {
  if (shape != bit::Shape::kComplete) {
    const Byte* const single = std::find(lengths, lengths + symbols, Byte{1});
    const auto symbol =
        shape == bit::Shape::kSingle ? static_cast<std::uint32_t>(single - lengths) : 0u;
    std::fill_n(entries, std::size_t{1} << bits, make(symbol, 0u));
    return;
  }
  unsigned length = 0;
  const auto grow_to = [&](unsigned more) {
    for (; length < more; ++length) std::copy_n(entries, 1u << length, entries + (1u << length));
  };
  std::uint32_t word = 0;
  entries[0] = Entry{};
  for (const std::uint16_t symbol : SymbolsByWord(lengths, symbols)) {
    grow_to(lengths[symbol]);
    entries[word] = make(symbol, length);
    word = next_word(word, length);
  }
  grow_to(bits);
}

}  // namespace

Status BitTables::read(const BlockHeader& header, const Byte* payload) {
  std::array<Byte, bit::kListedSymbols> lengths;
  std::array<bit::Shape, bit::kAlphabets> shapes;
  if (!bit::read_codes(header, payload, lengths.data(), shapes.data())) {
    return make_error(ErrorCode::kBadTree);
  }
  is_joint_ = header.bit.layout != kLaneLayout;
  if (is_joint_) {
    fill_joint(lengths.data(), shapes.data());
    return {};
  }
  literal_bits_ = longest(lengths.data(), bit::kLiterals);
  value_bits_ = 0;
  for (std::uint32_t alphabet = 1; alphabet < bit::kAlphabets; ++alphabet) {
    value_bits_ = std::max(value_bits_, longest(lengths.data(), alphabet));
  }
  fill(lengths.data(), bit::kLiteralSymbols, shapes[bit::kLiterals], literal_bits_,
       literals_.data(), literal_entry);
  for (std::uint32_t alphabet = 1; alphabet < bit::kAlphabets; ++alphabet) {
    fill(lengths.data() + bit::first_symbol(alphabet), bit::symbols_of(alphabet), shapes[alphabet],
         value_bits_, values_[alphabet - 1].data(), [&](std::uint32_t symbol, unsigned length) {
           return value_entry(symbol, length, bit::mantissa_of(alphabet));
         });
  }
  return {};
}

/// The tables of sub-blocks: two codes, the first for literals and match lengths.
void BitTables::fill_joint(const Byte* lengths, const bit::Shape* shapes) {
  const std::uint32_t matches = bit::first_symbol(bit::kMatchLengths);
  const std::uint32_t offsets = bit::first_symbol(bit::kOffsets);
  literal_bits_ = std::max(longest(lengths, bit::kLiterals), longest(lengths, bit::kMatchLengths));
  value_bits_ = longest(lengths, bit::kOffsets);
  fill(lengths, offsets, shapes[0], literal_bits_, joint_.data(),
       [&](std::uint32_t symbol, unsigned length) {
         if (symbol >= matches) return value_entry(symbol - matches, length, bit::kLengthMantissa);
         const auto bits = static_cast<std::uint16_t>(length);
         return ValueEntry{symbol | kLiteralMark, bits, bits};
       });
  fill(lengths + offsets, bit::kOffsetSymbols, shapes[1], value_bits_, values_[2].data(),
       [](std::uint32_t symbol, unsigned length) {
         return value_entry(symbol, length, bit::kOffsetMantissa);
       });
}

void BitTables::use(BitBlockJob& job) const {
  job.joint_table = is_joint_ ? joint_.data() : nullptr;
  job.literal_table = literals_.data();
  job.literal_mask = (1u << literal_bits_) - 1;
  job.value_mask = (1u << value_bits_) - 1;
  for (std::size_t i = 0; i < values_.size(); ++i) job.value_tables[i] = values_[i].data();
}

}  // namespace presso
