// SPDX-License-Identifier: MIT
// Compares the values of a vector of coding 4 (integers, FORMAT.md 16) with bounds and gives a bit
// a row. Packed values of up to 32 bits are compared as they are: bounds are moved into the domain
// of what is packed, once a vector, where it is certain that base + divisor * p does not wrap
// around. Everything else is decoded into the first-level cache and compared there.
//
// G values/s on one core of an AMD EPYC (Zen 4), 4 bytes, the middle half of the values
// (lab/programs/columns: integer_rate 60):
//
//   bits        5     8    12    17    20    27    differences   runs of 4   ALP, 24 bits
//   AVX-512  21.6  20.8  18.1  16.3  16.4  14.0        2.8           7.2         14.3
//   AVX2     13.8  14.0  12.6  11.7  11.8  10.3        2.6           7.1          9.8
//   any       4.0   5.0   4.6   4.3   4.4   3.0        2.0           2.6          3.2
//
// Vectors were checked before (integer_decoder.h): nothing here can fail or reads outside of them.
// Bitmaps have 16 words; bits behind the last row are 0. Results are the same at every level.
// Tested by tests/unit/decompress/columns/integer_filter_test.cpp.
#pragma once

#include <cstdint>

#include "decompress/columns/cpu/integer_decoder.h"
#include "decompress/columns/cpu/value_test.h"
#include "decompress/columns/cpu/vector_interval.h"

namespace presso {

constexpr std::uint32_t kVectorBits = kVectorRows / 64;  ///< words of a vector's bitmap
/// Room for the values of a vector of up to 8 bytes each.
constexpr std::size_t kVectorScratchBytes = kVectorRows * 8 + 128;

/// Makes the bits behind the first `rows` 0.
void clear_behind(std::uint64_t* bits, std::uint32_t rows);

/// What of a vector lies between, as far as its entry tells.
Between vector_between(const IntegerParameters& parameters, const IntegerVector& vector,
                       const ValueTest& test);

/// `test` of the width of the values; `scratch`: kVectorScratchBytes.
void filter_integer_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                           const ValueTest& test, std::uint64_t* bits, Byte* scratch,
                           CpuLevel level = cpu_level());

/// The values of the runs of a vector of kind 3, as a vector of their own.
IntegerVector runs_of(const IntegerVector& vector);
/// Each of `rows` rows gets the bit of its run. `map`: 1,024 bits, 1 where a run begins, the first
/// of which is 1.
void spread_run_bits(const Byte* map, const std::uint64_t* run_bits, std::uint32_t rows,
                     std::uint64_t* bits, CpuLevel level = cpu_level());

/// The same of values in memory. `values` must be readable to the 1,024th (bools: none but those
/// of `rows`).
void filter_values(const ValueTest& test, const Byte* values, std::uint32_t rows,
                   std::uint64_t* bits, CpuLevel level = cpu_level());

/// Codes, 4 bytes wide, of which `wanted` has a bit each, `codes` altogether; others are not
/// wanted.
void filter_code_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                        const std::uint64_t* wanted, std::uint32_t codes, std::uint64_t* bits,
                        Byte* scratch, CpuLevel level = cpu_level());
/// The same of codes in memory, which must be readable to the 1,024th.
void filter_codes(const Byte* values, std::uint32_t rows, const std::uint64_t* wanted,
                  std::uint32_t codes, std::uint64_t* bits, CpuLevel level = cpu_level());

}  // namespace presso
