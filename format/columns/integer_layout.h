// SPDX-License-Identifier: MIT
// Coding 4 (integers, FORMAT.md 16): the layout that the encoder and every decoder, on CPUs and
// GPUs, must agree on. A block holds 1 to 65,536 values of one physical type. Its payload is a
// directory of 16 bytes for each vector of 1,024 values, then 32-bit words. Each vector is laid out
// in one of a few kinds, of which the encoder takes the smallest: frame of reference with bit
// packing, differences, runs, ALP for doubles (Afroozeh, Kuffo and Boncz, 2023). Some kinds store a
// few values that do not fit, its exceptions, whole. A vector decodes without any other one, so a
// scan reads just those it needs.
//
// check_vector() is the one place that judges a vector: whatever has passed it can be decoded
// without further looks at bounds. Tested by
// tests/unit/decompress/columns/integer_damage_test.cpp.
#pragma once

#include <cstdint>
#include <cstring>

#include "format/columns/lane_packing.h"
#include "format/host_device.h"
#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

constexpr std::uint32_t kMaxIntegerRows = 65536;
constexpr std::uint32_t kVectorEntryBytes = 16;
constexpr std::uint32_t kRunMapWords = kVectorRows / 32;
constexpr std::uint32_t kMaxAlpExponent = 18;
// Bits of the right part in kAlpRd; the left part has 16 bits or fewer.
constexpr std::uint32_t kMinAlpRdBits = 48;
constexpr std::uint32_t kMaxAlpRdBits = 63;
constexpr std::uint32_t kAlpRdEntries = 8;
// Exceptions of a vector, counted in a byte.
constexpr std::uint32_t kMaxExceptions = 255;

/// How a vector's values are laid out. The numbers are stored in files.
enum class IntegerKind : Byte {
  kPacked = 0,   ///< base + divisor * p, p packed to `width` bits; exceptions
  kDelta1 = 1,   ///< differences to the row before
  kDelta32 = 2,  ///< differences to the row 32 before: the same lane, one step earlier
  kRuns = 3,     ///< a bit a row where a run starts, and one value a run
  kPair = 4,     ///< 16-byte values: low and high halves apart
  kAlp = 5,      ///< doubles that were decimals; exceptions
  kAlpRd = 6,    ///< other doubles: left part from a dictionary of 8; exceptions
  kBitmap = 7,   ///< bools, a bit a row
};

/// What the block's header says about its values as they are in memory.
struct IntegerParameters {
  Byte width_bytes = 0;  ///< 0: bool, one bit a value in memory; else 1, 2, 4, 8 or 16
  bool is_signed = false;
  bool floating = false;  ///< float (4) or double (8): values are their bits
  std::uint32_t rows = 0;
  std::uint64_t divisor = 1;  ///< 1 for bools, 16-byte and floating types
};

/// A vector's entry in the directory: 16 bytes, in this order.
struct VectorEntry {
  std::uint32_t word_offset = 0;  ///< in words, from the first word after the directory
  // An IntegerKind, checked by is_valid().
  Byte kind = 0;
  // How many bits a packed value has.
  Byte width = 0;
  // The bits of kind 2's first rows, kind 4's high halves or kind 6's left parts; otherwise 0.
  Byte width2 = 0;
  Byte exceptions = 0;  ///< how many; runs: the kind of the run values, 0 to 2
  // Added to every value (frame of reference); the first value in kinds 1 and 2.
  std::uint64_t base = 0;
};
static_assert(sizeof(VectorEntry) == kVectorEntryBytes);

/// Bytes of `rows` values in memory.
PRESSO_HD constexpr std::uint64_t values_bytes(std::uint32_t rows, Byte width_bytes) {
  return width_bytes == 0 ? (std::uint64_t{rows} + 7) / 8 : std::uint64_t{rows} * width_bytes;
}

/// Words of kind 2's first min(n, 32) rows, which have no row 32 rows before them and are stored by
/// themselves, in `width2` bits.
PRESSO_HD constexpr std::uint32_t first_rows_words(std::uint32_t n, std::uint32_t width2) {
  return ((n < kLanes ? n : kLanes) * width2 + 31) / 32;
}

