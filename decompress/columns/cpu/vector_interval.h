// SPDX-License-Identifier: MIT
// The interval in which the values of a vector of differences (kinds 1 and 2, FORMAT.md 16.2) lie,
// from its first words, its base and its packed width. Sorted columns are stored as differences,
// and most of their vectors lie entirely inside or outside of the bounds, so they need not be
// decoded. Numbers are computed in 128 bits; if they leave the type, values may wrap around and
// nothing is known. Tested by tests/unit/decompress/columns/integer_filter_test.cpp.
#pragma once

#include "decompress/columns/cpu/integer_decoder.h"
#include "decompress/columns/cpu/value_test.h"

namespace presso {

/// How many of a vector's values lie between the bounds, as far as it is known.
enum class Between : Byte { kNone, kSome, kAll };

/// For a vector of kind 1 or 2 and a test of integers.
Between differences_between(const IntegerParameters& parameters, const IntegerVector& vector,
                            const ValueTest& test);

}  // namespace presso
