// SPDX-License-Identifier: MIT
// Between which numbers the values of a vector of differences (kinds 1 and 2, FORMAT.md 16.2) lie,
// by its first words alone: sorted columns are stored so, and of these most vectors lie wholly
// inside or outside of what is looked for. Numbers are computed in 128 bits; where they leave the
// type, values may wrap around, and nothing is known.
// Tested by tests/unit/decompress/columns/integer_filter_test.cpp.
#pragma once

#include "decompress/columns/cpu/integer_decoder.h"
#include "decompress/columns/cpu/value_test.h"

namespace presso {

enum class Between : Byte { kNone, kSome, kAll };

/// How a vector of kind 1 or 2 lies to the bounds of `test`, which is one of integers.
Between differences_between(const IntegerParameters& parameters, const IntegerVector& vector,
                            const ValueTest& test);

}  // namespace presso
