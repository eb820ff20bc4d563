// SPDX-License-Identifier: MIT
// The reference decoder of coding 4 (integers): each value by the formula of its kind (FORMAT.md
// 16.2), with nothing unpacked ahead. Slow, and meant to be read beside the text. Tests:
// tests/unit/decompress/columns.
#include "tests/support/reference_integer_decoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

namespace presso {
namespace {

/// A vector's words and the fields of its entry.
struct Vector {
  const Byte* words;
  VectorEntry entry;
  std::uint64_t divisor;
  std::uint32_t n;

  std::uint32_t word(std::uint32_t at) const { return load<std::uint32_t>(words + 4 * at); }
  std::uint64_t two_words(std::uint32_t at) const { return load<std::uint64_t>(words + 4 * at); }
  std::uint32_t half(std::uint32_t at, std::uint32_t i) const {
    return load<std::uint16_t>(words + 4 * at + 2 * i);
  }

  /// Value i of lane packing, with `width` bits (0 to 32), that begins at word `at`.
  std::uint32_t lane_value(std::uint32_t at, std::uint32_t width, std::uint32_t i) const {
    if (width == 0) return 0;
    // FORMAT.md 16: value i is field i / 32 of lane i % 32.
    const std::uint32_t lane = i % kLanes;
    const std::uint32_t bit = i / kLanes * width;
    std::uint64_t bits = word(at + bit / 32 * kLanes + lane);
    if (bit % 32 + width > 32)
      bits |= std::uint64_t{word(at + (bit / 32 + 1) * kLanes + lane)} << 32;
    return static_cast<std::uint32_t>(bits >> (bit % 32) & ((std::uint64_t{1} << width) - 1));
  }
  /// Value i of `count` packed values of up to 64 bits.
  std::uint64_t packed(std::uint32_t at, std::uint32_t count, std::uint32_t width,
                       std::uint32_t i) const {
    if (width <= 32) return lane_value(at, width, i);
    const std::uint32_t high_at = at + lane_words(count, 32);
    return lane_value(at, 32, i) | std::uint64_t{lane_value(high_at, width - 32, i)} << 32;
  }
  /// Value i of those packed one after another, not in lanes.
  std::uint64_t consecutive(std::uint32_t at, std::uint32_t width, std::uint32_t i) const {
    std::uint64_t value = 0;
    for (std::uint32_t k = 0; k < width; ++k) {
      const std::uint32_t bit = i * width + k;
      value |= std::uint64_t{word(at + bit / 32) >> (bit % 32) & 1} << k;
    }
    return value;
  }
  /// The number of the exception at row i; the number of exceptions if there is none.
  std::uint32_t exception(std::uint32_t i) const {
    const std::uint32_t at = exceptions_at(entry, n);
    std::uint32_t number = 0;
    while (number < entry.exceptions && half(at, number) != i) ++number;
    return number;
  }
  std::uint32_t exception_values_at() const {
    return exceptions_at(entry, n) + exception_row_words(entry.exceptions);
  }
};

/// One vector's values, as 64-bit images.
using Values = std::array<std::uint64_t, kVectorRows>;

/// `count` values of one of the kinds 0 to 2 from word `at` on, without exceptions.
void decode_plain(const Vector& of, IntegerKind kind, std::uint32_t at, std::uint32_t count,
                  Values& to) {
  const VectorEntry& entry = of.entry;
  const bool is_delta = kind != IntegerKind::kPacked;
  const std::uint32_t first_words =
      kind == IntegerKind::kDelta32 ? first_rows_words(count, entry.width2) : 0;
  const std::uint32_t packed_at = at + (is_delta ? 2 : 0) + first_words;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t step =
        entry.base + of.divisor * of.packed(packed_at, count, entry.width, i);
    if (kind == IntegerKind::kPacked) {
      to[i] = step;
    } else if (kind == IntegerKind::kDelta1) {
      to[i] = i == 0 ? of.two_words(at) : to[i - 1] + step;
    } else {
      to[i] = i < kLanes ? of.two_words(at) + of.divisor * of.consecutive(at + 2, entry.width2, i)
                         : to[i - kLanes] + step;
    }
  }
}

/// Kind 3: a map of run starts, then the values of the runs in one of the kinds 0 to 2. The
/// first row always starts a run, which the check ensures.
void decode_runs(const Vector& of, std::uint32_t runs, Values& to) {
  Values of_run;
  decode_plain(of, static_cast<IntegerKind>(of.entry.exceptions), kRunMapWords, runs, of_run);
  std::uint32_t started = 0;
  for (std::uint32_t i = 0; i < of.n; ++i) {
    started += of.word(i / 32) >> (i % 32) & 1;
    to[i] = of_run[started - 1];
  }
}

// Literals, since 10^n computed at run time might be rounded in another way.
constexpr double kPowers[kMaxAlpExponent + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                 1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                 1e14, 1e15, 1e16, 1e17, 1e18};
constexpr double kInverses[kMaxAlpExponent + 1] = {1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,
                                                   1e-7,  1e-8,  1e-9,  1e-10, 1e-11, 1e-12, 1e-13,
                                                   1e-14, 1e-15, 1e-16, 1e-17, 1e-18};

/// Kind 5: a decimal as integer * 10^f * 10^-e.
std::uint64_t alp_value(const Vector& of, std::uint32_t i) {
  const double inverse = kInverses[of.word(0) & 0xFF];
  const double power = kPowers[of.word(0) >> 8 & 0xFF];
  const std::uint64_t integer = of.entry.base + of.packed(1, of.n, of.entry.width, i);
  const double scaled = static_cast<double>(static_cast<std::int64_t>(integer)) * power;
  return std::bit_cast<std::uint64_t>(scaled * inverse);
}

/// Kind 6: upper bits from a dictionary of eight or an exception, lower bits packed.
std::uint64_t alp_rd_value(const Vector& of, std::uint32_t i, std::uint32_t exception) {
  const std::uint32_t codes_at = kAlpRdEntries / 2;
  const std::uint32_t rights_at = codes_at + lane_words(of.n, of.entry.width2);
  const std::uint64_t right = of.packed(rights_at, of.n, of.entry.width, i);
  const std::uint64_t left = exception < of.entry.exceptions
                                 ? of.half(of.exception_values_at(), exception)
                                 : of.half(0, of.lane_value(codes_at, of.entry.width2, i));
  return left << of.entry.width | right;
}

/// Values as 64-bit images; for kind 4 the low halves.
void decode_images(const Vector& of, std::uint32_t runs, Values& to) {
  const auto kind = static_cast<IntegerKind>(of.entry.kind);
  if (kind == IntegerKind::kRuns) return decode_runs(of, runs, to);
  if (kind == IntegerKind::kDelta1 || kind == IntegerKind::kDelta32) {
    return decode_plain(of, kind, 0, of.n, to);
  }
  for (std::uint32_t i = 0; i < of.n; ++i) {
    if (kind == IntegerKind::kBitmap) {
      to[i] = of.word(i / 32) >> (i % 32) & 1;
      continue;
    }
    if (kind == IntegerKind::kPair) {
      to[i] = of.entry.base + of.packed(2, of.n, of.entry.width, i);
      continue;
    }
    const std::uint32_t exception = of.exception(i);
    if (kind == IntegerKind::kAlpRd) {
      to[i] = alp_rd_value(of, i, exception);
    } else if (exception < of.entry.exceptions) {
      to[i] = of.two_words(of.exception_values_at() + 2 * exception);
    } else if (kind == IntegerKind::kAlp) {
      to[i] = alp_value(of, i);
    } else {
      to[i] = of.entry.base + of.divisor * of.packed(0, of.n, of.entry.width, i);
    }
  }
}

/// Lower bytes of each image; pairs (kind 4) read their upper halves here.
void write_values(const Vector& of, const Values& values, Byte width_bytes, Byte* to) {
  if (width_bytes == 0) std::memset(to, 0, (of.n + 7) / 8);
  for (std::uint32_t i = 0; i < of.n; ++i) {
    if (width_bytes == 0) {
      to[i / 8] = static_cast<Byte>(to[i / 8] | (values[i] & 1) << (i % 8));
    } else if (width_bytes < 16) {
      std::memcpy(to + i * width_bytes, &values[i], width_bytes);
    } else {
      const std::uint32_t high_at = 2 + packed_words(of.n, of.entry.width);
      store<std::uint64_t>(to + 16 * i, values[i]);
      store<std::uint64_t>(to + 16 * i + 8,
                           of.two_words(0) + of.packed(high_at, of.n, of.entry.width2, i));
    }
  }
}

}  // namespace

