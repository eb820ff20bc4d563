// SPDX-License-Identifier: MIT
// count(distinct x) of integers that lie in a known range: for each group a bit for each possible
// value, which is set where the value occurs. Adding a value costs one access to memory, which a
// range of a few million values keeps in a core's cache; merging and writing cost a pass over the
// bits. Only for few groups: dense_grouping.cpp says how large the bits of one may be. Nulls are
// not counted. Tested by tests/unit/query/group/grouping_test.cpp.
//
// Example: values from 1 to 1,000,000 and one group take 125 KB, however many rows there are.
#include <bit>

#include "query/group/aggregate_state.h"

namespace presso::query::grouping {
namespace {

/// Returns how many words of 64 bits the range of the argument takes, at least one. The range must
/// be known.
std::size_t words_of(const AggregateSpec& spec) {
  const std::uint64_t span =
      static_cast<std::uint64_t>(spec.most) - static_cast<std::uint64_t>(spec.least);
  return span / 64 + 1;
}

/// Group g has the words [g * words_, (g + 1) * words_) of the bits; bit i stands for least + i.
class DistinctBits final : public AggregateState {
 public:
  explicit DistinctBits(const AggregateSpec& spec)
      : least_(static_cast<std::uint64_t>(spec.least)),
        span_(static_cast<std::uint64_t>(spec.most) - least_),
        words_(words_of(spec)) {}

  void extend(std::uint32_t groups) override { bits_.extend(groups * words_); }
  std::uint64_t growth_bytes(std::uint32_t groups) const override {
    return bits_.growth_bytes(groups * words_);
  }
  std::uint64_t bytes() const override { return bits_.bytes(); }
  void clear() override { bits_.clear(); }

  /// Rows of one group, the usual case, need no list of groups. Error: kInvalidArgument for a value
  /// outside of the range that the file's statistics promise.
  Status add(const GroupedRows& rows, const VectorView& argument) override {
    const auto* values = argument.as<std::int64_t>();
    const bool is_one_group = rows.runs == 1;
    const std::uint32_t* ids = is_one_group ? nullptr : rows.row_ids();
    std::uint64_t* const bits = bits_.data() + (is_one_group ? rows.run_ids[0] * words_ : 0);
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      if (argument.is_null(i)) continue;
      const std::uint64_t at = static_cast<std::uint64_t>(values[i]) - least_;
      if (at > span_) {
        return make_error(ErrorCode::kInvalidArgument, "a value is outside of its column's range");
      }
      const std::size_t group = is_one_group ? 0 : ids[i] * words_;
      bits[group + at / 64] |= std::uint64_t{1} << (at % 64);
    }
    return {};
  }

  void begin_merge(const AggregateState&) override {}
  /// Or-ing words counts a value once, whichever thread has met it. Groups are independent, so
  /// threads may merge different ones at the same time.
  void merge(const AggregateState& from, const GroupList& groups,
             const std::uint32_t* ids) override {
    const auto& other = static_cast<const DistinctBits&>(from);
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      const std::uint64_t* const more = other.bits_.data() + groups.at[i] * words_;
      std::uint64_t* const bits = bits_.data() + ids[i] * words_;
      for (std::size_t word = 0; word < words_; ++word) bits[word] |= more[word];
    }
  }

  bool has_nulls() const override { return false; }
  /// Counts the bits of each group.
  Status write(const AggregateState&, const GroupList& groups, const std::uint64_t*,
               const std::uint64_t* to, const ResultColumn& out) const override {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      const std::uint64_t* const bits = bits_.data() + groups.at[i] * words_;
      std::int64_t count = 0;
      for (std::size_t word = 0; word < words_; ++word) count += std::popcount(bits[word]);
      store(out.values + 8 * to[i], count);
    }
    return {};
  }

 private:
  const std::uint64_t least_;
  const std::uint64_t span_;  ///< the greatest distance from `least_`
  const std::size_t words_;   ///< words of a group
  Column<std::uint64_t> bits_;
};

}  // namespace

/// Declines doubles and strings, whose values are not numbered, and integers of unknown range.
bool counts_by_bits(const AggregateSpec& spec, std::uint64_t group_bytes) {
  return spec.kind == AggregateKind::kCountDistinct && spec.argument == Physical::kInt64 &&
         spec.least <= spec.most && words_of(spec) <= group_bytes / 8;
}

std::unique_ptr<AggregateState> make_distinct_bits(const AggregateSpec& spec) {
  return std::make_unique<DistinctBits>(spec);
}

}  // namespace presso::query::grouping
