// SPDX-License-Identifier: MIT
// Decodes strings that row groups store as bytes into device memory: lengths and blocks of bytes,
// for as many row groups at a time as memory allows. Kernels then use the rows of this batch, after
// which the next batch takes its place. Tested through numbered_text_rows.h and string_rows.h.
#pragma once

#include <vector>

#include "query/gpu/kernels/block_status.h"
#include "query/gpu/kernels/string_index.h"
#include "query/gpu/table/loaded_table.h"

namespace presso::gpu {

/// A column's strings in a row group, stored as bytes. Both are kept by reference.
struct StoredText {
  const LoadedStrings* strings = nullptr;
  const GroupReader* reader = nullptr;
  std::size_t column = 0;            ///< of the file's
  std::uint32_t* numbers = nullptr;  ///< NumberedBlock::numbers
};

/// In order: prepare(), decode() of one batch after another, each followed by what is to become of
/// its rows, a wait, check().
class DecodedText {
 public:
  /// Row groups whose text is there together, all of one column.
  class Batch {
   public:
    std::size_t first_group() const { return first_group_; }  ///< of prepare()'s
    /// Their rows, with the status words of row groups and text, but without an index.
    const NumberBatch& rows() const { return rows_; }

   private:
    friend class DecodedText;
    struct Copy {
      Byte* to;
      const Byte* from;
      std::uint64_t bytes;
    };

    std::size_t first_group_ = 0;
    std::size_t end_group_ = 0;
    std::uint64_t text_bytes_ = 0;
    std::uint64_t row_bytes_ = 0;  ///< of lengths and counts
    std::uint32_t tiles_ = 0;
    std::uint64_t tiles_at_ = 0;
    std::uint64_t temporary_at_ = 0;
    std::uint64_t temporary_bytes_ = 0;
    bool verifies_lengths_ = false;
    IntegerBatch lengths_;
    std::vector<Copy> copies_;         ///< of lengths that need no decoding
    std::vector<MutableBytes> tails_;  ///< of text, where it does not fill 16 bytes
    BatchArguments text_;
    NumberBatch rows_;
  };

  /// `space` is kept by reference. `no_room`: the error where there may be too little memory.
  DecodedText(const RunSpace& space, Error no_room) : space_(space), no_room_(std::move(no_room)) {}

  /// Gives everything its place, and copies to the device what kernels have to know. Those of a
  /// column come one after another. Waits. Errors: `no_room`; kDeviceMemory, kOutOfMemory,
  /// kDeviceLost.
  Status prepare(const std::vector<StoredText>& groups);

  const std::vector<Batch>& batches() const { return batches_; }
  /// Of the row groups, as kernels know them: the payload's bytes are the text, `codes` is how many
  /// there are. What StringBlock::table and bits are for is the caller's.
  const std::vector<StringBlock>& blocks() const { return blocks_; }

  /// Enqueues what decodes a batch. Errors: kDeviceLost.
  Status decode(const Batch& batch) const;
  /// Once all batches are done: the first error of a block or row group, as a CPU reports it;
  /// kDeviceLost.
  Status check() const;

 private:
  struct Group : StoredText {
    std::uint64_t bytes = 0;  ///< of text
    // In the memory that one batch after another has:
    std::uint64_t text_at = 0;
    std::uint64_t lengths_at = 0;
    std::uint64_t counts_at = 0;
    // For errors, in length_places_ and text_places_:
    std::size_t first_length = 0;
    std::size_t first_text = 0;
  };

  Status allocate();
  Result<DeviceMemory> work_memory(std::uint64_t bytes) const;
  void make_batches(std::uint64_t most);
  std::uint64_t divide(Batch& batch);
  void add_blocks(Batch& batch);
  void add_group(Batch& batch, Group& group);
  Status upload();

  const RunSpace& space_;
  Error no_room_;
  std::vector<Group> groups_;
  std::vector<Batch> batches_;
  std::vector<IntegerBlock> lengths_;  ///< of all batches, as the others
  std::vector<BlockSpan> spans_;
  std::vector<StringBlock> blocks_;
  std::vector<NumberedBlock> numbered_;
  std::vector<BlockOfGroup> length_places_, text_places_;  ///< of lengths_ and spans_
  DeviceMemory input_, statuses_, work_;
};

}  // namespace presso::gpu
