// SPDX-License-Identifier: MIT
// Loops over values for AVX2.
#include "query/values/loops.h"

namespace presso::query {
namespace avx2 {

#include "query/values/loops_body.h"

}  // namespace avx2

const ValueLoops& value_loops_avx2() {
  return avx2::kLoops;
}

}  // namespace presso::query
