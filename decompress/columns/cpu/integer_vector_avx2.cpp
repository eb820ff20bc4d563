// SPDX-License-Identifier: MIT
// Vectors of coding 4 (integers) on AVX2: the common loop, as the compiler makes it for this level.
#include "decompress/columns/cpu/integer_vector.h"

namespace presso {
namespace avx2 {

#include "decompress/columns/cpu/integer_vector_loop.h"

}  // namespace avx2

void decode_integer_vector_avx2(const IntegerVectorJob& job) {
  avx2::decode_integer_vector(job);
}

}  // namespace presso
