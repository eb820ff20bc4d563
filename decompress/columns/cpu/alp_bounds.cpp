// SPDX-License-Identifier: MIT
// alp_bounds() guesses each bound by the inverse of the decoder's computation and corrects the
// guess by at most kMostSteps steps in either direction. The tables of powers are those of the
// decoder (integer_doubles_loop.h), so that the values compared here are exactly those that it
// gives.
#include "decompress/columns/cpu/alp_bounds.h"

#include <algorithm>
#include <limits>

#include "format/columns/alp_powers.h"

namespace presso {
namespace {

/// How many steps a guess may be off. It is by at most one where integers have fewer than 53
/// bits.
constexpr int kMostSteps = 4;

/// The packed integers p of a vector and the doubles that they stand for.
class AlpValues {
 public:
  explicit AlpValues(const IntegerVector& vector)
      : base_(static_cast<std::int64_t>(vector.entry.base)),
        last_((std::int64_t{1} << vector.entry.width) - 1) {
    const auto exponents = load<std::uint32_t>(vector.words);
    e_ = exponents & 0xFF;
    f_ = exponents >> 8 & 0xFF;
  }

  /// The greatest p that the width can hold, whether or not a row has it.
  std::int64_t last() const { return last_; }
  /// Whether base + p may exceed 64 bits; order is not certain then.
  bool wraps_around() const { return base_ > std::numeric_limits<std::int64_t>::max() - last_; }
  /// Must be the same two multiplications as in decode_alp(), in the same order.
  double value(std::int64_t p) const {
    return static_cast<double>(base_ + p) * kAlpPowers[f_] * kAlpInversePowers[e_];
  }
  /// About where a value lies among the p: 0 to last() + 1.
  std::int64_t guess(double value) const {
    const double p = value * kAlpPowers[e_] * kAlpInversePowers[f_] - static_cast<double>(base_);
    if (!(p > 0)) return 0;
    return p > static_cast<double>(last_) ? last_ + 1 : static_cast<std::int64_t>(p);
  }

 private:
  std::int64_t base_;
  std::int64_t last_;
  std::uint32_t e_;
  std::uint32_t f_;
};

/// The least p for which reaches(value(p)) is true, given that it is true for all greater ones;
/// last() + 1 if there is none, and -1 if it was not found near `guess`.
template <class Reaches>
std::int64_t first_that(const AlpValues& values, std::int64_t guess, const Reaches& reaches) {
  // Down while the value before is inside, then up while this one is not.
  std::int64_t p = guess;
  for (int i = 0; i < kMostSteps && p > 0 && reaches(values.value(p - 1)); ++i) --p;
  for (int i = 0; i < kMostSteps && p <= values.last() && !reaches(values.value(p)); ++i) ++p;
  const bool is_below = p == 0 || !reaches(values.value(p - 1));
  const bool is_above = p > values.last() || reaches(values.value(p));
  return is_below && is_above ? p : -1;
}

}  // namespace

// `least` gives the first p inside, `most` the first p past the end. Each search evaluates at
// most some ten values.
AlpBounds alp_bounds(const IntegerVector& vector, double least, double most) {
  AlpBounds bounds;
  if (vector.entry.width > 32) return bounds;
  const AlpValues values(vector);
  if (values.wraps_around()) return bounds;
  const std::int64_t from =
      first_that(values, values.guess(least), [=](double value) { return value >= least; });
  const std::int64_t end =
      first_that(values, values.guess(most), [=](double value) { return value > most; });
  bounds.are_known = from >= 0 && end >= 0;
  bounds.is_empty = from >= end;
  bounds.from = static_cast<std::uint32_t>(from);
  bounds.to = static_cast<std::uint32_t>(end - 1);
  return bounds;
}

}  // namespace presso
