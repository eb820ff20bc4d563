// SPDX-License-Identifier: MIT
// reference_decode_symbols(): FORMAT.md 13 as code, one bit at a time. Code words are compared
// length by length instead of looked up, so that no mistake in tables like those of the fast
// decoders can be repeated here.
#include <algorithm>
#include <array>
#include <optional>

#include "decompress/bit_payload.h"
#include "decompress/cpu/bit_symbols.h"

namespace presso {
namespace {

/// One alphabet's canonical code: the number of words of each length, and the symbols by word.
class CanonicalCode {
 public:
  CanonicalCode(const Byte* lengths, std::uint32_t symbols, unsigned limit) : counts_(limit + 1) {
    shape_ = bit::shape_of(lengths, symbols, limit, counts_.data());
    for (unsigned length = 1; length <= limit; ++length) {
      for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) {
        if (lengths[symbol] == length) by_word_.push_back(symbol);
      }
    }
  }

  /// Reads bit after bit until the bits so far are a word: canonical words of one length are
  /// consecutive numbers. A complete code always ends.
  std::uint32_t take(bit::BitReader& from) const {
    if (shape_ == bit::Shape::kSingle) return by_word_.front();
    std::uint32_t word = 0;
    std::uint32_t first = 0;   // word of this length
    std::uint32_t before = 0;  // shorter words
    for (std::size_t length = 1;; ++length) {
      word = word << 1 | from.take(1);
      if (word - first < counts_[length]) return by_word_[before + word - first];
      before += counts_[length];
      first = (first + counts_[length]) << 1;
    }
  }

 private:
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> by_word_;
  bit::Shape shape_;
};

// Decodes all sub-streams into one BitSymbols.
class SymbolDecoder {
 public:
  SymbolDecoder(const BlockHeader& header, const Byte* payload, const Byte* lengths)
      : header_(header), payload_(payload) {
    for (std::uint32_t number = 0; number < bit::codes_of(header.bit); ++number) {
      const bit::Code code = bit::code_of(header.bit, number);
      codes_.emplace_back(lengths + code.first, code.symbols, code.limit);
    }
    symbols_.literals.resize(header.literals);
    symbols_.sequences.resize(header.sequences);
  }

  /// Decodes a lane's sub-stream from bit `begin` on; returns the bit where it ends.
  std::uint32_t decode_lane(std::uint32_t lane, std::uint32_t begin) {
    bit::BitReader from(payload_, header_.payload_bytes, begin);
    const unsigned lanes_log2 = header_.bit.lanes_log2;
    const std::uint32_t run = bit::run_length(header_.sequences, lanes_log2);
    // Each sub-stream begins with the same list of last distances.
    auto last = std::to_array(bit::kFirstDistances);
    // The last lanes have fewer sequences, or none.
    const std::uint32_t end = std::min(header_.sequences, (lane + 1) * run);
    for (std::uint32_t i = lane * run; i < end; ++i) {
      const bit::Command command = bit::command_of(codes_[bit::kCommands].take(from));
      BitSequence& sequence = symbols_.sequences[i];
      sequence.literals = command.literals;
      sequence.match = command.match;
      if (command.literals == bit::kLongLiterals) {
        sequence.literals += take_value(from, bit::kLiteralLengths);
      }
      if (command.match == bit::kLongMatch) sequence.match += take_value(from, bit::kMatchLengths);
      const std::uint32_t offset =
          command.repeats ? bit::kCommandOffset : take_value(from, bit::kOffsets);
      sequence.distance = resolve(offset, last);
    }
    // Literals follow the lane's sequences; fours of them are dealt out to lanes in turn.
    const std::uint32_t count = bit::literals_of_lane(header_.literals, lanes_log2, lane);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t four = (i / bit::kLiteralsTogether << lanes_log2) + lane;
      symbols_.literals[four * bit::kLiteralsTogether + i % bit::kLiteralsTogether] =
          static_cast<Byte>(codes_[bit::kLiterals].take(from));
    }
    return from.at();
  }

