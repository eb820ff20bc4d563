// SPDX-License-Identifier: MIT
// differences_between(): the first value plus the number of differences before a row, times the
// least and the greatest difference, gives an interval that holds all values.
#include "decompress/columns/cpu/vector_interval.h"

#include <algorithm>

namespace presso {
namespace {

// Interval arithmetic in 128 bits, so that nothing overflows before it is compared with the
// type.
using Wide = __int128;

/// Both ends included.
struct Interval {
  Wide least;
  Wide most;
};

/// The number that the lower bytes of `value` are.
Wide number_of(std::uint64_t value, Byte width_bytes, bool is_signed) {
  const unsigned unused = 64 - 8u * width_bytes;
  const std::uint64_t upper = value << unused;
  return is_signed ? Wide{static_cast<std::int64_t>(upper) >> unused} : Wide{upper >> unused};
}

/// The interval of the differences. The base is taken as signed whatever the type is: the choice
/// does not matter modulo the type's width.
Interval steps_of(const IntegerParameters& parameters, const VectorEntry& entry) {
  const Wide base = number_of(entry.base, parameters.width_bytes, true);
  const std::uint64_t packed = entry.width == 0 ? 0 : ~std::uint64_t{0} >> (64u - entry.width);
  return {base, base + Wide{packed} * parameters.divisor};
}

/// The interval of all rows; false if a product may not fit into 128 bits.
bool values_of(const IntegerParameters& parameters, const IntegerVector& vector, bool is_signed,
               Interval& values) {
  const VectorEntry& entry = vector.entry;
  if (parameters.divisor > ~std::uint64_t{0} >> 16) return false;
  // A row adds as many differences as rows, or steps of its lane, come before it.
  const bool by_lanes = entry.kind == static_cast<Byte>(IntegerKind::kDelta32);
  const Interval step = steps_of(parameters, entry);
  const Wide count = by_lanes ? (vector.rows - 1) / kLanes : vector.rows - 1;
  const Wide first =
      number_of(load<std::uint64_t>(vector.words), parameters.width_bytes, is_signed);
  values = {first + std::min(Wide{0}, count * step.least),
            first + std::max(Wide{0}, count * step.most)};
  if (by_lanes && entry.width2 != 0) {
    values.most += Wide{~std::uint64_t{0} >> (64u - entry.width2)} * parameters.divisor;
  }
  return true;
}

}  // namespace

// If the interval leaves the type, a value may have wrapped around, and nothing is known.
Between differences_between(const IntegerParameters& parameters, const IntegerVector& vector,
                            const ValueTest& test) {
  Interval values;
  if (!values_of(parameters, vector, test.is_signed, values)) return Between::kSome;
  const Wide all = Wide{1} << (8 * test.width_bytes);
  const Wide type_least = test.is_signed ? -all / 2 : 0;
  if (values.least < type_least || values.most >= type_least + all) return Between::kSome;
  const Wide least = number_of(test.low, test.width_bytes, test.is_signed);
  const Wide most = least + Wide{test.span};
  if (values.most < least || values.least > most) return Between::kNone;
  return values.least >= least && values.most <= most ? Between::kAll : Between::kSome;
}

}  // namespace presso
