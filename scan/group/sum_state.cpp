// SPDX-License-Identifier: MIT
// Exact sums and averages. Values go to 64-bit sums, and a bound of what those can have become is
// kept: only where it would pass 2^63 are they emptied into 128-bit sums. So the usual row costs
// one 64-bit addition, for 128-bit values and for doubles as well: the former are narrowed where
// they fit, the latter are three integers (kernels.h). Where the bound is used up again and again,
// 64-bit values are added to 128-bit sums directly. 128-bit values that do not fit into 64 bits go
// to 192-bit sums, so that only the final sum decides whether it has too many digits. Doubles so
// small that the unit, which follows from the greatest of all rows, would round them are added up
// in finer units (long_sum.h): one value of 1e300 in a column must not make 0 of the sums of
// others.
#include <cmath>
#include <limits>

#include "scan/group/aggregate_state.h"
#include "scan/group/long_sum.h"
#include "scan/group/ratio.h"

namespace presso::query::grouping {
namespace {

constexpr Uint128 kNarrowLimit = Uint128{1} << 63;

Int128 greatest_sum() {
  Int128 power = 1;
  for (int i = 0; i < 38; ++i) power *= 10;
  return power - 1;
}

std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// 64-bit sums and a bound of their absolute values.
class NarrowSums {
 public:
  void extend(std::uint32_t groups) { sums_.extend(groups); }
  void clear() {
    sums_.clear();
    bound_ = 0;
  }
  std::uint64_t bytes() const { return sums_.bytes(); }
  std::uint64_t growth_bytes(std::uint32_t groups) const { return sums_.growth_bytes(groups); }
  std::int64_t operator[](std::size_t group) const { return sums_[group]; }
  std::uint32_t groups() const { return static_cast<std::uint32_t>(sums_.size()); }
  Uint128 bound() const { return bound_; }

  bool has_room(Uint128 more) const { return bound_ + more < kNarrowLimit; }
  /// The bound as it really is; a pass over all groups.
  void tighten() { bound_ = kernels().magnitude(sums_.data(), groups()); }
  void reset() {
    std::fill_n(sums_.data(), sums_.size(), 0);
    bound_ = 0;
  }

  /// `more`: bound of what is added to a group.
  void add(const GroupedRows& rows, const std::int64_t* values, Uint128 more) {
    bound_ += more;
    if (rows.groups == 1) {
      sums_[0] = wrapping_sum(sums_[0], kernels().sum(values, rows.count));
    } else if (rows.runs == 0 && rows.groups <= kFewGroups) {
      kernels().sum_few(rows.row_ids(), values, rows.count, rows.groups, sums_.data());
    } else if (rows.runs != 0) {
      Int64Batch of_runs;
      kernels().sum_runs(values, rows.run_ends, rows.runs, of_runs.data());
      add_each(rows.run_ids, of_runs.data(), rows.runs);
    } else {
      add_each(rows.row_ids(), values, rows.count);
    }
  }
  void prefetch(std::uint32_t first, std::uint32_t count) const { sums_.prefetch(first, count); }
  void begin_merge(const NarrowSums& from) { bound_ += from.bound_; }
  void merge(const NarrowSums& from, const GroupList& groups, const std::uint32_t* ids) {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      sums_[ids[i]] = wrapping_sum(sums_[ids[i]], from.sums_[groups.at[i]]);
    }
  }

 private:
  void add_each(const std::uint32_t* ids, const std::int64_t* values, std::uint32_t count) {
    std::int64_t* const sums = sums_.data();
    for (std::uint32_t i = 0; i < count; ++i) sums[ids[i]] = wrapping_sum(sums[ids[i]], values[i]);
  }

  Column<std::int64_t> sums_;
  Uint128 bound_ = 0;
};

/// 128-bit sums: no memory until they are needed.
class WideSums {
 public:
  void extend(std::uint32_t groups) {
    groups_ = groups;
    if (!sums_.empty()) sums_.extend(groups);
  }
  void clear() { sums_.clear(); }
  std::uint64_t bytes() const { return sums_.bytes(); }
  std::uint64_t growth_bytes(std::uint32_t groups) const {
    return sums_.empty() ? 0 : sums_.growth_bytes(groups);
  }
  bool any() const { return !sums_.empty(); }
  Int128 of(std::uint32_t group) const {
    return sums_.empty() ? 0 : static_cast<Int128>(sums_[group]);
  }