/// Words of `n` values in one of the kinds 0 to 2, without exceptions.
PRESSO_HD constexpr std::uint32_t plain_words(IntegerKind kind, std::uint32_t n,
                                              std::uint32_t width, std::uint32_t width2) {
  const std::uint32_t packed = packed_words(n, width);
  if (kind == IntegerKind::kDelta1) return 2 + packed;
  if (kind == IntegerKind::kDelta32) return 2 + first_rows_words(n, width2) + packed;
  return packed;
}

/// Where a vector's exceptions begin, in words: first the rows (16 bits each, ascending), then
/// the values that belong there.
PRESSO_HD constexpr std::uint32_t exceptions_at(const VectorEntry& entry, std::uint32_t n) {
  const std::uint32_t packed = packed_words(n, entry.width);
  if (entry.kind == static_cast<Byte>(IntegerKind::kAlp)) return 1 + packed;
  if (entry.kind == static_cast<Byte>(IntegerKind::kAlpRd)) {
    return kAlpRdEntries / 2 + lane_words(n, entry.width2) + packed;
  }
  return packed;
}
PRESSO_HD constexpr std::uint32_t exception_row_words(std::uint32_t exceptions) {
  return (exceptions + 1) / 2;
}
PRESSO_HD constexpr std::uint32_t exception_words(IntegerKind kind, std::uint32_t exceptions) {
  const std::uint32_t rows = exception_row_words(exceptions);
  return kind == IntegerKind::kAlpRd ? 2 * rows : rows + 2 * exceptions;
}

/// Words of a whole vector of `n` values. `runs` matters for kind 3 only, whose packed values
/// are one for each run.
PRESSO_HD constexpr std::uint32_t vector_words(const VectorEntry& entry, std::uint32_t n,
                                               std::uint32_t runs) {
  const auto kind = static_cast<IntegerKind>(entry.kind);
  switch (kind) {
    case IntegerKind::kDelta1:
    case IntegerKind::kDelta32:
      return plain_words(kind, n, entry.width, entry.width2);
    case IntegerKind::kRuns:
      return kRunMapWords + plain_words(static_cast<IntegerKind>(entry.exceptions), runs,
                                        entry.width, entry.width2);
    case IntegerKind::kPair:
      return 2 + packed_words(n, entry.width) + packed_words(n, entry.width2);
    case IntegerKind::kBitmap:
      return (n + 31) / 32;
    default:
      return exceptions_at(entry, n) + exception_words(kind, entry.exceptions);
  }
}

/// Whether a block's header fields are within their limits; callers report kBadHeader where not.
PRESSO_HD constexpr bool is_valid(const IntegerParameters& of) {
  const Byte width = of.width_bytes;
  if (width > 16 || (width & (width - 1)) != 0) return false;
  if (of.rows == 0 || of.rows > kMaxIntegerRows || of.divisor == 0) return false;
  if (of.floating && width != 4 && width != 8) return false;
  return of.divisor == 1 || (width != 0 && width != 16 && !of.floating);
}

/// Whether an entry's kind suits the type, and its other fields suit the kind.
PRESSO_HD constexpr bool is_valid(const VectorEntry& entry, const IntegerParameters& of) {
  const std::uint32_t bits = 8u * of.width_bytes;
  const bool is_integer = bits != 0 && bits <= 64;
  const bool is_double = of.floating && bits == 64;
  switch (static_cast<IntegerKind>(entry.kind)) {
    case IntegerKind::kPacked:
      return bits <= 64 && entry.width <= bits && entry.width2 == 0;
    case IntegerKind::kDelta1:
      return is_integer && entry.width <= bits && entry.width2 == 0 && entry.exceptions == 0;
    case IntegerKind::kDelta32:
      return is_integer && entry.width <= bits && entry.width2 <= bits && entry.exceptions == 0;
    case IntegerKind::kRuns:
      return is_integer && entry.width <= bits && entry.exceptions <= 2 &&
             entry.width2 <= (entry.exceptions == 2 ? bits : 0);
    case IntegerKind::kPair:
      return bits == 128 && entry.width <= 64 && entry.width2 <= 64 && entry.exceptions == 0;
    case IntegerKind::kAlp:
      return is_double && entry.width <= 64 && entry.width2 == 0;
    case IntegerKind::kAlpRd:
      return is_double && entry.width >= kMinAlpRdBits && entry.width <= kMaxAlpRdBits &&
             entry.width2 <= 3;
    case IntegerKind::kBitmap:
      return bits == 0 && entry.width == 0 && entry.width2 == 0 && entry.exceptions == 0;
  }
  return false;
}

