// SPDX-License-Identifier: MIT
// Vectors of coding 4 (integers) on any CPU: the common loop, as the compiler makes it for this
// level.
#include "decompress/columns/cpu/integer_vector.h"

namespace presso {
namespace portable {

#include "decompress/columns/cpu/integer_vector_loop.h"

}  // namespace portable

void decode_integer_vector_portable(const IntegerVectorJob& job) {
  portable::decode_integer_vector(job);
}

}  // namespace presso
