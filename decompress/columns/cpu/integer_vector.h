// SPDX-License-Identifier: MIT
// The fast decoders of one vector of coding 4 (integers), one per CPU level, and the plain struct
// they work on. Vectors were checked before (format/columns/integer_layout.h): these cannot fail.
#pragma once

#include <cstdint>

namespace presso {

struct IntegerVectorJob {
  const std::uint8_t* words;  ///< the vector's first word; as many follow as its entry says
  std::uint8_t* out;          ///< room for exactly `rows` values
  std::uint64_t base;
  std::uint64_t divisor;
  std::uint32_t rows;
  std::uint32_t runs;           ///< kind 3
  std::uint32_t exceptions_at;  ///< kinds 0, 5 and 6, in words
  std::uint8_t kind;
  std::uint8_t width;
  std::uint8_t width2;
  std::uint8_t exceptions;
  std::uint8_t width_bytes;
};

void decode_integer_vector_portable(const IntegerVectorJob& job);
#if defined(__x86_64__)
void decode_integer_vector_avx2(const IntegerVectorJob& job);
void decode_integer_vector_avx512(const IntegerVectorJob& job);
#endif

}  // namespace presso
