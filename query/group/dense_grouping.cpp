// SPDX-License-Identifier: MIT
// kDense: an array with a place for each possible key. The code of a row's key (key_coder.h) is the
// number of its group, so no table is searched; what remains are additions, at places that may be
// far apart. Each thread has an array of its own, in which places that never occur take no memory
// (Column); while keys ascend, a thread with a long array keeps only the groups that it has met
// (SortedKeys). Chosen for up to 8 M places (grouping.cpp); also serves queries without keys, as
// one group. Tested by tests/unit/query/group/grouping_test.cpp.
#include "format/cpu_loops.h"
#include "format/threads/memory_budget.h"
#include "format/threads/parallel.h"
#include "presso/ordered_pipeline.h"
#include "query/group/group_output.h"
#include "query/group/row_parts.h"
#include "query/group/sorted_keys.h"
#include "query/group/strategies.h"

namespace presso::query::grouping {
namespace {

/// Places that a thread merges at a time.
constexpr std::uint32_t kRange = 32 * kBatchRows;
/// Arrays of at most this many places are used at once, even if keys ascend.
constexpr std::uint32_t kFewPlaces = 64 * kBatchRows;

/// The most memory for the bits that count different values (distinct_bits.cpp), for each thread
/// and aggregate.
constexpr std::uint64_t kMostBitBytes = 16u << 20;
/// With more bits than this for each row of the input, clearing and merging them costs more than a
/// hash table.
constexpr std::uint64_t kBitsForRow = 64;

/// How many bytes a place may have for the bits of one aggregate: its share of kMostBitBytes or, if
/// that is less, of what one of the threads' aggregates has of a quarter of the query's memory. All
/// places together never have more than kBitsForRow bits for each row of the input (and of one
/// batch). Values whose range takes more bits are counted by a hash table instead
/// (distinct_state.cpp).
std::uint64_t bit_bytes_of(const GroupingPlan& plan, std::uint64_t places) {
  const std::uint64_t states = std::max(plan.threads, 1u) * (plan.aggregates.size() + 1);
  const std::uint64_t most = std::min(kMostBitBytes, plan.memory_bytes / 4 / states);
  return std::min(most, kBitsForRow / 8 * (plan.rows + kBatchRows)) /
         std::max<std::uint64_t>(places, 1);
}

/// One thread's data, with scratch for one vector.
struct Worker {
  Worker(const GroupingPlan& plan, std::uint64_t bit_bytes) : states(plan.aggregates, bit_bytes) {}

  /// Indexed by place or, while keys ascend, by the keys' numbers in `sorted`.
  GroupStates states;
  SortedKeys sorted;
  bool is_sorted = false;
  KeyCodes codes;
  std::array<std::uint64_t, kBatchRows> hashes;
  std::array<std::uint32_t, kBatchRows> ids;
  std::array<std::uint64_t, kBatchRows> run_keys;
  std::array<std::uint32_t, kBatchRows> run_ids;
  std::array<std::uint32_t, kBatchRows> run_ends;
  RowParts parts;
  SeenRows seen;
  std::uint64_t bytes = 0;
};

/// The only class of this strategy. A worker's array is allocated as a whole, but the system gives
/// memory to a page only when a row falls into it.
class DenseGrouping final : public Grouping {
 public:
  DenseGrouping(const GroupingPlan& plan, const KeyCoder& coder)
      : plan_(plan),
        coder_(coder),
        places_(static_cast<std::uint32_t>(coder.range())),
        bit_bytes_(bit_bytes_of(plan, places_)),
        budget_(plan.memory_bytes) {
    for (unsigned i = 0; i < std::max(plan.threads, 1u); ++i) {
      workers_.push_back(std::make_unique<Worker>(plan, bit_bytes_));
      workers_.back()->is_sorted = places_ > kFewPlaces;
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
      std::vector<GroupPiece<std::uint64_t>> pieces;
      PRESSO_TRY(merge_workers(pieces));
      std::uint64_t row_limit = 0;
      for (const auto& worker : workers_) row_limit = std::max(row_limit, worker->seen.end());
      return write_groups(plan_, coder_, pieces, row_limit, budget_, first_rows);
    });
  }

  std::uint64_t bytes() const override { return budget_.peak(); }
  std::string describe() const override {
    if (plan_.keys.empty()) return "one group";
    return "dense, " + grouped(places_) + (places_ == 1 ? " place" : " places");
  }

