// SPDX-License-Identifier: MIT
// Runs decoding jobs through an engine (engine.h): the stages of run_ordered
// (presso/ordered_pipeline.h) over batches.
//
//   produce   the next job where the last has ended; read a batch into a free slot
//   work      send it, one batch at a time (on_fallback may be called within); wait until the GPU
//             is done with it, or decode it on the CPU where the GPU has failed
//   consume   look at the blocks' codes, write, give the slot back
//
// There are never more batches than slots, so produce always finds a free one. A job's error stops
// that job: its batches in flight are dropped as they arrive, and the job is finished when its last
// item comes; after that nothing reads its input any more.
#pragma once

#include <mutex>
#include <vector>

#include "decompress/gpu/pipeline/batch_sizes.h"
#include "decompress/gpu/pipeline/job.h"

namespace presso::gpu {

/// Runs jobs one after another, while batches of neighbouring jobs overlap. Needs an engine
/// that nobody else uses for as long as run() takes; callbacks of a job are called in order and
/// never two at a time, except on_fallback.
class Runner {
 public:
  using Next = std::function<std::optional<JobRequest>()>;

  /// The engine must be prepared. `expected`: plain bytes of all jobs; 0: unknown.
  Runner(BatchEngine& engine, const Next& next, std::uint64_t expected);

  /// Runs until `next` has no more jobs. Errors are those of the machinery only (threads, memory);
  /// what goes wrong with a job goes to its `finished`.
  Status run();

 private:
  /// A batch on its way through the stages, or the bare end of a job.
  struct Item {
    std::shared_ptr<OpenJob> job;
    Slot* slot = nullptr;  ///< nullptr if the job could not be opened
    SlotBatch batch = {};
    bool sent = false;
    bool last = false;                ///< the last item of its job; every job has one
    std::optional<Error> error = {};  ///< after the batch: ends the job
    Buffer cpu_plain = {};            ///< what the CPU decoded instead
    bool on_cpu = false;
  };

  /// The stage that reads; nullopt ends the run.
  Result<std::optional<Item>> produce();
  Item end_of_job(std::optional<Error> error);
  Item fill();
  SlotBatch new_batch(Slot& slot);
  BatchRules rules_of_batch() const;
  /// Sends the batch to the GPU. Leaves `sent` false if the device has failed, now or earlier.
  void send(Item& item);
  Item work(Item item);
  /// The stage that waits for the GPU.
  Result<bool> receive(Item& item);
  /// The GPU's result is complete, but the CPU has to decode the batch again.
  bool wants_cpu(const Item& item) const;
  Item decoded_on_cpu(Item item);
  /// Gives damaged blocks the CPU's full error texts.
  Status diagnose(Item& item);
  Team& decoders(const OpenJob& job);
  /// Hands a finished batch to its job, then reports the item's own error.
  Status take(Item& item);
  Result<bool> consume(Item item);

  /// Whether engine and job both allow the CPU to take over.
  bool falls_back(const OpenJob& job) const;
  /// Keeps the first failure; from then on nothing is sent to the GPU. Calls on_fallback once.
  void fail_device(const Error& error);
  std::optional<Error> device_failure();
  /// There must be a free slot, which the limit on batches under way ensures.
  Slot* take_slot();
  /// nullptr, of an item without a slot, is ignored.
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
/// Runs one job on an engine that is prepared already. `expected`: plain bytes; 0: unknown.
Result<DecompressSummary> run_prepared(JobRequest request, BatchEngine& engine,
                                       std::uint64_t expected);

}  // namespace presso::gpu
