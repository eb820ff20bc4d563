// SPDX-License-Identifier: MIT
// Exact sums and averages of doubles. A double becomes three integers of a common unit (kernels.h),
// which are added separately in 64 bits (running_sums.h). Since integer addition is associative,
// the sum does not depend on the order of rows or on threads (compare Demmel and Nguyen 2015 on
// reproducible sums). Values so small that the unit, which follows from the greatest of all rows,
// would round them are summed in finer units (long_sum.h): one 1e300 in a column must not turn
// other groups' sums into 0. Tested by tests/unit/query/group/grouping_test.cpp.
//
// Example: with values of at most 2^20 and a million rows the unit is 2^(20 + 20 - 126) = 2^-86.
// The double 0.1 has its lowest bit at 2^-56 and is a whole number of units. So is every double
// above 2^-34, as doubles have 53 bits; smaller ones go to finer units.
#include <cmath>
#include <limits>

#include "format/cpu_loops.h"
#include "query/group/long_sum.h"
#include "query/group/ratio.h"
#include "query/group/running_sums.h"
#include "query/group/sum_states.h"

namespace presso::query::grouping {
namespace {

/// The sum of a group is its limbs, plus the 128-bit sums into which limbs were emptied, plus its
/// small values. Groups with NaN or infinities have a flag instead.
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

  /// Limbs are split for the whole vector at once. Only if the kernel meets special or small
  /// values, the vector is copied, these are taken out one by one, and the rest is split again.
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
    const unsigned met = loops_for<Kernels>().split_doubles(values, rows.count, scale_, to);
    if (met != 0) {
      std::array<double, kBatchRows> usual;
      std::copy_n(values, rows.count, usual.data());
      if (met == kOutside) take_specials(rows, usual.data());
      take_small(rows, usual.data());
      if (loops_for<Kernels>().split_doubles(usual.data(), rows.count, scale_, to) != 0)
        return too_large();
    }
    for (std::uint32_t limb = 0; limb < kLimbs; ++limb) {
      const Uint128 bound =
          Uint128{loops_for<Kernels>().magnitude(to[limb], rows.count)} * rows.count;
      if (bound == 0) continue;
      if (!limbs_[limb].has_room(bound)) wide_.take(limbs_[limb], limb * kLimbBits);
      limbs_[limb].add(rows, to[limb], bound);
    }
    return {};
  }

  /// Limbs go to the 128-bit sums if all bounds together could overflow.
  void begin_merge(const AggregateState& other) override {
    const auto& from = static_cast<const DoubleSumState&>(other);
    nulls_.begin_merge(from.nulls_);
    wide_.begin_merge(from.wide_);
    for (std::uint32_t limb = 0; limb < kLimbs; ++limb) {
      limbs_[limb].begin_merge(from.limbs_[limb]);
      if (limbs_[limb].is_full()) wide_.begin_merge_of_narrow();
    }
    small_.begin_merge(from.small_);
    if (!from.flags_.empty() && flags_.empty()) flags_.extend(groups_);
  }
  /// Flags are or-ed; everything else is an addition.
  void merge(const AggregateState& other, const GroupList& groups,
             const std::uint32_t* ids) override {
    const auto& from = static_cast<const DoubleSumState&>(other);
    nulls_.merge(from.nulls_, groups, ids);
    wide_.merge(from.wide_, groups, ids);
    for (std::uint32_t limb = 0; limb < kLimbs; ++limb) {
      if (from.limbs_[limb].bound() == 0) continue;
      if (limbs_[limb].is_full()) {
        wide_.merge(from.limbs_[limb], limb * kLimbBits, groups, ids);
      } else {
        limbs_[limb].merge(from.limbs_[limb], groups, ids);
      }
    }
    small_.merge(from.small_, groups, ids);
    if (from.flags_.empty()) return;
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      flags_[ids[i]] = static_cast<Byte>(flags_[ids[i]] | from.flags_[groups.at[i]]);
    }
  }

  bool has_nulls() const override { return !spec_.gives_states; }
  std::shared_ptr<const StringArena> strings() const override { return written_.strings(); }
  /// A group without values is null; a state is written even then.
  Status write(const AggregateState& data, const GroupList& groups, const std::uint64_t* row_counts,
               const std::uint64_t* to, const ResultColumn& out) const override {
    const auto& from = static_cast<const DoubleSumState&>(data);
    if (spec_.gives_states) {
      written_.write(groups.count, to, out, [&](std::uint32_t i, std::vector<Byte>& bytes) {
        from.append_group(groups.at[i], row_counts[i], bytes);
      });
      return {};
    }
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
  // Flags of groups with values that are no finite numbers.
  static constexpr unsigned kNan = 1, kInfinity = 2, kMinusInfinity = 4;

  /// A value above the bound for which the unit was chosen: an error of the caller.
  static Error too_large() {
    return make_error(ErrorCode::kInvalidArgument,
                      "a value to be added up is outside of its column's range");
  }

  /// Marks the groups of NaNs and infinities, and replaces those values by 0.
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

  /// Sums values that are no whole number of units separately, and replaces them by 0.
  void take_small(const GroupedRows& rows, double* values) {
    const std::uint32_t* ids = rows.row_ids();
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      if (values[i] == 0 || std::fabs(values[i]) >= small_below_) continue;
      small_.add(ids[i], values[i]);
      values[i] = 0;
    }
  }

  unsigned flags_of(std::uint32_t group) const { return flags_.empty() ? 0 : flags_[group]; }

  /// The sum of a group with NaNs or infinities, by IEEE 754.
  static double special_sum(unsigned flags) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    if ((flags & kNan) != 0 || flags == (kInfinity | kMinusInfinity)) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    return flags == kInfinity ? kInfinite : -kInfinite;
  }

  /// The sum in units of 2^exponent_, without the small values.
  Int128 units_of(std::uint32_t group) const {
    // Parts may exceed 128 bits but their sum does not, so arithmetic modulo 2^128 is right.
    auto units = static_cast<Uint128>(wide_.of(group));
    for (std::uint32_t limb = 0; limb < kLimbs; ++limb) {
      units += static_cast<Uint128>(Int128{limbs_[limb][group]}) << (limb * kLimbBits);
    }
    return static_cast<Int128>(units);
  }

  /// The sum divided by `divisor`, rounded once.
  double value_of(std::uint32_t group, std::uint64_t divisor) const {
    const unsigned flags = flags_of(group);
    if (flags != 0) return special_sum(flags);
    LongSum long_sum;
    if (small_.add_to(long_sum, group)) {
      long_sum.add(units_of(group), exponent_);
      return long_sum.divided_by(divisor);
    }
    WideSum sum;
    sum.add(units_of(group));
    return average_rounded(sum, 0, divisor, exponent_);
  }

  /// Writes the state of a group for a partial answer.
  void append_group(std::uint32_t group, std::uint64_t rows, std::vector<Byte>& to) const {
    const std::uint64_t values = rows - nulls_.of(group);
    const unsigned flags = flags_of(group);
    if (flags != 0) return append_special_state(special_sum(flags), values, to);
    LongSum sum;
    small_.add_to(sum, group);
    sum.add(units_of(group), exponent_);
    append_state(sum, values, to);
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
  WrittenStates written_;
};

}  // namespace

std::unique_ptr<AggregateState> make_double_sum_state(const AggregateSpec& spec) {
  return std::make_unique<DoubleSumState>(spec);
}

}  // namespace presso::query::grouping
