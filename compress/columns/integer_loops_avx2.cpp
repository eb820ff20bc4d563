// SPDX-License-Identifier: MIT
// The loops of integer_loops.h for AVX2: the compiler vectorises the plain loops at this level.
#include "compress/columns/integer_loops.h"

namespace presso {
namespace avx2 {

#include "compress/columns/integer_loops_body.h"

}  // namespace avx2

const IntegerLoops kIntegerLoopsAvx2 = avx2::kLoops;

}  // namespace presso
