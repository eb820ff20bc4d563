// SPDX-License-Identifier: MIT
// BitTables builds the look-up tables of the fast Bit decoders from a block's Huffman codes, anew
// for each block; codes that are not valid are kBadTree. Code words are stored with the bit order
// of a stream, so a word of n bits owns every 2^n-th entry. A code with one symbol owns all
// entries, with no bits; a code without symbols is filled with symbol 0, and is never looked up.
#include "decompress/cpu/bit_tables.h"

#include <algorithm>
#include <bit>

#include "format/bit_list.h"

namespace presso {
namespace {

/// By how many bits the commands' table is indexed at least, depending on a block's sequences:
/// larger tables save time for each sequence and cost some for each block (NOTES.md). 0: the table
/// is not extended by the long lengths that follow a command.
unsigned command_index_bits(std::uint32_t sequences) {
  if (sequences < 300) return 0;
  return sequences < 4096 ? 9 : (sequences < 16384 ? 10 : kMaxCommandIndex);
}
constexpr std::uint32_t kLongestInEntry = 1u << 15;  ///< match value that an entry can hold

/// A literal and the length of its word.
LiteralEntry literal_entry(std::uint32_t symbol, unsigned length) {
  return static_cast<LiteralEntry>(symbol << 8 | length);
}

/// A command as FORMAT.md 13 numbers them, without what may follow.
CommandEntry command_entry(std::uint32_t symbol, unsigned length) {
  const bit::Command command = bit::command_of(symbol);
  CommandEntry entry{};
  entry.match = static_cast<std::uint16_t>(command.match);
  entry.literals = static_cast<std::uint8_t>(command.literals);
  entry.bits = static_cast<std::uint8_t>(length);
  entry.no_offset = command.repeats ? kNoTable : std::int8_t{0};
  entry.is_long =
      command.literals == bit::kLongLiterals || command.match == bit::kLongMatch ? 1 : 0;
  return entry;
}

/// A class of values: its upper bits, and how many extra bits follow the word.
ValueEntry value_entry(std::uint32_t symbol, unsigned length, unsigned mantissa) {
  const bit::ClassValue value = bit::value_of(symbol, mantissa);
  return {value.top << value.extra_bits, static_cast<std::uint16_t>(length | value.extra_bits << 8),
          static_cast<std::uint16_t>(length + value.extra_bits)};
}

/// Length of the longest word of an alphabet; 0 if it has none.
unsigned longest(const Byte* lengths, std::uint32_t alphabet) {
  // Symbols after the last used one have no length in the list.
  const Byte* const first = lengths + bit::first_symbol(alphabet);
  const std::uint32_t used = bit::used_symbols(first, bit::symbols_of(alphabet));
  return used == 0 ? 0 : *std::max_element(first, first + used);
}

/// The symbols that have words, in the order of their words: a counting sort by length.
class SymbolsByWord {
 public:
  SymbolsByWord(const Byte* lengths, std::uint32_t symbols) {
    std::array<std::uint32_t, kMaxLiteralLimit + 2> begins{};
    // begins[n + 1] counts words of n bits, then becomes where they begin.
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

/// The word after `word`, in the order of words of `length` bits; both are bit-reversed.
/// Meaningless for the last word.
std::uint32_t next_word(std::uint32_t word, unsigned length) {
  // Adding one to a bit-reversed number: the highest 0 becomes 1, all ones above it 0.
  const std::uint32_t free = ~word & ((1u << length) - 1);
  const std::uint32_t top = std::bit_floor(free);
  return (word & (top - 1)) | top;
}

/// Fills 2^bits entries; make(symbol, length) makes the entry of a word. Words of n bits are
/// put into a table of 2^n, which is doubled when longer ones come: so the work is one copy of
/// the table.
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
  // A table of 2^length entries is complete at each step.
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

// Values share one index width, that of their longest word, so that one mask serves all three
// tables.
Status BitTables::read(const BlockHeader& header, const Byte* payload) {
  std::array<Byte, bit::kListedSymbols> lengths;
  std::array<bit::Shape, bit::kAlphabets> shapes;
  if (!bit::read_codes(header, payload, lengths.data(), shapes.data())) {
    return make_error(ErrorCode::kBadTree);
  }
  // A block has either lanes, with a code for each of the five alphabets, or sub-blocks (FORMAT.md
  // 13.7), with two codes: one for literals and match lengths together, and one for offsets.
  is_joint_ = header.bit.layout != kLaneLayout;
  if (is_joint_) {
    fill_joint(lengths.data(), shapes.data());
    return {};
  }
  literal_bits_ = longest(lengths.data(), bit::kLiterals);
  command_bits_ = longest(lengths.data(), bit::kCommands);
  value_bits_ = 0;
  for (std::uint32_t alphabet = bit::kLiteralLengths; alphabet < bit::kAlphabets; ++alphabet) {
    value_bits_ = std::max(value_bits_, longest(lengths.data(), alphabet));
  }
  const auto fill_one = [&](std::uint32_t alphabet, unsigned bits, auto* entries, auto make) {
    fill(lengths.data() + bit::first_symbol(alphabet), bit::symbols_of(alphabet), shapes[alphabet],
         bits, entries, make);
  };
  const auto fill_values = [&](std::uint32_t alphabet, ValueEntry* entries) {
    fill_one(alphabet, value_bits_, entries, [&](std::uint32_t symbol, unsigned length) {
      return value_entry(symbol, length, bit::mantissa_of(alphabet));
    });
  };
  fill_one(bit::kLiterals, literal_bits_, literals_.data(), literal_entry);
  // Index kNoTable (-1) selects the entry before a table. The decoder takes it where a command is
  // not followed by a length of this kind: it adds 0 and consumes no bits.
  literal_lengths_[0] = match_lengths_[0] = {0, 0, 0};
  fill_values(bit::kLiteralLengths, literal_lengths_.data() + 1);
  fill_values(bit::kMatchLengths, match_lengths_.data() + 1);
  const unsigned extended = command_index_bits(header.sequences);
  command_bits_ = std::max(command_bits_, extended);
  fill_one(bit::kCommands, command_bits_, commands_.data(), command_entry);
  if (extended > 0) extend_commands();
  // The entry before the table, for commands that tell the offset themselves: it is always
  // kCommandOffset, the distance used last, and consumes no bits.
  offsets_[0] = {bit::kCommandOffset, 0, 0};
  fill_values(bit::kOffsets, offsets_.data() + 1);
  return {};
}

/// Includes the lengths that follow a long command in its entry, if the index holds all of
/// their words.
void BitTables::extend_commands() {
  for (std::uint32_t bits = 0; bits < 1u << command_bits_; ++bits) {
    if (commands_[bits].is_long != 0) extend(commands_[bits], bits);
  }
}

// Leaves the entry as it was unless everything fits: it is replaced as a whole at the end.
void BitTables::extend(CommandEntry& to, std::uint32_t bits) const {
  // The bits after the command index the tables of lengths.
  const std::uint32_t mask = (1u << value_bits_) - 1;
  CommandEntry entry = to;
  if (entry.literals == bit::kLongLiterals) {
    const ValueEntry& more = literal_lengths_[1 + (bits >> entry.bits & mask)];
    // Literal lengths with extra bits would need a second extraction, so they stay out.
    const bool has_extra_bits = more.extra >> 8 != 0;
    if (entry.bits + more.bits > command_bits_ || has_extra_bits) return;
    entry.literals = static_cast<std::uint8_t>(entry.literals + more.base);
    entry.bits = static_cast<std::uint8_t>(entry.bits + more.bits);
  }
  if (entry.match == bit::kLongMatch) {
    const ValueEntry& more = match_lengths_[1 + (bits >> entry.bits & mask)];
    const std::uint32_t word = more.extra & 0xFF;
    if (entry.bits + word > command_bits_ || more.base >= kLongestInEntry) return;
    entry.match = static_cast<std::uint16_t>(entry.match + more.base);
    entry.extra = static_cast<std::uint16_t>(more.extra + entry.bits);
    entry.bits = static_cast<std::uint8_t>(entry.bits + more.bits);
  }
  entry.is_long = 0;
  to = entry;
}

/// The tables of sub-blocks, which have two codes; the first is for literals and match lengths.
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
  fill(lengths + offsets, bit::kOffsetSymbols, shapes[1], value_bits_, offsets_.data() + 1,
       [](std::uint32_t symbol, unsigned length) {
         return value_entry(symbol, length, bit::kOffsetMantissa);
       });
}

// The arrays of lengths and offsets begin with the entry for index kNoTable (-1), so the job gets
// the address of their second entry.
void BitTables::use(BitBlockJob& job) const {
  job.joint_table = is_joint_ ? joint_.data() : nullptr;
  job.literal_table = literals_.data();
  job.literal_mask = (1u << literal_bits_) - 1;
  job.command_mask = (1u << command_bits_) - 1;
  job.value_mask = (1u << value_bits_) - 1;
  job.command_table = commands_.data();
  job.literal_length_table = literal_lengths_.data() + 1;
  job.match_length_table = match_lengths_.data() + 1;
  job.offset_table = offsets_.data() + 1;
}

}  // namespace presso
