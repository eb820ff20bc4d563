// SPDX-License-Identifier: MIT
// Implements loops.h: picks the loops of a CPU level.
#include "query/values/loops.h"

namespace presso::query {

const ValueLoops& value_loops_for(CpuLevel level) {
#if defined(__x86_64__)
  if (level == CpuLevel::kAvx512Vbmi2) return value_loops_avx512();
  if (level == CpuLevel::kAvx2) return value_loops_avx2();
#endif
  (void)level;
  return value_loops_portable();
}

const ValueLoops& value_loops() {
  static const ValueLoops& chosen = value_loops_for(cpu_level());
  return chosen;
}

}  // namespace presso::query
