// SPDX-License-Identifier: MIT
// count(distinct x), exactly: one hash table of (group, value) pairs for all groups, and a counter
// for each group. Values of at most 64 bits are a word beside the group's number, others are bytes
// after it. Nulls are not counted; NaNs are one value, and so are both zeros. Memory: a table entry
// for each different pair; there is no approximate mode. Integers of a small known range are
// counted by bits instead (distinct_bits.cpp). Tested by tests/unit/query/group/grouping_test.cpp.
//
// Two passes over a vector: collect() makes keys of the rows that have a value, insert() adds them
// to the table and counts the new ones for their groups. In the end the tables of all threads are
// merged together: each is listed by partitions of the pairs' hashes, and each partition is counted
// by one thread in a table that stays in its cache. Only the counts are left of that.
#include <bit>

#include "format/threads/parallel.h"
#include "query/group/aggregate_state.h"
#include "query/group/partition_merge.h"
#include "query/values/real_key.h"

namespace presso::query::grouping {
namespace {

/// Values of a partition, on average: a table of them stays in a core's cache.
constexpr std::uint64_t kPartitionValues = 16'384;
/// Each partition costs a visit to every thread's table.
constexpr std::uint64_t kMostPartitions = 1024;
/// Up to this many groups each thread has counters of its own; with more of them threads share
/// counters and add to them atomically, as they rarely meet.
constexpr std::size_t kFewCounts = 4096;

/// The rows of a vector that have a value, as keys of the table.
template <class Key>
struct GroupKeyPairs {
  std::uint32_t count = 0;
  std::array<std::uint32_t, kBatchRows> groups;
  std::array<Key, kBatchRows> keys;
  Buffer bytes;
};

/// The value as a word; equal values give equal words.
std::uint64_t word_of(const VectorView& view, std::uint32_t row) {
  switch (view.physical) {
    case Physical::kBool:
      return view.as<Byte>()[row] != 0 ? 1 : 0;
    case Physical::kDouble:
      return real_key(view.as<double>()[row]);
    default:
      return static_cast<std::uint64_t>(view.as<std::int64_t>()[row]);
  }
}

/// The bytes of a string or a 128-bit value.
Bytes bytes_of(const VectorView& view, std::uint32_t row) {
  if (view.physical == Physical::kString) return view.as<StringRef>()[row].bytes();
  return {static_cast<const Byte*>(view.values) + 16 * row, 16};
}

/// Fills the pairs of a vector; nulls are left out.
void collect(const GroupedRows& rows, const VectorView& view, GroupKeyPairs<WordPair>& pairs) {
  const std::uint32_t* ids = rows.row_ids();
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    if (view.is_null(i)) continue;
    pairs.groups[pairs.count] = ids[i];
    pairs.keys[pairs.count++] = {word_of(view, i), ids[i]};
  }
}

/// A key is the group's number in four bytes and then the value's bytes. Sizes are added up first,
/// so that the memory is allocated once.
void collect(const GroupedRows& rows, const VectorView& view, GroupKeyPairs<StringRef>& pairs) {
  const std::uint32_t* ids = rows.row_ids();
  std::size_t total = 0;
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    if (!view.is_null(i)) total += 4 + bytes_of(view, i).size();
  }
  pairs.bytes.resize_discarding(total);
  Byte* at = pairs.bytes.data();
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    if (view.is_null(i)) continue;
    const Bytes value = bytes_of(view, i);
    store(at, ids[i]);
    if (!value.empty()) std::memcpy(at + 4, value.data(), value.size());
    pairs.groups[pairs.count] = ids[i];
    pairs.keys[pairs.count++] = {at, 4 + value.size()};
    at += 4 + value.size();
  }
}

/// The group of a pair.
std::uint32_t group_of(const WordPair& key) {
  return static_cast<std::uint32_t>(key.second);
}
std::uint32_t group_of(const StringRef& key) {
  return load<std::uint32_t>(key.data);
}

/// Adds a pair of another state, whose group has the number `group` here.
void move_to(const WordPair& key, std::uint32_t group, GroupKeyPairs<WordPair>& pairs) {
  pairs.groups[pairs.count] = group;
  pairs.keys[pairs.count++] = {key.first, group};
}
void move_to(const StringRef& key, std::uint32_t group, GroupKeyPairs<StringRef>& pairs) {
  pairs.groups[pairs.count] = group;
  // finish_pairs() copies the bytes when all sizes are known; until then the key points to the old
  // ones.
  pairs.keys[pairs.count++] = key;
}

