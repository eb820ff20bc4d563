// SPDX-License-Identifier: MIT
// Implements group_states.h, everything that is known of groups besides their keys: counting their
// rows, remembering their first rows, and sharing one state among aggregates of the same argument.
#include "query/group/group_states.h"
#include "format/cpu_loops.h"

namespace presso::query::grouping {
namespace {

/// Two 32-bit counts of at most this can be added without overflow.
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 31;

/// Whether both aggregates can be written from one state if their arguments are the same.
/// Example: sum(x) and avg(x) are both written from the sum of x and the number of its values.
bool may_share(const AggregateSpec& a, const AggregateSpec& b) {
  return a.is_sum() && b.is_sum() && a.argument == b.argument &&
         a.fixed_point.exponent == b.fixed_point.exponent;
}
/// Whether two vectors are the same memory, which is how one node's values are recognised.
bool are_same(const VectorView& a, const VectorView& b) {
  return a.values == b.values && a.validity == b.validity;
}

}  // namespace

GroupStates::GroupStates(std::span<const AggregateSpec> aggregates, std::uint64_t bit_bytes)
    : specs_(aggregates.begin(), aggregates.end()) {
  for (const AggregateSpec& spec : aggregates) {
    leaders_.push_back(aggregates_.size());
    const bool by_bits = counts_by_bits(spec, bit_bytes);
    aggregates_.push_back(by_bits ? make_distinct_bits(spec) : AggregateState::make(spec));
  }
}

std::uint64_t GroupStates::bytes() const {
  std::uint64_t bytes = row_counts_.bytes() + more_row_counts_.bytes() + first_rows_.bytes();
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    if (!follows(i)) bytes += aggregates_[i]->bytes();
  }
  return bytes;
}

/// Followers have no state of their own, so they take no memory here or in bytes().
std::uint64_t GroupStates::growth_bytes(std::uint32_t groups) const {
  std::uint64_t bytes = row_counts_.growth_bytes(groups) + first_rows_.growth_bytes(groups);
  if (!more_row_counts_.empty()) bytes += more_row_counts_.growth_bytes(groups);
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    if (!follows(i)) bytes += aggregates_[i]->growth_bytes(groups);
  }
  return bytes;
}

/// First rows stay unset: each is set together with the group's first count, by count() or merge().
void GroupStates::extend(std::uint32_t groups) {
  if (groups == groups_) return;
  row_counts_.extend(groups);
  if (!more_row_counts_.empty()) more_row_counts_.extend(groups);
  first_rows_.extend_unset(groups);
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    if (!follows(i)) aggregates_[i]->extend(groups);
  }
  groups_ = groups;
}

void GroupStates::clear() {
  groups_ = 0;
  row_counts_.clear();
  more_row_counts_.clear();
  most_counted_ = 0;
  merges_to_more_ = false;
  first_rows_.clear();
  for (const auto& aggregate : aggregates_) aggregate->clear();
}

/// Explicit row numbers are looked at one by one; others ascend by construction.
RowOrder SeenRows::add(const RowNumbers& rows, std::uint32_t count) {
  bool ascend = rows[0] >= end_;
  std::uint64_t greatest = rows[count - 1];
  for (std::uint32_t i = 1; rows.numbers != nullptr && i < count; ++i) {
    ascend &= rows[i] >= rows[i - 1];
    greatest = std::max(greatest, rows[i - 1]);
  }
  end_ = std::max(end_, greatest + 1);
  return ascend ? RowOrder::kAfterAll : RowOrder::kAny;
}

/// Only needed for rows that do not come in order.
void GroupStates::lower_first_rows(const GroupedRows& rows, const RowNumbers& numbers) {
  const std::uint32_t* ids = rows.row_ids();
  for (std::uint32_t i = 0; i < rows.count; ++i) {
    std::uint64_t& first = first_rows_[ids[i]];
    first = std::min(first, row_number(numbers, i));
  }
}

