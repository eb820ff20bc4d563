// SPDX-License-Identifier: MIT
// Optimal prefix codes whose words are limited in length: package-merge (sources: S7.18).
//
// Given how often each symbol occurs, finds the code lengths, none above the limit, with which
// all occurrences together take the fewest bits. There is a limit because a decoder's table has
// 2^limit entries. The result is optimal, not a repaired Huffman code. O(limit * symbols) after
// sorting.
//
// Tested by tests/unit/compress/huffman_lengths_test.cpp against every possible code (small
// alphabets) and against a dynamic programme over the leaves of each depth (large ones).
#pragma once

#include <cstdint>
#include <span>

#include "presso/bytes.h"

namespace presso {

/// Fills `lengths`, which has the size of `counts`, with the code length of every symbol; 0
/// where its count is 0. A single symbol gets length 1. At most 2^limit symbols may occur;
/// `limit`: 1 to 15.
void limited_code_lengths(std::span<const std::uint32_t> counts, unsigned limit,
                          std::span<Byte> lengths);

}  // namespace presso
