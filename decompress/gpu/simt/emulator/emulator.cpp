// SPDX-License-Identifier: MIT
#include "decompress/gpu/simt/emulator/emulator.h"

#include <algorithm>
#include <numeric>

#include "decompress/gpu/simt/emulator/emulator_block.h"

namespace presso::simt {
namespace {

std::vector<std::uint32_t> block_order(const Launch& launch, const Options& options,
                                       std::mt19937& random) {
  std::vector<std::uint32_t> blocks(launch.grid);
  std::iota(blocks.begin(), blocks.end(), 0u);
  if (options.order == Order::kReverse) std::reverse(blocks.begin(), blocks.end());
  if (options.order == Order::kRandom) std::shuffle(blocks.begin(), blocks.end(), random);
  return blocks;
}

}  // namespace

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
  FibreStacks stacks(launch.block_threads, options.stack_bytes);
  for (const std::uint32_t index : block_order(launch, options, random)) {
    Block(launch, options, body, stacks, random, report).run(index);
    if (!report.ok()) break;
  }
  return report;
}

}  // namespace presso::simt
