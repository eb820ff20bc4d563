// SPDX-License-Identifier: MIT
#include "tests/unit/query/group/group_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "corpora/random.h"

namespace presso::query::test {
namespace {

#if defined(__SIZEOF_FLOAT128__)
using Quad = __float128;
#else
using Quad = long double;
#endif

template <class T>
std::vector<Int128> as_numbers(const std::vector<T>& values) {
  std::vector<Int128> numbers;
  for (const auto value : values) numbers.push_back(value);
  return numbers;
}

std::string in_quotes(std::string_view text) {
  std::string result(1, '\'');
  result.append(text);
  return result;
}

std::string cell_text(const TestColumn& column, std::size_t row, bool as_key) {
  if (column.is_null(row)) return "null";
  switch (column.physical) {
    case Physical::kDouble:
      return text_of(as_key && column.doubles[row] == 0 ? 0.0 : column.doubles[row]);
    case Physical::kString:
      return in_quotes(column.strings[row]);
    default:
      return text_of(column.numbers[row]);
  }
}

/// A number of units 2^-1200 in digits of 32 bits, the lowest first, that may be negative or too
/// large until carry().
class Units {
 public:
  void add(double x) {
    int power = 0;
    auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &power), 53));
    const int place = power - 53 + 1200;
    const bool negative = significand < 0;
    auto bits = static_cast<Uint128>(negative ? -significand : significand) << (place % 32);
    for (auto at = static_cast<std::size_t>(place / 32); bits != 0; bits >>= 32, ++at) {
      const auto digit = static_cast<std::int64_t>(bits & 0xFFFFFFFFu);
      digits_[at] += negative ? -digit : digit;
    }
  }

  double divided_by(std::int64_t divisor) {
    carry();
    const bool negative = digits_.back() < 0;
    if (negative) {
      for (std::int64_t& digit : digits_) digit = -digit;
      carry();
    }
    std::int64_t rest = 0;
    for (std::size_t at = digits_.size(); at-- > 0;) {
      const std::int64_t dividend = (rest << 32) + digits_[at];
      digits_[at] = dividend / divisor;
      rest = dividend % divisor;
    }
    // The highest three digits have more bits than a double; one more bit stands for all below.
    std::size_t top = digits_.size();
    while (top > 3 && digits_[top - 1] == 0) --top;
    Quad value = 0;
    for (std::size_t at = top; at-- > top - 3;) {
      value = value * 4294967296 + static_cast<Quad>(digits_[at]);
    }
    for (std::size_t at = 0; at + 3 < top; ++at) rest |= digits_[at];
    value = value * 2 + (rest != 0 ? 1 : 0);
    const double rounded =
        std::ldexp(static_cast<double>(value), static_cast<int>(32 * (top - 3)) - 1200 - 1);
    return negative ? -rounded : rounded;
  }

 private:
  void carry() {
    for (std::size_t at = 0; at + 1 < digits_.size(); ++at) {
      const std::int64_t low = digits_[at] & 0xFFFFFFFF;
      digits_[at + 1] += (digits_[at] - low) >> 32;
      digits_[at] = low;
    }
  }

  std::array<std::int64_t, 76> digits_{};
};

std::string double_sum(const AggregateSpec& spec, const TestColumn& column,
                       const std::vector<std::size_t>& rows) {
  Units units;
  double specials = 0;
  for (const std::size_t row : rows) {
    const double x = column.doubles[row];
    if (std::isfinite(x)) {
      units.add(x);
    } else {
      specials += x;
    }
  }
  if (!std::isfinite(specials)) return text_of(specials);
  const auto count = static_cast<std::int64_t>(rows.size());
  return text_of(units.divided_by(spec.kind == AggregateKind::kSum ? 1 : count));
}