void finish_pairs(GroupKeyPairs<WordPair>&) {}
/// Copies the keys with their new groups in front, when all sizes are known.
void finish_pairs(GroupKeyPairs<StringRef>& pairs) {
  std::size_t total = 0;
  for (std::uint32_t i = 0; i < pairs.count; ++i) total += pairs.keys[i].size;
  pairs.bytes.resize_discarding(total);
  Byte* at = pairs.bytes.data();
  for (std::uint32_t i = 0; i < pairs.count; ++i) {
    StringRef& key = pairs.keys[i];
    store(at, pairs.groups[i]);
    std::memcpy(at + 4, key.data + 4, key.size - 4);
    key.data = at;
    at += key.size;
  }
}

/// counts_[g] is the number of entries whose group is g.
/// `Key` is WordPair (value, group) or StringRef (group and value as bytes, which the table
/// copies).
template <class Key>
class DistinctState final : public AggregateState {
 public:
  void extend(std::uint32_t groups) override { counts_.extend(groups); }
  /// An upper bound for one vector: all its values may be new.
  std::uint64_t growth_bytes(std::uint32_t groups) const override {
    return counts_.growth_bytes(groups) + table_.growth_bytes(kBatchRows);
  }
  std::uint64_t bytes() const override {
    return counts_.bytes() + table_.bytes() + starts_.bytes() + entries_.bytes();
  }
  void clear() override {
    counts_.clear();
    table_.clear();
  }

  Status add(const GroupedRows& rows, const VectorView& argument) override {
    pairs_.count = 0;
    collect(rows, argument, pairs_);
    insert();
    return {};
  }

  /// Sorts the entries of the table by group, so that merge() finds those of a group.
  /// A counting sort; costs a pass over the table and 4 bytes for each entry.
  void prepare_merge() override {
    starts_.clear();
    starts_.extend(counts_.size() + 1);
    for (std::size_t i = 0; i < counts_.size(); ++i) starts_[i + 1] = starts_[i] + counts_[i];
    entries_.extend_unset(table_.size());
    Column<std::uint64_t> next;
    next.extend_unset(counts_.size());
    if (!counts_.empty()) std::memcpy(next.data(), starts_.data(), 8 * counts_.size());
    for (std::uint32_t i = 0; i < table_.size(); ++i) {
      entries_[next[group_of(table_.keys()[i])]++] = i;
    }
  }

