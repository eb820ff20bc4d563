// SPDX-License-Identifier: MIT
// The encoder's loops of coding 4 (integers) on AVX-512, as the compiler makes them for this level.
#include "compress/columns/integer_loops.h"

namespace presso {
namespace avx512 {

#include "compress/columns/integer_loops_body.h"

}  // namespace avx512

const IntegerLoops kIntegerLoopsAvx512 = avx512::kLoops;

}  // namespace presso
