// SPDX-License-Identifier: MIT
// The loops of integer_loops.h for any CPU, at the compiler's default level.
#include "compress/columns/integer_loops.h"

namespace presso {
namespace portable {

#include "compress/columns/integer_loops_body.h"

}  // namespace portable

const IntegerLoops kIntegerLoopsPortable = portable::kLoops;

}  // namespace presso
