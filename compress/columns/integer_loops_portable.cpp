// SPDX-License-Identifier: MIT
// The encoder's loops of coding 4 (integers) on any CPU, as the compiler makes them for this level.
#include "compress/columns/integer_loops.h"

namespace presso {
namespace portable {

#include "compress/columns/integer_loops_body.h"

}  // namespace portable

const IntegerLoops kIntegerLoopsPortable = portable::kLoops;

}  // namespace presso
