// SPDX-License-Identifier: MIT
// The sizes of slots: constants that were measured, and the limits of the options.
#include "decompress/gpu/pipeline/slot_plan.h"

#include <algorithm>

namespace presso::gpu {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::uint64_t kSmallestChosen = 8 * kMiB;
constexpr std::uint64_t kLargestChosen = 64 * kMiB;
constexpr std::uint64_t kBatchesThroughSlots = 64;
constexpr std::uint64_t kBatchesPastSlots = kBatchesThroughSlots / 2;
// Into device memory. A block takes 0.15 ms however few there are (../NOTES.md), and 32 MiB of
// stored bytes take 0.6 ms to arrive; 2048 blocks of 256 KiB are four for each place that a GPU of
// 132 multiprocessors has.
constexpr std::uint64_t kStoredIntoDevice = 32 * kMiB;  // allow(bare-32): MiB
constexpr std::uint64_t kSmallestIntoDevice = 64 * kMiB;
constexpr std::uint64_t kLargestIntoDevice = 512 * kMiB;
constexpr std::uint64_t kBatchesIntoDevice = 4;
constexpr std::uint64_t kLargestOutputOfDevice = 64 * kMiB;
/// Below this a copy no longer reaches half of PCIe's rate; smaller slots are not tried.
constexpr std::uint64_t kSmallestTried = kMiB;
/// Text at the fastest level (README: 1.5 to 2 at the least).
constexpr double kUnknownRatio = 2.0;
/// Stored bytes of single batches differ from the mean.
constexpr double kMargin = 1.25;
constexpr std::uint64_t kBlockOverhead = kBlockHeaderBytes + kFrameAlignment;
constexpr std::uint32_t kSpareBlocks = 64;  ///< short blocks, where files are small

/// Memory that a consumer needs for a batch in its slot: lists, marks and a copy without gaps
/// (scan/gpu/file/excerpt_maker.cpp).
std::uint64_t beside_bytes_for(std::uint64_t plain_bytes) {
  return plain_bytes * 9 / 4 + kMiB;
}

/// The spans of a batch's blocks and the table of its dictionaries, at the end of each copy in.
std::uint64_t table_bytes(std::uint32_t blocks) {
  return std::uint64_t{blocks} * sizeof(BlockSpan) + kTableDictionaries * sizeof(DictionarySpan);
}

/// One 32-bit status a block, and what it takes to align the first.
std::uint64_t status_bytes(std::uint32_t blocks) {
  return kFrameAlignment + std::uint64_t{blocks} * sizeof(std::uint32_t);
}

/// Plain bytes for one stored byte.
double ratio_of(const WorkHint& hint) {
  const bool known = hint.plain_bytes != 0 && hint.stored_bytes != 0;
  if (!known) return kUnknownRatio;
  return static_cast<double>(hint.plain_bytes) / static_cast<double>(hint.stored_bytes);
}

/// The third line of the table in slot_plan.h.
std::uint64_t chosen_into_device(const WorkHint& hint) {
  const double plain = static_cast<double>(kStoredIntoDevice) * ratio_of(hint);
  const auto most = static_cast<std::uint64_t>(
      std::clamp(plain, double{kSmallestIntoDevice}, double{kLargestIntoDevice}));
  return std::clamp(hint.plain_bytes / kBatchesIntoDevice, kSmallestChosen, most);
}

/// The table in slot_plan.h; the user's own size goes before it. With unknown work: the
/// largest.
std::uint64_t chosen_plain_bytes(const GpuOptions& options, const Work& work) {
  const WorkHint& hint = work.hint;
  if (options.slot_plain_bytes != 0) return options.slot_plain_bytes;
  if (hint.plain_bytes == 0) return kLargestChosen;
  if (work.into_device || work.on_device) return chosen_into_device(hint);
  const std::uint64_t batches = hint.keeps_output ? kBatchesThroughSlots : kBatchesPastSlots;
  return std::clamp(hint.plain_bytes / batches, kSmallestChosen, kLargestChosen);
}

}  // namespace

std::uint64_t SlotCapacity::in_bytes() const {
  return stored_bytes + kFrameAlignment + table_bytes(blocks);
}

std::uint64_t SlotCapacity::out_bytes() const {
  return output_bytes + status_bytes(blocks);
}

std::uint64_t SlotCapacity::pinned_bytes() const {
  const std::uint64_t out = keeps_output ? out_bytes() : status_bytes(blocks);
  return in_bytes() + out;
}

std::uint64_t SlotCapacity::device_bytes(BatchDecoder& decoder, const BatchOptions& options) const {
  return in_bytes() + out_bytes() + beside_bytes +
         decoder.temporary_bytes(blocks, plain_bytes, options);
}

