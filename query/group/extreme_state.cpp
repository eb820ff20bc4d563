// SPDX-License-Identifier: MIT
// Least and greatest values. Most rows change nothing, so a branch that is nearly never taken makes
// the fastest loop, for one group as well as for many. Doubles are compared as integers of the same
// order (-0 before 0, one NaN after all numbers). The bytes of strings are copied when they become
// a group's extreme; the arena is rebuilt when most of it has been replaced. Tested by
// tests/unit/query/group/grouping_test.cpp.
#include <bit>
#include <limits>

#include "format/cpu_loops.h"
#include "query/group/aggregate_state.h"

namespace presso::query::grouping {
namespace {

constexpr std::int64_t kNan = 0x7FF8000000000000;

/// Maps the bits of a double to an integer of the same order, and back.
/// The integers of negative doubles are in reverse order; flipping all bits but the sign turns them
/// around. Applied twice it gives the bits back.
std::int64_t turned(std::int64_t bits) {
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}
std::int64_t order_of(double value) {
  return value != value ? kNan : turned(std::bit_cast<std::int64_t>(value));
}

/// The value that any other one replaces.
template <class T>
constexpr T neutral(bool is_min) {
  if constexpr (sizeof(T) == 16) {
    constexpr T kMost = static_cast<T>(~Uint128{0} >> 1);
    return is_min ? kMost : -kMost - 1;
  } else {
    return is_min ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
  }
}

/// T is std::int64_t for all forms of at most 64 bits, or Int128. Nulls are the neutral value.
/// A group that has only nulls is recognised by its counts, not by the neutral value, which is
/// legal.
template <class T>
class NumberExtremes final : public AggregateState {
 public:
  explicit NumberExtremes(const AggregateSpec& spec)
      : spec_(spec), is_min_(spec.kind == AggregateKind::kMin) {}

  void extend(std::uint32_t groups) override {
    nulls_.extend(groups);
    values_.extend(groups, neutral<T>(is_min_));
  }
  std::uint64_t growth_bytes(std::uint32_t groups) const override {
    return nulls_.growth_bytes(groups) + values_.growth_bytes(groups);
  }
  std::uint64_t bytes() const override { return nulls_.bytes() + values_.bytes(); }
  void clear() override {
    nulls_.clear();
    values_.clear();
  }

  Status add(const GroupedRows& rows, const VectorView& argument) override {
    nulls_.add(rows, argument.validity);
    std::array<T, kBatchRows> room;
    const T* values = as_integers(rows.count, argument, room);
    if (rows.groups == 1 && sizeof(T) == 8) {
      add_to_one(rows.count, values);
    } else {
      is_min_ ? add_each<true>(rows.row_ids(), values, rows.count)
              : add_each<false>(rows.row_ids(), values, rows.count);
    }
    return {};
  }

  void begin_merge(const AggregateState& from) override {
    nulls_.begin_merge(static_cast<const NumberExtremes&>(from).nulls_);
  }
  void merge(const AggregateState& other, const GroupList& groups,
             const std::uint32_t* ids) override {
    const auto& from = static_cast<const NumberExtremes&>(other);
    nulls_.merge(from.nulls_, groups, ids);
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      const T value = from.values_[groups.at[i]];
      T& kept = values_[ids[i]];
      if (is_min_ ? value < kept : value > kept) kept = value;
    }
  }

  bool has_nulls() const override { return true; }
  Status write(const AggregateState&, const GroupList& groups, const std::uint64_t* row_counts,
               const std::uint64_t* to, const ResultColumn& out) const override {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      const std::uint32_t group = groups.at[i];
      const bool is_null = row_counts[i] == nulls_.of(group);
      if (is_null) out.set_null(to[i]);
      write_one(is_null ? T{0} : values_[group], to[i], out.values);
    }
    return {};
  }

 private:
  /// A loop for each direction, since the comparison is the loop's only work.
  template <bool kIsMin>
  void add_each(const std::uint32_t* ids, const T* values, std::uint32_t count) {
    T* const kept = values_.data();
    for (std::uint32_t i = 0; i < count; ++i) {
      const bool better = kIsMin ? values[i] < kept[ids[i]] : values[i] > kept[ids[i]];
      if (__builtin_expect(better, 0)) kept[ids[i]] = values[i];
    }
  }

  /// One group: the kernels reduce the whole vector first.
  void add_to_one(std::uint32_t count, const T* values) {
    if constexpr (sizeof(T) == 8) {
      values_[0] = is_min_ ? std::min(values_[0], loops_for<Kernels>().least(values, count))
                           : std::max(values_[0], loops_for<Kernels>().most(values, count));
    }
  }

