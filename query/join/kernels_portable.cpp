// SPDX-License-Identifier: MIT
// The inner loops of filters of keys: the common loops, as the compiler makes them for any machine.
#include "query/join/kernels.h"

namespace presso::query::join {
namespace portable {

#include "query/join/kernels_loop.h"

}  // namespace portable

const Kernels& kernels_portable() {
  return portable::kKernels;
}

}  // namespace presso::query::join
