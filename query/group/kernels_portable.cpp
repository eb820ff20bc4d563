// SPDX-License-Identifier: MIT
// The inner loops of grouping without an extension of the instruction set: the common loops, as the
// compiler makes them for this level.
#include "query/group/kernels.h"

namespace presso::query::grouping {
namespace portable {

#include "query/group/kernels_loop.h"

}  // namespace portable

const Kernels& kernels_portable() {
  return portable::kKernels;
}

}  // namespace presso::query::grouping
