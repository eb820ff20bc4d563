// SPDX-License-Identifier: MIT
// The loops of integer_loops.h for AVX-512: the compiler vectorises the plain loops at this
// level.
#include "compress/columns/integer_loops.h"

namespace presso {
namespace avx512 {

#include "compress/columns/integer_loops_body.h"

}  // namespace avx512

const IntegerLoops kIntegerLoopsAvx512 = avx512::kLoops;

}  // namespace presso
