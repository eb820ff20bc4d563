// SPDX-License-Identifier: MIT
// Build sides of joins: the rows of a table that its own conditions leave, with the columns that
// are needed behind the join, and a table of their keys.
// Tested through tests/unit/query/run/join_test.cpp.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "query/group/key_coder.h"
#include "query/join/join_table.h"
#include "query/join/key_filter.h"
#include "query/join/key_numbers.h"
#include "query/plan/join_plan.h"
#include "query/rows/join_part.h"
#include "query/rows/known_entries.h"
#include "query/rows/part_file.h"
#include "query/run/execution.h"
#include "query/values/hash.h"

namespace presso::query {

/// Keys of a build side in the order of its rows: words, or what gets numbers later.
struct KeyColumn {
  std::vector<std::uint64_t> words;
  std::vector<grouping::WordPair> pairs;
  std::vector<StringRef> strings;
  std::vector<std::uint64_t> hashes;                 ///< of `strings`
  std::vector<std::unique_ptr<StringArena>> arenas;  ///< of `strings`

  std::uint64_t bytes() const;
  void append(KeyColumn other);
  void reserve(grouping::KeyCoder::Form form, std::size_t rows);  ///< keys that are no words
};

/// Keys of both sides as 64-bit words: equal words for equal keys and for no others.
class JoinKeys {
 public:
  /// Of nodes of both sides in the same physical form.
  JoinKeys(const Graph& graph, const BoundStage& stage);

  /// One thread's.
  struct Scratch {
    grouping::KeyCodes codes;
    std::uint64_t hashes[kBatchRows];
    std::uint64_t validity[kBatchWords];
    std::uint64_t known[kBatchWords];
  };
  /// Codes of up to kBatchRows rows, in `scratch`. Returns the bits of rows without a null among
  /// their keys, or nullptr: all.
  const std::uint64_t* encode(std::span<const VectorView> keys, std::uint32_t count,
                              Scratch& scratch) const;
  /// Of what was encoded: hashes, in scratch.hashes.
  void hash(std::uint32_t count, Scratch& scratch) const;
  /// Of what was encoded: by what a part of the keys is told, words or hashes.
  const std::uint64_t* part_values(const JoinPart& part, std::uint32_t count,
                                   Scratch& scratch) const;
  /// Rows of what was encoded, behind the others of `to`.
  void append(const Scratch& scratch, std::uint32_t row, KeyColumn& to) const;
  void append_all(const Scratch& scratch, std::uint32_t count, KeyColumn& to) const;

  bool are_words() const { return coder_.form() == grouping::KeyCoder::Form::kWord; }
  /// Where they are none: gives all keys of the build side numbers, which are their words.
  /// `words` is nullptr where it is only asked which keys there are.
  Status number(KeyColumn keys, const std::uint64_t* validity, unsigned threads,
                std::uint64_t memory_bytes, std::uint64_t* words);
  /// Words of what was encoded, in scratch.codes.words. Returns the bits of rows that may have a
  /// partner, or nullptr: all.
  const std::uint64_t* words(std::uint32_t count, const std::uint64_t* validity,
                             Scratch& scratch) const;
  /// The same of strings that often come again: entries of dictionaries, with their hashes.
  const std::uint64_t* words_of_entries(std::uint32_t count, Scratch& scratch) const;
  std::uint64_t bytes() const;  ///< of the numbers

  const grouping::KeyCoder& coder() const { return coder_; }
  /// Where keys are a single whole number: the one whose word is 0.
  std::int64_t base() const { return base_; }
  /// Where keys are a single string: the hashes of all of them; empty where these are more than
  /// `most`.
  std::vector<std::uint64_t> string_hashes(std::uint64_t most) const;
  /// Different keys of the build side, where they have got numbers.
  std::uint64_t different() const;

 private:
  explicit JoinKeys(const std::vector<KeySpec>& specs);

