// SPDX-License-Identifier: MIT
// The inner loops of key filters (kernels_loop.h), compiled for any machine.
#include "query/join/kernels.h"

namespace presso::query::join {
namespace portable {

#include "query/join/kernels_loop.h"

}  // namespace portable

const Kernels& kernels_portable() {
  return portable::kKernels;
}

}  // namespace presso::query::join