  /// sums += narrow * 2^shift, and narrow = 0.
  void take(NarrowSums& narrow, unsigned shift) {
    make();
    for (std::uint32_t i = 0; i < groups_; ++i) {
      sums_[i] += static_cast<Uint128>(Int128{narrow[i]}) << shift;
    }
    narrow.reset();
  }
  void add(const GroupedRows& rows, const std::int64_t* values) {
    make();
    const std::uint32_t* ids = rows.row_ids();
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      sums_[ids[i]] += static_cast<Uint128>(Int128{values[i]});
    }
  }
  void begin_merge(const WideSums& from) {
    if (from.any()) make();
  }
  void merge(const WideSums& from, const GroupList& groups, const std::uint32_t* ids) {
    if (!from.any()) return;
    for (std::uint32_t i = 0; i < groups.count; ++i) sums_[ids[i]] += from.sums_[groups.at[i]];
  }

 private:
  void make() {
    if (sums_.empty()) sums_.extend(groups_);
  }

  std::uint32_t groups_ = 0;
  Column<Uint128> sums_;  // unsigned: wraps where a caller's promises do not hold
};

/// When emptying the narrow sums costs more than not using them.
class FlushWatch {
 public:
  void count_rows(std::uint32_t rows) { rows_ += rows; }
  /// Whether the narrow sums are to be given up, now that they are full again.
  bool full(std::uint32_t groups) {
    const bool often = rows_ < 4 * std::uint64_t{groups} + 8 * kBatchRows;
    rows_ = 0;
    return often;
  }

 private:
  std::uint64_t rows_ = 0;
};

class IntegerSumState final : public AggregateState {
 public:
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
  void begin_merge(const AggregateState& other) override {
    const auto& from = static_cast<const IntegerSumState&>(other);
    nulls_.begin_merge(from.nulls_);
    make_room(from.narrow_.bound());
    narrow_.begin_merge(from.narrow_);
    wide_.begin_merge(from.wide_);
    if (!from.huge_.empty() && huge_.empty()) huge_.extend(groups_);
  }
  void merge(const AggregateState& other, const GroupList& groups,
             const std::uint32_t* ids) override {
    const auto& from = static_cast<const IntegerSumState&>(other);
    nulls_.merge(from.nulls_, groups, ids);
    narrow_.merge(from.narrow_, groups, ids);
    wide_.merge(from.wide_, groups, ids);
    if (from.huge_.empty()) return;
    for (std::uint32_t i = 0; i < groups.count; ++i) huge_[ids[i]].add(from.huge_[groups.at[i]]);
  }

  bool has_nulls() const override { return true; }
  Status write(const AggregateState& data, const GroupList& groups, const std::uint64_t* row_counts,
               const std::uint64_t* to, const ResultColumn& out) const override {
    const auto& from = static_cast<const IntegerSumState&>(data);
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
  /// The values as 64-bit integers, 0 for nulls; nullptr where they do not fit.
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
    kernels().zero_nulls(room.data(), argument.validity, rows.count, room.data());
    return room.data();
  }

  void add_narrow(const GroupedRows& rows, const std::int64_t* values) {
    const Uint128 bound = is_known_ ? known_bound_ : kernels().magnitude(values, rows.count);
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

  /// True where the narrow sums had to be emptied.
  bool make_room(Uint128 more) {
    if (narrow_.has_room(more)) return false;
    narrow_.tighten();
    // Not only just enough, or it would be asked again for every vector.
    if (narrow_.bound() < kNarrowLimit / 2 && narrow_.has_room(more)) return false;
    wide_.take(narrow_, 0);
    return true;
  }

  void add_huge(const GroupedRows& rows, const VectorView& argument) {
    if (huge_.empty()) huge_.extend(groups_);
    const Int128* values = argument.as<Int128>();
    const std::uint32_t* ids = rows.row_ids();
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      if (!argument.is_null(i)) huge_[ids[i]].add(values[i]);
    }
  }

