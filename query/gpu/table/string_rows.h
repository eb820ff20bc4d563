// SPDX-License-Identifier: MIT
// Evaluates conditions on strings that row groups store as tokens or as bytes, and writes a bitmap
// of the rows that pass. For tokens, counts of codes are decoded and find_strings() searches the
// blocks in their stored form; text is decoded (decoded_text.h) and test_text() tests its rows. The
// bitmap is where pipelines look for it (Pipeline::row_bits). Where a kernel before tells which
// rows are left, and of several conditions that must hold, only such rows are tested: tiles of
// 1,024 rows without any are skipped. If few are left, and the table stays in device memory, counts
// are not decoded either (left_rows.cuh). Call order: prepare(), enqueue(), wait for the stream,
// check(). Tested by tests/queries/tokens.txt.
#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "query/gpu/strings/text_batch.h"
#include "query/gpu/table/decoded_text.h"
#include "query/gpu/table/upload.h"
#include "query/plan/filter.h"

namespace presso::gpu {

/// A kText filter, and its column by the loaded table's numbers.
struct StringLeaf {
  const query::Filter* filter = nullptr;
  std::uint32_t column = 0;
  bool is_required = false;  ///< rows that fail it are dropped, whatever other conditions say
};

class StringRows {
 public:
  /// Kept by reference.
  explicit StringRows(const RunSpace& space) : space_(space) {}

  /// Makes automata over bytes, and over the tokens of each row group, and copies them to the
  /// device. `tables`: one, or several of the same kind, whose slices count through. All are kept
  /// by reference until check(). May wait.
  ///
  /// Errors: kUnsupported where an automaton is too large, or there may be too little memory for
  /// text; those of the token dictionaries; kDeviceMemory, kOutOfMemory, kDeviceLost.
  /// `few_are_left`: the rows that enqueue() is told are probably a small part.
  Status prepare(const std::vector<const LoadedTable*>& tables,
                 const std::vector<StringLeaf>& leaves, bool few_are_left = false);
  /// Enqueues the kernels; checksums are compared the first time, those of text each time.
  /// `left`: as Pipeline::row_bits, the rows that matter; nullptr: all. Errors: kDeviceLost.
  Status enqueue(const std::uint32_t* left = nullptr);
  /// Once they are done: the first error of a block, of tokens before those of text, as a CPU
  /// reports it; kDeviceLost.
  Status check() const;

  std::size_t size() const { return runs_.size(); }
  /// The bitmap of a leaf, as Pipeline::row_bits. In a slice that is stored neither as tokens nor
  /// as bytes no row has a bit, nor has a row that does not matter; a NULL counts as an empty
  /// string.
  const std::uint32_t* bits(std::size_t leaf) const { return runs_[leaf].row_bits; }

 private:
  /// The strings of a column in a row group, and where the counts of tokens come to lie.
  struct Source {
    const LoadedTable* table;
    const LoadedStrings* strings;
    std::size_t first_slice;  ///< of the table, in all of them
    std::uint64_t counts_at;
    const GroupReader& reader() const { return *table->groups()[strings->group].reader; }
  };
  /// A leaf's.
  struct Run {
    std::uint32_t column = 0;
    bool negated = false;
    bool verifies = false;  ///< the first of its column
    bool is_required = false;
    bool by_steps = false;        ///< its tokens are tested by test_left_rows()
    bool has_all_slices = false;  ///< no slice is stored otherwise than as tokens or bytes
    StringLayout layout = StringLayout::kClasses;
    std::vector<StringTable> tables;    ///< of dictionaries of tokens
    std::vector<std::size_t> table_of;  ///< by source of tokens
    std::vector<StringBlock> blocks;
    std::optional<TextTable> text_table;
    std::vector<StringBlock> text_blocks;  ///< of its row groups of text
    std::vector<BitSource> bits;           ///< of the blocks unless by_steps, then of these
    std::vector<BitSlice> slices;
    std::vector<LeftSlice> left_slices;  ///< by_steps
    std::uint32_t tiles = 0;
    std::uint32_t words = 0;           ///< of bits
    std::vector<BlockOfGroup> places;  ///< of blocks, for errors
    // On the device.
    StringBatch batch;
    RowBits placed;
    LeftRows left;
    bool is_told = false;  ///< the blocks of `bits` know which rows are left
    const std::uint32_t* row_bits = nullptr;
  };
  struct Copy {
    Byte* to;
    const Byte* from;
    std::uint64_t bytes;
  };
  /// Where a run's arrays are in what is uploaded.
  struct Pieces {
    std::vector<std::size_t> tables;
    std::size_t blocks, text_table, text_blocks, bits, slices, left_slices;
  };
  /// Where everything is that kernels write.
  struct Places {
    Byte* work;
    std::uint64_t tiles_at, words_at, matches_at, status_at, rows_at, tested_at;
    std::uint32_t* words(std::uint64_t at) const {
      return reinterpret_cast<std::uint32_t*>(work + at);
    }
  };

  void add_sources(const std::vector<const LoadedTable*>& tables,
                   const std::vector<StringLeaf>& leaves, bool few_are_left);
  Status prepare_text(const std::vector<StringLeaf>& leaves);
  Status add_run(const StringLeaf& leaf, const std::vector<const LoadedTable*>& tables);
  Status add_tables(const StringLeaf& leaf, const scan_detail::Dfa& dfa, Run& run) const;
  void add_blocks(const Source& source, Run& run) const;
  void add_left_slices(const Source& source, std::uint32_t first, Run& run) const;
  void add_text(Run& run) const;
  bool counts_are_read(const Source& source) const;
  Status place();
  Result<Places> allocate_work();
  void place_counts(const Places& places);
  void place_tokens(const Places& places, const Upload& upload, const Pieces& pieces, Run& run,
                    std::uint32_t*& bits);
  void place_text(const Upload& upload, const Pieces& pieces, Run& run, std::uint32_t*& bits);

  static std::pair<std::uint32_t, std::uint32_t> slices_of_source(const Source& source);
  Status tell_left(Run& run, const std::uint32_t* left);
  Status enqueue_text(std::uint32_t column, const std::uint32_t* left);
  Status place_bits(const Run& run, const std::uint32_t* left);

  const RunSpace& space_;
  std::set<std::uint32_t> by_steps_;  ///< columns whose tokens are tested by test_left_rows()
  std::vector<Source> sources_;       ///< of tokens
  std::vector<Source> texts_;         ///< of bytes, those of a column one after another
  std::optional<DecodedText> text_;
  std::vector<std::vector<TextTest>> text_tests_;  ///< by batch of text_
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
