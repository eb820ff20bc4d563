// SPDX-License-Identifier: MIT
// ALP and ALP-RD for vectors of doubles. By a sample of the block, at most three pairs of exponents
// are chosen, or if none gains one cut of the bits; the paper samples on two levels. Each vector
// takes the best of the pairs by a sample of 64 of its values, and keeps it only if that is smaller
// than what integers would take. Tested by
// tests/unit/decompress/columns/integer_round_trip_test.cpp.
#include "compress/columns/alp_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace presso {
namespace {

// An exception takes its row and its value: 16 + 64 bits, or 16 + 16 for a left part.
constexpr std::uint32_t kAlpExceptionBits = 80;
constexpr std::uint32_t kRdExceptionBits = 32;

/// How many bits an integer takes after the least one is subtracted.
std::uint32_t integer_bits(const AlpIntegers& of) {
  if (of.least > of.greatest) return 0;
  return bits_of(static_cast<std::uint64_t>(of.greatest) - static_cast<std::uint64_t>(of.least));
}

/// The bits that `n` values would take in this form.
std::uint64_t estimate(const AlpIntegers& of, std::size_t n) {
  return integer_bits(of) * std::uint64_t{n} + of.exceptions * std::uint64_t{kAlpExceptionBits};
}

/// Tries all 190 pairs of exponents e >= f on the sample and keeps the best few that save
/// anything.
void choose_exponents(const std::vector<double>& sample, const IntegerLoops& loops,
                      DoublesChoice& choice) {
  struct Candidate {
    std::uint64_t bits;
    AlpExponents exponents;
  };
  std::vector<Candidate> all;
  const auto n = static_cast<std::uint32_t>(sample.size());
  for (std::uint32_t e = 0; e <= kMaxAlpExponent; ++e) {
    for (std::uint32_t f = 0; f <= e; ++f) {
      const AlpIntegers integers = loops.alp(sample.data(), n, e, f, nullptr);
      // Too many exceptions to be worth an estimate.
      if (integers.exceptions * 2 > n) continue;
      all.push_back({estimate(integers, n), {e, f}});
    }
  }
  // Among equal ones, those with smaller exponents come first.
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.bits < b.bits; });
  for (const Candidate& candidate : all) {
    // Less than a sixteenth saved is not worth the slower decoding.
    if (candidate.bits >= 60 * std::uint64_t{n} || choice.candidates == choice.kCandidates) return;
    choice.exponents[choice.candidates++] = candidate.exponents;
  }
}

/// A value's upper bits, and how often they occur in the sample.
struct LeftPart {
  std::uint32_t count;
  std::uint16_t bits;
};

/// The left parts of the sorted values, the most frequent first.
std::vector<LeftPart> left_parts(const std::vector<std::uint64_t>& sorted, std::uint32_t right) {
  std::vector<LeftPart> parts;
  for (const std::uint64_t value : sorted) {
    const auto left = static_cast<std::uint16_t>(value >> right);
    // Sorted values have equal left parts side by side.
    if (parts.empty() || parts.back().bits != left) parts.push_back({0, left});
    ++parts.back().count;
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const LeftPart& a, const LeftPart& b) { return a.count > b.count; });
  return parts;
}

/// Makes the most frequent left parts the dictionary.
void use_left_parts(const std::vector<LeftPart>& parts, std::uint32_t right, std::uint32_t code,
                    DoublesChoice& choice) {
  choice.right_bits = right;
  choice.code_bits = code;
  choice.lefts = {};
  const std::size_t entries = std::min(parts.size(), std::size_t{1} << code);
  for (std::size_t i = 0; i < entries; ++i) choice.lefts[i] = parts[i].bits;
}

