// SPDX-License-Identifier: MIT
// The inner loops of filters of keys: the common loops, as the compiler makes them for AVX-512.
#include "query/join/kernels.h"

namespace presso::query::join {
namespace avx512 {

#include "query/join/kernels_loop.h"

}  // namespace avx512

const Kernels& kernels_avx512() {
  return avx512::kKernels;
}

}  // namespace presso::query::join
