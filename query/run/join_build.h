// SPDX-License-Identifier: MIT
// Build sides of joins: the rows of a table that its own conditions leave, with the columns that
// later steps need, and a hash table or array of their keys. A build side is read like any table,
// on all threads, and may itself have stages. Kept in memory within a limit; kOutOfMemory tells
// JoinRun to divide it. Tested through tests/unit/query/run/join_test.cpp and join_spill_test.cpp.
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

/// The keys of a build side in the order of its rows: either words, or pairs or strings that get
/// numbers later (JoinKeys::number()).
struct KeyColumn {
  std::vector<std::uint64_t> words;
  std::vector<grouping::WordPair> pairs;
  std::vector<StringRef> strings;
  /// Hashes of `strings`.
  std::vector<std::uint64_t> hashes;
  /// Owners of the bytes of `strings`.
  std::vector<std::unique_ptr<StringArena>> arenas;

  std::uint64_t bytes() const;
  void append(KeyColumn other);
  /// Makes room for keys that are not words.
  void reserve(grouping::KeyCoder::Form form, std::size_t rows);
};

/// Represents keys of both sides as 64-bit words, so that words are equal exactly if keys are. Keys
/// whose ranges fit together into 64 bits are packed; wider ones and strings are numbered as they
/// occur in the build side. For each vector of rows encode() comes first, then hash() if hashes are
/// needed, then words() on the probe side. Const functions are thread-safe, with one Scratch for
/// each thread.
class JoinKeys {
 public:
  /// For the keys of a stage, whose sides have the same representation.
  JoinKeys(const Graph& graph, const BoundStage& stage);

  /// The memory of one thread for a batch of rows.
  struct Scratch {
    grouping::KeyCodes codes;
    std::uint64_t hashes[kBatchRows];
    std::uint64_t validity[kBatchWords];
    std::uint64_t known[kBatchWords];
  };
  /// Encodes up to kBatchRows rows into `scratch`. Returns the bits of rows without a NULL among
  /// their keys, or nullptr if no row has one.
  const std::uint64_t* encode(std::span<const VectorView> keys, std::uint32_t count,
                              Scratch& scratch) const;
  /// Computes the hashes of the encoded rows into scratch.hashes.
  void hash(std::uint32_t count, Scratch& scratch) const;
  /// The values that decide which part the encoded rows belong to: words or hashes.
  const std::uint64_t* part_values(const JoinPart& part, std::uint32_t count,
                                   Scratch& scratch) const;
  /// Appends one encoded row, or all of them, to `to`.
  void append(const Scratch& scratch, std::uint32_t row, KeyColumn& to) const;
  void append_all(const Scratch& scratch, std::uint32_t count, KeyColumn& to) const;

  bool are_words() const { return coder_.form() == grouping::KeyCoder::Form::kWord; }
  /// If keys are not words: numbers all keys of the build side; the numbers are their words from
  /// then on. `words` gets them by row, or is nullptr if only the set of keys matters. kOutOfMemory
  /// if `memory_bytes` do not suffice.
  Status number(KeyColumn keys, const std::uint64_t* validity, unsigned threads,
                std::uint64_t memory_bytes, std::uint64_t* words);
  /// Finds the words of the encoded rows, into scratch.codes.words. Returns the bits of rows that
  /// may have a partner, or nullptr if all may.
  const std::uint64_t* words(std::uint32_t count, const std::uint64_t* validity,
                             Scratch& scratch) const;
  /// Like words() for dictionary entries, which recur in many row groups; their hashes must be in
  /// scratch. Results of earlier look-ups are reused.
  const std::uint64_t* words_of_entries(std::uint32_t count, Scratch& scratch) const;
  /// Memory of the numbered keys.
  std::uint64_t bytes() const;

