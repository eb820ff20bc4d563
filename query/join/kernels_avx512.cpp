// SPDX-License-Identifier: MIT
// The inner loops of key filters (kernels_loop.h), compiled with AVX-512 (flags are in
// query/CMakeLists.txt).
#include "query/join/kernels.h"

namespace presso::query::join {
namespace avx512 {

#include "query/join/kernels_loop.h"

}  // namespace avx512

const Kernels& kernels_avx512() {
  return avx512::kKernels;
}

}  // namespace presso::query::join