/// Counts the runs of a map, `word(i)` being its i-th word. 0 means that the map is not valid: row
/// 0 begins no run, or a bit at or after row n is set.
template <class Words>
PRESSO_HD constexpr std::uint32_t count_runs(const Words& word, std::uint32_t n) {
  if ((word(0) & 1) == 0) return 0;
  std::uint32_t runs = 0;
  for (std::uint32_t i = 0; i < kRunMapWords; ++i) {
    std::uint32_t bits = word(i);
    const std::uint32_t rows = n > 32 * i ? n - 32 * i : 0;
    if (rows < 32 && (bits >> rows) != 0) return 0;
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    runs += ((bits + (bits >> 4)) & 0x0F0F0F0Fu) * 0x01010101u >> 24;
  }
  return runs;
}

/// Whether the rows of the exceptions ascend and are below `n`.
template <class Words>
PRESSO_HD constexpr bool exceptions_rise(const Words& word, const VectorEntry& entry,
                                         std::uint32_t n) {
  const std::uint32_t at = exceptions_at(entry, n);
  std::uint32_t least = 0;
  for (std::uint32_t i = 0; i < entry.exceptions; ++i) {
    const std::uint32_t row = word(at + i / 2) >> (16 * (i % 2)) & 0xFFFF;
    if (row < least || row >= n) return false;
    least = row + 1;
  }
  return true;
}

/// The verdict on a vector.
struct VectorCheck {
  ErrorCode code = ErrorCode::kOk;
  std::uint32_t runs = 0;  ///< kRuns: how many runs the vector has
};

/// Whether a vector of `n` values can be decoded, by the order of checks of FORMAT.md 16.4.
/// `word(i)`: its i-th word. `words`: words from its first one to the payload's end, or 0 where
/// the vector begins after that. No word at or above `words` is read.
template <class Words>
PRESSO_HD constexpr VectorCheck check_vector(const IntegerParameters& of, const VectorEntry& entry,
                                             std::uint32_t n, const Words& word,
                                             std::uint64_t words) {
  VectorCheck check;
  check.code = ErrorCode::kBadHeader;
  if (!is_valid(entry, of)) return check;
  const auto kind = static_cast<IntegerKind>(entry.kind);
  const std::uint32_t head = kind == IntegerKind::kRuns  ? kRunMapWords
                             : kind == IntegerKind::kAlp ? 1
                                                         : 0;
  if (head > words) return {ErrorCode::kBadPayloadSize, 0};
  if (kind == IntegerKind::kRuns) {
    check.runs = count_runs(word, n);
    if (check.runs == 0) return check;
  }
  if (kind == IntegerKind::kAlp) {
    const std::uint32_t exponents = word(0);
    if ((exponents & 0xFF) > kMaxAlpExponent || exponents >> 8 > kMaxAlpExponent) return check;
  }
  if (vector_words(entry, n, check.runs) > words) return {ErrorCode::kBadPayloadSize, 0};
  const bool has_rows =
      kind == IntegerKind::kPacked || kind == IntegerKind::kAlp || kind == IntegerKind::kAlpRd;
  if (has_rows && !exceptions_rise(word, entry, n)) return check;
  check.code = ErrorCode::kOk;
  return check;
}

inline VectorEntry load_vector_entry(const Byte* from) {
  VectorEntry entry;
  std::memcpy(&entry, from, sizeof entry);
  return entry;
}
inline void store_vector_entry(Byte* to, const VectorEntry& entry) {
  std::memcpy(to, &entry, sizeof entry);
}

}  // namespace presso
