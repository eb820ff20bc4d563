// SPDX-License-Identifier: MIT
// Implements kernels.h: chooses the set of loops for a CPU level.
#include "query/group/kernels.h"

namespace presso::query::grouping {

const Kernels& kernels_for(CpuLevel level) {
#if defined(__x86_64__)
  if (level == CpuLevel::kAvx512Vbmi2) return kernels_avx512();
  if (level == CpuLevel::kAvx2) return kernels_avx2();
#endif
  (void)level;
  return kernels_portable();
}

const Kernels& kernels() {
  static const Kernels& chosen = kernels_for(cpu_level());
  return chosen;
}

}  // namespace presso::query::grouping
