// SPDX-License-Identifier: MIT
// The loop of the fast decoder, included once for each CPU level inside that level's namespace.
// Nothing of the standard library is used (format/cpu_loops.h). The level defines, after it,
//   bool expand(Cursor&, Group&)   expands lengths and distances of the next 32 sequences
//
// expand() returns false if one of the 32 is rare: it has no match or a length above 16 bits, or a
// stream lacks bytes for it. No position in the cursor has moved then, so that decode_groups() can
// decode the same 32 one by one, with every check (decode_sequence()). add_long_lengths() moves a
// position itself, so expand() calls it after everything else that can fail.
//
// The idea: 32 sequences at a time. All lengths of a group are known before its first byte is
// copied, because tokens and escapes are arrays of their own. Their sums are checked against
// the rest of literals and output, so the copying loop checks only where a match comes from.
// Each sequence copies 16 literal and 32 match bytes whatever its lengths are; more are copied
// in loops.

#include "decompress/cpu/copy_loop.h"

constexpr std::uint32_t kGroup = 32;

/// The positions of the next group in each stream, and of its output.
struct Cursor {
  const ByteBlockJob& job;
  const std::uint8_t* offsets;
  const std::uint8_t* tokens;
  const std::uint8_t* far;
  const std::uint8_t* literal_escapes;
  const std::uint8_t* match_escapes;
  const std::uint8_t* long_lengths;
  const std::uint8_t* literals;
  std::uint8_t* out;
};

/// A group that is ready to be copied.
struct Group {
  alignas(64) std::uint16_t literals[kGroup];
  alignas(64) std::uint16_t matches[kGroup];
  alignas(64) std::uint32_t distances[kGroup];
  std::uint32_t literal_sum;
  std::uint32_t match_sum;
};

bool expand(Cursor& cursor, Group& group);