 private:
  /// Adds a vector of rows: codes their keys, finds their groups, adds to their states. Where a
  /// query runs once for each part of its keys (GroupingPlan::part), rows whose key's hash belongs
  /// to another part are dropped first. A code outside of the array can only come from a file whose
  /// values contradict its statistics, and is an error.
  Status add_rows(Worker& worker, InputRows rows, std::span<const VectorView> keys) {
    if (plan_.keys.empty()) return add_found(worker, rows, one_group(worker, rows.count));
    std::uint64_t* const words = worker.codes.words.data();
    coder_.encode(keys, rows.count, worker.codes);
    if (plan_.parts > 1) {
      loops_for<Kernels>().hash_words(words, rows.count, worker.hashes.data());
      rows = worker.parts.select(rows, plan_.part, plan_.parts, words, worker.hashes.data());
      if (rows.count == 0) return {};
    }
    if (loops_for<Kernels>().greatest(words, rows.count) >= places_) {
      return make_error(ErrorCode::kInvalidArgument, "a key is outside of its column's range");
    }
    PRESSO_ASSIGN(const GroupedRows found, find_groups(worker, rows.count));
    return add_found(worker, rows, found);
  }

  /// Memory is checked after the rows were added, as states may have grown.
  Status add_found(Worker& worker, const InputRows& rows, const GroupedRows& found) {
    const RowOrder order = worker.seen.add(rows.numbers, rows.count);
    PRESSO_TRY(worker.states.add(found, rows.arguments, rows.numbers, order));
    count_bytes(worker);
    return budget_.check();
  }

  void count_bytes(Worker& worker) {
    budget_.update(worker.bytes, worker.states.bytes() + worker.sorted.bytes());
  }

  /// Without keys: all rows are one run.
  static GroupedRows one_group(Worker& worker, std::uint32_t count) {
    worker.states.extend(1);
    worker.run_ids[0] = 0;
    worker.run_ends[0] = count;
    return {count, 1, worker.ids.data(), 1, worker.run_ids.data(), worker.run_ends.data(), false};
  }

  /// Long runs are added once each, unless there are so few groups that the kernels are faster.
  Result<GroupedRows> find_groups(Worker& worker, std::uint32_t count) {
    const std::uint64_t* const words = worker.codes.words.data();
    GroupedRows rows;
    rows.count = count;
    rows.ids = worker.ids.data();
    if (places_ > kFewGroups && loops_for<Kernels>().changes(words, count) < count / 2) {
      rows.runs = loops_for<Kernels>().run_ends(words, count, worker.run_ends.data());
      for (std::uint32_t i = 0; i < rows.runs; ++i) {
        worker.run_keys[i] = words[worker.run_ends[i] - 1];
      }
      rows.run_ids = worker.run_ids.data();
      rows.run_ends = worker.run_ends.data();
      rows.has_ids = false;
      PRESSO_TRY(look_up(worker, worker.run_keys.data(), rows.runs, worker.run_ids.data()));
    } else {
      PRESSO_TRY(look_up(worker, words, count, worker.ids.data()));
    }
    rows.groups = worker.states.groups();
    return rows;
  }

  /// Finds groups by the order of their keys while keys ascend; afterwards the code is the group.
  Status look_up(Worker& worker, const std::uint64_t* words, std::uint32_t count,
                 std::uint32_t* ids) {
    if (worker.is_sorted) {
      PRESSO_TRY(budget_.reserve(worker.bytes,
                                 worker.sorted.growth_bytes(count) +
                                     worker.states.growth_bytes(worker.sorted.size() + count)));
      if (worker.sorted.add(words, count, ids)) {
        worker.states.extend(worker.sorted.size());
        return {};
      }
      PRESSO_TRY(leave_order(worker));
    }
    if (worker.states.groups() != places_) {
      PRESSO_TRY(budget_.reserve(worker.bytes, worker.states.growth_bytes(places_)));
      worker.states.extend(places_);
    }
    loops_for<Kernels>().narrow(words, count, ids);
    return {};
  }

  /// Called when keys no longer ascend: moves the groups that were numbered in their order to their
  /// places.
  Status leave_order(Worker& worker) {
    if (!worker.is_sorted) return {};
    worker.is_sorted = false;
    count_bytes(worker);  // what was reserved for more of them is not needed
    if (worker.sorted.size() != 0) PRESSO_TRY(move_to_places(worker));
    count_bytes(worker);
    return {};
  }

