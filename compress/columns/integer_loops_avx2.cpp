// SPDX-License-Identifier: MIT
// The encoder's loops of coding 4 (integers) on AVX2, as the compiler makes them for this level.
#include "compress/columns/integer_loops.h"

namespace presso {
namespace avx2 {

#include "compress/columns/integer_loops_body.h"

}  // namespace avx2

const IntegerLoops kIntegerLoopsAvx2 = avx2::kLoops;

}  // namespace presso