// Chooses where to cut values for ALP-RD: all cuts and all sizes of the dictionary of left parts
// are tried on the sample; the cheapest is kept.
void choose_cut(const std::vector<double>& sample, DoublesChoice& choice) {
  std::vector<std::uint64_t> sorted(sample.size());
  std::transform(sample.begin(), sample.end(), sorted.begin(),
                 [](double value) { return std::bit_cast<std::uint64_t>(value); });
  std::sort(sorted.begin(), sorted.end());
  std::uint64_t best = 63 * sample.size();
  for (std::uint32_t right = kMinAlpRdBits; right <= kMaxAlpRdBits; ++right) {
    const std::vector<LeftPart> parts = left_parts(sorted, right);
    std::uint64_t found = 0;
    std::size_t used = 0;
    for (std::uint32_t code = 0; code <= 3; ++code) {
      for (; used < std::min(parts.size(), std::size_t{1} << code); ++used) {
        found += parts[used].count;
      }
      const std::uint64_t bits =
          (right + code) * sample.size() + kRdExceptionBits * (sample.size() - found);
      if (bits >= best) continue;
      best = bits;
      use_left_parts(parts, right, code, choice);
    }
  }
  // No cut saves anything.
  if (choice.right_bits == 0) return;
  choice.code_of.assign(std::size_t{1} << (64 - choice.right_bits), DoublesChoice::kNoCode);
  for (std::uint32_t code = 1u << choice.code_bits; code-- > 0;) {
    choice.code_of[choice.lefts[code]] = static_cast<Byte>(code);  // of equal ones the first
  }
}

/// The best of the choice's exponents for this vector, judged by 64 of its values.
AlpExponents exponents_for(const double* values, std::uint32_t n, const DoublesChoice& choice,
                           const IntegerLoops& loops) {
  constexpr std::uint32_t kSample = 64;
  if (choice.candidates == 1) return choice.exponents[0];
  std::array<double, kSample> sample;
  const std::uint32_t step = std::max(n / kSample, 1u);
  const std::uint32_t count = std::min(n / step, kSample);
  for (std::uint32_t i = 0; i < count; ++i) sample[i] = values[i * step];
  AlpExponents best = choice.exponents[0];
  std::uint64_t best_bits = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < choice.candidates; ++i) {
    const AlpExponents exponents = choice.exponents[i];
    const std::uint64_t bits =
        estimate(loops.alp(sample.data(), count, exponents.e, exponents.f, nullptr), count);
    if (bits >= best_bits) continue;
    best_bits = bits;
    best = exponents;
  }
  return best;
}

/// The rows whose values do not fit the kind, by which they are listed with their values.
struct Exceptions {
  std::array<std::uint16_t, kMaxExceptions + 1> rows{};
  std::uint32_t count = 0;

  /// Rows are 16 bits each, padded to whole words.
  void append_rows(Buffer& to) const {
    to.append({reinterpret_cast<const Byte*>(rows.data()), 4 * exception_row_words(count)});
  }
};

/// Values wider than 32 bits are packed as low and high halves.
void append_split(const std::uint64_t* values, std::uint32_t n, std::uint32_t width,
                  const IntegerLoops& loops, Buffer& to) {
  std::array<std::uint32_t, kVectorRows> low;
  std::array<std::uint32_t, kVectorRows> high;
  const QuotientsOf<std::uint64_t> as_they_are{0, 0, ~std::uint64_t{0}, {}};
  loops.wide.quotients(values, n, as_they_are, low.data(), high.data());
  append_packed(low.data(), n, std::min(width, 32u), loops, to);
  if (width > 32) append_packed(high.data(), n, width - 32, loops, to);
}

