// SPDX-License-Identifier: MIT
// Two passes over the sequences: count every stream (they lie behind one another, so the sizes come
// first), then write. Counting under all token layouts is cheap because a layout only moves the two
// limits at which a length needs an escape byte.
#include "compress/byte_encoder.h"

#include <algorithm>
#include <array>

namespace presso {
namespace {

constexpr std::uint32_t kEscapeLimit = 255;  ///< an escape byte of 255 continues in the long stream
constexpr std::uint32_t kFarDistance = 65536;

/// Histograms of what the sequences need; lengths clipped at the last entry.
struct Statistics {
  std::array<std::uint32_t, 1024> literals{};
  std::array<std::uint32_t, 1024> matches{};  ///< match length minus the minimum
  std::uint64_t literal_bytes = 0;
  std::uint32_t far_offsets = 0;
};

Statistics gather(const Sequences& sequences, Byte min_match) {
  Statistics statistics;
  for (const Sequence& sequence : sequences) {
    ++statistics.literals[std::min<std::uint32_t>(sequence.literals, 1023)];
    if (sequence.match > 0) {
      ++statistics.matches[std::min<std::uint32_t>(sequence.match - min_match, 1023)];
    }
    statistics.literal_bytes += sequence.literals;
    statistics.far_offsets += sequence.distance >= kFarDistance;
  }
  return statistics;
}

/// Escape and long-stream bytes when lengths of `limit` and more are escaped.
std::uint64_t escape_bytes(const std::array<std::uint32_t, 1024>& lengths, std::uint32_t limit) {
  std::uint64_t bytes = 0;
  for (std::uint32_t length = limit; length < lengths.size(); ++length) {
    bytes += lengths[length] * (length - limit >= kEscapeLimit ? 3u : 1u);
  }
  return bytes;
}

/// Where each stream of a block's payload begins (FORMAT.md 6.1).
struct Streams {
  Byte* offsets;
  Byte* tokens;
  Byte* far;
  Byte* literal_escapes;
  Byte* match_escapes;
  Byte* long_lengths;
  Byte* literals;
};

/// The token bits for `length`; writes escape and long length where it does not fit.
std::uint32_t put_length(std::uint32_t length, std::uint32_t limit, Byte*& escapes, Byte*& longs) {
  if (length < limit) return length;
  const std::uint32_t rest = length - limit;
  *escapes++ = static_cast<Byte>(std::min(rest, kEscapeLimit));
  if (rest >= kEscapeLimit) {
    store<std::uint16_t>(longs, static_cast<std::uint16_t>(rest - kEscapeLimit));
    longs += 2;
  }
  return limit;
}

void put_sequence(const Sequence& sequence, const TokenLayout& layout, Streams& to) {
  std::uint32_t token =
      put_length(sequence.literals, layout.literal_limit(), to.literal_escapes, to.long_lengths);
  if (sequence.match > 0) {
    token |= put_length(sequence.match - layout.min_match, layout.match_limit(), to.match_escapes,
                        to.long_lengths)
             << layout.literal_bits;
  }
  if (sequence.distance >= kFarDistance) {
    token |= 0x80;
    *to.far++ = static_cast<Byte>(sequence.distance >> 16);
  }
  *to.tokens++ = static_cast<Byte>(token);
  store<std::uint16_t>(to.offsets, static_cast<std::uint16_t>(sequence.distance));
  to.offsets += 2;
}

std::uint32_t count_from(const std::array<std::uint32_t, 1024>& lengths, std::uint32_t limit) {
  std::uint32_t count = 0;
  for (std::uint32_t length = limit; length < lengths.size(); ++length) count += lengths[length];
  return count;
}

/// Copies in steps of 16 bytes; may write up to 15 bytes too many (the buffer has slack).
Byte* copy_literals(Byte* to, const Byte* from, std::uint32_t count, const Byte* from_end) {
  if (from + round_up(count, 16) > from_end) return std::copy_n(from, count, to);
  for (std::uint32_t done = 0; done < count; done += 16) std::memcpy(to + done, from + done, 16);
  return to + count;
}

}  // namespace

TokenLayout choose_layout(const Sequences& sequences, Byte min_match) {
  const Statistics statistics = gather(sequences, min_match);
  TokenLayout best;
  std::uint64_t fewest = ~std::uint64_t{0};
  for (Byte literal_bits = 2; literal_bits <= 4; ++literal_bits) {
    const TokenLayout layout{literal_bits, statistics.far_offsets > 0, min_match};
    const std::uint64_t bytes = escape_bytes(statistics.literals, layout.literal_limit()) +
                                escape_bytes(statistics.matches, layout.match_limit());
    if (bytes < fewest) {
      fewest = bytes;
      best = layout;
    }
  }
  return best;
}

std::uint64_t payload_bytes(const Sequences& sequences, const TokenLayout& layout,
                            std::uint32_t plain_bytes) {
  const Statistics statistics = gather(sequences, layout.min_match);
  std::uint64_t matched = 0;
  for (const Sequence& sequence : sequences) matched += sequence.match;
  return 3 * sequences.size() + statistics.far_offsets + plain_bytes - matched +
         escape_bytes(statistics.literals, layout.literal_limit()) +
         escape_bytes(statistics.matches, layout.match_limit());
}

void write_byte_payload(Bytes plain, const Sequences& sequences, const TokenLayout& layout,
                        BlockHeader& header, Buffer& to) {
  const Statistics statistics = gather(sequences, layout.min_match);
  header.layout = layout;
  header.sequences = static_cast<std::uint32_t>(sequences.size());
  header.far_offsets = statistics.far_offsets;
  header.literal_escapes = count_from(statistics.literals, layout.literal_limit());
  header.match_escapes = count_from(statistics.matches, layout.match_limit());
  const std::uint64_t size =
      payload_bytes(sequences, layout, static_cast<std::uint32_t>(plain.size()));
  header.payload_bytes = static_cast<std::uint32_t>(size);
  std::uint64_t matched = 0;
  for (const Sequence& sequence : sequences) matched += sequence.match;
  header.literals = static_cast<std::uint32_t>(plain.size() - matched);

  const std::size_t start = to.size();
  to.grow(start + header.payload_bytes);
  Streams streams;
  streams.offsets = to.data() + start;
  streams.tokens = streams.offsets + 2 * std::size_t{header.sequences};
  streams.far = streams.tokens + header.sequences;
  streams.literal_escapes = streams.far + header.far_offsets;
  streams.match_escapes = streams.literal_escapes + header.literal_escapes;
  streams.literals = to.data() + to.size() - header.literals;
  streams.long_lengths = streams.match_escapes + header.match_escapes;

  const Byte* from = plain.data();
  const Byte* const end = plain.data() + plain.size();
  for (const Sequence& sequence : sequences) {
    put_sequence(sequence, layout, streams);
    streams.literals = copy_literals(streams.literals, from, sequence.literals, end);
    from += sequence.literals + sequence.match;
  }
  std::copy(from, end, streams.literals);
}

}  // namespace presso
