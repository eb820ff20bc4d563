// SPDX-License-Identifier: MIT
// Plans the sizes of the streams from counts (sequence_statistics.h), because the streams stand one
// after another, and then writes them in one pass over the sequences. No branch depends on data in
// that pass except for long lengths, which are rare.
#include "compress/encode/byte_encoder.h"

#include <algorithm>
#include <numeric>

#include "compress/encode/literals.h"

namespace presso {
namespace {

/// Where the streams are written. Those whose place depends on the sizes of others go to
/// scratch memory first, each with room, so that a byte that turns out not to be needed may be
/// written and then overwritten, without a branch.
struct Streams {
  Byte* offsets;
  Byte* tokens;
  Byte* far;
  Byte* literal_escapes;
  Byte* match_escapes;
  Byte* long_lengths;
  Byte* literals;
};

/// Returns the token's bits for `length`; writes an escape byte, and a long length, where it
/// does not fit.
inline std::uint32_t put_length(std::uint32_t length, std::uint32_t limit, Byte*& escapes,
                                Byte*& longs) {
  const std::uint32_t rest = length - limit;  // wraps where there is no escape
  *escapes = static_cast<Byte>(std::min(rest, kEscapeLimit));
  const bool escaped = length >= limit;
  escapes += escaped ? 1 : 0;
  if (escaped && rest >= kEscapeLimit) [[unlikely]] {
    store<std::uint16_t>(longs, static_cast<std::uint16_t>(rest - kEscapeLimit));
    longs += 2;
  }
  return std::min(length, limit);
}

/// Offsets, tokens and far bytes of one sequence.
inline void put_sequence(const Sequence& sequence, const TokenLayout& layout, Streams& to) {
  const std::uint32_t high = sequence.distance >> 16;
  std::uint32_t token =
      put_length(sequence.literals, layout.literal_limit(), to.literal_escapes, to.long_lengths);
  if (sequence.match > 0) [[likely]] {
    token |= put_length(sequence.match - layout.min_match, layout.match_limit(), to.match_escapes,
                        to.long_lengths)
             << layout.literal_bits;
  }
  *to.far = static_cast<Byte>(high);
  to.far += high != 0 ? 1 : 0;
  *to.tokens++ = static_cast<Byte>(token | (high != 0 ? 0x80u : 0u));
  store<std::uint16_t>(to.offsets, static_cast<std::uint16_t>(sequence.distance));
  to.offsets += 2;
}

// How many lengths are at or above the limit.
std::uint32_t count_from(const SequenceStatistics::Lengths& lengths, std::uint32_t limit) {
  return std::accumulate(lengths.begin() + limit, lengths.end(), 0u);
}

}  // namespace

void plan_byte_payload(const Sequences& sequences, const SequenceStatistics& statistics,
                       const TokenLayout& layout, BlockHeader& header) {
  header.layout = layout;
  header.sequences = static_cast<std::uint32_t>(sequences.size());
  header.literals = header.plain_bytes - static_cast<std::uint32_t>(statistics.matched_bytes);
  header.far_offsets = statistics.far_offsets;
  header.literal_escapes = count_from(statistics.literals, layout.literal_limit());
  header.match_escapes = count_from(statistics.matches, layout.match_limit());
  header.payload_bytes =
      static_cast<std::uint32_t>(3 * sequences.size() + header.far_offsets + header.literals +
                                 escape_bytes(statistics.literals, layout.literal_limit()) +
                                 escape_bytes(statistics.matches, layout.match_limit()));
}

/// The counts in `header` must be those of these sequences.
void write_byte_payload(Bytes plain, const Sequences& sequences, const BlockHeader& header,
                        Buffer& scratch, Buffer& to) {
  const std::size_t start = to.size();
  to.grow(start + header.payload_bytes);
  const std::size_t each = sequences.size() + 1;  // one byte of overshoot a stream
  scratch.resize_discarding(7 * each);
  Streams streams;
  streams.offsets = to.data() + start;
  streams.tokens = streams.offsets + 2 * std::size_t{header.sequences};
  streams.literals = to.data() + to.size() - header.literals;
  Byte* const far = streams.far = scratch.data();
  Byte* const literal_escapes = streams.literal_escapes = far + each;
  Byte* const match_escapes = streams.match_escapes = literal_escapes + each;
  Byte* const long_lengths = streams.long_lengths = match_escapes + each;  // up to 4 a sequence

  const Byte* from = plain.data();
  const Byte* const end = plain.data() + plain.size();
  const TokenLayout layout = header.layout;
  for (const Sequence& sequence : sequences) {
    put_sequence(sequence, layout, streams);
    streams.literals = copy_literals(streams.literals, from, sequence.literals, end);
    from += sequence.literals + sequence.match;
  }
  std::copy(from, end, streams.literals);
  Byte* at = std::copy(far, streams.far, streams.tokens);
  at = std::copy(literal_escapes, streams.literal_escapes, at);
  at = std::copy(match_escapes, streams.match_escapes, at);
  std::copy(long_lengths, streams.long_lengths, at);
}

}  // namespace presso