// Appends the vector as kind 5. Returns false, before anything is appended, where it has too many
// exceptions or takes `words` words or more.
bool append_alp(const std::uint64_t* bits, std::uint32_t n, const DoublesChoice& choice,
                std::uint32_t words, const IntegerLoops& loops, VectorEntry& entry, Buffer& to) {
  std::array<double, kVectorRows> values;
  std::memcpy(values.data(), bits, n * sizeof(double));
  const AlpExponents exponents = exponents_for(values.data(), n, choice, loops);
  std::array<std::int64_t, kVectorRows> integers;
  const AlpIntegers facts = loops.alp(values.data(), n, exponents.e, exponents.f, integers.data());
  const std::uint32_t width = integer_bits(facts);
  if (facts.exceptions > kMaxExceptions || facts.exceptions == n) return false;
  if (1 + packed_words(n, width) + exception_words(IntegerKind::kAlp, facts.exceptions) >= words) {
    return false;
  }
  Exceptions exceptions;
  std::array<std::uint64_t, kVectorRows> packed;
  for (std::uint32_t i = 0; i < n; ++i) {
    // alp() marks exceptions by the least number there is.
    const bool is_exception = integers[i] < facts.least;
    if (is_exception) exceptions.rows[exceptions.count++] = static_cast<std::uint16_t>(i);
    packed[i] = is_exception ? 0
                             : static_cast<std::uint64_t>(integers[i]) -
                                   static_cast<std::uint64_t>(facts.least);
  }
  entry.kind = static_cast<Byte>(IntegerKind::kAlp);
  entry.width = static_cast<Byte>(width);
  entry.width2 = 0;
  entry.exceptions = static_cast<Byte>(exceptions.count);
  entry.base = static_cast<std::uint64_t>(facts.least);
  const std::array<Byte, 4> head = {static_cast<Byte>(exponents.e), static_cast<Byte>(exponents.f),
                                    0, 0};
  to.append(head);
  append_split(packed.data(), n, width, loops, to);
  exceptions.append_rows(to);
  for (std::uint32_t i = 0; i < exceptions.count; ++i) append_words(to, bits[exceptions.rows[i]]);
  return true;
}

/// Appends the vector as kind 6, or returns false in the same way. Values whose left part is not in
/// the dictionary become exceptions.
bool append_alp_rd(const std::uint64_t* bits, std::uint32_t n, const DoublesChoice& choice,
                   std::uint32_t words, const IntegerLoops& loops, VectorEntry& entry, Buffer& to) {
  const std::uint32_t right = choice.right_bits;
  std::array<std::uint32_t, kVectorRows> codes;
  std::array<std::uint64_t, kVectorRows> rights;
  Exceptions exceptions;
  for (std::uint32_t i = 0; i < n; ++i) {
    const Byte code = choice.code_of[bits[i] >> right];
    const bool is_exception = code == DoublesChoice::kNoCode;
    if (is_exception) {
      if (exceptions.count == kMaxExceptions) return false;
      exceptions.rows[exceptions.count++] = static_cast<std::uint16_t>(i);
    }
    codes[i] = is_exception ? 0 : code;
    rights[i] = bits[i] & ((std::uint64_t{1} << right) - 1);
  }
  entry = {};
  entry.kind = static_cast<Byte>(IntegerKind::kAlpRd);
  entry.width = static_cast<Byte>(right);
  entry.width2 = static_cast<Byte>(choice.code_bits);
  entry.exceptions = static_cast<Byte>(exceptions.count);
  if (vector_words(entry, n, 0) >= words) return false;
  to.append({reinterpret_cast<const Byte*>(choice.lefts.data()), sizeof choice.lefts});
  append_packed(codes.data(), n, choice.code_bits, loops, to);
  append_split(rights.data(), n, right, loops, to);
  exceptions.append_rows(to);
  std::array<std::uint16_t, kMaxExceptions + 1> lefts{};
  for (std::uint32_t i = 0; i < exceptions.count; ++i) {
    lefts[i] = static_cast<std::uint16_t>(bits[exceptions.rows[i]] >> right);
  }
  to.append(
      {reinterpret_cast<const Byte*>(lefts.data()), 4 * exception_row_words(exceptions.count)});
  return true;
}

}  // namespace

// ALP-RD is looked at only if no pair of exponents gains: data that were decimals never need
// it.
DoublesChoice choose_for_doubles(const std::vector<double>& sample, const IntegerLoops& loops) {
  DoublesChoice choice;
  choose_exponents(sample, loops, choice);
  if (choice.candidates == 0) choose_cut(sample, choice);
  return choice;
}

// `words`: what the best kind for integers takes, which either form must beat.
bool append_doubles(const std::uint64_t* bits, std::uint32_t n, const DoublesChoice& choice,
                    std::uint32_t words, const IntegerLoops& loops, VectorEntry& entry,
                    Buffer& to) {
  if (choice.candidates > 0 && append_alp(bits, n, choice, words, loops, entry, to)) return true;
  return choice.right_bits > 0 && append_alp_rd(bits, n, choice, words, loops, entry, to);
}

}  // namespace presso
