// SPDX-License-Identifier: MIT
#include "decompress/gpu/pipeline/slot_plan.h"

#include <algorithm>

namespace presso::gpu {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr std::uint64_t kSmallestChosen = 8 * kMiB;
constexpr std::uint64_t kLargestChosen = 64 * kMiB;
constexpr std::uint64_t kBatchesOfWork = 64;
/// Below this a copy no longer reaches half of PCIe's rate; smaller slots are not tried.
constexpr std::uint64_t kSmallestTried = kMiB;
/// Text at the fastest level (README: 1.5 to 2 at the least).
constexpr double kUnknownRatio = 2.0;
/// Stored bytes of single batches differ from the mean.
constexpr double kMargin = 1.25;
constexpr std::uint64_t kBlockOverhead = kBlockHeaderBytes + kFrameAlignment;
constexpr std::uint32_t kSpareBlocks = 64;  ///< short blocks, where files are small

std::uint64_t table_bytes(std::uint32_t blocks) {
  return std::uint64_t{blocks} * sizeof(BlockSpan) + kTableDictionaries * sizeof(DictionarySpan);
}

std::uint64_t status_bytes(std::uint32_t blocks) {
  return kFrameAlignment + std::uint64_t{blocks} * sizeof(std::uint32_t);
}

std::uint64_t chosen_plain_bytes(const GpuOptions& options, const WorkHint& hint) {
  if (options.slot_plain_bytes != 0) return options.slot_plain_bytes;
  if (hint.plain_bytes == 0) return kLargestChosen;
  return std::clamp(hint.plain_bytes / kBatchesOfWork, kSmallestChosen, kLargestChosen);
}

bool fits(const SlotPlan& plan, const MemoryLimits& limits, std::uint64_t dictionary_bytes,
          Device& device, const BatchOptions& options) {
  const std::uint64_t on_device = plan.capacity.device_bytes(device, options);
  return plan.slots * plan.capacity.pinned_bytes() <= limits.pinned_bytes &&
         plan.slots * on_device + dictionary_bytes <= limits.device_bytes;
}

}  // namespace

std::uint64_t SlotCapacity::in_bytes() const {
  return stored_bytes + kFrameAlignment + table_bytes(blocks);
}

std::uint64_t SlotCapacity::out_bytes() const {
  return plain_bytes + status_bytes(blocks);
}

std::uint64_t SlotCapacity::pinned_bytes() const {
  const std::uint64_t out = keeps_output ? out_bytes() : status_bytes(blocks);
  return in_bytes() + out;
}

std::uint64_t SlotCapacity::device_bytes(Device& device, const BatchOptions& options) const {
  return in_bytes() + out_bytes() + device.temporary_bytes(blocks, plain_bytes, options);
}

SlotCapacity capacity_for(std::uint64_t plain_bytes, double ratio, bool keeps_output) {
  SlotCapacity capacity;
  capacity.plain_bytes = round_up(plain_bytes, kFrameAlignment);
  capacity.blocks = static_cast<std::uint32_t>(plain_bytes / kMinBlockBytes) + kSpareBlocks;
  const std::uint64_t most = plain_bytes + capacity.blocks * kBlockOverhead;
  const double wanted = static_cast<double>(plain_bytes) / ratio * kMargin;
  // At least one block of any size that fits as plain text.
  const std::uint64_t one_block = std::min<std::uint64_t>(plain_bytes, kDefaultBlockBytes);
  capacity.stored_bytes =
      round_up(std::min(most, static_cast<std::uint64_t>(wanted) + one_block + kBlockOverhead),
               kFrameAlignment);
  capacity.keeps_output = keeps_output;
  return capacity;
}

SlotCapacity grown_for(SlotCapacity capacity, std::uint64_t stored_bytes,
                       std::uint64_t plain_bytes) {
  capacity.stored_bytes = std::max(capacity.stored_bytes, round_up(stored_bytes, kFrameAlignment));
  capacity.plain_bytes = std::max(capacity.plain_bytes, round_up(plain_bytes, kFrameAlignment));
  capacity.blocks = std::max(capacity.blocks, kSpareBlocks);
  return capacity;
}

SlotPlan plan_slots(const GpuOptions& options, const WorkHint& hint, const MemoryLimits& limits,
                    std::uint64_t dictionary_bytes, Device& device) {
  const BatchOptions batch{options.strategy, true};
  const bool known = hint.plain_bytes != 0 && hint.stored_bytes != 0;
  const double ratio =
      known ? static_cast<double>(hint.plain_bytes) / static_cast<double>(hint.stored_bytes)
            : kUnknownRatio;
  std::uint64_t plain = chosen_plain_bytes(options, hint);
  if (hint.plain_bytes != 0) plain = std::min(plain, std::max(hint.plain_bytes, kBlockOverhead));
  SlotPlan plan{std::max(1u, options.slots), capacity_for(plain, ratio, hint.keeps_output)};
  if (hint.plain_bytes != 0) {
    const std::uint64_t batches = std::max(hint.jobs, (hint.plain_bytes + plain - 1) / plain);
    plan.slots = static_cast<unsigned>(std::min<std::uint64_t>(plan.slots, batches));
  }
  while (!fits(plan, limits, dictionary_bytes, device, batch)) {
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

std::optional<SlotCapacity> halved(const SlotCapacity& capacity) {
  if (capacity.plain_bytes < 2 * kSmallestTried) return std::nullopt;
  SlotCapacity half = capacity;
  half.plain_bytes = round_up(capacity.plain_bytes / 2, kFrameAlignment);
  half.stored_bytes = round_up(capacity.stored_bytes / 2, kFrameAlignment);
  half.blocks = static_cast<std::uint32_t>(half.plain_bytes / kMinBlockBytes) + kSpareBlocks;
  return half;
}

}  // namespace presso::gpu
