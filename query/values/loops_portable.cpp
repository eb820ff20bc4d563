// SPDX-License-Identifier: MIT
// The loops over values of loops.h, compiled for every machine.
#include "query/values/loops.h"

namespace presso::query {
namespace portable {

#include "query/values/loops_body.h"

}  // namespace portable

const ValueLoops& value_loops_portable() {
  return portable::kLoops;
}

}  // namespace presso::query
