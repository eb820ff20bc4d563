// SPDX-License-Identifier: MIT
// The inner loops of filters of keys: the common loops, as the compiler makes them for AVX2.
#include "query/join/kernels.h"

namespace presso::query::join {
namespace avx2 {

#include "query/join/kernels_loop.h"

}  // namespace avx2

const Kernels& kernels_avx2() {
  return avx2::kKernels;
}

}  // namespace presso::query::join
