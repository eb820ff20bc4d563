// SPDX-License-Identifier: MIT
// The inner loops of grouping (kernels_loop.h), compiled for any machine.
#include "query/group/kernels.h"

namespace presso::query::grouping {
namespace portable {

#include "query/group/kernels_loop.h"

}  // namespace portable

const Kernels& kernels_portable() {
  return portable::kKernels;
}

}  // namespace presso::query::grouping