/// Followers are not added to; their leader has their values.
Status GroupStates::add(const GroupedRows& rows, std::span<const VectorView> arguments,
                        const RowNumbers& numbers, RowOrder order) {
  count(rows, numbers);
  if (order == RowOrder::kAny) lower_first_rows(rows, numbers);
  if (!has_leaders_) find_leaders(arguments);
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    if (follows(i) && !are_same(arguments[i], arguments[leaders_[i]])) stop_following(i);
  }
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    if (!follows(i)) PRESSO_TRY(aggregates_[i]->add(rows, arguments[i]));
  }
  return {};
}

/// Runs once, at the first vectors; quadratic in the number of aggregates.
void GroupStates::find_leaders(std::span<const VectorView> arguments) {
  has_leaders_ = true;
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    for (std::size_t j = 0; j < i && !follows(i); ++j) {
      if (may_share(specs_[i], specs_[j]) && are_same(arguments[i], arguments[j])) leaders_[i] = j;
    }
  }
}

/// Gives a follower a state of its own, with what its leader has so far.
/// That is exact: until now both had the same values.
void GroupStates::stop_following(std::size_t aggregate) {
  if (!follows(aggregate)) return;
  const AggregateState& leader = *aggregates_[leaders_[aggregate]];
  AggregateState& state = *aggregates_[aggregate];
  leaders_[aggregate] = aggregate;
  state.clear();
  state.extend(groups_);
  if (groups_ == 0) return;
  state.begin_merge(leader);
  std::array<std::uint32_t, kBatchRows> groups;
  for (std::uint32_t first = 0; first < groups_; first += kBatchRows) {
    const std::uint32_t count = std::min(kBatchRows, groups_ - first);
    for (std::uint32_t i = 0; i < count; ++i) groups[i] = first + i;
    state.merge(leader, {groups.data(), count}, groups.data());
  }
}

/// One pass over all groups for every 2^31 rows.
/// A count is left at 1 and not 0, because 0 means that the group has no row yet.
void GroupStates::make_room_for_rows(std::uint64_t rows) {
  if (most_counted_ + rows > kMostCounted) {
    if (more_row_counts_.empty()) more_row_counts_.extend(groups_);
    for (std::uint32_t group = 0; group < groups_; ++group) {
      if (row_counts_[group] == 0) continue;
      more_row_counts_[group] += row_counts_[group] - 1;
      row_counts_[group] = 1;
    }
    most_counted_ = 1;
  }
  most_counted_ += rows;
}

void GroupStates::get_row_counts(const GroupList& groups, std::uint64_t* out) const {
  for (std::uint32_t i = 0; i < groups.count; ++i) out[i] = row_counts_[groups.at[i]];
  if (more_row_counts_.empty()) return;
  for (std::uint32_t i = 0; i < groups.count; ++i) out[i] += more_row_counts_[groups.at[i]];
}

/// A group's first row is set when its count is 0. Few groups are counted with several copies of
/// the counts (kernels.h), long runs by one addition each.
void GroupStates::count(const GroupedRows& rows, const RowNumbers& numbers) {
  make_room_for_rows(rows.count);
  const auto add = [&](std::uint32_t group, std::uint32_t more, std::uint32_t row) {
    std::uint32_t& count = row_counts_[group];
    if (__builtin_expect(count == 0, 0)) first_rows_[group] = row_number(numbers, row);
    count += more;
  };
  if (rows.runs != 0) {
    std::uint32_t begin = 0;
    for (std::uint32_t i = 0; i < rows.runs; ++i) {
      add(rows.run_ids[i], rows.run_ends[i] - begin, begin);
      begin = rows.run_ends[i];
    }
  } else if (rows.groups <= kFewGroups) {
    std::array<std::uint32_t, kFewGroups> counts{};
    const std::uint32_t* ids = rows.row_ids();
    loops_for<Kernels>().count_few(ids, rows.count, rows.groups, counts.data());
    for (std::uint32_t group = 0; group < rows.groups; ++group) {
      if (counts[group] == 0) continue;
      const auto first = static_cast<std::uint32_t>(
          row_counts_[group] != 0 ? 0 : std::find(ids, ids + rows.count, group) - ids);
      add(group, counts[group], first);
    }
  } else {
    const std::uint32_t* ids = rows.row_ids();
    for (std::uint32_t i = 0; i < rows.count; ++i) add(ids[i], 1, i);
  }
}

