// SPDX-License-Identifier: MIT
// Queries on a GPU where there is none: device memory is memory, and kernels run in the emulator
// when they are enqueued. It counts what is allocated, and fails where it is told to.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "decompress/gpu/runtime/memory.h"
#include "query/gpu/kernels/string_kernels.h"
#include "query/gpu/kernels/table_kernels.h"
#include "query/run/query_device.h"

namespace presso::test {

/// What fails, counted from 0, and what there was. Outlives the device.
struct EmulatedFaults {
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::uint64_t allocation = kNever;            ///< of device memory: this one and all later
  std::uint64_t pinned_allocation = kNever;     ///< likewise
  std::uint64_t most_pinned = kNever;           ///< bytes of one allocation of pinned memory
  std::uint64_t launch = kNever;                ///< kDeviceLost, then all fails
  std::uint64_t compilation = kNever;           ///< of kernels: kNoDevice, this and all later
  std::uint64_t device_bytes = kNever;          ///< that there are, pinned ones included
  std::uint64_t hash_bits = ~std::uint64_t{0};  ///< that indexes of strings use
  /// Small, so that many parts are made of few rows.
  gpu::GroupPartLimits group_parts = {.table_bytes = 2048, .most_bits = 15, .most_part_rows = 4096};
  // What there was.
  std::uint64_t allocations = 0;
  std::uint64_t pinned_allocations = 0;
  std::uint64_t launches = 0;
  std::atomic<std::uint64_t> launched{0};  ///< the same, for threads that copy meanwhile
  std::mutex launching;                    ///< held during a launch
  std::uint64_t compilations = 0;          ///< of kernels that were asked for
  std::uint64_t compiler_runs = 0;         ///< of these, which no cache had
  std::uint64_t sources = 0;               ///< of all, different ones
  std::uint64_t parted = 0;                ///< times that groups were made part by part
  std::uint64_t merged = 0;                ///< launches that merge groups
  std::uint64_t numbered = 0;              ///< launches of kernels that give strings numbers
  std::uint64_t text_tests = 0;            ///< of batches of text, by a condition each
  std::uint64_t left_tests = 0;            ///< launches that test few rows of tokens
  std::uint64_t bits_taken = 0;            ///< launches that tell others which rows are left
  std::uint64_t string_rows = 0;           ///< that conditions on strings were tested on, and
  std::uint64_t all_string_rows = 0;       ///< that are in the blocks of these
  std::uint64_t listed = 0;                ///< of those that give strings back
  std::uint64_t live_bytes = 0;
  std::uint64_t pinned_bytes = 0;       ///< of these
  std::uint64_t most_pinned_bytes = 0;  ///< at once
  std::uint64_t live_handles = 0;
  std::uint64_t open_steps = 0;
  std::vector<std::string> steps;  ///< by their names, as they began

  /// An allocation is asked for: counts it, or fails as the test wants it.
  Status next_allocation(std::size_t bytes);
  Status next_pinned_allocation(std::size_t bytes);
};

std::unique_ptr<gpu::Device> make_host_device(std::shared_ptr<EmulatedFaults> faults);
/// `seed`: of the order in which lanes run.
std::shared_ptr<gpu::TableKernels> make_emulated_table_kernels(
    std::shared_ptr<EmulatedFaults> faults, std::uint32_t seed = 1);
std::shared_ptr<gpu::StringKernels> make_emulated_string_kernels(
    std::shared_ptr<EmulatedFaults> faults, std::uint32_t seed = 1);
/// Of the three above.
std::shared_ptr<QueryDevice> make_emulated_query_device(
    std::shared_ptr<EmulatedFaults> faults = nullptr, std::uint32_t seed = 1,
    const gpu::MemoryLimits& limits = {});

}  // namespace presso::test
