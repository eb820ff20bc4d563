// SPDX-License-Identifier: MIT
// Exact sums and averages of integers and decimals, in up to three widths (running_sums.h). The
// usual row costs one 64-bit addition. 128-bit values are narrowed if they fit into 64 bits;
// otherwise they go to 192-bit sums, so that only the final sum decides whether it has too many
// digits. If the 64-bit sums fill up again and again, values are added to 128-bit sums directly.
// Tested by tests/unit/query/group/grouping_test.cpp.
#include "format/cpu_loops.h"
#include "query/group/ratio.h"
#include "query/group/running_sums.h"
#include "query/group/sum_states.h"

namespace presso::query::grouping {
namespace {

/// The greatest sum that can be printed: 38 digits.
Int128 greatest_sum() {
  Int128 power = 1;
  for (int i = 0; i < 38; ++i) power *= 10;
  return power - 1;
}

/// Notices when emptying the narrow sums costs more than not using them.
class FlushWatch {
 public:
  void count_rows(std::uint32_t rows) { rows_ += rows; }
  /// Called when the narrow sums are full. Returns whether to give them up, as that was soon after
  /// the last time.
  /// Emptying costs a pass over all groups, which four rows for each group outweigh.
  bool full(std::uint32_t groups) {
    const bool often = rows_ < 4 * std::uint64_t{groups} + 8 * kBatchRows;
    rows_ = 0;
    return often;
  }

 private:
  std::uint64_t rows_ = 0;
};

/// The sum of a group is narrow + wide + huge; most groups only have the first.
class IntegerSumState final : public AggregateState {
 public:
  /// With known bounds of the argument no pass over the values is needed to find their magnitude.
  explicit IntegerSumState(const AggregateSpec& spec) : spec_(spec) {
    if (spec.argument == Physical::kInt64 && spec.least <= spec.most) {
      const Int128 least = spec.least, most = spec.most;
      known_bound_ =
          static_cast<Uint128>(std::max(least < 0 ? -least : least, most < 0 ? -most : most));
      is_known_ = true;
    }
  }

  void extend(std::uint32_t groups) override {
    groups_ = groups;
    nulls_.extend(groups);
    narrow_.extend(groups);
    wide_.extend(groups);
    if (!huge_.empty()) huge_.extend(groups);
  }
  std::uint64_t growth_bytes(std::uint32_t groups) const override {
    return nulls_.growth_bytes(groups) + narrow_.growth_bytes(groups) + wide_.growth_bytes(groups) +
           (huge_.empty() ? 0 : huge_.growth_bytes(groups));
  }
  std::uint64_t bytes() const override {
    return nulls_.bytes() + narrow_.bytes() + wide_.bytes() + huge_.bytes();
  }
  void clear() override {
    nulls_.clear();
    narrow_.clear();
    wide_.clear();
    huge_.clear();
  }

  /// Values of 128 bits that fit into 64, the usual case of decimals, are narrowed on the way.
  Status add(const GroupedRows& rows, const VectorView& argument) override {
    nulls_.add(rows, argument.validity);
    Int64Batch room;
    const std::int64_t* values = as_int64(rows, argument, room);
    if (values == nullptr) {
      add_huge(rows, argument);
    } else {
      add_narrow(rows, values);
    }
    return {};
  }

  void prefetch(std::uint32_t first, std::uint32_t count) const override {
    narrow_.prefetch(first, count);
  }
  /// Room is made once for all groups that will be merged from `other`.
  void begin_merge(const AggregateState& other) override {
    const auto& from = static_cast<const IntegerSumState&>(other);
    nulls_.begin_merge(from.nulls_);
    narrow_.begin_merge(from.narrow_);
    wide_.begin_merge(from.wide_);
    if (narrow_.is_full()) wide_.begin_merge_of_narrow();
    if (!from.huge_.empty() && huge_.empty()) huge_.extend(groups_);
  }
  void merge(const AggregateState& other, const GroupList& groups,
             const std::uint32_t* ids) override {
    const auto& from = static_cast<const IntegerSumState&>(other);
    nulls_.merge(from.nulls_, groups, ids);
    if (narrow_.is_full()) {
      wide_.merge(from.narrow_, 0, groups, ids);
    } else {
      narrow_.merge(from.narrow_, groups, ids);
    }
    wide_.merge(from.wide_, groups, ids);
    if (from.huge_.empty()) return;
    for (std::uint32_t i = 0; i < groups.count; ++i) huge_[ids[i]].add(from.huge_[groups.at[i]]);
  }

  bool has_nulls() const override { return !spec_.gives_states; }
  std::shared_ptr<const StringArena> strings() const override { return written_.strings(); }
  /// The check of 38 digits is here, so that sums that only pass through larger values are legal.
  Status write(const AggregateState& data, const GroupList& groups, const std::uint64_t* row_counts,
               const std::uint64_t* to, const ResultColumn& out) const override {
    const auto& from = static_cast<const IntegerSumState&>(data);
    if (spec_.gives_states) {
      written_.write(groups.count, to, out, [&](std::uint32_t i, std::vector<Byte>& bytes) {
        const std::uint32_t group = groups.at[i];
        append_state(from.total(group), row_counts[i] - from.nulls_.of(group), bytes);
      });
      return {};
    }
    if (spec_.kind == AggregateKind::kSum) {
      if (!from.fits(groups)) {
        return make_error(ErrorCode::kInvalidArgument, "the sum does not fit into 38 digits");
      }
      from.write_sums(groups, to, out.values);
    } else {
      from.write_averages(spec_.scale, groups, row_counts, to, out.values);
    }
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      if (row_counts[i] == from.nulls_.of(groups.at[i])) out.set_null(to[i]);
    }
    return {};
  }

