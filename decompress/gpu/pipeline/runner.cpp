// SPDX-License-Identifier: MIT
#include "decompress/gpu/pipeline/runner.h"

#include <algorithm>

namespace presso::gpu {

Runner::Runner(Engine& engine, const Next& next)
    : engine_(engine), next_(next), writers_(copying_threads(engine.options())) {
  for (std::size_t slot = 0; slot < engine.slots(); ++slot) free_.push_back(&engine.slot(slot));
}

Status Runner::run() {
  const auto slots = static_cast<unsigned>(engine_.slots());
  // One thread for each batch that is waited for, and one to go on reading.
  Status done = run_ordered<Item, Item>(
      {slots + 1, slots}, [this] { return produce(); },
      [this](Item item, unsigned) { return work(std::move(item)); },
      [this](Item item) { return consume(std::move(item)); });
  engine_.settle();
  for (const auto& job : std::exchange(unfinished_, {})) {
    job->stop(done.error());
    job->finish();
  }
  return done;
}

// --- produce --------------------------------------------------------------------------------------

Result<std::optional<Runner::Item>> Runner::produce() {
  if (current_ != nullptr && current_->stopped()) return std::optional(end_of_job({}));
  if (current_ == nullptr) {
    std::optional<DecodeJob> job = next_();
    if (!job) return std::optional<Item>();
    current_ = std::make_shared<OpenJob>(std::move(*job));
    {
      const std::lock_guard lock(mutex_);
      unfinished_.push_back(current_);
    }
    const std::optional<Error> failure = device_failure();
    const bool may_run = !failure || engine_.options().cpu_fallback;
    Status opened = may_run ? current_->open(engine_) : Status(*failure);
    if (!opened.ok()) return std::optional(end_of_job(std::move(opened.error())));
  }
  return std::optional(fill());
}

/// Without a batch. From here on nothing of the job is read.
Runner::Item Runner::end_of_job(std::optional<Error> error) {
  Item item{.job = std::exchange(current_, nullptr)};
  item.last = true;
  item.error = std::move(error);
  return item;
}

Runner::Item Runner::fill() {
  Item item{.job = current_, .slot = take_slot()};
  item.batch = engine_.new_batch(*item.slot);
  Result<bool> more = current_->feed().fill(item.batch, item.slot->staging());
  if (!more.ok()) item.error = std::move(more.error());
  item.last = !more.ok() || !*more;
  if (item.last) current_ = nullptr;
  if (item.batch.block_count() > 0) send(item);
  return item;
}

void Runner::send(Item& item) {
  if (device_failure()) return;
  const PlainTarget target = item.job->target_of(item.batch);
  const Status sent = engine_.send(*item.slot, item.batch, target, item.job->verify());
  item.sent = sent.ok();
  if (item.sent) return;
  item.slot->settle(engine_.device());
  fail_device(sent.error());
}

// --- work -----------------------------------------------------------------------------------------

Runner::Item Runner::work(Item item) {
  if (item.batch.block_count() == 0) return item;
  if (item.sent) {
    Status done = item.slot->wait(engine_.device());
    if (done.ok()) done = item.slot->read_codes(item.batch);
    if (done.ok()) return item;
    fail_device(done.error());
  }
  if (engine_.options().cpu_fallback) {
    item.cpu_plain = item.slot->decode_on_cpu(item.batch, item.job->decode_options());
    item.on_cpu = true;
  } else {
    item.batch = BlockBatch();
    item.error = device_failure();
  }
  return item;
}

// --- consume --------------------------------------------------------------------------------------

Result<bool> Runner::consume(Item item) {
  OpenJob& job = *item.job;
  if (!job.stopped()) {
    const Byte* through_slot = job.copies_through_slot() ? item.slot->plain() : nullptr;
    Status taken = item.slot == nullptr
                       ? Status()
                       : job.consume(item.batch,
                                     item.on_cpu ? item.cpu_plain.data() : through_slot, writers_);
    if (taken.ok() && item.error) taken = std::move(*item.error);
    if (!taken.ok()) job.stop(std::move(taken.error()));
  }
  if (item.last) finish(item.job);
  give_back(item.slot);
  return true;
}

void Runner::finish(const std::shared_ptr<OpenJob>& job) {
  {
    const std::lock_guard lock(mutex_);
    unfinished_.erase(std::find(unfinished_.begin(), unfinished_.end(), job));
  }
  job->finish();
}

// --- shared ---------------------------------------------------------------------------------------

void Runner::fail_device(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    if (device_failure_) return;
    device_failure_ = error;
  }
  const GpuOptions& options = engine_.options();
  if (options.cpu_fallback && options.on_fallback) options.on_fallback(error);
}

std::optional<Error> Runner::device_failure() {
  const std::lock_guard lock(mutex_);
  return device_failure_;
}

Slot* Runner::take_slot() {
  const std::lock_guard lock(mutex_);
  Slot* slot = free_.back();
  free_.pop_back();
  return slot;
}

void Runner::give_back(Slot* slot) {
  if (slot == nullptr) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(slot);
}

}  // namespace presso::gpu
