// SPDX-License-Identifier: MIT
// BitEncoder makes three passes over the sequences: the first turns distances into offset values,
// which tell where a distance is repeated and depend on where a lane's run begins; the second
// counts all symbols; the third writes bits. The sub-streams are written first and the head
// afterwards, since it holds their sizes. Time is linear in sequences and literals.
//
// Tested by tests/differential/round_trip_test.cpp with every decoder, and by tests/golden.
#include "compress/encode/bit_encoder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "compress/encode/huffman_lengths.h"
#include "compress/encode/literals.h"
#include "compress/parse/last_distances.h"

namespace presso {
namespace {

/// A lane has at most about this many sequences: what a GPU works through while a block of 64 KiB
/// of text is on its way. Each further lane costs 12 bits, and three distances that it cannot
/// repeat (NOTES.md).
constexpr std::uint32_t kSequencesOfLane = 256;
/// A block has 32 lanes, or fewer if a lane would have fewer than kLeastOfLane sequences, or more
/// as above.
constexpr unsigned kUsualLanesLog2 = 5;
constexpr std::uint32_t kLeastOfLane = 4;

/// The number of lanes, as a power of two, by sequences or by fours of literals, whichever are
/// more.
unsigned choose_lanes_log2(std::size_t sequences, std::size_t literals) {
  const auto work =
      static_cast<std::uint32_t>(std::max(sequences, literals / bit::kLiteralsTogether));
  const std::uint32_t most = std::max(work / kLeastOfLane, 1u);
  const std::uint32_t least = (work + kSequencesOfLane - 1) / kSequencesOfLane;
  const unsigned log2 = std::min<unsigned>(std::bit_width(most) - 1, kUsualLanesLog2);
  return std::clamp<unsigned>(std::bit_width(std::max(least, 1u) - 1), log2, kMaxLanesLog2);
}

/// In a block with fewer than kFewSequences sequences, no command's word is longer than
/// kFewCommandLimit: a decoder's table of longer ones would cost more time than they save bytes.
constexpr std::size_t kFewSequences = 4096;
constexpr Byte kFewCommandLimit = 9;

/// One symbol of the list of lengths, with its extra bits.
struct ListItem {
  Byte symbol;
  Byte extra;
};

/// Appends a run symbol with the extra bits that tell how many repetitions it stands for.
void put_run(std::vector<ListItem>& items, std::uint32_t symbol, std::uint32_t count) {
  const std::uint32_t extra = count - bit::run_of(symbol).least;
  items.push_back({static_cast<Byte>(symbol), static_cast<Byte>(extra)});
}

/// The most repetitions that one run symbol can stand for.
std::uint32_t longest_run(std::uint32_t symbol) {
  return bit::run_of(symbol).least + (1u << bit::run_of(symbol).extra_bits) - 1;
}

/// Appends `count` zeros: long runs first; what is too short for a run is written one by one.
void put_zeros(std::vector<ListItem>& items, std::uint32_t count) {
  while (count >= bit::run_of(bit::kManyZeros).least) {
    const std::uint32_t run = std::min(count, longest_run(bit::kManyZeros));
    put_run(items, bit::kManyZeros, run);
    count -= run;
  }
  if (count >= bit::run_of(bit::kFewZeros).least) {
    put_run(items, bit::kFewZeros, std::exchange(count, 0));
  }
  items.insert(items.end(), count, ListItem{0, 0});
}

/// Appends `count` equal lengths: the length itself, then runs of repetitions; what is too short
/// for a run is written one by one.
void put_code_lengths(std::vector<ListItem>& items, Byte length, std::uint32_t count) {
  items.push_back({length, 0});
  for (--count; count >= bit::run_of(bit::kRepeatLength).least;) {
    const std::uint32_t run = std::min(count, longest_run(bit::kRepeatLength));
    put_run(items, bit::kRepeatLength, run);
    count -= run;
  }
  items.insert(items.end(), count, ListItem{length, 0});
}

/// Run-length coding of the lengths of all alphabets, one after another.
std::vector<ListItem> list_lengths(std::span<const Byte> lengths) {
  std::vector<ListItem> items;
  for (auto at = lengths.begin(); at != lengths.end();) {
    const auto end = std::find_if(at, lengths.end(), [&](Byte other) { return other != *at; });
    const auto count = static_cast<std::uint32_t>(end - at);
    *at == 0 ? put_zeros(items, count) : put_code_lengths(items, *at, count);
    at = end;
  }
  return items;
}

// The list is Huffman-coded itself; its own lengths are written with 3 bits each.
void put_list(BitWriter& to, std::span<const Byte> lengths) {
  const std::vector<ListItem> items = list_lengths(lengths);
  std::array<std::uint32_t, bit::kListSymbols> counts{};
  std::array<Byte, bit::kListSymbols> list_lengths{};
  std::array<CodeWord, bit::kListSymbols> words;
  for (const ListItem& item : items) ++counts[item.symbol];
  limited_code_lengths(counts, bit::kListLimit, list_lengths);
  assign_words(list_lengths, words);
  for (const Byte length : list_lengths) to.put(length, bit::kListLengthBits);
  for (const ListItem& item : items) {
    to.put(words[item.symbol].word, words[item.symbol].length);
    if (item.symbol >= bit::kRepeatLength) {
      to.put(item.extra, bit::run_of(item.symbol).extra_bits);
    }
  }
}

/// The class of a value, as a symbol counted through all alphabets.
std::uint32_t symbol_of(std::uint32_t alphabet, std::uint32_t value) {
  return bit::first_symbol(alphabet) + bit::class_of(value, bit::mantissa_of(alphabet)).symbol;
}

/// The match length as the coding stores it: less the minimum, 0 for none.
std::uint32_t match_value(const Sequence& sequence, std::uint32_t min_match) {
  return sequence.match == 0 ? 0 : sequence.match - min_match;
}

}  // namespace

void assign_words(std::span<const Byte> lengths, std::span<CodeWord> words) {
  std::array<std::uint32_t, 16> counts{};
  std::array<std::uint32_t, 16> next{};
  for (const Byte length : lengths) ++counts[length];
  // A code of one symbol takes no bits.
  const bool single = counts[0] + 1 == lengths.size();
  counts[0] = 0;
  bit::first_words(counts.data(), 15, next.data());
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    const Byte length = single ? Byte{0} : lengths[symbol];
    const std::uint32_t word = length > 0 ? bit::reversed(next[length]++, length) : 0;
    words[symbol] = {static_cast<std::uint16_t>(word), length};
  }
}

