// SPDX-License-Identifier: MIT
// The loops over values of loops.h, compiled with AVX2 (flags are in query/CMakeLists.txt).
#include "query/values/loops.h"

namespace presso::query {
namespace avx2 {

#include "query/values/loops_body.h"

}  // namespace avx2

const ValueLoops& value_loops_avx2() {
  return avx2::kLoops;
}

}  // namespace presso::query
