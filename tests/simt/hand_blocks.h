// SPDX-License-Identifier: MIT
// Blocks made from a list of sequences: shapes that our encoder never writes.
#pragma once

#include <random>

#include "compress/encode/bit_encoder.h"
#include "tests/simt/block_case.h"

namespace presso::test {

/// A sequence as FORMAT.md 6 has it; distance 0: no match.
struct HandSequence {
  std::uint32_t literals = 0;
  std::uint32_t match = 0;
  std::uint32_t distance = 0;
};

/// Writes the seven streams of a block, with no regard to whether it makes sense.
class PayloadBuilder {
 public:
  explicit PayloadBuilder(TokenLayout layout) : layout_(layout) {}

  void add(const HandSequence& sequence) {
    const std::uint32_t value = sequence.distance == 0 ? 0 : sequence.match - layout_.min_match;
    std::uint32_t token = code(sequence.literals, layout_.literal_limit(), literal_escapes_);
    token |= code(value, layout_.match_limit(), match_escapes_) << layout_.literal_bits;
    if (sequence.distance > 0xFFFF || (layout_.far && sequence.distance % 5 == 1)) {
      token |= 0x80;
      far_.push_back(static_cast<Byte>(sequence.distance >> 16));
    }
    tokens_.push_back(static_cast<Byte>(token));
    offsets_.push_back(static_cast<Byte>(sequence.distance));
    offsets_.push_back(static_cast<Byte>(sequence.distance >> 8));
    add_literals(sequence.literals);
    plain_bytes_ += sequence.distance == 0 ? 0 : sequence.match;
  }

  void add_literals(std::uint32_t count) {
    for (; count > 0; --count) literals_.push_back(static_cast<Byte>(random_()));
    plain_bytes_ = static_cast<std::uint32_t>(plain_bytes_ + literals_.size() - literals_seen_);
    literals_seen_ = literals_.size();
  }

  std::uint32_t plain_bytes() const { return plain_bytes_; }

  BlockCase finish(std::vector<Byte> dictionary = {}) const {
    BlockCase block;
    BlockHeader& header = block.header;
    header.coding = Coding::kByte;
    header.layout = layout_;
    header.plain_bytes = plain_bytes_;
    header.sequences = size_of(tokens_);
    header.literals = size_of(literals_);
    header.far_offsets = size_of(far_);
    header.literal_escapes = size_of(literal_escapes_);
    header.match_escapes = size_of(match_escapes_);
    header.dictionary_id = dictionary.empty() ? 0 : 1;
    for (const auto* stream :
         {&offsets_, &tokens_, &far_, &literal_escapes_, &match_escapes_, &longs_, &literals_}) {
      block.payload.insert(block.payload.end(), stream->begin(), stream->end());
    }
    header.payload_bytes = size_of(block.payload);
    block.dictionary = std::move(dictionary);
    return block;
  }

 private:
  static std::uint32_t size_of(const std::vector<Byte>& bytes) {
    return static_cast<std::uint32_t>(bytes.size());
  }

  std::uint32_t code(std::uint32_t value, std::uint32_t limit, std::vector<Byte>& escapes) {
    if (value < limit) return value;
    const std::uint32_t more = value - limit;
    escapes.push_back(static_cast<Byte>(std::min(more, 255u)));
    if (more >= 255) {
      longs_.push_back(static_cast<Byte>(more - 255));
      longs_.push_back(static_cast<Byte>((more - 255) >> 8));
    }
    return limit;
  }

  TokenLayout layout_;
  std::vector<Byte> offsets_, tokens_, far_, literal_escapes_, match_escapes_, longs_, literals_;
  std::size_t literals_seen_ = 0;
  std::uint32_t plain_bytes_ = 0;
  std::mt19937 random_{7};
};

/// The same for the Bit coding.
class BitPayloadBuilder {
 public:
  explicit BitPayloadBuilder(TokenLayout layout) : min_match_(layout.min_match) {}

  void add(const HandSequence& sequence) {
    sequences_.push_back({sequence.literals, sequence.match, sequence.distance});
    add_literals(sequence.literals);
    plain_.resize(plain_.size() + (sequence.distance == 0 ? 0 : sequence.match));
  }
  void add_literals(std::uint32_t count) {
    for (; count > 0; --count) plain_.push_back(static_cast<Byte>(random_() % 200));
  }
  std::uint32_t plain_bytes() const { return static_cast<std::uint32_t>(plain_.size()); }

  BlockCase finish(std::vector<Byte> dictionary = {}) const {
    BlockCase block;
    block.header.coding = Coding::kBit;
    block.header.layout = {0, false, min_match_};
    block.header.plain_bytes = plain_bytes();
    block.header.dictionary_id = dictionary.empty() ? 0 : 1;
    BitEncoder encoder(BitParameters{});
    encoder.encode(plain_, sequences_, block.header);
    block.payload.assign(encoder.payload().begin(), encoder.payload().end());
    block.dictionary = std::move(dictionary);
    return block;
  }

 private:
  Byte min_match_;
  Sequences sequences_;
  std::vector<Byte> plain_;  // literals alone are right
  std::mt19937 random_{7};
};

/// Sequences of all sorts: empty ones, long lengths, overlaps, far and dictionary sources.
inline BlockCase random_sequences(std::uint32_t seed, std::uint32_t count, std::uint32_t room) {
  std::mt19937 random(seed);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  std::vector<Byte> dictionary(seed % 3 == 0 ? 1 + below(90000) : 0);
  for (Byte& byte : dictionary) byte = static_cast<Byte>(random());
  TokenLayout layout;
  layout.literal_bits = static_cast<Byte>(2 + below(3));
  layout.far = seed % 2 == 0;
  layout.min_match = static_cast<Byte>(3 + below(seed % 4 == 0 ? 13 : 2));
  PayloadBuilder builder(layout);
  const auto length = [&](std::uint32_t most) {
    const std::uint32_t kind = below(40);
    const std::uint32_t value = kind == 0   ? below(most + 1)
                                : kind == 1 ? below(700)
                                : kind < 8  ? below(60)
                                            : below(9);
    return std::min(value, most);
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t left = room - builder.plain_bytes();
    HandSequence sequence{length(std::min(left, 65805u)), 0, 0};
    const std::uint32_t to = builder.plain_bytes() + sequence.literals;
    const std::uint32_t most = std::min(room - to, 65535u + layout.min_match);
    if (below(8) != 0 && most >= layout.min_match && to > 0) {
      sequence.match = layout.min_match + length(most - layout.min_match);
      const std::uint32_t reach = below(3) == 0 ? to : std::min(to, 1 + below(100));
      sequence.distance = 1 + below(reach);
      const auto size = static_cast<std::uint32_t>(dictionary.size());
      if (below(4) == 0 && size >= sequence.match) {
        const std::uint32_t room_behind = size - sequence.match;  // often none, or all
        const std::uint32_t places[] = {0, room_behind, below(room_behind + 1)};
        sequence.distance = to + sequence.match + places[below(3)];
      }
      if (!layout.far && sequence.distance > 0xFFFF) sequence.distance = 1;
    }
    builder.add(sequence);
  }
  builder.add_literals(room - builder.plain_bytes() > 40 ? below(40) : 0);
  if (builder.plain_bytes() == 0) builder.add_literals(1);
  return builder.finish(std::move(dictionary));
}

}  // namespace presso::test
