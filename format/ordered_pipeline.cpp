// SPDX-License-Identifier: MIT
#include "presso/ordered_pipeline.h"

#include <sched.h>

namespace presso {

unsigned default_thread_count() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    const int count = CPU_COUNT(&allowed);
    if (count > 0) return static_cast<unsigned>(count);
  }
  const unsigned count = std::thread::hardware_concurrency();
  return count != 0 ? count : 1;
}

}  // namespace presso
