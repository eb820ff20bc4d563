// SPDX-License-Identifier: MIT
// BatchEngine: memory is planned by slot_plan.h; here slots are made, enlarged and sent on their
// way.
#include "decompress/gpu/pipeline/engine.h"

#include <algorithm>

namespace presso::gpu {
namespace {

/// From the page cache 8 threads read 36 GB/s, 16 threads 61; PCIe takes 55 (scan/gpu/NOTES.md).
constexpr unsigned kMostCopyingThreads = 16;

/// In options 0 stands for no limit.
std::uint64_t limit_or_none(std::uint64_t option) {
  return option == 0 ? ~std::uint64_t{0} : option;
}

MemoryLimits limits_of(const GpuOptions& options) {
  return {limit_or_none(options.max_device_bytes), limit_or_none(options.max_pinned_bytes)};
}

}  // namespace

unsigned copying_threads(const GpuOptions& options) {
  if (options.reader_threads != 0) return options.reader_threads;
  return std::min(kMostCopyingThreads, default_thread_count());
}

BatchEngine::BatchEngine(DecodingDevice device, const GpuOptions& options)
    : device_(std::move(device.device)),
      decoder_(std::move(device.decoder)),
      options_(options),
      memory_(*device_, limits_of(options)),
      most_dictionaries_(DeviceDictionaries::places_under(memory_.limits().device_bytes)),
      dictionaries_(memory_, most_dictionaries_),
      readers_(copying_threads(options)) {}

Result<std::unique_ptr<BatchEngine>> BatchEngine::make(DecodingDevice device,
                                                       const GpuOptions& options) {
  std::unique_ptr<BatchEngine> engine(new BatchEngine(std::move(device), options));
  PRESSO_ASSIGN(engine->in_, make_stream(*engine->device_));
  PRESSO_ASSIGN(engine->out_, make_stream(*engine->device_));
  return engine;
}

// Destroying memory that a copy or kernel still uses would be undefined.
BatchEngine::~BatchEngine() {
  settle();
}

void BatchEngine::settle() {
  std::vector<Stream> streams{in_.get(), out_.get()};
  for (const std::unique_ptr<Slot>& slot : slots_) streams.push_back(slot->stream());
  for (const Stream stream : streams) {
    if (stream != nullptr) static_cast<void>(device_->wait(stream).ok());
  }
}

Status BatchEngine::add_slot(SlotCapacity capacity) {
  PRESSO_ASSIGN(std::unique_ptr<Slot> slot, Slot::make(*device_, slots_.size()));
  for (;;) {
    Status sized = slot->resize(memory_, *decoder_, capacity, batch_options(true));
    if (sized.ok()) break;
    const auto smaller = halved(capacity);
    if (!is_out_of_memory(sized.error()) || !smaller) return sized;
    capacity = *smaller;
  }
  slots_.push_back(std::move(slot));
  return {};
}

/// Where work of two kinds takes turns, slots that serve both are kept for both.
Status BatchEngine::prepare(const Work& work) {
  const std::uint64_t for_dictionaries = kMaxDictionaryBytes * std::uint64_t{most_dictionaries_};
  const SlotBudget budget{memory_.limits(), for_dictionaries, *decoder_};
  const SlotPlan plan = plan_slots(options_, work, budget);
  batch_plain_bytes_ = plan.capacity.plain_bytes;
  if (covers(plan_, plan)) return {};
  const SlotPlan both = joined(plan_, plan);
  return make_slots(fits(both, options_, budget) ? both : plan);
}

Status BatchEngine::make_slots(const SlotPlan& plan) {
  slots_.clear();
  plan_ = {0, {}};
  PRESSO_TRY(dictionaries_.reserve());
  while (slots_.size() < plan.slots) {
    Status added = add_slot(plan.capacity);
    if (added.ok()) continue;
    if (slots_.empty() || !is_out_of_memory(added.error())) return added;
    break;
  }
  plan_ = plan;
  return {};
}

/// Tries the larger size, and goes back to the one before so that the slot can go on with other
/// blocks. resize() frees first, which is why the old memory is not simply kept.
Status BatchEngine::grow(Slot& slot, std::uint64_t stored_bytes, std::uint64_t plain_bytes) {
  const SlotCapacity before = slot.capacity();
  const SlotCapacity larger = grown_for(before, stored_bytes, plain_bytes);
  Status grown = slot.resize(memory_, *decoder_, larger, batch_options(true));
  if (!grown.ok() && before.blocks > 0) {
    static_cast<void>(slot.resize(memory_, *decoder_, before, batch_options(true)).ok());
  }
  return grown;
}

/// If the dictionaries of batches under way take every place, it waits for those batches.
Result<DeviceDictionaries::Lease> BatchEngine::lease_dictionaries(const SlotBatch& batch,
                                                                  DictionaryTable& table) {
  for (bool again = true; again;) {
    PRESSO_ASSIGN(auto lease, dictionaries_.provide(batch, table, in_.get()));
    if (lease) return std::move(*lease);
    again = false;
    for (const std::unique_ptr<Slot>& other : slots_) {
      if (other->lease.empty()) continue;
      PRESSO_TRY(other->wait(*device_));
      other->lease.clear();
      again = true;
    }
  }
  return make_error(ErrorCode::kDeviceMemory, "no room for the dictionaries of a batch");
}

Status BatchEngine::send(Slot& slot, const SlotBatch& batch, const PlainTarget& target,
                         bool verify) {
  slot.lease.clear();
  DictionaryTable table;
  PRESSO_ASSIGN(slot.lease, lease_dictionaries(batch, table));
  const Lanes lanes{*device_, *decoder_, in_.get(), out_.get()};
  return slot.send(lanes, batch, table, batch_options(verify), target, memory_);
}

}  // namespace presso::gpu
