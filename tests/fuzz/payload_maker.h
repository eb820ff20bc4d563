// SPDX-License-Identifier: MIT
// Byte-coded payloads that no encoder would write, made from a fuzzer's bytes: a valid header
// around streams that are sound except for a few bytes, or entirely random. For tests of every
// decoder.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "presso/wire.h"
#include "tests/fuzz/fuzz_target.h"

namespace presso::fuzz {

/// The streams of a payload, not yet joined.
struct Streams {
  std::vector<Byte> offsets, tokens, far, literal_escapes, match_escapes, longs, literals;
};

class PayloadMaker {
 public:
  PayloadMaker(Choices& choices, BlockHeader& header, std::uint32_t dictionary_bytes)
      : choices_(choices), header_(header), dictionary_bytes_(dictionary_bytes) {}

  /// Sequences that fill the block, each within its limits.
  Streams sound() {
    std::uint32_t at = 0;
    const std::uint32_t sequences = choices_.below(400);
    for (std::uint32_t i = 0; i < sequences && at < header_.plain_bytes; ++i) at = add_sequence(at);
    add_literals(header_.plain_bytes - at);
    return std::move(streams_);
  }

  /// Streams of any size that the header's limits allow, of any bytes.
  Streams random() {
    const std::uint32_t sequences = choices_.below(std::min(header_.plain_bytes, 300u) + 1);
    fill(streams_.tokens, sequences);
    fill(streams_.offsets, 2 * sequences);
    if (header_.layout.far) fill(streams_.far, choices_.below(sequences + 1));
    fill(streams_.literal_escapes, choices_.below(sequences + 1));
    fill(streams_.match_escapes, choices_.below(sequences + 1));
    fill(streams_.longs, 2 * choices_.below(8));
    fill(streams_.literals, choices_.below(header_.plain_bytes + 1));
    return std::move(streams_);
  }

 private:
  void fill(std::vector<Byte>& stream, std::uint32_t bytes) {
    const Byte style = choices_.byte();  // all small values make lengths add up now and then
    const Byte mask = style % 3 == 0 ? 0xFF : style % 3 == 1 ? 0x1F : 0x11;
    for (std::uint32_t i = 0; i < bytes; ++i) {
      stream.push_back(static_cast<Byte>(choices_.byte() & mask));
    }
  }

  void add_literals(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      streams_.literals.push_back(static_cast<Byte>('a' + i % 26));
    }
  }

  /// Mostly short, sometimes around the limits of token and escape byte, rarely longer.
  std::uint32_t pick_length(std::uint32_t limit, std::uint32_t room) {
    const Byte kind = choices_.byte();
    std::uint32_t length = choices_.below(8);
    if (kind % 8 == 0) length = limit + choices_.below(4);
    if (kind % 32 == 1) length = limit + 253 + choices_.below(4);
    if (kind % 64 == 2) length = limit + 255 + choices_.below(2000);
    return std::min(length, room);
  }

  std::uint32_t put_length(std::uint32_t length, std::uint32_t limit, std::vector<Byte>& escapes) {
    if (length < limit) return length;
    const std::uint32_t rest = length - limit;
    escapes.push_back(static_cast<Byte>(std::min(rest, 255u)));
    if (rest >= 255) put16(streams_.longs, rest - 255);
    return limit;
  }

  static void put16(std::vector<Byte>& stream, std::uint32_t value) {
    stream.push_back(static_cast<Byte>(value));
    stream.push_back(static_cast<Byte>(value >> 8));
  }

  std::uint32_t pick_distance(std::uint32_t at, std::uint32_t length) {
    std::uint32_t furthest = at;
    const bool into_dictionary = dictionary_bytes_ >= length && choices_.one_in(4);
    if (into_dictionary) return at + length + choices_.below(dictionary_bytes_ - length + 1);
    if (!header_.layout.far) furthest = std::min(furthest, 65535u);
    if (furthest == 0) return 0;
    if (choices_.one_in(3)) furthest = std::min(furthest, 40u);  // overlapping
    return 1 + choices_.below(furthest);
  }