  bool merges_at_once() const override { return true; }
  /// Leaves the counts of all states together in this one. Keys are not merged, so nothing can be
  /// added afterwards.
  Status merge_all(std::span<AggregateState* const> others, unsigned threads) override {
    std::vector<DistinctState*> all{this};
    for (AggregateState* other : others) all.push_back(static_cast<DistinctState*>(other));
    if (all.size() == 1) return {};
    std::uint64_t values = 0;
    for (const DistinctState* state : all) values += state->table_.size();
    const auto partitions = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(std::bit_ceil(values / kPartitionValues), 1, kMostPartitions));
    std::vector<Listed> lists(all.size());
    PRESSO_TRY(for_each_in_parallel(all.size(), threads, [&](std::size_t i, unsigned) -> Status {
      const KeyTable<Key>& table = all[i]->table_;
      lists[i].keys = table.keys();
      lists[i].starts = partition(table.keys(), table.size(), partitions, lists[i].order);
      return {};
    }));
    return count_partitions(lists, partitions, threads);
  }

  void begin_merge(const AggregateState&) override {}
  bool merges_in_parallel() const override { return false; }
  /// Entries of a group are found by prepare_merge()'s lists; equal values of both states are
  /// counted once, as the table holds them once.
  void merge(const AggregateState& other, const GroupList& groups,
             const std::uint32_t* ids) override {
    const auto& from = static_cast<const DistinctState&>(other);
    pairs_.count = 0;
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      const std::uint64_t end = from.starts_[groups.at[i] + std::size_t{1}];
      for (std::uint64_t entry = from.starts_[groups.at[i]]; entry < end; ++entry) {
        move_to(from.table_.keys()[from.entries_[entry]], ids[i], pairs_);
        if (pairs_.count == kBatchRows) flush();
      }
    }
    flush();
  }

  bool has_nulls() const override { return false; }
  Status write(const AggregateState&, const GroupList& groups, const std::uint64_t*,
               const std::uint64_t* to, const ResultColumn& out) const override {
    write_counts(counts_, groups, to, out);
    return {};
  }

 private:
  /// The pairs of one state, listed by partition.
  struct Listed {
    const Key* keys = nullptr;
    Column<std::uint32_t> order;
    std::vector<std::uint32_t> starts;
  };
  /// One thread's table, which is cleared for each partition, and its own counters if groups are
  /// few.
  struct Counter {
    KeyTable<Key> table;
    Column<std::uint64_t> counts;
  };

  /// Equal pairs have equal hashes, so they meet in one partition and are counted once.
  Status count_partitions(const std::vector<Listed>& lists, std::uint32_t partitions,
                          unsigned threads) {
    std::fill_n(counts_.data(), counts_.size(), std::uint64_t{0});
    const bool by_itself = counts_.size() <= kFewCounts;
    std::vector<std::unique_ptr<Counter>> counters(std::max(threads, 1u));
    PRESSO_TRY(for_each_in_parallel(partitions, threads,
                                    [&](std::size_t number, unsigned worker) -> Status {
                                      if (counters[worker] == nullptr) {
                                        counters[worker] = std::make_unique<Counter>();
                                        counters[worker]->table.borrow_bytes();
                                        if (by_itself)
                                          counters[worker]->counts.extend(counts_.size());
                                      }
                                      for (const Listed& list : lists)
                                        count_list(list, number, *counters[worker]);
                                      counters[worker]->table.clear();
                                      return {};
                                    }));
    for (const auto& counter : counters) {
      if (counter == nullptr) continue;
      for (std::size_t i = 0; i < counter->counts.size(); ++i) counts_[i] += counter->counts[i];
    }
    return {};
  }

  /// Adds the pairs of one state and partition to the table; those that were not there are counted.
  void count_list(const Listed& list, std::size_t number, Counter& counter) {
    std::array<Key, kBatchRows> keys;
    std::array<std::uint64_t, kBatchRows> hashes;
    std::array<std::uint32_t, kBatchRows> ids;
    NewKeys added;
    const std::uint32_t end = list.starts[number + 1];
    for (std::uint32_t first = list.starts[number]; first < end; first += kBatchRows) {
      const std::uint32_t count = std::min(kBatchRows, end - first);
      for (std::uint32_t i = 0; i < count; ++i) keys[i] = list.keys[list.order[first + i]];
      hash_keys(keys.data(), count, hashes.data());
      counter.table.reserve(count);
      counter.table.find_or_add(keys.data(), hashes.data(), count, ids.data(), added);
      for (std::uint32_t i = 0; i < added.count; ++i) {
        const std::uint32_t group = group_of(keys[added.rows[i]]);
        if (!counter.counts.empty()) {
          ++counter.counts[group];
        } else {
          __atomic_fetch_add(&counts_[group], 1, __ATOMIC_RELAXED);
        }
      }
    }
  }
  /// Adds the gathered pairs to the table and begins a new batch of them.
  void flush() {
    finish_pairs(pairs_);
    insert();
    pairs_.count = 0;
  }

  /// New pairs raise the counter of their group. A table that is full throws std::bad_alloc, which
  /// the grouping turns into kOutOfMemory.
  void insert() {
    if (table_.size() >= KeyTable<Key>::kMostKeys) throw std::bad_alloc();
    table_.reserve(pairs_.count);
    std::array<std::uint64_t, kBatchRows> hashes;
    std::array<std::uint32_t, kBatchRows> numbers;
    for (std::uint32_t i = 0; i < pairs_.count; ++i) hashes[i] = hash_key(pairs_.keys[i]);
    NewKeys added;
    table_.find_or_add(pairs_.keys.data(), hashes.data(), pairs_.count, numbers.data(), added);
    for (std::uint32_t i = 0; i < added.count; ++i) ++counts_[pairs_.groups[added.rows[i]]];
  }

  Column<std::uint64_t> counts_;
  KeyTable<Key> table_;
  GroupKeyPairs<Key> pairs_;
  Column<std::uint64_t> starts_;   ///< where a group's entries begin in entries_
  Column<std::uint32_t> entries_;  ///< numbers of keys, group by group
};

}  // namespace

std::unique_ptr<AggregateState> make_distinct_state(const AggregateSpec& spec) {
  if (spec.argument == Physical::kString || spec.argument == Physical::kInt128) {
    return std::make_unique<DistinctState<StringRef>>();
  }
  return std::make_unique<DistinctState<WordPair>>();
}

}  // namespace presso::query::grouping