 private:
  /// Returns the values as 64-bit integers, 0 for nulls; nullptr if one does not fit.
  static const std::int64_t* as_int64(const GroupedRows& rows, const VectorView& argument,
                                      Int64Batch& room) {
    if (argument.physical == Physical::kInt64) {
      return without_nulls(argument.as<std::int64_t>(), argument.validity, rows.count, room);
    }
    if (argument.physical == Physical::kBool) {
      for (std::uint32_t i = 0; i < rows.count; ++i) room[i] = argument.as<Byte>()[i] != 0 ? 1 : 0;
    } else {
      const Int128* values = argument.as<Int128>();
      std::int64_t differences = 0;
      for (std::uint32_t i = 0; i < rows.count; ++i) {
        room[i] = static_cast<std::int64_t>(values[i]);
        differences |= static_cast<std::int64_t>(values[i] >> 64) ^ (room[i] >> 63);
      }
      if (differences != 0) return nullptr;
    }
    if (argument.validity == nullptr) return room.data();
    loops_for<Kernels>().zero_nulls(room.data(), argument.validity, rows.count, room.data());
    return room.data();
  }

  /// Uses the narrow sums while their bound allows it.
  void add_narrow(const GroupedRows& rows, const std::int64_t* values) {
    const Uint128 bound =
        is_known_ ? known_bound_ : loops_for<Kernels>().magnitude(values, rows.count);
    watch_.count_rows(rows.count);
    if (!is_wide_ && make_room(bound * rows.count) && watch_.full(groups_)) is_wide_ = true;
    if (is_wide_) {
      wide_.add(rows, values);
    } else if (narrow_.has_room(bound * rows.count)) {
      narrow_.add(rows, values, bound * rows.count);
    } else {
      wide_.add(rows, values);  // a single vector may be too much
    }
  }

  /// Returns true if the narrow sums had to be emptied.
  bool make_room(Uint128 more) {
    if (narrow_.has_room(more)) return false;
    narrow_.tighten();
    // Half of the room must be free, or this would be repeated for every vector.
    if (narrow_.bound() < kNarrowLimit / 2 && narrow_.has_room(more)) return false;
    wide_.take(narrow_, 0);
    return true;
  }

  /// 128-bit values that do not fit 64 bits.
  void add_huge(const GroupedRows& rows, const VectorView& argument) {
    if (huge_.empty()) huge_.extend(groups_);
    const Int128* values = argument.as<Int128>();
    const std::uint32_t* ids = rows.row_ids();
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      if (!argument.is_null(i)) huge_[ids[i]].add(values[i]);
    }
  }

  /// The sum of all three widths.
  WideSum total(std::uint32_t group) const {
    WideSum sum;
    if (!huge_.empty()) sum = huge_[group];
    sum.add(wide_.of(group));
    sum.add(Int128{narrow_[group]});
    return sum;
  }

  /// Whether sums have at most 38 digits; those of fewer than 2^63 64-bit values always do.
  bool fits(const GroupList& groups) const {
    if (spec_.argument != Physical::kInt128) return true;
    bool all = true;
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      const WideSum sum = total(groups.at[i]);
      const Int128 low = to_int128(sum);
      all = all && sum.high == static_cast<std::int64_t>(sum.high) && low <= greatest_sum_ &&
            low >= -greatest_sum_;
    }
    return all;
  }
  static Int128 to_int128(const WideSum& sum) {
    return static_cast<Int128>((static_cast<Uint128>(sum.high) << 64) | sum.low);
  }

  /// Narrow sums alone need no 192-bit arithmetic.
  void write_sums(const GroupList& groups, const std::uint64_t* to, Byte* out) const {
    if (!wide_.any() && huge_.empty()) {
      for (std::uint32_t i = 0; i < groups.count; ++i) {
        store(out + 16 * to[i], Int128{narrow_[groups.at[i]]});
      }
      return;
    }
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      store(out + 16 * to[i], to_int128(total(groups.at[i])));
    }
  }
  /// The quotient of sum and 10^scale * count is rounded once.
  void write_averages(unsigned scale, const GroupList& groups, const std::uint64_t* row_counts,
                      const std::uint64_t* to, Byte* out) const {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      const std::uint32_t group = groups.at[i];
      const std::uint64_t count = row_counts[i] - nulls_.of(group);
      store(out + 8 * to[i], count == 0 ? 0.0 : average_rounded(total(group), scale, count));
    }
  }

  const AggregateSpec spec_;
  const Int128 greatest_sum_ = greatest_sum();
  std::uint32_t groups_ = 0;
  bool is_known_ = false;
  bool is_wide_ = false;
  Uint128 known_bound_ = 0;
  FlushWatch watch_;
  NullCounts nulls_;
  NarrowSums narrow_;
  WideSums wide_;
  Column<WideSum> huge_;
  WrittenStates written_;
};

}  // namespace

std::unique_ptr<AggregateState> make_integer_sum_state(const AggregateSpec& spec) {
  return std::make_unique<IntegerSumState>(spec);
}

}  // namespace presso::query::grouping
