// SPDX-License-Identifier: MIT
// Groups found by hashing. Each thread has a table (KeyTable) and states of its own.
//
//   kHash   the table grows; in the end the threads' tables are merged, partition by partition of
//           the hash, on all threads
//   kRadix  a table that stays in the cache: when it is full its groups go to a pack, ordered by
//           partition, and it begins anew; in the end the packs are merged, each partition in a
//           table of its own, which stays in the cache as well
//
// Where codes are single words, runs of neighbours with equal keys are found first, so that each
// run costs one look-up and one addition, unless keys change at half of the rows or more. All packs
// stay in memory. If it does not suffice, add() or finish() returns kOutOfMemory, and the caller
// starts again with a part of the keys at a time (grouping.h). grouping.cpp chooses between the
// two; if it was free to choose, a thread of kHash with more than `most_in_table` groups goes on
// like kRadix. Tested by tests/unit/query/group/grouping_test.cpp and grouping_threads_test.cpp.
#include <bit>

#include "format/cpu_loops.h"
#include "format/threads/parallel.h"
#include "query/group/partition_merge.h"
#include "query/group/strategies.h"
#include "query/group/table_worker.h"

namespace presso::query::grouping {
namespace {

/// A table of kRadixGroups groups with two aggregates takes about 1 MiB, so that it stays in the L2
/// cache; the packs are cut into kRadixPartitions partitions.
constexpr std::uint32_t kRadixPartitions = 128;
constexpr std::uint32_t kRadixGroups = 16'384;
/// Fewer groups than this are merged by one thread.
constexpr std::uint64_t kFewToMerge = 8192;

/// Groups found by tables. `Key` is what a row's keys are coded as (key_coder.h): a word of 64
/// bits, a pair of words, or a string. A worker is one thread's part of the grouping. With words it
/// goes through up to three modes: ascending keys (SortedKeys), one growing table, tables that are
/// emptied into packs. With other keys it begins with the second mode, with kRadix the second one
/// is left out. It never goes back. Workers may be in different modes; at the end all are brought
/// to the mode of the furthest one.
template <class Key>
class TableGrouping final : public Grouping {
  using Worker = TableWorker<Key>;

 public:
  TableGrouping(const GroupingPlan& plan, const KeyCoder& coder, GroupStrategy strategy,
                std::uint64_t most_in_table)
      : plan_(plan),
        coder_(coder),
        strategy_(strategy),
        most_in_table_(strategy == GroupStrategy::kRadix ? 0 : most_in_table),
        finished_bytes_(finished_bytes(plan)),
        budget_(plan.memory_bytes),
        merge_(plan_, budget_) {
    for (unsigned i = 0; i < std::max(plan.threads, 1u); ++i) {
      workers_.push_back(std::make_unique<Worker>(plan));
      workers_.back()->is_radix = strategy == GroupStrategy::kRadix;
    }
  }

  Status add(unsigned worker, RowNumbers rows, std::span<const VectorView> keys,
             std::span<const VectorView> arguments, std::uint32_t count) override {
    if (count == 0) return {};
    return without_bad_alloc([&] {
      return add_rows(*workers_[worker], {rows, arguments, count}, keys);
    });
  }

  Result<RowStore> finish(std::vector<std::uint64_t>* first_rows) override {
    return without_bad_alloc([&]() -> Result<RowStore> {
      std::vector<GroupPiece<Key>> pieces;
      PRESSO_TRY(merge_all(pieces));
      std::uint64_t row_limit = 0;
      for (const auto& worker : workers_) row_limit = std::max(row_limit, worker->seen.end());
      return write_groups(plan_, coder_, pieces, row_limit, budget_, first_rows);
    });
  }

  std::uint64_t bytes() const override { return budget_.peak(); }
  std::string describe() const override {
    const std::string partitions = grouped(kRadixPartitions) + " partitions";
    if (strategy_ == GroupStrategy::kRadix) return "radix, " + partitions;
    return is_radix() ? "hash, then radix, " + partitions : "hash";
  }