SlotCapacity capacity_for(std::uint64_t plain_bytes, double ratio, const Work& work) {
  SlotCapacity capacity;
  capacity.plain_bytes = round_up(plain_bytes, kFrameAlignment);
  const std::uint64_t most_output = work.into_device ? kLargestOutputOfDevice : plain_bytes;
  capacity.output_bytes = round_up(std::min(plain_bytes, most_output), kFrameAlignment);
  capacity.blocks = static_cast<std::uint32_t>(plain_bytes / kMinBlockBytes) + kSpareBlocks;
  const std::uint64_t most = plain_bytes + capacity.blocks * kBlockOverhead;
  const double wanted = static_cast<double>(plain_bytes) / ratio * kMargin;
  // At least one block of any size that fits as plain text.
  const std::uint64_t one_block = std::min<std::uint64_t>(plain_bytes, kDefaultBlockBytes);
  capacity.stored_bytes =
      round_up(std::min(most, static_cast<std::uint64_t>(wanted) + one_block + kBlockOverhead),
               kFrameAlignment);
  capacity.keeps_output = !work.into_device && !work.on_device && work.hint.keeps_output;
  if (work.on_device) capacity.beside_bytes = beside_bytes_for(capacity.plain_bytes);
  return capacity;
}

SlotCapacity grown_for(SlotCapacity capacity, std::uint64_t stored_bytes,
                       std::uint64_t plain_bytes) {
  capacity.stored_bytes = std::max(capacity.stored_bytes, round_up(stored_bytes, kFrameAlignment));
  capacity.plain_bytes = std::max(capacity.plain_bytes, round_up(plain_bytes, kFrameAlignment));
  capacity.output_bytes = std::max(capacity.output_bytes, round_up(plain_bytes, kFrameAlignment));
  capacity.blocks = std::max(capacity.blocks, kSpareBlocks);
  if (capacity.beside_bytes != 0) capacity.beside_bytes = beside_bytes_for(capacity.plain_bytes);
  return capacity;
}

bool fits(const SlotPlan& plan, const GpuOptions& options, const SlotBudget& budget) {
  const BatchOptions batch{options.strategy, true};
  const std::uint64_t on_device = plan.capacity.device_bytes(budget.decoder, batch);
  return plan.slots * plan.capacity.pinned_bytes() <= budget.limits.pinned_bytes &&
         plan.slots * on_device + budget.dictionary_bytes <= budget.limits.device_bytes;
}

// Size goes first and number second: two small slots still overlap copy and decoding, one large
// slot does not.
SlotPlan plan_slots(const GpuOptions& options, const Work& work, const SlotBudget& budget) {
  const WorkHint& hint = work.hint;
  std::uint64_t plain = chosen_plain_bytes(options, work);
  if (hint.plain_bytes != 0) plain = std::min(plain, std::max(hint.plain_bytes, kBlockOverhead));
  SlotPlan plan{std::max(1u, options.slots), capacity_for(plain, ratio_of(hint), work)};
  if (hint.plain_bytes != 0) {
    const std::uint64_t batches = std::max(hint.jobs, (hint.plain_bytes + plain - 1) / plain);
    plan.slots = static_cast<unsigned>(std::min<std::uint64_t>(plan.slots, batches));
  }
  while (!fits(plan, options, budget)) {
    if (const auto smaller = halved(plan.capacity)) {
      plan.capacity = *smaller;
    } else if (plan.slots > 1) {
      --plan.slots;
    } else {
      break;
    }
  }
  return plan;
}

// Each limit by itself: a plan with fewer but larger slots does not serve.
bool covers(const SlotPlan& have, const SlotPlan& wanted) {
  const SlotCapacity &one = have.capacity, &other = wanted.capacity;
  return have.slots >= wanted.slots && one.stored_bytes >= other.stored_bytes &&
         one.plain_bytes >= other.plain_bytes && one.output_bytes >= other.output_bytes &&
         one.blocks >= other.blocks && one.beside_bytes >= other.beside_bytes &&
         (one.keeps_output || !other.keeps_output);
}

// The maximum of each limit, which may take more memory than either plan: hence fits() in
// prepare().
SlotPlan joined(const SlotPlan& one, const SlotPlan& other) {
  if (one.slots == 0) return other;
  SlotPlan plan{std::max(one.slots, other.slots), one.capacity};
  plan.capacity.stored_bytes = std::max(one.capacity.stored_bytes, other.capacity.stored_bytes);
  plan.capacity.plain_bytes = std::max(one.capacity.plain_bytes, other.capacity.plain_bytes);
  plan.capacity.output_bytes = std::max(one.capacity.output_bytes, other.capacity.output_bytes);
  plan.capacity.blocks = std::max(one.capacity.blocks, other.capacity.blocks);
  plan.capacity.keeps_output = one.capacity.keeps_output || other.capacity.keeps_output;
  plan.capacity.beside_bytes = std::max(one.capacity.beside_bytes, other.capacity.beside_bytes);
  return plan;
}

std::optional<SlotCapacity> halved(const SlotCapacity& capacity) {
  if (capacity.plain_bytes < 2 * kSmallestTried) return std::nullopt;
  SlotCapacity half = capacity;
  half.plain_bytes = round_up(capacity.plain_bytes / 2, kFrameAlignment);
  half.output_bytes = std::min(capacity.output_bytes, half.plain_bytes);
  half.stored_bytes = round_up(capacity.stored_bytes / 2, kFrameAlignment);
  if (half.beside_bytes != 0) half.beside_bytes = beside_bytes_for(half.plain_bytes);
  half.blocks = static_cast<std::uint32_t>(half.plain_bytes / kMinBlockBytes) + kSpareBlocks;
  return half;
}

}  // namespace presso::gpu