// The order of checks is that of FORMAT.md 16.4.
Status reference_decode_integers(const IntegerParameters& parameters, Bytes payload,
                                 MutableBytes into) {
  if (!is_valid(parameters)) return make_error(ErrorCode::kBadHeader, "integer parameters");
  if (into.size() != values_bytes(parameters.rows, parameters.width_bytes)) {
    return make_error(ErrorCode::kInvalidArgument, "size of the integers' buffer");
  }
  const std::uint32_t vectors = vectors_of(parameters.rows);
  const std::size_t directory = std::size_t{vectors} * kVectorEntryBytes;
  if (payload.size() % 4 != 0 || payload.size() < directory) {
    return make_error(ErrorCode::kBadPayloadSize);
  }
  const Bytes data = payload.subspan(directory);
  for (std::uint32_t vector = 0; vector < vectors; ++vector) {
    Vector of{};
    of.entry = load_vector_entry(payload.data() + vector * kVectorEntryBytes);
    of.divisor = parameters.divisor;
    of.n = vector_rows(parameters.rows, vector);
    // An offset past the end is found by check_vector(), as too few words.
    const std::size_t begin = std::min(std::size_t{of.entry.word_offset} * 4, data.size());
    of.words = data.data() + begin;
    const VectorCheck check = check_vector(
        parameters, of.entry, of.n, [&](std::uint32_t at) { return of.word(at); },
        (data.size() - begin) / 4);
    if (check.code != ErrorCode::kOk) {
      return make_error(check.code, "vector " + std::to_string(vector));
    }
    Values values;
    decode_images(of, check.runs, values);
    write_values(of, values, parameters.width_bytes,
                 into.data() + values_bytes(vector * kVectorRows, parameters.width_bytes));
  }
  return {};
}

}  // namespace presso
