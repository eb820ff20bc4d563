// SPDX-License-Identifier: MIT
// Some row groups on their way to device memory: threads read their blocks while the caller does
// something else, and the device then checks them. Tested with loaded_table.h.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "query/gpu/table/load_times.h"
#include "query/gpu/table/opened_group.h"
#include "query/gpu/table/pinned_ring.h"
#include "query/gpu/table/task_queue.h"

namespace presso::gpu {

/// What parts are loaded with; all are kept by reference.
struct LoadingSpace {
  const RunSpace& space;
  TaskQueue& queue;
  PinnedRing& ring;
  Stream copies;                           ///< for blocks on their way to the device
  Stream checks;                           ///< for checks, which run beside copies of later parts
  std::atomic<std::uint64_t>& reading_ns;  ///< of all threads, is counted
};

/// Made by one thread: add(), begin(), finish_reading(), take(). Before it goes it waits for what
/// is under way.
class LoadingPart {
 public:
  /// `columns`: of the tables; kept by reference.
  LoadingPart(const LoadingSpace& space, const std::vector<std::size_t>& columns);
  ~LoadingPart();
  LoadingPart(const LoadingPart&) = delete;
  LoadingPart& operator=(const LoadingPart&) = delete;

  void add(OpenedGroup group);
  bool empty() const { return table_.groups_.empty(); }
  /// How many bytes of device memory it takes if it is not kept.
  std::uint64_t bytes() const;
  /// The stored bytes of all its blocks together, and of the largest one.
  std::uint64_t block_bytes() const { return block_bytes_; }
  std::uint64_t largest_block() const { return largest_block_; }

  /// Has threads begin to read, through a ring whose slots have room for the largest block.
  /// `is_kept`: the memory is for long, and no larger than it must be;
  /// else it has one of few sizes, so that it serves other parts, too. Errors: kDeviceMemory,
  /// kOutOfMemory, kDeviceLost; then it may begin later.
  Status begin(bool is_kept);
  /// Reads what is left, together with the threads, and starts the device's check if the thread
  /// that read the last block has not done so. Errors: the same, not those of blocks.
  Status finish_reading();
  /// Waits for the check. Errors: of the first block, as they were added, that is damaged or cannot
  /// be read, with block and offset; kDeviceLost.
  Result<LoadedTable> take();

 private:
  /// Where blocks are described in device memory.
  struct Image {
    std::uint64_t slices = 0;
    std::uint64_t blocks = 0;
    std::uint64_t batch = 0;
    std::uint64_t entries = 0;
    std::uint64_t status = 0;
    std::uint64_t bytes = 0;
  };
  /// Jobs that one thread does: to hand one over takes microseconds, as long as to read a block.
  struct Batch {
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t piece = 0;
  };

  Image image() const;
  void make_batches();
  Status allocate(bool is_kept);
  void run(std::size_t batch);
  Status end_reading();
  void fail(std::size_t job, Error error);
  void settle_all();
  Status settle(BlockJob& job);
  void settle_values(const BlockJob& job);
  void settle_counts(BlockJob& job);
  Status settle_codes(const BlockJob& job);
  void settle_text(const BlockJob& job);
  Status place_plain();
  void place_unread_values();
  void write_image(Byte* to) const;
  Status enqueue_check();
  Result<std::optional<Error>> first_fault() const;
  Byte* there(const BlockJob& job) const { return memory_.get() + job.offset; }
  const Byte* payload(const BlockJob& job) const;

  const LoadingSpace space_;
  const std::vector<std::size_t>& columns_;
  LoadedTable table_;
  std::vector<BlockJob> jobs_;
  std::uint64_t block_bytes_ = 0;
  std::uint64_t largest_block_ = 0;
  std::vector<bool> is_sampled_;  ///< by column: the first rows of its tokens are

  std::vector<Batch> batches_;
  std::atomic<std::size_t> batches_left_{0};  ///< batches that are not read and sent yet
  Status ended_;                              ///< the result of end_reading()
  std::deque<PinnedRing::Piece> pieces_;
  DeviceMemory memory_;  ///< blocks as they are stored, then the image
  PinnedMemory pinned_;  ///< the image; empty: too large for that
  OwnedEvent copied_;    ///< happens when the blocks and the image have arrived
  OwnedEvent checked_;
  std::optional<Tasks> tasks_;
  bool is_under_way_ = false;
  bool is_checking_ = false;  ///< end_reading() has started the check

  std::atomic<std::size_t> failed_;  ///< the first job that has
  std::mutex failing_;
  std::optional<Error> error_;  ///< its

  std::vector<std::size_t> arrived_;  ///< jobs whose blocks the device checks
  std::vector<std::size_t> plain_;    ///< jobs whose values were decoded here
  DeviceMemory plain_memory_;
};

}  // namespace presso::gpu