/// Copies the literals of all sequences one after another, so that they can be dealt out to lanes.
void BitEncoder::gather_literals(Bytes plain, const Sequences& sequences) {
  // There are at most as many literals as plain bytes; the copies write a little past each run.
  literals_.resize_discarding(plain.size());
  const Byte* from = plain.data();
  const Byte* const end = from + plain.size();
  Byte* to = literals_.data();
  for (const Sequence& sequence : sequences) {
    to = copy_literals(to, from, sequence.literals, end);
    from += sequence.literals + sequence.match;
  }
  to = std::copy(from, end, to);
  literals_.resize_discarding(static_cast<std::size_t>(to - literals_.data()));
}

/// Turns distances into offset values. `run`: how many sequences each sub-stream has, which begins
/// with bit::kFirstDistances as the last distances.
void BitEncoder::gather_offsets(const Sequences& sequences, std::uint32_t run) {
  const auto count = static_cast<std::uint32_t>(sequences.size());
  offsets_.resize(count);
  for (std::uint32_t begin = 0; begin < count; begin += run) {
    LastDistances last = std::to_array(bit::kFirstDistances);
    const std::uint32_t end = std::min(begin + run, count);
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::uint32_t distance = sequences[i].distance;
      offsets_[i] = distance == 0 ? 0 : take_distance(distance, last);
    }
  }
}