  grouping::KeyCoder coder_;
  bool is_string_ = false;  ///< a single one, which is its own code
  std::int64_t base_ = 0;
  std::unique_ptr<join::KeyNumbers<grouping::WordPair>> pair_numbers_;
  std::unique_ptr<join::KeyNumbers<StringRef>> string_numbers_;
  std::unique_ptr<KnownEntries> known_entries_ = std::make_unique<KnownEntries>();
};

/// What became of a stage, for --explain.
struct StageReport {
  const BoundStage* stage = nullptr;
  std::string text;
  std::vector<FilterRunner::Count> condition_counts;  ///< of its source
  /// How its source was scanned, where that is not by its own conditions alone; without filters.
  std::optional<FilterPlan> plan;
};

struct BuiltStage {
  BuiltStage(const BoundStage& of, const Graph& graph) : bound(of), keys(graph, of) {}

  const BoundStage& bound;
  JoinKeys keys;
  std::vector<std::size_t> columns;  ///< of BoundQuery::columns, those of `rows` in turn
  RowStore rows;
  std::uint64_t rows_kept = 0;
  std::unique_ptr<join::JoinTable> table;  ///< nullptr: the scan decides what it would be asked
  /// Whether it is worth asking rows of the probe side for their keys before they are joined.
  bool is_worth_asking = false;
  std::unique_ptr<join::KeyFilter> filter;  ///< for that, where keys are words; may be nullptr
  /// A bit for each row that has found a partner; only where such rows come out at the end, or all
  /// others.
  std::unique_ptr<std::atomic<std::uint64_t>[]> matched;
  /// The rows' places in their source; empty: nothing was left out on the way.
  std::vector<std::uint64_t> numbers;

  // What reading the source told.
  std::vector<FilterRunner::Count> condition_counts;
  std::optional<FilterPlan> plan;  ///< as StageReport::plan
  std::vector<StageReport> inner;  ///< of the stages that its rows have passed
  std::uint64_t blocks = 0;        ///< of the columns that are read
  std::uint64_t stored_bytes = 0;  ///< of these blocks

  std::uint64_t bytes() const;
};

/// Before the table of the build side `scan` is read: plans its conditions.
Status start_build_scan(Execution& scan);
/// Rows of a build side in a file, as the stage's build_keys and the columns that are kept, and the
/// row's place among all of them; parts are ranges of their keys' hashes.
Result<std::unique_ptr<PartFile>> write_stage(const Execution& execution, const BoundStage& stage,
                                              std::vector<std::size_t> columns, std::uint32_t parts,
                                              std::uint64_t memory_bytes);
/// As many of these batches as fit into the memory, where a row takes `row_bytes`, and at least
/// one; from `next` on, which is moved behind them.
Result<std::unique_ptr<BuiltStage>> load_stage(const Execution& execution, const BoundStage& stage,
                                               std::vector<std::size_t> columns,
                                               std::span<const PartFile::Batch> batches,
                                               std::size_t& next, double row_bytes,
                                               std::uint64_t memory_bytes);
/// Reads the source of `stage`. `columns`: those that are kept. kOutOfMemory, with what is needed,
/// where `memory_bytes` do not suffice.
Result<std::unique_ptr<BuiltStage>> build_stage(const Execution& execution, const BoundStage& stage,
                                                std::vector<std::size_t> columns, JoinPart part,
                                                std::uint64_t memory_bytes);

/// The condition on a column of `scanned` that rows of a part fulfil, `key` being one side's keys;
/// nullopt: there is none. `nulls`: rows without a key, too, may be of it.
std::optional<Filter> part_filter(const Execution& scanned, const JoinKeys& keys,
                                  const std::vector<NodeId>& nodes, const JoinPart& part,
                                  bool nulls);

/// How much memory a stage takes, part by part of its keys; reads its source.
Result<PartSizes> measure_parts(const Execution& execution, const BoundStage& stage,
                                const std::vector<std::size_t>& columns,
                                std::uint64_t memory_bytes);

}  // namespace presso::query
