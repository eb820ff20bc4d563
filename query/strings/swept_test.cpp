// SPDX-License-Identifier: MIT
// Implements swept_test.h: tests that sweep the text of all rows for a literal at once and test
// only rows with a hit. The thresholds below, which say when that pays, were measured on short
// rows; see NOTES.md, "What is swept for".
#include "query/strings/swept_test.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "format/cpu_loops.h"
#include "query/strings/row_cursor.h"

namespace presso::query {
namespace {

using scan_detail::CandidateBatch;
using scan_detail::Kernels;

/// Measured on rows of 26 bytes, in ns a byte: string_test_rate lineitem.csv.presso l_comment like
/// %furiously% (matches (foxes|ideas).*(sleep|haggle): 0.25).
constexpr double kSweepNs = 0.15;

/// Calls decide(row, place) for each row that has a hit, with its first one, in ascending order.
/// Further hits in the row are skipped.
template <class Decide>
void for_rows_with_a_place(const TextSweep& sweep, const Kernels& kernels, const TextRows& rows,
                           const Decide& decide) {
  const std::size_t limit = sweep.limit(rows.text);
  RowCursor<std::int64_t> cursor(rows.offsets, rows.rows);
  CandidateBatch batch;
  std::size_t decided = static_cast<std::size_t>(rows.offsets[0]);
  for (std::size_t from = decided; from < limit;) {
    batch.count = 0;
    from = sweep.find(kernels, rows.text, from, limit, batch);
    for (std::size_t i = 0; i < batch.count; ++i) {
      if (batch.at[i] < decided) continue;
      const std::uint32_t row = cursor.row_of(static_cast<std::int64_t>(batch.at[i]));
      decided = static_cast<std::size_t>(rows.offsets[row + 1]);
      decide(row, batch.at[i]);
    }
  }
}

/// The sweeps of a test, a part that both tests share: decides which sweep is run, if any. The
/// choice is a relaxed atomic: two threads may both make it, and either result is right.
class Sweeps {
 public:
  Sweeps(std::vector<TextSweep> sweeps, CpuLevel level)
      : sweeps_(std::move(sweeps)), kernels_(loops_for<scan_detail::Kernels>(level)) {}

  const Kernels& kernels() const { return kernels_; }
  const TextSweep& operator[](std::size_t i) const { return sweeps_[i]; }

  /// Returns the number of the sweep to run; nullopt if rows had better be tested one by one. The
  /// first call chooses, by a trial on its rows, for all that follow; a sample of each call's rows
  /// can still say no.
  std::optional<std::size_t> best(const TextRows& rows, const std::uint64_t* alive) const {
    if (few_are_alive(rows.rows, alive, kLeastAlive)) return std::nullopt;
    std::size_t chosen = chosen_.load(std::memory_order_relaxed);
    if (chosen == kUndecided) {
      chosen = cheapest(first_rows(rows, kTrialRows));
      chosen_.store(chosen, std::memory_order_relaxed);
    }
    const std::uint32_t sample = std::min(rows.rows, kSampleRows);
    const double cost = sweeps_[chosen].cost(kernels_, first_rows(rows, sample));
    if (cost > kMostCost * sample) return std::nullopt;
    return chosen;
  }

 private:
  static constexpr std::size_t kUndecided = ~std::size_t{0};
  static constexpr std::uint32_t kTrialRows = 1024;
  static constexpr std::uint32_t kSampleRows = 128;
  /// With more places than this for each row, rows are tested one by one.
  static constexpr double kMostCost = 0.6;
  /// If fewer than one row in 24 is alive, looking at each of them is faster than sweeping all.
  static constexpr std::uint64_t kLeastAlive = 24;

  static Bytes first_rows(const TextRows& rows, std::uint32_t count) {
    return rows.text.first(static_cast<std::size_t>(rows.offsets[std::min(rows.rows, count)]));
  }

  /// The sweep with the fewest places in `text`.
  std::size_t cheapest(Bytes text) const {
    std::size_t best = 0;
    double least = sweeps_[0].cost(kernels_, text);
    for (std::size_t i = 1; i < sweeps_.size(); ++i) {
      const double cost = sweeps_[i].cost(kernels_, text);
      if (cost < least) best = i;
      least = std::min(least, cost);
    }
    return best;
  }

  std::vector<TextSweep> sweeps_;
  const Kernels& kernels_;
  mutable std::atomic<std::size_t> chosen_{kUndecided};
};

/// Gives rows with hits to the wrapped test, which is faster with many of them at a time.
class SweptTest final : public RowTest {
 public:
  SweptTest(SweptPlan plan, std::unique_ptr<const RowTest> test, CpuLevel level)
      : sweeps_(std::move(plan.sweeps), level),
        name_(std::move(plan.name)),
        test_(std::move(test)) {}