 private:
  /// Adds a vector of rows: codes their keys, finds their groups, adds to their states. Where a
  /// query runs once for each part of its keys (GroupingPlan::part), rows whose key's hash belongs
  /// to another part are dropped before any table sees them.
  Status add_rows(Worker& worker, InputRows rows, std::span<const VectorView> keys) {
    coder_.encode(keys, rows.count, worker.codes);
    Key* const codes = const_cast<Key*>(worker.codes.keys(Key{}));
    if (plan_.parts > 1) {
      hash_keys(codes, rows.count, worker.hashes.data());
      rows = worker.parts.select(rows, plan_.part, plan_.parts, codes, worker.hashes.data());
      if (rows.count == 0) return {};
    }
    PRESSO_ASSIGN(const GroupedRows found, find_groups(worker, codes, rows.count));
    const RowOrder order = worker.seen.add(rows.numbers, rows.count);
    PRESSO_TRY(worker.states.add(found, rows.arguments, rows.numbers, order));
    return settle(worker);
  }

  /// Empties a full table of kRadix; reserves memory for the rows' new keys.
  /// A table with more than most_in_table_ groups makes the worker a radix worker for good.
  Status make_room(Worker& worker, std::uint32_t rows) {
    if (worker.table.size() > most_in_table_) worker.is_radix = true;
    if (worker.is_radix && worker.table.size() + rows > kRadixGroups + kBatchRows) {
      PRESSO_TRY(empty_into_pack(worker));
    }
    if (worker.table.size() > KeyTable<Key>::kMostKeys) {
      return make_error(ErrorCode::kOutOfMemory);
    }
    PRESSO_TRY(budget_.reserve(worker.bytes,
                               worker.table.growth_bytes(rows) +
                                   worker.states.growth_bytes(worker.states.groups() + rows)));
    worker.table.reserve(rows);
    return {};
  }

  /// Reports the worker's memory.
  void count_bytes(Worker& worker) {
    budget_.update(worker.bytes, worker.table.bytes() + worker.sorted.bytes() +
                                     worker.states.bytes() + worker.pack_bytes);
  }

  /// Fails early if the answer will hardly fit. With one thread, or while keys ascend and threads
  /// therefore have hardly any group in common, the answer has about as many groups as this worker,
  /// times the number of workers. In other modes the groups of threads overlap by an unknown
  /// amount, and only the memory that is in use is checked.
  Status settle(Worker& worker) {
    count_bytes(worker);
    const bool is_alone = worker.is_sorted || workers_.size() == 1;
    const std::uint64_t groups = is_alone ? groups_of(worker) * workers_.size() : 0;
    return budget_.check(groups * finished_bytes_);
  }

  /// Returns the groups of the rows, by runs if these are long.
  Result<GroupedRows> find_groups(Worker& worker, const Key* codes, std::uint32_t count) {
    GroupedRows rows;
    rows.count = count;
    rows.ids = worker.ids.data();
    if (find_runs(worker, codes, count, rows)) {
      PRESSO_TRY(look_up(worker, worker.keys.data(), rows.runs, worker.run_ids.data()));
    } else {
      PRESSO_TRY(look_up(worker, codes, count, worker.ids.data()));
    }
    rows.groups = groups_of(worker);
    worker.states.extend(rows.groups);
    return rows;
  }

  static std::uint32_t groups_of(const Worker& worker) {
    return worker.is_sorted ? worker.sorted.size() : worker.table.size();
  }

  /// Runs pay if keys change at less than half of the rows.
  bool find_runs(Worker& worker, const Key* codes, std::uint32_t count, GroupedRows& rows) {
    if constexpr (std::is_same_v<Key, std::uint64_t>) {
      if (loops_for<Kernels>().changes(codes, count) >= count / 2) return false;
      rows.runs = loops_for<Kernels>().run_ends(codes, count, worker.run_ends.data());
      for (std::uint32_t i = 0; i < rows.runs; ++i) {
        worker.keys[i] = codes[worker.run_ends[i] - 1];
      }
      rows.run_ids = worker.run_ids.data();
      rows.run_ends = worker.run_ends.data();
      rows.has_ids = false;
      return true;
    }
    return false;
  }