std::string integer_sum(const AggregateSpec& spec, const TestColumn& column,
                        const std::vector<std::size_t>& rows) {
  Uint128 total = 0;  // may wrap: such sums are refused, and what the model gives is not looked at
  for (const std::size_t row : rows) total += static_cast<Uint128>(column.numbers[row]);
  const auto sum = static_cast<Int128>(total);
  if (spec.kind == AggregateKind::kSum) return text_of(sum);
  Quad divisor = static_cast<Quad>(rows.size());
  for (unsigned i = 0; i < spec.scale; ++i) divisor *= 10;
  return text_of(static_cast<double>(static_cast<Quad>(sum) / divisor));
}

bool is_less(const TestColumn& column, std::size_t a, std::size_t b) {
  switch (column.physical) {
    case Physical::kDouble: {
      const double x = column.doubles[a], y = column.doubles[b];
      if (x != x || y != y) return x == x && y != y;
      return x < y || (x == y && std::signbit(x) && !std::signbit(y));
    }
    case Physical::kString:
      return column.strings[a] < column.strings[b];
    default:
      return column.numbers[a] < column.numbers[b];
  }
}

std::string aggregate(const AggregateSpec& spec, const TestColumn& column,
                      const std::vector<std::size_t>& all_rows) {
  if (spec.kind == AggregateKind::kCountRows) return std::to_string(all_rows.size());
  std::vector<std::size_t> rows;
  for (const std::size_t row : all_rows) {
    if (!column.is_null(row)) rows.push_back(row);
  }
  if (spec.kind == AggregateKind::kCount) return std::to_string(rows.size());
  if (spec.kind == AggregateKind::kCountDistinct) {
    std::set<std::string> different;
    for (const std::size_t row : rows) different.insert(cell_text(column, row, true));
    return std::to_string(different.size());
  }
  if (rows.empty()) return "null";
  if (spec.kind == AggregateKind::kMin || spec.kind == AggregateKind::kMax) {
    std::size_t best = rows[0];
    for (const std::size_t row : rows) {
      const bool is_better = spec.kind == AggregateKind::kMin ? is_less(column, row, best)
                                                              : is_less(column, best, row);
      if (is_better) best = row;
    }
    return cell_text(column, best, false);
  }
  return spec.argument == Physical::kDouble ? double_sum(spec, column, rows)
                                            : integer_sum(spec, column, rows);
}