  /// The states are merged into the array like those of another thread.
  Status move_to_places(Worker& worker) {
    GroupStates by_number(plan_.aggregates, bit_bytes_);
    std::swap(by_number, worker.states);
    PRESSO_TRY(budget_.reserve(worker.bytes, worker.states.growth_bytes(places_)));
    worker.states.extend(places_);
    by_number.prepare_merge();
    worker.states.begin_merge(by_number);
    const Column<std::uint64_t> keys = worker.sorted.take();
    std::array<std::uint32_t, kBatchRows> numbers;
    std::array<std::uint32_t, kBatchRows> places;
    for (std::uint32_t first = 0; first < keys.size(); first += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::size_t>(kBatchRows, keys.size() - first));
      loops_for<Kernels>().narrow(keys.data() + first, count, places.data());
      for (std::uint32_t i = 0; i < count; ++i) numbers[i] = first + i;
      worker.states.merge(by_number, {numbers.data(), count}, places.data());
    }
    return {};
  }

  /// Ranges of places are merged in parallel into the first worker's array.
  Status merge_workers(std::vector<GroupPiece<std::uint64_t>>& pieces) {
    if (merge_sorted_workers(workers_, pieces)) return {};
    for (const auto& worker : workers_) PRESSO_TRY(leave_order(*worker));
    pieces.resize((places_ + kRange - 1) / kRange);
    PRESSO_ASSIGN(GroupStates* const merged, begin_merge());
    GroupStates& all = *merged;
    return for_each_in_parallel(
        pieces.size(), plan_.threads, [&](std::size_t range, unsigned) -> Status {
          pieces[range].states = &all;
          merge_range(all, static_cast<std::uint32_t>(range), pieces[range].groups);
          return {};
        });
  }

  /// The states of the first worker that has any, for those of the others to be merged into.
  Result<GroupStates*> begin_merge() {
    for (const auto& worker : workers_) {
      if (worker->states.groups() != 0) filled_.push_back(&worker->states);
    }
    if (filled_.empty()) {
      workers_[0]->states.extend(places_);
      filled_.push_back(&workers_[0]->states);
    }
    GroupStates& all = *filled_[0];
    for (const GroupStates* states : filled_) all.unshare_as(*states);
    PRESSO_TRY(all.merge_at_once(std::span(filled_).subspan(1), plan_.threads));
    for (std::size_t i = 1; i < filled_.size(); ++i) {
      filled_[i]->prepare_merge();
      all.begin_merge(*filled_[i]);
    }
    if (!all.merges_in_parallel()) {
      for (std::uint32_t first = 0; first < places_; first += kBatchRows) merge_some(all, first);
      filled_.resize(1);
    }
    return &all;
  }

  /// Merges the other workers' places of a range, and lists those in use.
  /// Without keys there is one group even if there was no row.
  void merge_range(GroupStates& all, std::uint32_t range, Column<std::uint32_t>& groups) const {
    const std::uint32_t end = std::min(places_, (range + 1) * kRange);
    for (std::uint32_t first = range * kRange; first < end; first += kBatchRows) {
      merge_some(all, first);
      const std::size_t before = groups.size();
      groups.extend_unset(before + kBatchRows);
      groups.extend_unset(before + used_places(all, first, groups.data() + before));
    }
    if (plan_.keys.empty() && groups.empty()) groups.extend(1);
  }

  /// Merges kBatchRows places from `first` on of all other workers.
  void merge_some(GroupStates& all, std::uint32_t first) const {
    std::array<std::uint32_t, kBatchRows> places;
    for (std::size_t i = 1; i < filled_.size(); ++i) {
      const std::uint32_t count = used_places(*filled_[i], first, places.data());
      if (count != 0) all.merge(*filled_[i], {places.data(), count}, places.data());
    }
  }

  /// Lists the used ones among kBatchRows places.
  std::uint32_t used_places(const GroupStates& states, std::uint32_t first,
                            std::uint32_t* places) const {
    std::uint32_t count = 0;
    for (std::uint32_t place = first; place < std::min(places_, first + kBatchRows); ++place) {
      places[count] = place;
      count += states.has_rows(place) ? 1 : 0;
    }
    return count;
  }

  const GroupingPlan plan_;
  const KeyCoder coder_;
  const std::uint32_t places_;
  const std::uint64_t bit_bytes_;
  MemoryBudget budget_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<GroupStates*> filled_;  ///< those with rows
};

}  // namespace

std::unique_ptr<Grouping> make_dense_grouping(const GroupingPlan& plan, const KeyCoder& coder) {
  return std::make_unique<DenseGrouping>(plan, coder);
}

}  // namespace presso::query::grouping
