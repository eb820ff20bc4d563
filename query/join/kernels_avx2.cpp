// SPDX-License-Identifier: MIT
// The inner loops of key filters (kernels_loop.h), compiled with AVX2 (flags are in
// query/CMakeLists.txt).
#include "query/join/kernels.h"

namespace presso::query::join {
namespace avx2 {

#include "query/join/kernels_loop.h"

}  // namespace avx2

const Kernels& kernels_avx2() {
  return avx2::kKernels;
}

}  // namespace presso::query::join
