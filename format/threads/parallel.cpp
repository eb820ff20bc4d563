// SPDX-License-Identifier: MIT
// for_each_in_parallel(): the items of run_ordered() are the numbers of the steps.
#include "format/threads/parallel.h"

#include "presso/ordered_pipeline.h"

namespace presso {

Status for_each_in_parallel(std::size_t count, unsigned threads,
                            const std::function<Status(std::size_t, unsigned)>& task) {
  const auto run = [&task](std::size_t i, unsigned worker) {
    return without_bad_alloc([&] { return task(i, worker); });
  };
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) PRESSO_TRY(run(i, 0));
    return {};
  }
  std::size_t next = 0;
  return run_ordered<std::size_t, Status>(
      {threads, 0},
      [&]() -> Result<std::optional<std::size_t>> {
        return next == count ? std::nullopt : std::optional(next++);
      },
      run,
      [](Status done) -> Result<bool> {
        PRESSO_TRY(std::move(done));
        return true;
      });
}

}  // namespace presso
