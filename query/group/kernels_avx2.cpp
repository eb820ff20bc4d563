// SPDX-License-Identifier: MIT
// The inner loops of grouping (kernels_loop.h), compiled with AVX2 (flags are in
// query/CMakeLists.txt).
#include "query/group/kernels.h"

namespace presso::query::grouping {
namespace avx2 {

#include "query/group/kernels_loop.h"

}  // namespace avx2

const Kernels& kernels_avx2() {
  return avx2::kKernels;
}

}  // namespace presso::query::grouping
