// SPDX-License-Identifier: MIT
// Implements sum_states.h, sums of some of the rows as bytes that others can add up. States are
// added up by the class that adds values: the numbers of the states are its rows, first the first
// number of each state, then the second, and so on. How many values they stand for is counted
// separately.
#include "query/group/sum_states.h"

#include <cmath>
#include <limits>

namespace presso::query::grouping {
namespace {

/// Its negative is representable, too, so that sums of both signs are split alike.
constexpr Int128 kGreatest = static_cast<Int128>(~Uint128{0} >> 1);

/// LEB128.
void append_varint(std::uint64_t value, std::vector<Byte>& to) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<Byte>(value | 0x80));
  to.push_back(static_cast<Byte>(value));
}

/// Appends a whole state: head, number of values, numbers.
template <class T>
void append_numbers(const std::vector<T>& numbers, std::uint64_t values, std::vector<Byte>& to) {
  const bool of_doubles = std::is_same_v<T, double>;
  append_varint(2 * std::uint64_t{numbers.size()} + (of_doubles ? 1 : 0), to);
  append_varint(values, to);
  const std::size_t first = to.size();
  to.resize(first + numbers.size() * sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) store(&to[first + i * sizeof(T)], numbers[i]);
}

/// Returns false if the bytes end too early, or the number has more than 64 bits.
bool take_varint(Bytes& bytes, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const Byte byte = bytes[0];
    bytes = bytes.subspan(1);
    if (shift == 63 && byte > 1) return false;
    value |= std::uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// Adds up states of sums or averages.
/// The number of values is kept apart from the sums because an average divides by it; the row
/// counts of groups count states, not values.
class StateOfSums final : public AggregateState {
 public:
  /// The class that adds is told an empty range (most < least): nothing is known about the numbers.
  explicit StateOfSums(const AggregateSpec& spec)
      : of_doubles_(spec.argument == Physical::kDouble) {
    AggregateSpec of_numbers = spec;
    of_numbers.takes_states = false;
    if (!of_doubles_) of_numbers.argument = Physical::kInt128;
    of_numbers.most = of_numbers.least - 1;
    sums_ = AggregateState::make(of_numbers);
  }

  void extend(std::uint32_t groups) override {
    values_.extend(groups);
    sums_->extend(groups);
  }
  std::uint64_t growth_bytes(std::uint32_t groups) const override {
    return values_.growth_bytes(groups) + sums_->growth_bytes(groups);
  }
  std::uint64_t bytes() const override { return values_.bytes() + sums_->bytes(); }
  void clear() override {
    values_.clear();
    sums_->clear();
  }

  /// Error: kInvalidArgument for bytes that are no state. Most states have one number, so the loop
  /// over numbers nearly always runs once.
  Status add(const GroupedRows& rows, const VectorView& argument) override {
    std::array<SumState, kBatchRows> states;
    const std::uint32_t* ids = rows.row_ids();
    std::uint64_t most = 0;
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      if (argument.is_null(i)) continue;
      PRESSO_ASSIGN(states[i], read_state(argument.as<StringRef>()[i].bytes(), of_doubles_));
      values_[ids[i]] += states[i].values;
      most = std::max(most, states[i].numbers);
    }
    for (std::uint64_t number = 0; number < most; ++number) {
      PRESSO_TRY(of_doubles_ ? add_numbers<double>(rows, states, number)
                             : add_numbers<Int128>(rows, states, number));
    }
    return {};
  }

  void prepare_merge() override { sums_->prepare_merge(); }
  void begin_merge(const AggregateState& from) override { sums_->begin_merge(*of(from).sums_); }
  void merge(const AggregateState& from, const GroupList& groups,
             const std::uint32_t* ids) override {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      values_[ids[i]] += of(from).values_[groups.at[i]];
    }
    sums_->merge(*of(from).sums_, groups, ids);
  }
  bool merges_in_parallel() const override { return sums_->merges_in_parallel(); }

  bool has_nulls() const override { return sums_->has_nulls(); }
  Status write(const AggregateState& data, const GroupList& groups, const std::uint64_t*,
               const std::uint64_t* to, const ResultColumn& out) const override {
    std::array<std::uint64_t, kBatchRows> counts;
    for (std::uint32_t i = 0; i < groups.count; ++i) counts[i] = of(data).values_[groups.at[i]];
    return sums_->write(*of(data).sums_, groups, counts.data(), to, out);
  }
  std::shared_ptr<const StringArena> strings() const override { return sums_->strings(); }

 private:
  static const StateOfSums& of(const AggregateState& state) {
    return static_cast<const StateOfSums&>(state);
  }

  /// Adds number `number` of each state; 0 for states with fewer.
  template <class T>
  Status add_numbers(const GroupedRows& rows, const std::array<SumState, kBatchRows>& states,
                     std::uint64_t number) {
    std::array<T, kBatchRows> numbers;
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      const bool has_it = number < states[i].numbers;
      numbers[i] = has_it ? load<T>(states[i].first + number * sizeof(T)) : T{0};
    }
    const Physical physical = of_doubles_ ? Physical::kDouble : Physical::kInt128;
    return sums_->add(rows, {physical, numbers.data(), nullptr});
  }

  const bool of_doubles_;
  Column<std::uint64_t> values_;
  std::unique_ptr<AggregateState> sums_;
};