void GroupStates::prepare_merge() {
  for (const auto& aggregate : aggregates_) {
    if (!is_merged(*aggregate)) aggregate->prepare_merge();
  }
}

/// Marks all states, also those of the others, so that begin_merge() and merge() skip these
/// aggregates on either side.
/// Other aggregates are left as they are.
Status GroupStates::merge_at_once(std::span<GroupStates* const> others, unsigned threads) {
  merged_at_once_ = true;
  for (GroupStates* other : others) other->merged_at_once_ = true;
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    if (!aggregates_[i]->merges_at_once()) continue;
    std::vector<AggregateState*> states;
    for (const GroupStates* other : others) states.push_back(other->aggregates_[i].get());
    PRESSO_TRY(aggregates_[i]->merge_all(states, threads));
  }
  return {};
}

void GroupStates::unshare_as(const GroupStates& from) {
  if (!has_leaders_) leaders_ = from.leaders_;
  has_leaders_ = true;
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    if (leaders_[i] != from.leaders_[i]) stop_following(i);
  }
}

/// Merges of several others may begin before the first of them is done, so what counts will become
/// is known only by the sum of their bounds.
void GroupStates::begin_merge(const GroupStates& from) {
  if (most_counted_ + from.most_counted_ > kMostCounted) merges_to_more_ = true;
  if (!merges_to_more_) most_counted_ += from.most_counted_;
  const bool has_more = merges_to_more_ || !from.more_row_counts_.empty();
  if (has_more && more_row_counts_.empty()) more_row_counts_.extend(groups_);
  unshare_as(from);
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    if (!follows(i)) aggregates_[i]->begin_merge(*from.aggregates_[from.leaders_[i]]);
  }
}

/// One state that only one thread may merge (strings share an arena) decides for all of them.
bool GroupStates::merges_in_parallel() const {
  return std::all_of(aggregates_.begin(), aggregates_.end(), [this](const auto& aggregate) {
    return aggregate->merges_in_parallel() || is_merged(*aggregate);
  });
}

void GroupStates::prefetch(std::uint32_t first, std::uint32_t count) const {
  row_counts_.prefetch(first, count);
  first_rows_.prefetch(first, count);
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    if (!follows(i)) aggregates_[i]->prefetch(first, count);
  }
}

/// First rows become the lesser of both.
void GroupStates::merge(const GroupStates& from, const GroupList& groups,
                        const std::uint32_t* ids) {
  for (std::uint32_t i = 0; i < groups.count; ++i) {
    std::uint32_t& count = row_counts_[ids[i]];
    std::uint64_t& first = first_rows_[ids[i]];
    const std::uint64_t other = from.first_rows_[groups.at[i]];
    first = count == 0 ? other : std::min(first, other);
    std::uint32_t more = from.row_counts_[groups.at[i]];
    if (merges_to_more_ && count != 0) {
      more_row_counts_[ids[i]] += more;
      more = 0;
    }
    count += more;
  }
  if (!from.more_row_counts_.empty()) {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      more_row_counts_[ids[i]] += from.more_row_counts_[groups.at[i]];
    }
  }
  for (std::size_t i = 0; i < aggregates_.size(); ++i) {
    if (follows(i) || is_merged(*aggregates_[i])) continue;
    aggregates_[i]->merge(*from.aggregates_[from.leaders_[i]], groups, ids);
  }
}

/// Sums of integers and decimals have 128 bits, so that they cannot overflow on the way. Sums of a
/// partial answer are states in bytes (sum_states.h).
Physical result_of(const AggregateSpec& spec) {
  if (spec.is_sum() && spec.gives_states) return Physical::kString;
  switch (spec.kind) {
    case AggregateKind::kSum:
      return spec.argument == Physical::kDouble ? Physical::kDouble : Physical::kInt128;
    case AggregateKind::kAverage:
      return Physical::kDouble;
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      return spec.argument;
    default:
      return Physical::kInt64;
  }
}

}  // namespace presso::query::grouping
