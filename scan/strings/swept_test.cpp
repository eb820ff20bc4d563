// SPDX-License-Identifier: MIT
#include "scan/strings/swept_test.h"

#include <algorithm>
#include <utility>

#include "scan/strings/row_cursor.h"

namespace presso::query {
namespace {

using scan_detail::Prefilter;

constexpr double kSweepNs = 0.1;
/// Where fewer of the rows are alive, looking at each of them is faster than sweeping all.
constexpr std::uint64_t kLeastAlive = 24;

class SweptTest final : public RowTest {
 public:
  SweptTest(SweptPlan plan, std::unique_ptr<const RowTest> test, CpuLevel level)
      : plan_(std::move(plan)), test_(std::move(test)), level_(level) {}

  bool matches(Bytes string) const override { return test_->matches(string); }

  void find(const TextRows& rows, const std::uint64_t* alive, std::uint64_t* bits) const override {
    if (few_are_alive(rows.rows, alive)) return test_->find(rows, alive, bits);
    RisingBits found(rows.rows, bits);
    Prefilter prefilter(plan_.prefilter, level_);
    prefilter.start(rows.text);
    RowCursor<std::int64_t> cursor(rows.offsets, rows.rows);
    for (std::size_t at = 0; at < rows.text.size();) {
      const std::size_t candidate = prefilter.next(at);
      if (candidate >= rows.text.size()) break;
      const std::uint32_t row = cursor.row_of(static_cast<std::int64_t>(candidate));
      at = static_cast<std::size_t>(rows.offsets[row + 1]);
      const bool live = alive == nullptr || (alive[row / 64] >> (row % 64) & 1) != 0;
      if (live && decide(rows, row, candidate, prefilter)) found.set(row);
    }
    found.finish();
  }

  double byte_cost_ns() const override { return kSweepNs; }
  std::string describe() const override {
    return plan_.exact_bytes != 0 ? plan_.name : plan_.name + ", then " + test_->describe();
  }

 private:
  bool decide(const TextRows& rows, std::uint32_t row, std::size_t candidate,
              Prefilter& prefilter) const {
    const auto end = static_cast<std::size_t>(rows.offsets[row + 1]);
    if (plan_.exact_bytes != 0) return end - candidate >= plan_.exact_bytes;
    return prefilter.may_match(static_cast<std::size_t>(rows.offsets[row]), end) &&
           test_->matches(rows.row(row));
  }

  static bool few_are_alive(std::uint32_t rows, const std::uint64_t* alive) {
    if (alive == nullptr) return false;
    std::uint64_t count = 0;
    for (std::size_t word = 0; word < (std::size_t{rows} + 63) / 64; ++word) {
      count += static_cast<std::uint64_t>(std::popcount(live_rows(rows, word, alive)));
    }
    return count * kLeastAlive < rows;
  }

  SweptPlan plan_;
  std::unique_ptr<const RowTest> test_;
  CpuLevel level_;
};

}  // namespace

std::unique_ptr<const RowTest> make_swept(SweptPlan plan, std::unique_ptr<const RowTest> test,
                                          CpuLevel level) {
  return std::make_unique<SweptTest>(std::move(plan), std::move(test), level);
}

}  // namespace presso::query