/// Counts in four tables: if equal literals came one after another, each addition to one table
/// would wait for the one before.
void BitEncoder::count_literals() {
  constexpr std::size_t kTables = 4;
  std::array<std::array<std::uint32_t, bit::kLiteralSymbols>, kTables> tables{};
  const Bytes literals = literals_.bytes();
  const std::size_t even = literals.size() / kTables * kTables;
  for (std::size_t i = 0; i < even; i += kTables) {
    for (std::size_t table = 0; table < kTables; ++table) ++tables[table][literals[i + table]];
  }
  for (std::size_t i = even; i < literals.size(); ++i) ++tables[0][literals[i]];
  for (std::uint32_t symbol = 0; symbol < bit::kLiteralSymbols; ++symbol) {
    for (const auto& table : tables) counts_[symbol] += table[symbol];
  }
}

/// Counts the symbols that lanes have except literals. There is no branch for long matches, which
/// cannot be predicted in structured data.
void BitEncoder::count_commands(const Sequences& sequences, std::uint32_t min_match) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::uint32_t literals = sequences[i].literals;
    const std::uint32_t match = match_value(sequences[i], min_match);
    const std::uint32_t offset = offsets_[i];
    ++counts_[bit::first_symbol(bit::kCommands) + bit::command_symbol(literals, match, offset)];
    if (literals >= bit::kLongLiterals) {
      ++counts_[symbol_of(bit::kLiteralLengths, literals - bit::kLongLiterals)];
    }
    // A short match adds 0 to a count, which is cheaper than a branch.
    const bool is_long = match >= bit::kLongMatch;
    counts_[symbol_of(bit::kMatchLengths, is_long ? match - bit::kLongMatch : 0)] +=
        is_long ? 1 : 0;
    ++counts_[symbol_of(bit::kOffsets, offset)];
  }
  counts_[symbol_of(bit::kOffsets, bit::kCommandOffset)] = 0;  // commands hold it
}

/// Counts the symbols that sub-blocks have except literals.
void BitEncoder::count_values(const Sequences& sequences, std::uint32_t min_match) {
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    ++counts_[symbol_of(bit::kMatchLengths, match_value(sequences[i], min_match))];
    ++counts_[symbol_of(bit::kOffsets, offsets_[i])];
  }
}

/// Chooses the best lengths of words for each code under its limit, and then the words.
void BitEncoder::make_codes(const BitFields& fields) {
  for (std::uint32_t number = 0; number < bit::codes_of(fields); ++number) {
    const bit::Code code = bit::code_of(fields, number);
    const auto lengths = std::span(lengths_).subspan(code.first, code.symbols);
    const auto counts = std::span(counts_).subspan(code.first, code.symbols);
    limited_code_lengths(counts, code.limit, lengths);
    assign_words(lengths, std::span(words_).subspan(code.first, code.symbols));
  }
}

/// A word and its extra bits in one call; together they have at most 30 bits.
template <class Writer>
void BitEncoder::put_value(Writer& to, std::uint32_t alphabet, std::uint32_t value) const {
  const bit::ClassOf value_class = bit::class_of(value, bit::mantissa_of(alphabet));
  const CodeWord word = words_[bit::first_symbol(alphabet) + value_class.symbol];
  const std::uint64_t extra = value & ((1u << value_class.extra_bits) - 1);
  to.put(word.word | extra << word.length, word.length + value_class.extra_bits);
}

/// How many bits everything except the head takes, exactly.
std::uint64_t BitEncoder::coded_bits() const {
  std::uint64_t bits = 0;
  for (std::uint32_t alphabet = 0; alphabet < bit::kAlphabets; ++alphabet) {
    const std::uint32_t first = bit::first_symbol(alphabet);
    for (std::uint32_t symbol = 0; symbol < bit::symbols_of(alphabet); ++symbol) {
      const std::uint32_t extra =
          alphabet < bit::kLiteralLengths
              ? 0
              : bit::value_of(symbol, bit::mantissa_of(alphabet)).extra_bits;
      bits += std::uint64_t{counts_[first + symbol]} * (words_[first + symbol].length + extra);
    }
  }
  return bits;
}

