// SPDX-License-Identifier: MIT
// Vectors of integers on any CPU: the common loop compiled at the default level.
#include "decompress/columns/cpu/integer_vector.h"

namespace presso {
namespace portable {

/// Eight loads and stores; places are at most 7.
template <class T>
inline void pick_eight(const std::uint8_t* values, const std::uint8_t* places, std::uint8_t* to) {
  for (int i = 0; i < 8; ++i) {
    __builtin_memcpy(to + sizeof(T) * i, values + sizeof(T) * places[i], sizeof(T));
  }
}

#include "decompress/columns/cpu/integer_vector_loop.h"

}  // namespace portable

void decode_integer_vector_portable(const IntegerVectorJob& job) {
  portable::decode_integer_vector(job);
}

}  // namespace presso
