// SPDX-License-Identifier: MIT
// The resources that every run over tables in device memory shares. See the members.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "decompress/gpu/runtime/memory.h"
#include "query/gpu/kernels/string_kernels.h"
#include "query/gpu/kernels/sum_limits.h"
#include "query/gpu/kernels/table_kernels.h"
#include "query/gpu/table/host_columns.h"
#include "query/gpu/table/load_times.h"
#include "query/gpu/table/task_queue.h"
#include "query/gpu/table/upload.h"

namespace presso::gpu {

/// Two pieces of pinned memory on the way to the device or from it. A query has them once: to
/// allocate pinned memory takes longer than to fill it.
class PinnedPieces {
 public:
  explicit PinnedPieces(Memory& memory) : memory_(memory) {}

  /// At least `bytes`; what was in this piece is lost, and nothing may be under way from or to it.
  Result<Byte*> piece(unsigned number, std::uint64_t bytes) {
    PinnedMemory& piece = pieces_[number];
    if (piece.bytes() < bytes) {
      piece = {};
      PRESSO_ASSIGN(piece, memory_.allocate_pinned(bytes));
    }
    return piece.get();
  }
  /// How large to make them: the limit is for both, and for what else is pinned.
  std::uint64_t usual_bytes() const {
    constexpr std::uint64_t kLeast = std::uint64_t{1} << 16;
    constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
    return std::clamp(memory_.limits().pinned_bytes / 4, kLeast, kMost);
  }

 private:
  Memory& memory_;
  PinnedMemory pieces_[2];
};

class KernelCompiler;
class QueryCosts;
class ResidentTables;

/// All are kept by reference.
struct RunSpace {
  Memory& memory;
  TableKernels& kernels;
  StringKernels& strings;
  PinnedPieces& pinned;
  Stream stream;
  const ResidentTables* residents = nullptr;  ///< what is in device memory; nullptr: nothing
  LoadTimes* times = nullptr;                 ///< is added to; nullptr: nobody wants to know
  TaskQueue* queue = nullptr;  ///< threads that load tables; nullptr: each loader has its own
  SumLimits sums = {};
  HostRates rates = {};
  QueryCosts* costs = nullptr;         ///< of kernels, is added to; nullptr: nobody wants to know
  KernelCompiler* compiler = nullptr;  ///< of kernels for a query; nullptr: there is none

  Device& device() const { return memory.device(); }
  /// Calls `work(0)` to `work(count - 1)`, each once, by all threads of the queue. The error is
  /// that of the first of them that has one; kOutOfMemory.
  Status for_each(std::size_t count, const std::function<Status(std::size_t)>& work) const;
  /// Copies to device memory, by way of pinned memory. Waits.
  Status copy_there(void* to, const void* from, std::uint64_t bytes) const;
  /// The same of several pieces, one behind another at multiples of `alignment`.
  Status copy_there(void* to, std::span<const Bytes> pieces, std::uint64_t alignment) const;
  /// The same of arrays, which take `upload.bytes()` there.
  Status copy_there(Byte* to, const Upload& upload) const;
  /// The same from device memory.
  Status copy_back(void* to, const void* from, std::uint64_t bytes) const;
};

}  // namespace presso::gpu
