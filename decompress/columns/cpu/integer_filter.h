// SPDX-License-Identifier: MIT
// Compares the values of a vector of coding 4 (integers, FORMAT.md 16) with bounds and gives a
// bit for each row: the inner loop of every scan of a table. Packed values of up to 32 bits are
// compared without decoding them: bounds are moved into the domain of the packed numbers, once
// a vector, if it is certain that base + divisor * p does not wrap around. Everything else is
// decoded into the first-level cache and compared there.
//
// G values/s on one core of an AMD EPYC (Zen 4), 4 bytes, the middle half of the values
// (lab/programs/columns: integer_rate 60):
//
//   bits        5     8    12    17    20    27    differences   runs of 4   ALP, 24 bits
//   AVX-512  21.6  20.8  18.1  16.3  16.4  14.0        2.8           7.2         14.3
//   AVX2     13.8  14.0  12.6  11.7  11.8  10.3        2.6           7.1          9.8
//   any       4.0   5.0   4.6   4.3   4.4   3.0        2.0           2.6          3.2
//
// Vectors must have been checked (integer_decoder.h): nothing here fails or reads outside of
// them. Bitmaps have 16 words; bits after the last row are 0. Results are the same at every CPU
// level. Tested by tests/unit/decompress/columns/integer_filter_test.cpp.
#pragma once

#include <cstdint>

#include "decompress/columns/cpu/integer_decoder.h"
#include "decompress/columns/cpu/value_test.h"
#include "decompress/columns/cpu/vector_interval.h"

namespace presso {

constexpr std::uint32_t kVectorBits = kVectorRows / 64;  ///< words of a vector's bitmap
/// Room for the decoded values of a vector, of up to 8 bytes each, and for wide reads.
constexpr std::size_t kVectorScratchBytes = kVectorRows * 8 + 128;

/// Clears the bits of rows that the vector does not have.
void clear_behind(std::uint64_t* bits, std::uint32_t rows);

/// Whether none, some or all values lie between the bounds, as far as the vector's entry tells.
Between vector_between(const IntegerParameters& parameters, const IntegerVector& vector,
                       const ValueTest& test);

/// `test` must be of the values' width; `scratch` has kVectorScratchBytes.
void filter_integer_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                           const ValueTest& test, std::uint64_t* bits, Byte* scratch,
                           CpuLevel level = cpu_level());

/// The values of the runs of a vector of kind 3, as a vector of its own.
IntegerVector runs_of(const IntegerVector& vector);
/// Gives each of `rows` rows the bit of its run. `map`: 1,024 bits, 1 where a run begins; its
/// first bit is 1.
void spread_run_bits(const Byte* map, const std::uint64_t* run_bits, std::uint32_t rows,
                     std::uint64_t* bits, CpuLevel level = cpu_level());

/// Compares values in memory. `values` must be readable up to the 1,024th; bools only as far as
/// `rows` go.
void filter_values(const ValueTest& test, const Byte* values, std::uint32_t rows,
                   std::uint64_t* bits, CpuLevel level = cpu_level());

/// Tests codes of 4 bytes against a set: `wanted` has a bit for each of `codes` codes; others
/// are not wanted.
void filter_code_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                        const std::uint64_t* wanted, std::uint32_t codes, std::uint64_t* bits,
                        Byte* scratch, CpuLevel level = cpu_level());
/// The test for codes in memory, which must be readable up to the 1,024th.
void filter_codes(const Byte* values, std::uint32_t rows, const std::uint64_t* wanted,
                  std::uint32_t codes, std::uint64_t* bits, CpuLevel level = cpu_level());

}  // namespace presso