/// Some rows of a column, in memory of exactly their size.
class Slice {
 public:
  Slice(const TestColumn& column, const std::vector<std::size_t>& rows)
      : physical_(column.physical) {
    const std::size_t width = physical_bytes(physical_);
    values_ = std::make_unique<Byte[]>(std::max<std::size_t>(1, width * rows.size()));
    if (!column.nulls.empty())
      validity_ = std::make_unique<std::uint64_t[]>((rows.size() + 63) / 64);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      put(column, rows[i], values_.get() + width * i);
      if (validity_ && !column.nulls[rows[i]]) validity_[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }
  VectorView view() const { return {physical_, values_.get(), validity_.get()}; }

 private:
  void put(const TestColumn& column, std::size_t row, Byte* to) {
    switch (physical_) {
      case Physical::kBool:
        *to = column.numbers[row] != 0 ? 1 : 0;
        break;
      case Physical::kInt64:
        store(to, static_cast<std::int64_t>(column.numbers[row]));
        break;
      case Physical::kInt128:
        store(to, column.numbers[row]);
        break;
      case Physical::kDouble:
        store(to, column.doubles[row]);
        break;
      case Physical::kString: {
        const std::string& text = column.strings[row];
        texts_.push_back(std::make_unique<Byte[]>(text.size()));
        std::copy(text.begin(), text.end(), texts_.back().get());
        const bool hidden = column.is_null(row);
        store(to, hidden ? StringRef{} : StringRef{texts_.back().get(), text.size()});
        break;
      }
    }
  }

  Physical physical_;
  std::unique_ptr<Byte[]> values_;
  std::unique_ptr<std::uint64_t[]> validity_;
  std::vector<std::unique_ptr<Byte[]>> texts_;
};

struct Chunk {
  std::uint64_t base = 0;
  std::vector<std::size_t> rows;
  bool as_list = false;
  bool is_mixed = false;
};

Status add_chunk(Grouping& grouping, unsigned worker, const TestInput& input, const Chunk& chunk) {
  std::vector<Slice> slices;
  std::vector<VectorView> keys, arguments;
  slices.reserve(input.keys.size() + input.arguments.size());
  for (const TestColumn& column : input.keys) {
    keys.push_back(slices.emplace_back(column, chunk.rows).view());
  }
  for (const TestColumn& column : input.arguments) {
    arguments.push_back(slices.emplace_back(column, chunk.rows).view());
  }
  std::vector<std::uint16_t> places;
  for (const std::size_t row : chunk.rows) {
    places.push_back(static_cast<std::uint16_t>(row - chunk.base));
  }
  const std::vector<std::uint64_t> numbers(chunk.rows.begin(), chunk.rows.end());
  const RowNumbers rows = chunk.is_mixed
                              ? RowNumbers{0, nullptr, numbers.data()}
                              : RowNumbers{chunk.base, chunk.as_list ? places.data() : nullptr};
  return grouping.add(worker, rows, keys, arguments, static_cast<std::uint32_t>(numbers.size()));
}

/// Rows change their places with those of any chunk.
void mix(std::vector<Chunk>& chunks, corpora::Random& random) {
  for (Chunk& chunk : chunks) {
    chunk.is_mixed = true;
    for (std::size_t& row : chunk.rows) {
      Chunk& other = chunks[random.below(static_cast<std::uint32_t>(chunks.size()))];
      std::swap(row, other.rows[random.below(static_cast<std::uint32_t>(other.rows.size()))]);
    }
  }
}

std::vector<Chunk> chunks_of(std::uint64_t rows, Feeding feeding) {
  corpora::Random random(feeding.seed);
  std::vector<Chunk> chunks;
  for (std::uint64_t base = 0; base < rows;) {
    const std::uint64_t count = std::min<std::uint64_t>(
        rows - base, random.one_in(3) ? kBatchRows : 1 + random.below(kBatchRows));
    Chunk chunk{base, {}, false, false};
    Chunk rest{base, {}, true, false};
    const bool gaps = feeding.row_lists && random.one_in(2);
    for (std::uint64_t row = base; row < base + count; ++row) {
      (gaps && random.one_in(3) ? rest : chunk).rows.push_back(static_cast<std::size_t>(row));
    }
    chunk.as_list = gaps;
    if (!chunk.rows.empty()) chunks.push_back(std::move(chunk));
    if (!rest.rows.empty()) chunks.push_back(std::move(rest));
    base += count;
  }
  if (feeding.mixed) mix(chunks, random);
  if (feeding.in_order) return chunks;
  for (std::size_t i = chunks.size(); i > 1; --i) {
    std::swap(chunks[i - 1], chunks[random.below(static_cast<std::uint32_t>(i))]);
  }
  return chunks;
}

std::string cell_text(const RowStore& store, std::size_t column, std::uint64_t row) {
  if (store.is_null(column, row)) return "null";
  switch (store.columns()[column]) {
    case Physical::kBool:
      return text_of(Int128{store.at<Byte>(column, row)});
    case Physical::kInt64:
      return text_of(Int128{store.at<std::int64_t>(column, row)});
    case Physical::kInt128:
      return text_of(load<Int128>(reinterpret_cast<const Byte*>(&store.at<Int128>(column, row))));
    case Physical::kDouble:
      return text_of(store.at<double>(column, row));
    case Physical::kString: {
      const StringRef& ref = store.at<StringRef>(column, row);
      return in_quotes({reinterpret_cast<const char*>(ref.data), ref.size});
    }
  }
  return "?";
}

}  // namespace

TestColumn int_column(std::vector<std::int64_t> values, std::vector<bool> nulls) {
  return {Physical::kInt64, as_numbers(values), {}, {}, std::move(nulls)};
}
TestColumn wide_column(std::vector<Int128> values, std::vector<bool> nulls) {
  return {Physical::kInt128, std::move(values), {}, {}, std::move(nulls)};
}
TestColumn bool_column(std::vector<bool> values, std::vector<bool> nulls) {
  return {Physical::kBool, as_numbers(values), {}, {}, std::move(nulls)};
}
TestColumn double_column(std::vector<double> values, std::vector<bool> nulls) {
  return {Physical::kDouble, {}, std::move(values), {}, std::move(nulls)};
}
TestColumn string_column(std::vector<std::string> values, std::vector<bool> nulls) {
  return {Physical::kString, {}, {}, std::move(values), std::move(nulls)};
}

