// SPDX-License-Identifier: MIT
// Loops over values for every machine.
#include "scan/values/loops.h"

namespace presso::query {
namespace portable {

#include "scan/values/loops_body.h"

}  // namespace portable

const ValueLoops& value_loops_portable() {
  return portable::kLoops;
}

}  // namespace presso::query