/// Adds up counts of partial answers.
class SumOfCounts final : public AggregateState {
 public:
  void extend(std::uint32_t groups) override { counts_.extend(groups); }
  std::uint64_t growth_bytes(std::uint32_t groups) const override {
    return counts_.growth_bytes(groups);
  }
  std::uint64_t bytes() const override { return counts_.bytes(); }
  void clear() override { counts_.clear(); }

  Status add(const GroupedRows& rows, const VectorView& argument) override {
    const std::uint32_t* ids = rows.row_ids();
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      if (!argument.is_null(i)) counts_[ids[i]] += argument.as<std::uint64_t>()[i];
    }
    return {};
  }
  void begin_merge(const AggregateState&) override {}
  void merge(const AggregateState& other, const GroupList& groups,
             const std::uint32_t* ids) override {
    const auto& from = static_cast<const SumOfCounts&>(other);
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      counts_[ids[i]] += from.counts_[groups.at[i]];
    }
  }

  bool has_nulls() const override { return false; }
  Status write(const AggregateState&, const GroupList& groups, const std::uint64_t*,
               const std::uint64_t* to, const ResultColumn& out) const override {
    write_counts(counts_, groups, to, out);
    return {};
  }

 private:
  Column<std::uint64_t> counts_;
};

}  // namespace

void append_state(const WideSum& sum, std::uint64_t values, std::vector<Byte>& to) {
  std::vector<Int128> numbers;
  WideSum rest = sum;
  // A sum beyond 128 bits is split: the greatest number as often as needed, then the rest.
  const auto is_narrow = [&rest] { return rest.high == static_cast<std::int64_t>(rest.high); };
  while (!is_narrow()) {
    numbers.push_back(rest.is_negative() ? -kGreatest : kGreatest);
    rest.add(-numbers.back());
  }
  const auto last = static_cast<Int128>((static_cast<Uint128>(rest.high) << 64) | rest.low);
  if (last != 0) numbers.push_back(last);
  append_numbers(numbers, values, to);
}

/// Takes the nearest double off the rest until nothing is left. Each step leaves at most a 2^-53rd,
/// except for sums beyond all doubles, from which the greatest double is taken first.
void append_state(const LongSum& sum, std::uint64_t values, std::vector<Byte>& to) {
  constexpr double kGreatestDouble = std::numeric_limits<double>::max();
  std::vector<double> numbers;
  LongSum rest = sum;
  for (double next = rest.divided_by(1); next != 0; next = rest.divided_by(1)) {
    numbers.push_back(std::clamp(next, -kGreatestDouble, kGreatestDouble));
    rest.add(-numbers.back());
  }
  append_numbers(numbers, values, to);
}

/// NaN or an infinity is one number: it absorbs everything that is added to it.
void append_special_state(double special, std::uint64_t values, std::vector<Byte>& to) {
  append_numbers(std::vector<double>{special}, values, to);
}

/// Bytes come from other machines, so nothing is believed: the count of numbers must agree with the
/// size exactly.
Result<SumState> read_state(Bytes bytes, bool of_doubles) {
  SumState state;
  std::uint64_t head = 0;
  const bool has_heads = take_varint(bytes, head) && take_varint(bytes, state.values);
  state.numbers = head / 2;
  state.first = bytes.data();
  const std::size_t width = of_doubles ? sizeof(double) : sizeof(Int128);
  if (!has_heads || (head % 2 != 0) != of_doubles || state.numbers != bytes.size() / width ||
      bytes.size() % width != 0) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the state of a sum in a partial answer is cut off or none");
  }
  return state;
}

std::unique_ptr<AggregateState> make_state_of_sums(const AggregateSpec& spec) {
  return std::make_unique<StateOfSums>(spec);
}

std::unique_ptr<AggregateState> make_sum_of_counts() {
  return std::make_unique<SumOfCounts>();
}

}  // namespace presso::query::grouping
