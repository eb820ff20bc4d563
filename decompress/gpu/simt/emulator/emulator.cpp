// SPDX-License-Identifier: MIT
// run(): one block of the grid after another, on stacks that are kept for the next launch.
#include "decompress/gpu/simt/emulator/emulator.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "decompress/gpu/simt/emulator/emulator_block.h"

namespace presso::simt {
namespace {

/// Blocks run one after another in this order.
std::vector<std::uint32_t> block_order(const Launch& launch, const Options& options,
                                       std::mt19937& random) {
  std::vector<std::uint32_t> blocks(launch.grid);
  std::iota(blocks.begin(), blocks.end(), 0u);
  if (options.order == Order::kReverse) std::reverse(blocks.begin(), blocks.end());
  if (options.order == Order::kRandom) std::shuffle(blocks.begin(), blocks.end(), random);
  return blocks;
}

/// The thread's stacks, kept from launch to launch: to map them anew and protect a page of each
/// takes longer than a small launch. Taken out while a launch runs.
thread_local std::unique_ptr<FibreStacks> kept_stacks;

std::unique_ptr<FibreStacks> take_stacks(std::size_t count, std::size_t bytes) {
  auto stacks = std::move(kept_stacks);
  if (stacks == nullptr || stacks->count() < count || stacks->stack_bytes() < bytes) {
    stacks.reset();  // before there are others
    stacks = std::make_unique<FibreStacks>(count, bytes);
  }
  return stacks;
}

}  // namespace

// The random numbers go on from block to block, so a seed determines the whole launch.
Report run(const Launch& launch, const Options& options, const std::function<void()>& body) {
  Report report;
  constexpr std::uint32_t kMaxThreads = 1024;
  if (launch.block_threads == 0 || launch.block_threads > kMaxThreads ||
      launch.block_threads % kLanes != 0 || launch.grid == 0) {
    report.failure = Failure::kBadLaunch;
    report.what = "a launch has 1 block or more, of 32 to 1024 threads, a multiple of 32";
    return report;
  }
  std::mt19937 random(options.seed);
  auto stacks = take_stacks(launch.block_threads, options.stack_bytes);
  for (const std::uint32_t index : block_order(launch, options, random)) {
    Block(launch, options, body, *stacks, random, report).run(index);
    if (!report.ok()) break;
  }
  kept_stacks = std::move(stacks);
  return report;
}

}  // namespace presso::simt