  WideSum total(std::uint32_t group) const {
    WideSum sum;
    if (!huge_.empty()) sum = huge_[group];
    sum.add(wide_.of(group));
    sum.add(Int128{narrow_[group]});
    return sum;
  }

  /// Sums of 2^63 values of 64 bits always do.
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
};

class DoubleSumState final : public AggregateState {
 public:
  explicit DoubleSumState(const AggregateSpec& spec)
      : spec_(spec),
        exponent_(std::clamp(spec.fixed_point.exponent, -1074, 1024)),
        small_below_(std::ldexp(1.0, exponent_ + 52)),
        small_(exponent_) {
    const int half = -exponent_ / 2;
    scale_ = {std::ldexp(1.0, half), std::ldexp(1.0, -exponent_ - half)};
  }

  void extend(std::uint32_t groups) override {
    groups_ = groups;
    nulls_.extend(groups);
    for (NarrowSums& limb : limbs_) limb.extend(groups);
    wide_.extend(groups);
    small_.extend(groups);
    if (!flags_.empty()) flags_.extend(groups);
  }
  std::uint64_t growth_bytes(std::uint32_t groups) const override {
    std::uint64_t bytes = nulls_.growth_bytes(groups) + wide_.growth_bytes(groups) +
                          small_.growth_bytes(groups) +
                          (flags_.empty() ? 0 : flags_.growth_bytes(groups));
    for (const NarrowSums& limb : limbs_) bytes += limb.growth_bytes(groups);
    return bytes;
  }
  std::uint64_t bytes() const override {
    std::uint64_t bytes = nulls_.bytes() + wide_.bytes() + small_.bytes() + flags_.bytes();
    for (const NarrowSums& limb : limbs_) bytes += limb.bytes();
    return bytes;
  }
  void clear() override {
    nulls_.clear();
    for (NarrowSums& limb : limbs_) limb.clear();
    wide_.clear();
    small_.clear();
    flags_.clear();
  }

  Status add(const GroupedRows& rows, const VectorView& argument) override {
    nulls_.add(rows, argument.validity);
    std::array<double, kBatchRows> cleared;
    const double* values = argument.as<double>();
    if (argument.validity != nullptr) {
      for (std::uint32_t i = 0; i < rows.count; ++i) {
        cleared[i] = argument.is_null(i) ? 0 : values[i];
      }
      values = cleared.data();
    }
    std::array<Int64Batch, kLimbs> split;
    std::int64_t* const to[kLimbs] = {split[0].data(), split[1].data(), split[2].data()};
    const unsigned met = kernels().split_doubles(values, rows.count, scale_, to);
    if (met != 0) {
      std::array<double, kBatchRows> usual;
      std::copy_n(values, rows.count, usual.data());
      if (met == kOutside) take_specials(rows, usual.data());
      take_small(rows, usual.data());
      if (kernels().split_doubles(usual.data(), rows.count, scale_, to) != 0) return too_large();
    }
    for (std::uint32_t limb = 0; limb < kLimbs; ++limb) {
      const Uint128 bound = Uint128{kernels().magnitude(to[limb], rows.count)} * rows.count;
      if (bound == 0) continue;
      if (!limbs_[limb].has_room(bound)) wide_.take(limbs_[limb], limb * kLimbBits);
      limbs_[limb].add(rows, to[limb], bound);
    }
    return {};
  }

