// SPDX-License-Identifier: MIT
// Vectors of coding 4 (integers) on AVX-512: the common loop, as the compiler makes it for this
// level.
#include "decompress/columns/cpu/integer_vector.h"

namespace presso {
namespace avx512 {

#include "decompress/columns/cpu/integer_vector_loop.h"

}  // namespace avx512

void decode_integer_vector_avx512(const IntegerVectorJob& job) {
  avx512::decode_integer_vector(job);
}

}  // namespace presso
