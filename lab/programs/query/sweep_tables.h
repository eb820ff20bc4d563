// SPDX-License-Identifier: MIT
// Tables for plan_sweep, made from fixed seeds: random integers of 12, 14, 16 and 20 bits (a, b, c,
// d); `sorted`, which rises with the rows; `runs`, which stays about the same for some thousand
// rows; `near` a, `far` from a (correlated, and correlated inversely); and `note`, a text of words
// that is stored as tokens. All compare with fractions: each value is below s * 2^bits for about a
// share s of the rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso::query {

struct SweptColumn {
  std::string name;
  unsigned bits = 0;
};

/// The columns of integers with their bits.
const std::vector<SweptColumn>& swept_columns();

/// A table of all these columns of integers.
Result<std::vector<Byte>> make_number_table(std::uint64_t rows);
/// A table of a, b and note.
Result<std::vector<Byte>> make_text_table(std::uint64_t rows);

}  // namespace presso::query