  /// Finds groups by the order of their keys while keys ascend, otherwise by the table.
  Status look_up(Worker& worker, const Key* keys, std::uint32_t count, std::uint32_t* ids) {
    if constexpr (std::is_same_v<Key, std::uint64_t>) {
      if (worker.is_sorted) {
        PRESSO_TRY(budget_.reserve(worker.bytes,
                                   worker.sorted.growth_bytes(count) +
                                       worker.states.growth_bytes(worker.sorted.size() + count)));
        if (worker.sorted.add(keys, count, ids)) return {};
        PRESSO_TRY(leave_order(worker));
      }
    }
    PRESSO_TRY(make_room(worker, count));
    hash_keys(keys, count, worker.hashes.data());
    worker.table.find_or_add(keys, worker.hashes.data(), count, ids, worker.added);
    return {};
  }

  /// Moves groups that were found by their order to the table; they keep their numbers.
  Status leave_order(Worker& worker) {
    if constexpr (std::is_same_v<Key, std::uint64_t>) {
      if (worker.is_sorted) {
        count_bytes(worker);  // what was reserved for more of them is not needed
        PRESSO_TRY(
            budget_.reserve(worker.bytes, worker.table.slot_growth_bytes(worker.sorted.size())));
        worker.table.adopt(worker.sorted.take());
        count_bytes(worker);
      }
    }
    worker.is_sorted = false;
    return {};
  }

  /// Sorts keys and states of a full table by partition.
  /// Afterwards the worker begins anew; the same key may then be in several packs of one worker.
  Status empty_into_pack(Worker& worker) {
    const std::uint32_t count = worker.table.size();
    if (count == 0) return {};
    auto pack = std::make_unique<Pack<Key>>(plan_);
    PRESSO_TRY(
        budget_.reserve(worker.bytes, pack->states.growth_bytes(count) + count * sizeof(Key)));
    Column<std::uint32_t> order;
    pack->starts = partition(worker.table.keys(), count, kRadixPartitions, order);
    pack->keys.extend_unset(count);
    for (std::uint32_t i = 0; i < count; ++i) pack->keys[i] = worker.table.keys()[order[i]];
    pack->arena = worker.table.arena();
    pack->states.extend(count);
    worker.states.prepare_merge();
    pack->states.begin_merge(worker.states);
    std::array<std::uint32_t, kBatchRows> ids;
    for (std::uint32_t first = 0; first < count; first += kBatchRows) {
      const std::uint32_t some = std::min(kBatchRows, count - first);
      for (std::uint32_t i = 0; i < some; ++i) ids[i] = first + i;
      pack->states.merge(worker.states, {order.data() + first, some}, ids.data());
    }
    worker.table.clear();
    worker.states.clear();
    worker.pack_bytes += pack->bytes();
    worker.packs.push_back(std::move(pack));
    return settle(worker);
  }

  /// The modes of all workers decide how their groups are merged.
  Status merge_all(std::vector<GroupPiece<Key>>& pieces) {
    if constexpr (std::is_same_v<Key, std::uint64_t>) {
      if (merge_sorted_workers(workers_, pieces)) return {};
    }
    for (const auto& worker : workers_) PRESSO_TRY(leave_order(*worker));
    return is_radix() ? merge_packs(pieces) : merge_tables(pieces);
  }

  /// One worker with packs makes the others' tables packs, too.
  bool is_radix() const {
    return std::any_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return worker->is_radix; });
  }