  std::uint32_t add_sequence(std::uint32_t at) {
    const TokenLayout& layout = header_.layout;
    const std::uint32_t literals = pick_length(layout.literal_limit(), header_.plain_bytes - at);
    add_literals(literals);
    at += literals;
    std::uint32_t token = put_length(literals, layout.literal_limit(), streams_.literal_escapes);
    const std::uint32_t room = header_.plain_bytes - at;
    std::uint32_t distance = 0;
    if (room >= layout.min_match && !choices_.one_in(50)) {
      const std::uint32_t extra = pick_length(layout.match_limit(), room - layout.min_match);
      distance = pick_distance(at, layout.min_match + extra);
      if (!layout.far && distance > 65535) distance = 0;
      if (distance != 0) {
        const std::uint32_t code = put_length(extra, layout.match_limit(), streams_.match_escapes);
        token |= code << layout.literal_bits;
        at += layout.min_match + extra;
      }
    }
    if (distance > 65535 || (layout.far && distance != 0 && choices_.one_in(20))) {
      token |= 0x80;
      streams_.far.push_back(static_cast<Byte>(distance >> 16));
    }
    streams_.tokens.push_back(static_cast<Byte>(token));
    put16(streams_.offsets, distance);
    return at;
  }

  Choices& choices_;
  BlockHeader& header_;
  std::uint32_t dictionary_bytes_;
  Streams streams_;
};

inline BlockHeader make_header(Choices& choices) {
  BlockHeader header;
  header.coding = Coding::kByte;
  header.layout.literal_bits = static_cast<Byte>(2 + choices.byte() % 3);
  header.layout.far = choices.one_in(2);
  header.layout.min_match = static_cast<Byte>(3 + choices.byte() % 13);
  header.rule = DependencyRule::kNone;
  const std::uint32_t largest[] = {40, 1000, 9000, 150000};
  header.plain_bytes = 1 + choices.below(largest[choices.byte() % 4]);
  return header;
}

/// The payload as it stands in a file; sets the header's counts.
inline std::vector<Byte> join(const Streams& streams, BlockHeader& header) {
  std::vector<Byte> payload;
  for (const auto* stream :
       {&streams.offsets, &streams.tokens, &streams.far, &streams.literal_escapes,
        &streams.match_escapes, &streams.longs, &streams.literals}) {
    payload.insert(payload.end(), stream->begin(), stream->end());
  }
  header.sequences = static_cast<std::uint32_t>(streams.tokens.size());
  header.far_offsets = static_cast<std::uint32_t>(streams.far.size());
  header.literal_escapes = static_cast<std::uint32_t>(streams.literal_escapes.size());
  header.match_escapes = static_cast<std::uint32_t>(streams.match_escapes.size());
  header.literals = static_cast<std::uint32_t>(streams.literals.size());
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  return payload;
}

/// Moves a border between streams, or takes one byte more or less for one.
inline void shift_counts(Choices& choices, BlockHeader& header) {
  std::uint32_t* const counts[] = {&header.far_offsets, &header.literal_escapes,
                                   &header.match_escapes, &header.literals, &header.sequences};
  std::uint32_t& one = *counts[choices.byte() % 5];
  std::uint32_t& other = *counts[choices.byte() % 5];
  if (one > 0) --one;
  if (choices.one_in(2)) ++other;
}

/// What the file's reader has checked before any decoder sees a block.
inline bool is_valid(const BlockHeader& header) {
  Byte bytes[kBlockHeaderBytes];
  write_block_header(header, bytes);
  return parse_block_header(bytes).ok();
}

/// One block to decode, with the dictionary that its header names, if it does.
struct PayloadCase {
  BlockHeader header;
  std::vector<Byte> payload;
  std::vector<Byte> dictionary;
};

/// Changes a few bytes. Most of a large payload is literals, which nothing depends on: wounds what
/// comes before.
inline void wound(Choices& choices, const BlockHeader& header, std::vector<Byte>& payload) {
  if (payload.empty()) return;
  for (std::uint32_t wounds = choices.byte() % 4; wounds > 0; --wounds) {
    const std::uint32_t lengths =
        header.payload_bytes - std::min<std::uint32_t>(header.payload_bytes, header.literals);
    payload[choices.below(std::max(lengths, 1u))] = choices.byte();
  }
}

/// nullopt where the choices led to a header that is not valid.
inline std::optional<PayloadCase> make_payload_case(Choices choices) {
  PayloadCase made;
  const Byte mode = choices.byte();
  made.header = make_header(choices);
  if (choices.one_in(2)) {
    made.dictionary.assign(1 + choices.below(choices.one_in(2) ? 60 : 100000), 'D');
    made.header.dictionary_id = 1;
  }
  PayloadMaker maker(choices, made.header, static_cast<std::uint32_t>(made.dictionary.size()));
  made.payload = join(mode % 4 == 0 ? maker.random() : maker.sound(), made.header);
  const bool as_made = mode % 4 == 1;
  if (!as_made && mode % 16 == 2) shift_counts(choices, made.header);
  if (!as_made) wound(choices, made.header, made.payload);
  if (!is_valid(made.header)) return std::nullopt;
  return made;
}

}  // namespace presso::fuzz