/// Little endian, at any address.
inline std::uint16_t load16(const std::uint8_t* from) {
  std::uint16_t value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

/// Adds the escape bytes of the `escaped` sequences to their lengths and to `sum`; `longs`
/// becomes the mask of those whose byte is 255. False if the bytes run out.
inline bool add_escapes(std::uint32_t escaped, const std::uint8_t*& escapes,
                        const std::uint8_t* end, std::uint16_t* lengths, std::uint32_t& sum,
                        std::uint32_t& longs) {
  if (__builtin_popcount(escaped) > end - escapes) return false;
  // One step for each escape byte, few in most groups.
  longs = 0;
  for (; escaped != 0; escaped &= escaped - 1) {
    const std::uint8_t extra = *escapes++;
    const int owner = __builtin_ctz(escaped);
    longs |= std::uint32_t{extra == 255} << owner;
    lengths[owner] = static_cast<std::uint16_t>(lengths[owner] + extra);
    sum += extra;
  }
  return true;
}

/// Adds the long lengths of sequences whose escape byte is 255, in stream order: by sequence,
/// literals before match. False if they run out or a length exceeds 16 bits.
inline bool add_long_lengths(Cursor& cursor, Group& group, std::uint32_t literals,
                             std::uint32_t matches) {
  // Room is checked once for all of them.
  const std::uint8_t* from = cursor.long_lengths;
  const int count = __builtin_popcount(literals) + __builtin_popcount(matches);
  if (2 * count > cursor.job.streams.literals - from) return false;
  for (std::uint32_t owners = literals | matches; owners != 0; owners &= owners - 1) {
    const int owner = __builtin_ctz(owners);
    if ((literals >> owner & 1) != 0) {
      const std::uint32_t extra = load16(from);
      from += 2;
      if (group.literals[owner] + extra > 0xFFFF) return false;
      group.literals[owner] = static_cast<std::uint16_t>(group.literals[owner] + extra);
      group.literal_sum += extra;
    }
    if ((matches >> owner & 1) != 0) {
      const std::uint32_t extra = load16(from);
      from += 2;
      if (group.matches[owner] + extra > 0xFFFF) return false;
      group.matches[owner] = static_cast<std::uint16_t>(group.matches[owner] + extra);
      group.match_sum += extra;
    }
  }
  cursor.long_lengths = from;
  return true;
}

// Copies 32 sequences; only the source of each match is checked.
template <bool kDictionary, bool kFar, bool kLong>
inline bool copy_group(Cursor& cursor, const Group& group) {
  const ByteBlockJob& job = cursor.job;
  const std::uint8_t* literals = cursor.literals;
  const std::uint8_t* const offsets = cursor.offsets;
  std::uint8_t* out = cursor.out;
  for (std::uint32_t i = 0; i < kGroup; ++i) {
    copy_literals<kLong>(out, literals, group.literals[i]);
    literals += group.literals[i];
    out += group.literals[i];
    // Short distances are read where they stand.
    const std::uint32_t distance = kFar ? group.distances[i] : load16(offsets + 2 * i);
    if (!copy_match<kDictionary, kLong>(job, out, distance, group.matches[i])) [[unlikely]]
      return false;
    out += group.matches[i];
  }
  cursor.literals = literals;
  cursor.out = out;
  return true;
}

/// Continues a length that reached its limit in the token; false if its bytes run out.
inline bool extend(std::uint32_t& length, std::uint32_t limit, const std::uint8_t*& escapes,
                   const std::uint8_t* end, Cursor& cursor) {
  if (length != limit) return true;
  if (escapes == end) return false;
  const std::uint32_t escape = *escapes++;
  length += escape;
  if (escape != 255) return true;
  if (cursor.long_lengths == cursor.job.streams.literals) return false;
  length += load16(cursor.long_lengths);
  cursor.long_lengths += 2;
  return true;
}

/// Decodes one sequence with everything that can occur, and all checks: for rare groups and for
/// a block's last sequences.
inline bool decode_sequence(Cursor& cursor) {
  const ByteBlockJob& job = cursor.job;
  const std::uint32_t literal_limit = (1u << job.literal_bits) - 1;
  const std::uint32_t match_limit = (0xFFu >> (job.literal_bits + (job.has_far ? 1 : 0)));
  const std::uint32_t token = *cursor.tokens++;
  std::uint32_t literals = token & literal_limit;
  std::uint32_t match = (token >> job.literal_bits) & match_limit;
  std::uint32_t distance = load16(cursor.offsets);
  cursor.offsets += 2;
  if (job.has_far && (token & 0x80) != 0) {
    if (cursor.far == job.streams.literal_escapes) return false;
    distance |= std::uint32_t{*cursor.far++} << 16;
  }
  if (!extend(literals, literal_limit, cursor.literal_escapes, job.streams.match_escapes, cursor) ||
      !extend(match, match_limit, cursor.match_escapes, job.streams.long_lengths, cursor)) {
    return false;
  }
  // Nothing is copied before both lengths are known to fit.
  if (literals > job.payload_end - cursor.literals) return false;
  if (literals > job.plain_bytes - (cursor.out - job.out)) return false;
  copy_literals<false>(cursor.out, cursor.literals, literals);
  cursor.literals += literals;
  cursor.out += literals;
  // A sequence of literals only, as the last one before the tail may be.
  if (distance == 0) return match == 0;
  match += job.min_match;
  if (match > job.plain_bytes - (cursor.out - job.out)) return false;
  if (!copy_match<true, false>(job, cursor.out, distance, match)) return false;
  cursor.out += match;
  return true;
}

/// Groups of 32 sequences; those with something rare go sequence by sequence.
template <bool kDictionary, bool kFar, bool kLong>
inline bool decode_groups(Cursor& cursor, std::uint32_t groups) {
  const ByteBlockJob& job = cursor.job;
  // Not initialised: expand() fills it.
  Group group;
  for (; groups > 0; --groups) {
    if (expand(cursor, group)) [[likely]] {
      if (group.literal_sum > job.payload_end - cursor.literals) return false;
      if (group.literal_sum + group.match_sum > job.plain_bytes - (cursor.out - job.out)) {
        return false;
      }
      if (!copy_group<kDictionary, kFar, kLong>(cursor, group)) return false;
      cursor.tokens += kGroup;
      cursor.offsets += 2 * kGroup;
    } else {
      for (std::uint32_t i = 0; i < kGroup; ++i) {
        if (!decode_sequence(cursor)) return false;
      }
    }
  }
  return true;
}

/// Chooses the compiled form by dictionary and far distances.
template <bool kLong>
inline bool decode_all_groups(Cursor& cursor, std::uint32_t groups) {
  const bool has_far = cursor.job.has_far;
  if (cursor.job.dictionary_bytes > 0) {
    return has_far ? decode_groups<true, true, kLong>(cursor, groups)
                   : decode_groups<true, false, kLong>(cursor, groups);
  }
  return has_far ? decode_groups<false, true, kLong>(cursor, groups)
                 : decode_groups<false, false, kLong>(cursor, groups);
}

// The long form is for blocks whose mean sequence exceeds 32 bytes. All streams must be used up
// exactly.
inline bool decode_block_loop(const ByteBlockJob& job) {
  Cursor cursor{job,
                job.streams.offsets,
                job.streams.tokens,
                job.streams.far,
                job.streams.literal_escapes,
                job.streams.match_escapes,
                job.streams.long_lengths,
                job.streams.literals,
                job.out};
  const std::uint32_t groups = job.sequences / kGroup;
  const bool is_long = job.plain_bytes / 32 > job.sequences;
  const bool sound =
      is_long ? decode_all_groups<true>(cursor, groups) : decode_all_groups<false>(cursor, groups);
  if (!sound) return false;
  for (std::uint32_t left = job.sequences % kGroup; left > 0; --left) {
    if (!decode_sequence(cursor)) return false;
  }
  // Literals after the last sequence fill the block.
  const auto tail = static_cast<std::uint32_t>(job.payload_end - cursor.literals);
  if (tail != job.plain_bytes - (cursor.out - job.out)) return false;
  __builtin_memcpy(cursor.out, cursor.literals, tail);
  return cursor.far == job.streams.literal_escapes &&
         cursor.literal_escapes == job.streams.match_escapes &&
         cursor.match_escapes == job.streams.long_lengths &&
         cursor.long_lengths == job.streams.literals;
}