  const grouping::KeyCoder& coder() const { return coder_; }
  /// If keys are a single integer: the one whose word is 0.
  std::int64_t base() const { return base_; }
  /// If keys are a single string: the hashes of all of them, or nothing if they are more than
  /// `most`.
  std::vector<std::uint64_t> string_hashes(std::uint64_t most) const;
  /// The number of different keys of the build side if they were numbered.
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
  /// Counts of its table's conditions.
  std::vector<FilterRunner::Count> condition_counts;
  /// How its table was scanned if keys of other build sides were tested too; its filters are
  /// removed.
  std::optional<FilterPlan> plan;
};

/// A build side that is ready to be joined. Immutable while rows are joined, apart from `matched`.
struct BuiltStage {
  BuiltStage(const BoundStage& of, const Graph& graph) : bound(of), keys(graph, of) {}

  const BoundStage& bound;
  JoinKeys keys;
  /// The columns of `rows`, as numbers in BoundQuery::columns.
  std::vector<std::size_t> columns;
  RowStore rows;
  std::uint64_t rows_kept = 0;
  /// nullptr if the scan decides all that the table would be asked.
  std::unique_ptr<join::JoinTable> table;
  /// Whether rows of the probe side should be tested for their keys before they are joined.
  bool is_worth_asking = false;
  /// The filter for that test, if keys are words; may be nullptr.
  std::unique_ptr<join::KeyFilter> filter;
  /// A bit for each row that has found a partner, if such rows, or all others, are returned at the
  /// end. Set by all threads with relaxed atomics.
  std::unique_ptr<std::atomic<std::uint64_t>[]> matched;
  /// The rows' numbers within their table. Empty: row i has number i, as nothing was left out.
  std::vector<std::uint64_t> numbers;

  // Facts from reading the table.
  std::vector<FilterRunner::Count> condition_counts;
  /// As StageReport::plan.
  std::optional<FilterPlan> plan;
  /// Reports of the stages that its rows have passed.
  std::vector<StageReport> inner;
  /// Blocks, and stored bytes, of the columns that are read.
  std::uint64_t blocks = 0;
  std::uint64_t stored_bytes = 0;

  std::uint64_t bytes() const;
};

/// Plans the conditions of a build side's table; called before it is read.
Status start_build_scan(Execution& scan);
/// Writes the rows of a build side to a file: its build_keys, the columns that are kept, and the
/// row's place among all rows. Parts are ranges of the keys' hashes.
Result<std::unique_ptr<PartFile>> write_stage(const Execution& execution, const BoundStage& stage,
                                              std::vector<std::size_t> columns, std::uint32_t parts,
                                              std::uint64_t memory_bytes);
/// Loads batches of such a file, starting with `next`, which is advanced: as many as fit into the
/// memory if a row takes `row_bytes`, and at least one.
Result<std::unique_ptr<BuiltStage>> load_stage(const Execution& execution, const BoundStage& stage,
                                               std::vector<std::size_t> columns,
                                               std::span<const PartFile::Batch> batches,
                                               std::size_t& next, double row_bytes,
                                               std::uint64_t memory_bytes);
/// Reads the build side of `stage` and keeps `columns`, for keys of `part` only. kOutOfMemory, with
/// the amount that is needed, if `memory_bytes` do not suffice.
Result<std::unique_ptr<BuiltStage>> build_stage(const Execution& execution, const BoundStage& stage,
                                                std::vector<std::size_t> columns, JoinPart part,
                                                std::uint64_t memory_bytes);

/// The condition on a column of `scanned` that rows of a part fulfil; `nodes` are the keys of one
/// side. With `nulls`, rows without a key may belong to the part, too. nullopt if there is no such
/// condition.
std::optional<Filter> part_filter(const Execution& scanned, const JoinKeys& keys,
                                  const std::vector<NodeId>& nodes, const JoinPart& part,
                                  bool nulls);

/// Reads the build side and measures how many rows each part of the keys has and how much memory a
/// row takes.
Result<PartSizes> measure_parts(const Execution& execution, const BoundStage& stage,
                                const std::vector<std::size_t>& columns,
                                std::uint64_t memory_bytes);

}  // namespace presso::query