  /// Returns the values as integers of their order; the argument's own memory if nothing has to
  /// change.
  const T* as_integers(std::uint32_t rows, const VectorView& argument,
                       std::array<T, kBatchRows>& room) const {
    if (argument.validity == nullptr && sizeof(T) == 16) return argument.as<T>();
    if (argument.validity == nullptr && argument.physical == Physical::kInt64) {
      return argument.as<T>();
    }
    for (std::uint32_t i = 0; i < rows; ++i) {
      if (argument.is_null(i)) {
        room[i] = neutral<T>(is_min_);
      } else if (argument.physical == Physical::kDouble) {
        room[i] = order_of(argument.as<double>()[i]);
      } else if (argument.physical == Physical::kBool) {
        room[i] = argument.as<Byte>()[i] != 0 ? 1 : 0;
      } else {
        room[i] = argument.as<T>()[i];
      }
    }
    return room.data();
  }

  /// The reverse of as_integers() for one value.
  void write_one(T value, std::uint64_t row, Byte* out) const {
    if (spec_.argument == Physical::kBool) {
      out[row] = static_cast<Byte>(value & 1);
    } else if (spec_.argument == Physical::kDouble) {
      store(out + 8 * row, turned(static_cast<std::int64_t>(value)));
    } else {
      store(out + sizeof(T) * row, value);
    }
  }

  const AggregateSpec spec_;
  const bool is_min_;
  NullCounts nulls_;
  Column<T> values_;
};

/// The least or greatest string of each group. One thread at a time may merge, as all groups share
/// an arena.
class StringExtremes final : public AggregateState {
 public:
  explicit StringExtremes(const AggregateSpec& spec) : is_min_(spec.kind == AggregateKind::kMin) {}

  void extend(std::uint32_t groups) override { kept_.extend(groups); }
  std::uint64_t growth_bytes(std::uint32_t groups) const override {
    return kept_.growth_bytes(groups);
  }
  std::uint64_t bytes() const override { return kept_.bytes() + arena_->bytes(); }
  void clear() override {
    kept_.clear();
    arena_ = std::make_shared<StringArena>();
    live_bytes_ = 0;
  }

  Status add(const GroupedRows& rows, const VectorView& argument) override {
    const StringRef* values = argument.as<StringRef>();
    const std::uint32_t* ids = rows.row_ids();
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      if (!argument.is_null(i)) offer(ids[i], values[i]);
    }
    rebuild_if_stale();
    return {};
  }

  void begin_merge(const AggregateState&) override {}
  bool merges_in_parallel() const override { return false; }
  void merge(const AggregateState& other, const GroupList& groups,
             const std::uint32_t* ids) override {
    const auto& from = static_cast<const StringExtremes&>(other);
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      const Kept& kept = from.kept_[groups.at[i]];
      if (kept.is_there) offer(ids[i], kept.value);
    }
    rebuild_if_stale();
  }

  bool has_nulls() const override { return true; }
  Status write(const AggregateState&, const GroupList& groups, const std::uint64_t*,
               const std::uint64_t* to, const ResultColumn& out) const override {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      const Kept& kept = kept_[groups.at[i]];
      if (!kept.is_there) out.set_null(to[i]);
      store(out.values + sizeof(StringRef) * to[i], kept.value);
    }
    return {};
  }
  std::shared_ptr<const StringArena> strings() const override { return arena_; }

 private:
  /// A group's extreme so far. New groups are zeroed memory (Column), which means none.
  struct Kept {
    StringRef value;
    std::uint64_t is_there = 0;
  };
  /// Smaller arenas are never worth rebuilding.
  static constexpr std::uint64_t kSlackBytes = std::uint64_t{64} << 10;

  /// By bytes; a prefix is less than the longer string.
  static bool is_less(const StringRef& a, const StringRef& b) {
    const std::uint64_t common = std::min(a.size, b.size);
    const int order =
        common == 0 ? 0 : std::memcmp(a.data, b.data, static_cast<std::size_t>(common));
    return order < 0 || (order == 0 && a.size < b.size);
  }

  /// Keeps the value if it is better than the group's.
  void offer(std::uint32_t group, const StringRef& value) {
    Kept& kept = kept_[group];
    if (kept.is_there) {
      if (!(is_min_ ? is_less(value, kept.value) : is_less(kept.value, value))) return;
      live_bytes_ -= kept.value.size;
    }
    kept = {arena_->add(value.bytes()), 1};
    live_bytes_ += value.size;
  }

  /// The cost is that of the copied strings, so it is amortised over the replaced ones.
  void rebuild_if_stale() {
    if (arena_->bytes() <= 2 * live_bytes_ + kSlackBytes) return;
    auto fresh = std::make_shared<StringArena>();
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i].is_there) kept_[i].value = fresh->add(kept_[i].value.bytes());
    }
    arena_ = std::move(fresh);
  }

  const bool is_min_;
  Column<Kept> kept_;
  std::shared_ptr<StringArena> arena_ = std::make_shared<StringArena>();
  std::uint64_t live_bytes_ = 0;
};

}  // namespace

std::unique_ptr<AggregateState> make_extreme_state(const AggregateSpec& spec) {
  if (spec.argument == Physical::kString) return std::make_unique<StringExtremes>(spec);
  if (spec.argument == Physical::kInt128) return std::make_unique<NumberExtremes<Int128>>(spec);
  return std::make_unique<NumberExtremes<std::int64_t>>(spec);
}

}  // namespace presso::query::grouping
