// SPDX-License-Identifier: MIT
// Implements aggregate_state.h: the states of count(*) and count(x), the null counts that several
// aggregates share, and the choice of a state's class. The classes of other aggregates have files
// of their own.
#include "query/group/aggregate_state.h"

#include <bit>
#include "format/cpu_loops.h"

namespace presso::query::grouping {
namespace {

/// count(*) and count(x). The number of rows is kept for every group anyway (GroupStates), so
/// count(*) needs no memory, and count(x) only that of null counts.
class CountState final : public AggregateState {
 public:
  explicit CountState(bool of_rows) : of_rows_(of_rows) {}

  void extend(std::uint32_t groups) override { nulls_.extend(groups); }
  std::uint64_t growth_bytes(std::uint32_t groups) const override {
    return nulls_.growth_bytes(groups);
  }
  std::uint64_t bytes() const override { return nulls_.bytes(); }
  void clear() override { nulls_.clear(); }

  Status add(const GroupedRows& rows, const VectorView& argument) override {
    if (!of_rows_) nulls_.add(rows, argument.validity);
    return {};
  }
  void begin_merge(const AggregateState& from) override {
    nulls_.begin_merge(static_cast<const CountState&>(from).nulls_);
  }
  void merge(const AggregateState& from, const GroupList& groups,
             const std::uint32_t* ids) override {
    nulls_.merge(static_cast<const CountState&>(from).nulls_, groups, ids);
  }

  bool has_nulls() const override { return false; }
  Status write(const AggregateState&, const GroupList& groups, const std::uint64_t* row_counts,
               const std::uint64_t* to, const ResultColumn& out) const override {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      store(out.values + 8 * to[i], row_counts[i] - nulls_.of(groups.at[i]));
    }
    return {};
  }

 private:
  const bool of_rows_;
  NullCounts nulls_;
};

}  // namespace

/// Looks at the bitmap by words, as most words have no null.
void NullCounts::add(const GroupedRows& rows, const std::uint64_t* validity) {
  if (validity == nullptr) return;
  const std::uint32_t* ids = nullptr;
  for (std::uint32_t first = 0; first < rows.count; first += 64) {
    const std::uint32_t left = rows.count - first;
    const std::uint64_t mask = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
    std::uint64_t nulls = ~validity[first / 64] & mask;
    if (nulls == 0) continue;
    if (counts_.empty()) counts_.extend(groups_);
    if (ids == nullptr) ids = rows.row_ids();
    for (; nulls != 0; nulls &= nulls - 1) {
      ++counts_[ids[first + static_cast<std::uint32_t>(std::countr_zero(nulls))]];
    }
  }
}

/// begin_merge() has made room, so that threads may merge different groups at the same time.
void NullCounts::merge(const NullCounts& from, const GroupList& groups, const std::uint32_t* ids) {
  if (!from.any()) return;
  for (std::uint32_t i = 0; i < groups.count; ++i) counts_[ids[i]] += from.counts_[groups.at[i]];
}

/// A null becomes 0, which no sum notices.
const std::int64_t* without_nulls(const std::int64_t* values, const std::uint64_t* validity,
                                  std::uint32_t rows, Int64Batch& room) {
  if (validity == nullptr) return values;
  loops_for<Kernels>().zero_nulls(values, validity, rows, room.data());
  return room.data();
}

std::unique_ptr<AggregateState> make_count_state(const AggregateSpec& spec) {
  return std::make_unique<CountState>(spec.kind == AggregateKind::kCountRows);
}

/// One class for each kind of arithmetic.
/// States of partial answers come first, as their argument is not the value that is aggregated.
std::unique_ptr<AggregateState> AggregateState::make(const AggregateSpec& spec) {
  if (spec.takes_states && spec.is_sum()) return make_state_of_sums(spec);
  if (spec.takes_states && spec.kind == AggregateKind::kCount) return make_sum_of_counts();
  switch (spec.kind) {
    case AggregateKind::kCountRows:
    case AggregateKind::kCount:
      return make_count_state(spec);
    case AggregateKind::kCountDistinct:
      return make_distinct_state(spec);
    case AggregateKind::kSum:
    case AggregateKind::kAverage:
      return spec.argument == Physical::kDouble ? make_double_sum_state(spec)
                                                : make_integer_sum_state(spec);
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      return make_extreme_state(spec);
  }
  return nullptr;
}

}  // namespace presso::query::grouping
