// SPDX-License-Identifier: MIT
// Which rows of a loaded table pass conditions on strings, where row groups store these as tokens:
// counts of codes are decoded, find_strings() tests blocks, and the bits come to where pipelines
// look for them (Pipeline::row_bits). In order: prepare(), enqueue(), a wait, check().
// Tested by tests/simt/query_on_gpu_test.cpp.
#pragma once

#include <vector>

#include "scan/gpu/table/block_status.h"
#include "scan/gpu/table/loaded_table.h"
#include "scan/gpu/table/string_kernels.h"
#include "scan/gpu/table/upload.h"
#include "scan/query/filter.h"

namespace presso::gpu {

/// A kText filter, and its column by the loaded table's numbers.
struct StringLeaf {
  const query::Filter* filter = nullptr;
  std::uint32_t column = 0;
};

class StringRows {
 public:
  /// All are kept by reference.
  StringRows(Memory& memory, StringKernels& kernels, Stream stream)
      : memory_(memory), kernels_(kernels), stream_(stream) {}

  /// Makes automata over the tokens of each row group and copies them to the device. `tables`: one,
  /// or several of the same kind, whose slices count through. All are kept by reference until
  /// check().
  ///
  /// Errors: kUnsupported where an automaton is too large or strings are stored as bytes; those of
  /// the token dictionaries; kDeviceMemory, kOutOfMemory, kDeviceLost.
  Status prepare(const std::vector<const LoadedTable*>& tables,
                 const std::vector<StringLeaf>& leaves);
  /// Enqueues the kernels; checksums are compared the first time. Errors: kDeviceLost.
  Status enqueue();
  /// Once they are done: the first error of a block, as a CPU reports it.
  Status check() const;

  std::size_t size() const { return runs_.size(); }
  /// Of a leaf: as Pipeline::row_bits. A row of a slice that is not stored as tokens has none, a
  /// null counts as an empty string.
  const std::uint32_t* bits(std::size_t leaf) const { return runs_[leaf].row_bits; }

 private:
  /// The tokens of a column in a row group, and where their counts come to lie.
  struct Source {
    const LoadedTable* table;
    const LoadedStrings* tokens;
    std::uint64_t counts_at;
    const GroupReader& reader() const { return *table->groups()[tokens->group].reader; }
  };
  /// A leaf's.
  struct Run {
    std::uint32_t column = 0;
    bool negated = false;
    bool verifies = false;  ///< the first of its column
    StringLayout layout = StringLayout::kClasses;
    std::vector<StringTable> tables;  ///< of its sources
    std::vector<StringBlock> blocks;
    std::vector<BitSource> bits;  ///< of the blocks
    std::vector<BitSlice> slices;
    std::uint32_t tiles = 0;
    std::uint32_t words = 0;
    std::vector<BlockOfGroup> places;  ///< of blocks, for errors
    // On the device.
    StringBatch batch;
    RowBits placed;
    const std::uint32_t* row_bits = nullptr;
  };
  struct Copy {
    Byte* to;
    const Byte* from;
    std::uint64_t bytes;
  };

  Status add_sources(const std::vector<const LoadedTable*>& tables,
                     const std::vector<StringLeaf>& leaves);
  Status add_run(const StringLeaf& leaf, const std::vector<const LoadedTable*>& tables);
  Status add_tables(const StringLeaf& leaf, Run& run) const;
  void add_blocks(const std::vector<const LoadedTable*>& tables, Run& run) const;
  Status place();
  void place_counts(Byte* work, std::uint32_t* status);

  Memory& memory_;
  StringKernels& kernels_;
  Stream stream_;
  std::vector<Source> sources_;
  std::vector<Run> runs_;
  std::uint32_t slices_ = 0;
  std::uint64_t counts_bytes_ = 0;
  std::vector<IntegerBlock> counts_;
  std::vector<BlockOfGroup> count_places_;
  std::vector<Copy> copies_;  ///< of counts that need no decoding
  IntegerBatch counts_batch_;
  DeviceMemory input_, work_;
  PinnedMemory pinned_, statuses_;
  const std::uint32_t* d_statuses_ = nullptr;
  std::uint32_t status_count_ = 0;
  bool is_verified_ = false;  ///< payloads were compared with their checksums
};

}  // namespace presso::gpu
