// SPDX-License-Identifier: MIT
// A loop whose steps several threads do side by side, in no particular order: run_ordered()
// (presso/ordered_pipeline.h) without items. Threads are started for each call.
// Tested by tests/unit/format/threads/parallel_test.cpp.
#pragma once

#include <cstddef>
#include <functional>

#include "presso/error.h"

namespace presso {

/// Calls task(i, worker) for each i below `count`, on up to `threads` threads; `worker`, which is
/// less than `threads`, numbers the thread, for scratch of its own. The first error in the order of
/// i ends the loop and is returned. A task that throws std::bad_alloc ends it with kOutOfMemory.
/// With one thread or one step everything runs on the caller's thread.
Status for_each_in_parallel(std::size_t count, unsigned threads,
                            const std::function<Status(std::size_t, unsigned)>& task);

}  // namespace presso