  /// Packs are ordered by partition already.
  /// So all of them share one list 0, 1, 2, ... as their order.
  Status merge_packs(std::vector<GroupPiece<Key>>& pieces) {
    std::vector<MergeSource<Key>> sources;
    std::uint32_t longest = 0;
    for (const auto& worker : workers_) {
      PRESSO_TRY(empty_into_pack(*worker));
      for (const auto& pack : worker->packs) {
        pack->states.prepare_merge();
        longest = std::max(longest, pack->states.groups());
      }
    }
    identity_.extend_unset(longest);
    for (std::uint32_t i = 0; i < longest; ++i) identity_[i] = i;
    for (const auto& worker : workers_) {
      for (const auto& pack : worker->packs) {
        sources.push_back(
            {pack->keys.data(), &pack->states, identity_.data(), std::move(pack->starts), true});
      }
    }
    return merge(sources, kRadixPartitions, pieces);
  }

  /// A single table needs no merge; few groups are one partition.
  /// Partitions have some 4,096 groups, so that merged tables stay in the cache, but there are at
  /// most 1,024 of them, because each costs a visit to every table.
  Status merge_tables(std::vector<GroupPiece<Key>>& pieces) {
    std::vector<Worker*> filled;
    std::uint64_t groups = 0;
    for (const auto& worker : workers_) {
      if (worker->table.size() == 0) continue;
      filled.push_back(worker.get());
      groups += worker->table.size();
    }
    if (filled.empty()) return {};
    if (filled.size() == 1) {
      add_piece(filled[0]->table.take(), filled[0]->states, pieces);
      return {};
    }
    const std::uint32_t partitions = groups < kFewToMerge
                                         ? 1
                                         : static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                               std::bit_ceil(groups / 4096), 1024));
    std::vector<MergeSource<Key>> sources(filled.size());
    std::vector<Column<std::uint32_t>> orders(filled.size());
    PRESSO_TRY(budget_.take(groups * 2 * sizeof(std::uint32_t)));
    PRESSO_TRY(
        for_each_in_parallel(filled.size(), plan_.threads, [&](std::size_t i, unsigned) -> Status {
          filled[i]->states.prepare_merge();
          sources[i] = {
              filled[i]->table.keys(), &filled[i]->states, nullptr,
              partition(filled[i]->table.keys(), filled[i]->table.size(), partitions, orders[i])};
          sources[i].order = orders[i].data();
          return {};
        }));
    return merge(sources, partitions, pieces);
  }

  Status merge(const std::vector<MergeSource<Key>>& sources, std::uint32_t partitions,
               std::vector<GroupPiece<Key>>& pieces) {
    PRESSO_TRY(merge_.merge(sources, partitions, pieces));
    for (const auto& worker : workers_) give_up(*worker);
    return {};
  }

  /// Releases everything that was merged into other states.
  void give_up(Worker& worker) {
    worker.table = KeyTable<Key>();
    worker.states = GroupStates(plan_.aggregates);
    worker.packs.clear();
    worker.pack_bytes = 0;
    budget_.update(worker.bytes, 0);
  }

  const GroupingPlan plan_;
  const KeyCoder coder_;
  const GroupStrategy strategy_;
  const std::uint64_t most_in_table_;
  const std::uint64_t finished_bytes_;  ///< the bytes of a group in the answer
  MemoryBudget budget_;
  std::vector<std::unique_ptr<Worker>> workers_;
  PartitionMerge<Key> merge_;
  Column<std::uint32_t> identity_;
};

}  // namespace

std::unique_ptr<Grouping> make_table_grouping(const GroupingPlan& plan, const KeyCoder& coder,
                                              GroupStrategy strategy, std::uint64_t most_in_table) {
  switch (coder.form()) {
    case KeyCoder::Form::kWord:
      return std::make_unique<TableGrouping<std::uint64_t>>(plan, coder, strategy, most_in_table);
    case KeyCoder::Form::kPair:
      return std::make_unique<TableGrouping<WordPair>>(plan, coder, strategy, most_in_table);
    case KeyCoder::Form::kBytes:
      break;
  }
  return std::make_unique<TableGrouping<StringRef>>(plan, coder, strategy, most_in_table);
}

}  // namespace presso::query::grouping
