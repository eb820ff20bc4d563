// SPDX-License-Identifier: MIT
// The inner loops of grouping on AVX-512: the common loops, as the compiler makes them for
// this level.
#include "scan/group/kernels.h"

namespace presso::query::grouping {
namespace avx512 {

#include "scan/group/kernels_loop.h"

}  // namespace avx512

const Kernels& kernels_avx512() {
  return avx512::kKernels;
}

}  // namespace presso::query::grouping