std::string text_of(Int128 value) {
  Uint128 rest = value < 0 ? Uint128{0} - static_cast<Uint128>(value) : static_cast<Uint128>(value);
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(rest % 10)));
    rest /= 10;
  } while (rest != 0);
  if (value < 0) digits.push_back('-');
  return {digits.rbegin(), digits.rend()};
}

std::string text_of(double value) {
  if (value != value) return "nan";
  return std::to_string(std::bit_cast<std::uint64_t>(value))
      .append(" = ")
      .append(std::to_string(value));
}

std::vector<TextRow> expected_groups(const GroupingPlan& plan, const TestInput& input,
                                     std::vector<std::uint64_t>* first_rows) {
  std::map<TextRow, std::size_t> numbers;
  std::vector<std::vector<std::size_t>> groups;
  if (plan.keys.empty()) groups.emplace_back();
  for (std::size_t row = 0; row < input.rows; ++row) {
    TextRow key;
    for (const TestColumn& column : input.keys) key.push_back(cell_text(column, row, true));
    const auto [at, is_new] = numbers.emplace(key, plan.keys.empty() ? 0 : groups.size());
    if (is_new && !plan.keys.empty()) groups.emplace_back();
    groups[at->second].push_back(row);
  }
  std::vector<TextRow> answer;
  for (const std::vector<std::size_t>& rows : groups) {
    TextRow text;
    for (const TestColumn& column : input.keys) text.push_back(cell_text(column, rows[0], true));
    for (std::size_t i = 0; i < plan.aggregates.size(); ++i) {
      text.push_back(aggregate(plan.aggregates[i], input.arguments[i], rows));
    }
    answer.push_back(std::move(text));
    if (first_rows != nullptr) first_rows->push_back(rows.empty() ? 0 : rows[0]);
  }
  return answer;
}

Status feed(Grouping& grouping, const GroupingPlan& plan, const TestInput& input, Feeding feeding) {
  const std::vector<Chunk> chunks = chunks_of(input.rows, feeding);
  if (!feeding.threads) {
    corpora::Random random(feeding.seed + 1);
    for (const Chunk& chunk : chunks) {
      PRESSO_TRY(add_chunk(grouping, random.below(plan.threads), input, chunk));
    }
    return {};
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  Status first_error;
  std::vector<std::thread> threads;
  for (unsigned worker = 0; worker < plan.threads; ++worker) {
    threads.emplace_back([&, worker] {
      for (std::size_t i = next++; i < chunks.size(); i = next++) {
        Status added = add_chunk(grouping, worker, input, chunks[i]);
        if (added.ok()) continue;
        const std::lock_guard lock(mutex);
        if (first_error.ok()) first_error = std::move(added);
        return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return first_error;
}

std::vector<TextRow> text_of(const RowStore& store) {
  std::vector<TextRow> rows(store.rows());
  for (std::uint64_t row = 0; row < store.rows(); ++row) {
    for (std::size_t i = 0; i < store.columns().size(); ++i) {
      rows[row].push_back(cell_text(store, i, row));
    }
  }
  return rows;
}

std::vector<TextRow> actual_groups(const GroupingPlan& plan, const TestInput& input,
                                   Feeding feeding, std::vector<std::uint64_t>* first_rows) {
  auto grouping = Grouping::make(plan);
  if (!grouping.ok()) return {{grouping.error().message()}};
  if (Status fed = feed(**grouping, plan, input, feeding); !fed.ok()) {
    return {{fed.error().message()}};
  }
  Result<RowStore> store = (*grouping)->finish(first_rows);
  if (!store.ok()) return {{store.error().message()}};
  grouping->reset();  // rows live longer than what made them
  return text_of(*store);
}

}  // namespace presso::query::test