  void begin_merge(const AggregateState& other) override {
    const auto& from = static_cast<const DoubleSumState&>(other);
    nulls_.begin_merge(from.nulls_);
    wide_.begin_merge(from.wide_);
    for (std::uint32_t limb = 0; limb < kLimbs; ++limb) {
      if (!limbs_[limb].has_room(from.limbs_[limb].bound())) {
        wide_.take(limbs_[limb], limb * kLimbBits);
      }
      limbs_[limb].begin_merge(from.limbs_[limb]);
    }
    small_.begin_merge(from.small_);
    if (!from.flags_.empty() && flags_.empty()) flags_.extend(groups_);
  }
  void merge(const AggregateState& other, const GroupList& groups,
             const std::uint32_t* ids) override {
    const auto& from = static_cast<const DoubleSumState&>(other);
    nulls_.merge(from.nulls_, groups, ids);
    wide_.merge(from.wide_, groups, ids);
    for (std::uint32_t limb = 0; limb < kLimbs; ++limb) {
      if (from.limbs_[limb].bound() != 0) limbs_[limb].merge(from.limbs_[limb], groups, ids);
    }
    small_.merge(from.small_, groups, ids);
    if (from.flags_.empty()) return;
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      flags_[ids[i]] = static_cast<Byte>(flags_[ids[i]] | from.flags_[groups.at[i]]);
    }
  }

  bool has_nulls() const override { return true; }
  Status write(const AggregateState& data, const GroupList& groups, const std::uint64_t* row_counts,
               const std::uint64_t* to, const ResultColumn& out) const override {
    const auto& from = static_cast<const DoubleSumState&>(data);
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      const std::uint32_t group = groups.at[i];
      const std::uint64_t count = row_counts[i] - from.nulls_.of(group);
      if (count == 0) out.set_null(to[i]);
      const std::uint64_t divisor = spec_.kind == AggregateKind::kAverage ? count : 1;
      store(out.values + 8 * to[i], count == 0 ? 0.0 : from.value_of(group, divisor));
    }
    return {};
  }

 private:
  static constexpr unsigned kNan = 1, kInfinity = 2, kMinusInfinity = 4;

  static Error too_large() {
    return make_error(ErrorCode::kInvalidArgument,
                      "a value to be added up is outside of its column's range");
  }

  /// Marks groups with NaNs and infinities, which become 0.
  void take_specials(const GroupedRows& rows, double* values) {
    if (flags_.empty()) flags_.extend(groups_);
    const std::uint32_t* ids = rows.row_ids();
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      if (std::isfinite(values[i])) continue;
      const unsigned flag = std::isnan(values[i]) ? kNan
                            : values[i] > 0       ? kInfinity
                                                  : kMinusInfinity;
      flags_[ids[i]] = static_cast<Byte>(flags_[ids[i]] | flag);
      values[i] = 0;
    }
  }

  /// Adds values up elsewhere that are no whole number of units; they become 0.
  void take_small(const GroupedRows& rows, double* values) {
    const std::uint32_t* ids = rows.row_ids();
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      if (values[i] == 0 || std::fabs(values[i]) >= small_below_) continue;
      small_.add(ids[i], values[i]);
      values[i] = 0;
    }
  }

  double value_of(std::uint32_t group, std::uint64_t divisor) const {
    const unsigned flags = flags_.empty() ? 0 : flags_[group];
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if ((flags & kNan) != 0 || flags == (kInfinity | kMinusInfinity)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    if (flags != 0) return flags == kInfinity ? kInfinite : -kInfinite;
    // Single parts may be larger than 128 bits, their sum is not: it is right modulo 2^128.
    auto units = static_cast<Uint128>(wide_.of(group));
    for (std::uint32_t limb = 0; limb < kLimbs; ++limb) {
      units += static_cast<Uint128>(Int128{limbs_[limb][group]}) << (limb * kLimbBits);
    }
    LongSum long_sum;
    if (small_.add_to(long_sum, group)) {
      long_sum.add(static_cast<Int128>(units), exponent_);
      return long_sum.divided_by(divisor);
    }
    WideSum sum;
    sum.add(static_cast<Int128>(units));
    return average_rounded(sum, 0, divisor, exponent_);
  }

  const AggregateSpec spec_;
  const int exponent_;
  const double small_below_;
  std::uint32_t groups_ = 0;
  DoubleScale scale_;
  NullCounts nulls_;
  std::array<NarrowSums, kLimbs> limbs_;
  WideSums wide_;
  SmallSums small_;
  Column<Byte> flags_;
};

}  // namespace

std::unique_ptr<AggregateState> make_sum_state(const AggregateSpec& spec) {
  if (spec.argument == Physical::kDouble) return std::make_unique<DoubleSumState>(spec);
  return std::make_unique<IntegerSumState>(spec);
}

}  // namespace presso::query::grouping
