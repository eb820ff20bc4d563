// SPDX-License-Identifier: MIT
// Runner: the stages of a run, in the order in which an item passes them, and what they share.
#include "decompress/gpu/pipeline/runner.h"

#include <algorithm>

namespace presso::gpu {
namespace {

/// How many threads copy results, at most. From host to host 8 reach 86 to 95 % of PCIe's rate
/// (NOTES.md).
constexpr unsigned kMostWriters = 8;

}  // namespace

Runner::Runner(BatchEngine& engine, const Next& next, std::uint64_t expected)
    : engine_(engine),
      next_(next),
      writers_(std::min(kMostWriters, copying_threads(engine.options()))),
      sizes_(BatchSizes::of_slots(engine.batch_plain_bytes(), expected,
                                  engine.options().slot_plain_bytes != 0)) {
  for (std::size_t slot = 0; slot < engine.slots(); ++slot) free_.push_back(&engine.slot(slot));
}

// Should run_ordered itself fail, jobs that were begun still get their `finished`, with that
// error.
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

// --- produce

// A job that was stopped by a later stage is ended here, so that no more of its input is read.
// A job that may not fall back is not even opened once the device has failed.
Result<std::optional<Runner::Item>> Runner::produce() {
  if (current_ != nullptr && current_->stopped()) return std::optional(end_of_job({}));
  if (current_ == nullptr) {
    std::optional<JobRequest> job = next_();
    if (!job) return std::optional<Item>();
    current_ = std::make_shared<OpenJob>(std::move(*job));
    {
      const std::lock_guard lock(mutex_);
      unfinished_.push_back(current_);
    }
    const std::optional<Error> failure = device_failure();
    const bool may_run = !failure || falls_back(*current_);
    Status opened = may_run ? current_->open(engine_) : Status(*failure);
    if (!opened.ok()) return std::optional(end_of_job(std::move(opened.error())));
  }
  return std::optional(fill());
}

/// The last item of a job, without a batch. From here on nothing of the job is read.
Runner::Item Runner::end_of_job(std::optional<Error> error) {
  Item item{.job = std::exchange(current_, nullptr)};
  item.last = true;
  item.error = std::move(error);
  return item;
}

// Blocks that were read before an error are still decoded; the error comes after it in the same
// item.
Runner::Item Runner::fill() {
  Item item{.job = current_, .slot = take_slot()};
  item.batch = new_batch(*item.slot);
  Result<bool> more = current_->feed().fill(item.batch);
  if (!more.ok()) item.error = std::move(more.error());
  item.last = !more.ok() || !*more;
  if (item.last) current_ = nullptr;
  sizes_.took(item.batch.plain_bytes());
  return item;
}

/// A block that is too large for the memory there is may still be decoded by the CPU.
SlotBatch Runner::new_batch(Slot& slot) {
  const bool falls_back_here = falls_back(*current_);
  const auto grow = [this, &slot, falls_back_here](std::uint64_t stored_bytes,
                                                   std::uint64_t plain_bytes) -> Result<Byte*> {
    Status grown = engine_.grow(slot, stored_bytes, plain_bytes);
    if (grown.ok()) return slot.staging();
    if (!falls_back_here) return std::move(grown.error());
    fail_device(grown.error());
    return slot.stage_on_host(stored_bytes);
  };
  return SlotBatch(slot.capacity(), slot.staging(), grow, rules_of_batch());
}

BatchRules Runner::rules_of_batch() const {
  BatchRules rules{sizes_.next()};
  if (current_->decodes_in_place()) {
    rules.is_direct = [job = current_](const BatchPlace& place) { return job->is_direct(place); };
  }
  return rules;
}

/// Sends a batch by some twenty calls of CUDA, which take 0.15 to 0.25 ms; meanwhile another thread
/// reads the next batch.
void Runner::send(Item& item) {
  const std::lock_guard lock(sending_);
  if (device_failure()) return;
  const PlainTarget target = item.job->target_of(item.batch);
  const bool verify = item.job->options().decode.verify;
  const Status sent = engine_.send(*item.slot, item.batch, target, verify);
  item.sent = sent.ok();
  if (item.sent) return;
  engine_.settle();  // copies that were accepted
  fail_device(sent.error());
}

// --- work

// The three ways on: the GPU's result, the CPU's, or the device's error with an empty batch.
Runner::Item Runner::work(Item item) {
  if (item.batch.block_count() == 0) return item;
  send(item);
  if (item.sent) {
    Result<bool> finished = receive(item);
    if (finished.ok() && *finished) return item;
    if (finished.ok()) return decoded_on_cpu(std::move(item));
    fail_device(finished.error());
  }
  if (falls_back(*item.job)) return decoded_on_cpu(std::move(item));
  item.batch = SlotBatch();
  item.error = device_failure();
  return item;
}

/// Waits for a batch that was sent. False if the CPU has to decode it although the GPU has not
/// failed. Errors are the device's.
Result<bool> Runner::receive(Item& item) {
  PRESSO_TRY(item.slot->wait(engine_.device()));
  PRESSO_TRY(item.slot->read_codes(item.batch));
  if (wants_cpu(item)) return false;
  if (BatchConsumer* const consumer = item.job->consumer()) {
    PRESSO_TRY(consumer->fetch(item.slot->view(item.batch, engine_.memory())));
  } else if (item.batch.has_bad_blocks()) {
    PRESSO_TRY(diagnose(item));
  }
  return true;
}

/// Whether the GPU is done with a batch, but not with all of its blocks. A consumer is given good
/// batches only.
bool Runner::wants_cpu(const Item& item) const {
  if (item.job->consumer() == nullptr) return item.batch.has_declined() && falls_back(*item.job);
  const std::vector<BatchPlace>& places = item.batch.places();
  const auto is_hole = [](const BatchPlace& place) { return place.damage.has_value(); };
  return item.batch.has_bad_blocks() || std::any_of(places.begin(), places.end(), is_hole);
}

Runner::Item Runner::decoded_on_cpu(Item item) {
  const std::lock_guard lock(decoders_mutex_);
  item.cpu_plain = decode_on_cpu(item.batch, item.job->options().decode, decoders(*item.job));
  item.on_cpu = true;
  return item;
}

Status Runner::diagnose(Item& item) {
  const std::lock_guard lock(decoders_mutex_);
  return diagnose_on_cpu(item.batch, item.job->options().decode, decoders(*item.job));
}

/// The threads that decode on the CPU, all of them one batch at a time, since they would be idle
/// otherwise. decoders_mutex_ must be held.
Team& Runner::decoders(const OpenJob& job) {
  if (!decoders_) decoders_.emplace(threads_or_all(job.options().threads));
  return *decoders_;
}

// --- consume

Status Runner::take(Item& item) {
  if (item.slot != nullptr) {
    const Byte* plain = item.job->copies_through_slot() ? item.slot->plain() : nullptr;
    if (item.on_cpu) plain = item.cpu_plain.data();
    if (item.job->consumer() != nullptr) {
      PRESSO_TRY(item.job->consume_on_device(item.batch, item.slot->number(), plain));
    } else {
      PRESSO_TRY(item.job->consume(item.batch, plain, writers_));
    }
  }
  if (item.error) return std::move(*item.error);
  return {};
}

// Always true: an error stops its job only, while the run goes on with the next.
Result<bool> Runner::consume(Item item) {
  if (!item.job->stopped()) {
    Status taken = take(item);
    if (!taken.ok()) item.job->stop(std::move(taken.error()));
  }
  if (item.last) finish(item.job);
  give_back(item.slot);
  return true;
}

// `finished` is called without the lock: it may take long, or call back.
void Runner::finish(const std::shared_ptr<OpenJob>& job) {
  {
    const std::lock_guard lock(mutex_);
    unfinished_.erase(std::find(unfinished_.begin(), unfinished_.end(), job));
  }
  job->finish();
}

// --- shared

bool Runner::falls_back(const OpenJob& job) const {
  return engine_.options().cpu_fallback && job.may_fall_back();
}

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