/// Writes a lane's literals: fours of literals go to the lanes in turn.
void BitEncoder::put_literals_of_lane(WideBitWriter& to, std::uint32_t lane,
                                      const BlockHeader& header) const {
  static_assert(7 + bit::kLiteralsTogether * kMaxLiteralLimit <= 64);
  const std::uint32_t round = bit::kLiteralsTogether << header.bit.lanes_log2;
  const Byte* const literals = literals_.data();
  for (std::uint32_t at = lane * bit::kLiteralsTogether; at < header.literals; at += round) {
    const std::uint32_t count = std::min(bit::kLiteralsTogether, header.literals - at);
    for (std::uint32_t i = at; i < at + count; ++i) {
      const CodeWord word = words_[literals[i]];
      to.put(word.word, word.length);
    }
    to.store_bytes();
  }
}

/// Writes the command and the values that follow it. Each step fits into the 57 bits that the
/// writer can hold.
void BitEncoder::put_sequence(WideBitWriter& to, const Sequence& sequence, std::uint32_t offset,
                              std::uint32_t min_match) const {
  static_assert(7 + kMaxCommandLimit + kMaxSequenceLimit + 18 <= 64);
  const std::uint32_t match = match_value(sequence, min_match);
  const CodeWord word = words_[bit::first_symbol(bit::kCommands) +
                               bit::command_symbol(sequence.literals, match, offset)];
  to.put(word.word, word.length);
  if (sequence.literals >= bit::kLongLiterals) {
    put_value(to, bit::kLiteralLengths, sequence.literals - bit::kLongLiterals);
  }
  to.store_bytes();
  if (match >= bit::kLongMatch) {
    put_value(to, bit::kMatchLengths, match - bit::kLongMatch);
    to.store_bytes();
  }
  if (offset != bit::kCommandOffset) {
    put_value(to, bit::kOffsets, offset);
    to.store_bytes();
  }
}

/// Writes all lanes into one buffer; their sizes in bits are kept for the head.
void BitEncoder::write_lanes(const Sequences& sequences, const BlockHeader& header) {
  // coded_bits() is exact, so the buffer never has to grow.
  const std::uint32_t run = bit::run_length(header.sequences, header.bit.lanes_log2);
  streams_.resize_discarding(coded_bits() / 8 + 1);
  WideBitWriter to(streams_.data());
  stream_bits_.clear();
  std::uint64_t begin = 0;
  for (std::uint32_t lane = 0; lane < header.bit.lanes(); ++lane) {
    const std::uint32_t end = std::min(header.sequences, (lane + 1) * run);
    for (std::uint32_t i = lane * run; i < end; ++i) {
      put_sequence(to, sequences[i], offsets_[i], header.layout.min_match);
    }
    put_literals_of_lane(to, lane, header);
    stream_bits_.push_back(to.bits() - std::exchange(begin, to.bits()));
  }
  to.store_bytes();
  streams_.resize_discarding((to.bits() + 7) / 8);
}

