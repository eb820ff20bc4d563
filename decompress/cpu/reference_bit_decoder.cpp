// SPDX-License-Identifier: MIT
// FORMAT.md 14 as code, one bit at a time: code words are compared length by length instead of
// looked up, so that no table of the fast decoders' kind can be wrong in the same way.
#include <algorithm>
#include <array>

#include "decompress/bit_payload.h"
#include "decompress/cpu/bit_symbols.h"

namespace presso {
namespace {

/// One alphabet's code: how many words of each length there are, and the symbols by word.
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

class LaneDecoder {
 public:
  LaneDecoder(const BlockHeader& header, const Byte* payload, const Byte* lengths)
      : header_(header), payload_(payload) {
    for (std::uint32_t alphabet = 0; alphabet < bit::kAlphabets; ++alphabet) {
      codes_.emplace_back(lengths + bit::first_symbol(alphabet), bit::symbols_of(alphabet),
                          bit::limit_of(header.bit, alphabet));
    }
    symbols_.literals.resize(header.literals);
    symbols_.sequences.resize(header.sequences);
  }

  /// A lane's sub-stream from bit `begin` on; returns where it ends.
  std::uint32_t decode(std::uint32_t lane, std::uint32_t begin) {
    bit::BitReader from(payload_, header_.payload_bytes, begin);
    const unsigned lanes_log2 = header_.bit.lanes_log2;
    const std::uint32_t run = bit::run_length(header_.sequences, lanes_log2);
    auto last = std::to_array(bit::kFirstDistances);
    const std::uint32_t end = std::min(header_.sequences, (lane + 1) * run);
    for (std::uint32_t i = lane * run; i < end; ++i) {
      BitSequence& sequence = symbols_.sequences[i];
      sequence.literals = take_value(from, bit::kLiteralLengths);
      sequence.match = take_value(from, bit::kMatchLengths);
      sequence.distance = resolve(take_value(from, bit::kOffsets), last);
    }
    const std::uint32_t count = bit::literals_of_lane(header_.literals, lanes_log2, lane);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t four = (i / bit::kLiteralsTogether << lanes_log2) + lane;
      symbols_.literals[four * bit::kLiteralsTogether + i % bit::kLiteralsTogether] =
          static_cast<Byte>(codes_[bit::kLiterals].take(from));
    }
    return from.at();
  }

  BitSymbols& symbols() { return symbols_; }

 private:
  std::uint32_t take_value(bit::BitReader& from, bit::Alphabet alphabet) const {
    const std::uint32_t symbol = codes_[alphabet].take(from);
    const bit::ClassValue value = bit::value_of(symbol, bit::mantissa_of(alphabet));
    std::uint32_t extra = 0;
    for (std::uint32_t i = 0; i < value.extra_bits; ++i) extra |= from.take(1) << i;
    return (value.top << value.extra_bits) + extra;
  }

  using LastDistances = std::array<std::uint32_t, bit::kRepeats>;

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

Result<BitSymbols> reference_decode_symbols(const BlockHeader& header, const Byte* payload) {
  PRESSO_ASSIGN(const std::vector<std::uint32_t> begins, find_lanes(header, payload));
  std::array<Byte, bit::kListedSymbols> lengths;
  std::array<bit::Shape, bit::kAlphabets> shapes;
  if (!bit::read_codes(header, payload, lengths.data(), shapes.data())) {
    return make_error(ErrorCode::kBadTree);
  }
  LaneDecoder decoder(header, payload, lengths.data());
  for (std::uint32_t lane = 0; lane < header.bit.lanes(); ++lane) {
    if (decoder.decode(lane, begins[lane]) != begins[lane + 1]) {
      return make_error(ErrorCode::kBadBits, "lane " + std::to_string(lane));
    }
  }
  bit::BitReader rest(payload, header.payload_bytes, begins.back());
  if (rest.peek() != 0) return make_error(ErrorCode::kBadBits, "behind the last lane");
  return std::move(decoder.symbols());
}

}  // namespace presso
