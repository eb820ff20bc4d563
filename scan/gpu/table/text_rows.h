// SPDX-License-Identifier: MIT
// Numbers of the rows of loaded row groups that store their strings as bytes: the device decodes
// lengths and blocks of bytes, so many row groups at a time as there is memory for, and looks each
// row's string up or puts it into an index. Tested by tests/simt/query_string_keys_on_gpu_test.cpp.
#pragma once

#include <vector>

#include "scan/gpu/table/block_status.h"
#include "scan/gpu/table/loaded_table.h"
#include "scan/gpu/table/numbered_column.h"
#include "scan/gpu/table/string_index.h"

namespace presso::gpu {

/// Of a loaded table, which has one column. In order: prepare(), enqueue(), a wait, check().
class TextRows {
 public:
  /// `column`: of the file's. `space` and `table` are kept by reference.
  TextRows(const RunSpace& space, const LoadedTable& table, std::size_t column, const NumbersTo& to)
      : space_(space), table_(table), column_(column), to_(to) {}

  /// Copies to the device what kernels have to know. Waits. Errors: no_room_for_strings();
  /// kDeviceMemory, kOutOfMemory, kDeviceLost.
  Status prepare();
  /// Errors: kDeviceLost.
  Status enqueue(const StringIndex& index) const;
  /// Once it is done: the first error of a block or row group, as a CPU reports it; kDeviceLost.
  Status check() const;

 private:
  /// A row group.
  struct Group {
    const LoadedStrings* strings = nullptr;
    const GroupReader* reader = nullptr;
    std::uint64_t bytes = 0;  ///< of text
    // In the memory that one batch after another has:
    std::uint64_t text_at = 0;
    std::uint64_t lengths_at = 0;
    std::uint64_t counts_at = 0;
  };
  struct Copy {
    Byte* to;
    const Byte* from;
    std::uint64_t bytes;
  };
  /// Row groups whose text is there together.
  struct Batch {
    std::size_t first_group = 0;
    std::size_t end_group = 0;
    std::uint64_t text_bytes = 0;
    std::uint32_t tiles = 0;
    std::uint64_t tiles_at = 0;
    std::uint64_t temporary_at = 0;
    std::uint64_t temporary_bytes = 0;
    IntegerBatch lengths;
    std::vector<Copy> copies;         ///< of lengths that need no decoding
    std::vector<MutableBytes> tails;  ///< of text, which fill no word
    BatchArguments text;
    NumberBatch rows;
  };

  Status find_groups();
  Status allocate();
  void make_batches(std::uint64_t most);
  std::uint64_t divide(Batch& batch);
  void add_blocks(Batch& batch);
  Status upload();

  const RunSpace& space_;
  const LoadedTable& table_;
  std::size_t column_;
  NumbersTo to_;
  std::vector<Group> groups_;
  std::vector<Batch> batches_;
  std::vector<IntegerBlock> lengths_;  ///< of all batches, as the others
  std::vector<BlockSpan> spans_;
  std::vector<StringBlock> blocks_;
  std::vector<NumberedBlock> numbered_;
  std::vector<BlockOfGroup> length_places_, text_places_;  ///< of lengths_ and spans_, for errors
  DeviceMemory input_, statuses_, work_;
};

}  // namespace presso::gpu