/// Writes sub-blocks: a sequence's literals stand before its match length, and the common code
/// tells which of the two comes.
void BitEncoder::write_sub_blocks(const Sequences& sequences, const BlockHeader& header) {
  const std::uint32_t each = 1u << header.bit.lanes_log2;
  streams_.clear();
  stream_bits_.clear();
  stream_literals_.clear();
  BitWriter to(streams_);
  const Byte* literal = literals_.data();
  const Byte* const literals_end = literal + literals_.size();
  const auto put_literals = [&](std::size_t count) {
    for (const Byte* const end = literal + count; literal != end; ++literal) {
      to.put(words_[*literal].word, words_[*literal].length);
    }
  };
  std::uint64_t begin = 0;
  auto first_literal = literal;
  const auto close = [&] {
    stream_bits_.push_back(to.bits() - std::exchange(begin, to.bits()));
    stream_literals_.push_back(static_cast<std::uint32_t>(literal - first_literal));
    first_literal = literal;
  };
  for (std::uint32_t i = 0; i < header.sequences; ++i) {
    if (i > 0 && i % each == 0) close();
    put_literals(sequences[i].literals);
    put_value(to, bit::kMatchLengths, match_value(sequences[i], header.layout.min_match));
    put_value(to, bit::kOffsets, offsets_[i]);
  }
  put_literals(static_cast<std::size_t>(literals_end - literal));
  close();
  to.finish();
}

/// Writes sizes, counts and code lengths; false where the header's fields are too narrow, as
/// encode() returns it.
bool BitEncoder::write_head(BitFields& fields) {
  const auto [least, most] = std::minmax_element(stream_bits_.begin(), stream_bits_.end());
  if (*least > kMaxLeastBits) return false;
  fields.least_bits = static_cast<std::uint32_t>(*least);
  fields.size_bits = static_cast<Byte>(std::bit_width(*most - *least));
  const bool counts = fields.layout == kSubBlockLayout;
  if (counts) {
    fields.count_bits = static_cast<Byte>(
        std::bit_width(*std::max_element(stream_literals_.begin(), stream_literals_.end())));
  }
  if (fields.size_bits > kMaxSizeBits || fields.count_bits > kMaxCountBits) return false;
  payload_.clear();
  BitWriter to(payload_);
  for (std::size_t i = 0; i < stream_bits_.size(); ++i) {
    to.put(stream_bits_[i] - fields.least_bits, fields.size_bits);
    if (counts) to.put(stream_literals_[i], fields.count_bits);
  }
  put_list(to, lengths_);
  to.finish();
  fields.head_bytes = static_cast<std::uint32_t>(payload_.size());
  return true;
}

// The lengths of words are limited as the header says; literal_limit also for the joint code of
// sub-blocks.
bool BitEncoder::encode(Bytes plain, const Sequences& sequences, BlockHeader& header) {
  gather_literals(plain, sequences);
  header.coding = Coding::kBit;
  header.layout.literal_bits = 0;
  header.layout.far = false;
  header.sequences = static_cast<std::uint32_t>(sequences.size());
  header.literals = static_cast<std::uint32_t>(literals_.size());
  const bool sub_blocks = parameters_.sub_block_log2 > 0;
  header.bit.literal_limit = parameters_.literal_limit;
  header.bit.command_limit = sub_blocks ? Byte{0} : parameters_.command_limit;
  if (sequences.size() < kFewSequences) {
    header.bit.command_limit = std::min(header.bit.command_limit, kFewCommandLimit);
  }
  header.bit.sequence_limit = parameters_.sequence_limit;
  header.bit.layout = sub_blocks ? kSubBlockLayout : kLaneLayout;
  header.bit.lanes_log2 =
      static_cast<Byte>(sub_blocks ? parameters_.sub_block_log2
                                   : choose_lanes_log2(sequences.size(), literals_.size()));
  gather_offsets(sequences, sub_blocks ? 1u << parameters_.sub_block_log2
                                       : bit::run_length(header.sequences, header.bit.lanes_log2));
  counts_.fill(0);
  count_literals();
  sub_blocks ? count_values(sequences, header.layout.min_match)
             : count_commands(sequences, header.layout.min_match);
  lengths_.fill(0);
  make_codes(header.bit);
  sub_blocks ? write_sub_blocks(sequences, header) : write_lanes(sequences, header);
  if (!write_head(header.bit)) return false;
  payload_.append(streams_.bytes());
  header.payload_bytes = static_cast<std::uint32_t>(payload_.size());
  return true;
}

}  // namespace presso