  bool matches(Bytes string) const override { return test_->matches(string); }

  void find(const TextRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const override {
    const std::optional<std::size_t> best = sweeps_.best(rows, alive);
    if (!best) return test_->find(rows, alive, bits);
    RisingBits found(rows.rows, bits);
    std::array<std::uint32_t, kMostListed> ids;
    std::array<Byte, kMostListed> answers;
    std::uint32_t count = 0;
    const auto test_gathered = [&] {
      test_->test_listed(rows, ids.data(), count, answers.data());
      for (std::uint32_t i = 0; i < count; ++i) {
        if (answers[i] != 0) found.set(ids[i]);
      }
      count = 0;
    };
    // Bits are only written for rows before those that are read here; both may be one memory.
    for_rows_with_a_place(sweeps_[*best], sweeps_.kernels(), rows,
                          [&](std::uint32_t row, std::size_t) {
                            ids[count] = row;
                            count += static_cast<std::uint32_t>(is_alive(alive, row));
                            if (count == kMostListed) test_gathered();
                          });
    test_gathered();
    found.finish();
  }

  double byte_cost_ns() const override { return kSweepNs; }
  std::string describe() const override { return name_ + ", then " + test_->describe(); }

 private:
  Sweeps sweeps_;
  std::string name_;
  std::unique_ptr<const RowTest> test_;
};

/// Looks for all literals in order in each row with a hit; from the hit on if it is one of the
/// first literal, otherwise from the row's beginning. The wrapped test is for rows without a sweep.
class SweptInOrder final : public RowTest {
 public:
  SweptInOrder(SweptPlan plan, const std::vector<std::string>& literals,
               std::vector<std::size_t> numbers, std::unique_ptr<const RowTest> test,
               CpuLevel level)
      : sweeps_(std::move(plan.sweeps), level),
        numbers_(std::move(numbers)),
        literals_(literals.begin(), literals.end()),
        name_(std::move(plan.name)),
        test_(std::move(test)) {}

  bool matches(Bytes string) const override { return test_->matches(string); }

  void find(const TextRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const override {
    const std::optional<std::size_t> best = sweeps_.best(rows, alive);
    if (!best) return test_->find(rows, alive, bits);
    RisingBits found(rows.rows, bits);
    const std::size_t number = numbers_[*best];
    for_rows_with_a_place(sweeps_[*best], sweeps_.kernels(), rows,
                          [&](std::uint32_t row, std::size_t place) {
                            if (is_alive(alive, row) && has_all(rows, row, place, number))
                              found.set(row);
                          });
    found.finish();
  }

  double byte_cost_ns() const override { return kSweepNs; }
  std::string describe() const override {
    return literals_.size() == 1 ? name_ : name_ + ", then " + test_->describe();
  }

 private:
  /// Whether the row has all literals in order. `place` is where the literal with number `number`
  /// first stands in the row, unless it is cut off by the row's end.
  bool has_all(const TextRows& rows, std::uint32_t row, std::size_t place,
               std::size_t number) const {
    const auto end = static_cast<std::size_t>(rows.offsets[row + 1]);
    if (end - place < literals_[number].size()) return false;
    std::size_t next = 0;
    auto at = static_cast<std::size_t>(rows.offsets[row]);
    if (number == 0) {
      next = 1;
      at = place + literals_[0].size();
    }
    for (; next < literals_.size(); ++next) {
      const auto found = literals_[next].find(rows.text, at, end);
      if (!found) return false;
      at = *found + literals_[next].size();
    }
    return true;
  }

  Sweeps sweeps_;
  std::vector<std::size_t> numbers_;
  std::vector<Needle> literals_;
  std::string name_;
  std::unique_ptr<const RowTest> test_;
};

}  // namespace

std::unique_ptr<const RowTest> make_swept(SweptPlan plan, std::unique_ptr<const RowTest> test,
                                          CpuLevel level) {
  return std::make_unique<SweptTest>(std::move(plan), std::move(test), level);
}

std::unique_ptr<const RowTest> make_swept_in_order(SweptPlan plan,
                                                   const std::vector<std::string>& literals,
                                                   std::vector<std::size_t> numbers,
                                                   std::unique_ptr<const RowTest> test,
                                                   CpuLevel level) {
  return std::make_unique<SweptInOrder>(std::move(plan), literals, std::move(numbers),
                                        std::move(test), level);
}

}  // namespace presso::query