  /// Decodes a sub-block, whose literals are those from `begin.literal` to before `end`.
  /// Nullopt if it has another number of literals.
  std::optional<std::uint32_t> decode_sub_block(std::uint32_t number, SubStream begin,
                                                std::uint32_t end) {
    bit::BitReader from(payload_, header_.payload_bytes, begin.bit);
    auto last = std::to_array(bit::kFirstDistances);
    // In this layout the field tells the sequences of a sub-block.
    const std::uint32_t each = 1u << header_.bit.lanes_log2;
    const std::uint32_t last_sequence = std::min(header_.sequences, (number + 1) * each);
    std::uint32_t literal = begin.literal;
    for (std::uint32_t i = number * each; i < last_sequence; ++i) {
      BitSequence& sequence = symbols_.sequences[i];
      const std::uint32_t first = literal;
      std::uint32_t symbol = codes_[0].take(from);
      for (; symbol < bit::kLiteralSymbols; symbol = codes_[0].take(from)) {
        if (literal == end) return std::nullopt;
        symbols_.literals[literal++] = static_cast<Byte>(symbol);
      }
      sequence.literals = literal - first;
      sequence.match =
          add_extra_bits(from, bit::kMatchLengths, symbol - bit::first_symbol(bit::kMatchLengths));
      const std::uint32_t offset = codes_[1].take(from);
      sequence.distance = resolve(add_extra_bits(from, bit::kOffsets, offset), last);
    }
    // Only the last sub-block may have literals after its last sequence.
    if (last_sequence < header_.sequences && literal < end) return std::nullopt;
    while (literal < end) {
      const std::uint32_t symbol = codes_[0].take(from);
      if (symbol >= bit::kLiteralSymbols) return std::nullopt;
      symbols_.literals[literal++] = static_cast<Byte>(symbol);
    }
    return from.at();
  }

  BitSymbols& symbols() { return symbols_; }

 private:
  /// A word of the alphabet and its extra bits.
  std::uint32_t take_value(bit::BitReader& from, bit::Alphabet alphabet) const {
    return add_extra_bits(from, alphabet, codes_[alphabet].take(from));
  }

  /// Extra bits come lowest first.
  static std::uint32_t add_extra_bits(bit::BitReader& from, bit::Alphabet alphabet,
                                      std::uint32_t symbol) {
    const bit::ClassValue value = bit::value_of(symbol, bit::mantissa_of(alphabet));
    std::uint32_t extra = 0;
    for (std::uint32_t i = 0; i < value.extra_bits; ++i) extra |= from.take(1) << i;
    return (value.top << value.extra_bits) + extra;
  }

  using LastDistances = std::array<std::uint32_t, bit::kRepeats>;

  /// Offset values 1 to 3 stand for the last distances, the most recent first; whichever is
  /// used moves to the front. 0: no match.
  static std::uint32_t resolve(std::uint32_t value, LastDistances& last) {
    if (value == 0) return 0;
    const std::uint32_t from = std::min(value - 1, bit::kRepeats - 1);
    const std::uint32_t distance = value <= bit::kRepeats ? last[from] : value - bit::kRepeats;
    std::copy_backward(last.begin(), last.begin() + from, last.begin() + from + 1);
    last.front() = distance;
    return distance;
  }

  const BlockHeader& header_;
  const Byte* payload_;
  std::vector<CanonicalCode> codes_;
  BitSymbols symbols_;
};

}  // namespace

// Each sub-stream must end exactly where the next one begins, and at most 7 bits of zeros
// follow the last.
Result<BitSymbols> reference_decode_symbols(const BlockHeader& header, const Byte* payload) {
  PRESSO_ASSIGN(const std::vector<SubStream> streams, find_sub_streams(header, payload));
  std::array<Byte, bit::kListedSymbols> lengths;
  std::array<bit::Shape, bit::kAlphabets> shapes;
  if (!bit::read_codes(header, payload, lengths.data(), shapes.data())) {
    return make_error(ErrorCode::kBadTree);
  }
  SymbolDecoder decoder(header, payload, lengths.data());
  const bool lanes = header.bit.layout == kLaneLayout;
  for (std::uint32_t i = 0; i + 1 < streams.size(); ++i) {
    const std::optional<std::uint32_t> end =
        lanes ? decoder.decode_lane(i, streams[i].bit)
              : decoder.decode_sub_block(i, streams[i], streams[i + 1].literal);
    if (end != streams[i + 1].bit) {
      return make_error(ErrorCode::kBadBits, "sub-stream " + std::to_string(i));
    }
  }
  bit::BitReader rest(payload, header.payload_bytes, streams.back().bit);
  if (rest.peek() != 0) return make_error(ErrorCode::kBadBits, "behind the last sub-stream");
  return std::move(decoder.symbols());
}

}  // namespace presso
