// SPDX-License-Identifier: MIT
// Numbers of different values, exactly: one table of (group, value) for all groups, and a counter
// for each group. Values of at most 64 bits are a word beside the group's number; others are bytes
// behind it. Nulls are not counted, NaNs are one value, and so are zeros of both signs.

#include "query/group/aggregate_state.h"
#include "query/group/key_table.h"
#include "query/values/real_key.h"

namespace presso::query::grouping {
namespace {

/// Rows that have a value, as keys of the table.
template <class Key>
struct GroupKeyPairs {
  std::uint32_t count = 0;
  std::array<std::uint32_t, kBatchRows> groups;
  std::array<Key, kBatchRows> keys;
  Buffer bytes;
};

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

Bytes bytes_of(const VectorView& view, std::uint32_t row) {
  if (view.physical == Physical::kString) return view.as<StringRef>()[row].bytes();
  return {static_cast<const Byte*>(view.values) + 16 * row, 16};
}

void collect(const GroupedRows& rows, const VectorView& view, GroupKeyPairs<WordPair>& pairs) {
  const std::uint32_t* ids = rows.row_ids();
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    if (view.is_null(i)) continue;
    pairs.groups[pairs.count] = ids[i];
    pairs.keys[pairs.count++] = {word_of(view, i), ids[i]};
  }
}

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

std::uint32_t group_of(const WordPair& key) {
  return static_cast<std::uint32_t>(key.second);
}
std::uint32_t group_of(const StringRef& key) {
  return load<std::uint32_t>(key.data);
}

void move_to(const WordPair& key, std::uint32_t group, GroupKeyPairs<WordPair>& pairs) {
  pairs.groups[pairs.count] = group;
  pairs.keys[pairs.count++] = {key.first, group};
}
void move_to(const StringRef& key, std::uint32_t group, GroupKeyPairs<StringRef>& pairs) {
  pairs.groups[pairs.count] = group;
  // The bytes come when all are there and no longer move: for now only their number.
  pairs.keys[pairs.count++] = key;
}

void finish(GroupKeyPairs<WordPair>&) {}
void finish(GroupKeyPairs<StringRef>& pairs) {
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

template <class Key>
class DistinctState final : public AggregateState {
 public:
  void extend(std::uint32_t groups) override { counts_.extend(groups); }
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

  /// Which entries of the table belong to which group.
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

  void begin_merge(const AggregateState&) override {}
  bool merges_in_parallel() const override { return false; }
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
  void flush() {
    finish(pairs_);
    insert();
    pairs_.count = 0;
  }

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
  Column<std::uint64_t> starts_;   ///< of a group's entries
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
