// SPDX-License-Identifier: MIT
// Jobs through an engine: the stages of run_ordered over batches.
//
//   produce   the next job where the last has ended; read a batch into a free slot
//   work      send it, one batch at a time (on_fallback may be called within); wait until the GPU
//             is done with it, or decode it on the CPU where the GPU has failed
//   consume   look at the blocks' codes, write, give the slot back
//
// There are never more batches than slots, so produce always finds one that is free. A job's error
// stops that job: what of it is in flight is dropped as it arrives, and the job is finished when
// its last item comes; after that nothing reads its input any more.
#pragma once

#include <mutex>
#include <vector>

#include "decompress/gpu/pipeline/batch_sizes.h"
#include "decompress/gpu/pipeline/job.h"

namespace presso::gpu {

class Runner {
 public:
  using Next = std::function<std::optional<JobRequest>()>;

  /// The engine must be prepared. `expected`: plain bytes of all jobs; 0: unknown.
  Runner(BatchEngine& engine, const Next& next, std::uint64_t expected);

  Status run();

 private:
  struct Item {
    std::shared_ptr<OpenJob> job;
    Slot* slot = nullptr;  ///< none where the job could not be opened
    SlotBatch batch = {};
    bool sent = false;
    bool last = false;                ///< of its job; every job has one
    std::optional<Error> error = {};  ///< after the batch: ends the job
    Buffer cpu_plain = {};            ///< what the CPU decoded instead
    bool on_cpu = false;
  };

  Result<std::optional<Item>> produce();
  Item end_of_job(std::optional<Error> error);
  Item fill();
  SlotBatch new_batch(Slot& slot);
  BatchRules rules_of_batch() const;
  void send(Item& item);
  Item work(Item item);
  Result<bool> receive(Item& item);
  bool wants_cpu(const Item& item) const;
  Item decoded_on_cpu(Item item);
  Status diagnose(Item& item);
  Team& decoders(const OpenJob& job);
  Status take(Item& item);
  Result<bool> consume(Item item);

  bool falls_back(const OpenJob& job) const;
  void fail_device(const Error& error);
  std::optional<Error> device_failure();
  Slot* take_slot();
  void give_back(Slot* slot);
  void finish(const std::shared_ptr<OpenJob>& job);

  BatchEngine& engine_;
  const Next& next_;
  Team writers_;
  std::mutex decoders_mutex_;
  std::optional<Team> decoders_;      ///< once the CPU has to help out
  std::shared_ptr<OpenJob> current_;  ///< produce's
  BatchSizes sizes_;                  ///< produce's
  std::mutex sending_;                ///< held by the thread that sends a batch; before mutex_

  std::mutex mutex_;
  std::vector<Slot*> free_;
  std::vector<std::shared_ptr<OpenJob>> unfinished_;  ///< in order
  std::optional<Error> device_failure_;
};

/// One job through an engine that is not in use; its `finished` is replaced.
Result<DecompressSummary> run_one(JobRequest request, BatchEngine& engine, const WorkHint& hint);
/// The same where the engine is prepared. `expected`: plain bytes; 0: unknown.
Result<DecompressSummary> run_prepared(JobRequest request, BatchEngine& engine,
                                       std::uint64_t expected);

}  // namespace presso::gpu
