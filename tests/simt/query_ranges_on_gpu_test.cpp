// SPDX-License-Identifier: MIT
// Ranges of packed numbers (F1 to F3 and F14, Fett 2016): each bound there or not, included or not,
// the condition negated or not, at and beside the least and the greatest value, for every width and
// for any number of rows. What is right is worked out here, row by row.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/queried_table.h"
#include "tests/support/sanitized.h"

namespace presso::query_ranges_on_gpu_test {
namespace {

using namespace test;
using Number = std::int64_t;

/// One bound of a range.
struct Bound {
  Number value = 0;
  bool is_included = true;
};

struct NumberRange {
  std::optional<Bound> least;
  std::optional<Bound> most;
  bool is_negated = false;

  bool has(Number value) const {
    const bool is_above =
        !least || value > least->value || (least->is_included && value == least->value);
    const bool is_below =
        !most || value < most->value || (most->is_included && value == most->value);
    return (is_above && is_below) != is_negated;
  }
  /// Whatever values there are.
  bool is_empty() const {
    using Wide = __int128;
    const Wide all_from = std::numeric_limits<Number>::min();
    const Wide all_to = std::numeric_limits<Number>::max();
    const Wide from = least ? Wide{least->value} + (least->is_included ? 0 : 1) : all_from;
    const Wide to = most ? Wide{most->value} - (most->is_included ? 0 : 1) : all_to;
    return is_negated ? from <= all_from && to >= all_to : from > to;
  }
  std::string text() const {
    std::string all = is_negated ? "not (" : "(";
    if (least) all += (least->is_included ? "v >= " : "v > ") + std::to_string(least->value);
    if (least && most) all += " and ";
    if (most) all += (most->is_included ? "v <= " : "v < ") + std::to_string(most->value);
    return all + ")";
  }
};

/// How the bounds of a range are written: all combinations but no bounds at all.
struct RangeForm {
  bool has_least;
  bool has_most;
  bool includes_least;
  bool includes_most;
  bool is_negated;
};
std::vector<RangeForm> all_forms() {
  std::vector<RangeForm> forms;
  for (unsigned bits = 0; bits < 32; ++bits) {
    const RangeForm form{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0,
                         (bits & 16) != 0};
    const bool is_double =
        (!form.has_least && form.includes_least) || (!form.has_most && form.includes_most);
    if ((form.has_least || form.has_most) && !is_double) forms.push_back(form);
  }
  return forms;
}
NumberRange range_of(const RangeForm& form, Number least, Number most) {
  NumberRange range;
  if (form.has_least) range.least = {least, form.includes_least};
  if (form.has_most) range.most = {most, form.includes_most};
  range.is_negated = form.is_negated;
  return range;
}

/// Numbers that are packed in `width` bits above `base`, once divided by `divisor`.
struct Packing {
  unsigned width;
  Number base = 0;
  Number divisor = 1;
  bool has_nulls = false;
};

std::ostream& operator<<(std::ostream& to, const Packing& packing) {
  return to << packing.width << " bits above " << packing.base << ", times " << packing.divisor;
}

/// A table of columns `id`, from 0 on, and `v`.
class RangedTable {
 public:
  RangedTable(const Packing& packing, unsigned rows) {
    corpora::Random random(packing.width * 1000 + rows);
    const std::uint64_t most =
        packing.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << packing.width) - 1;
    std::string csv = "id,v\n";
    for (unsigned row = 0; row < rows; ++row) {
      const std::uint64_t above = row == 0 ? 0 : row == 1 ? most : (random.next() & most);
      const Number value = static_cast<Number>(static_cast<std::uint64_t>(packing.base) +
                                               above * static_cast<std::uint64_t>(packing.divisor));
      const bool is_null = packing.has_nulls && row > 1 && random.below(16) == 0;
      values_.push_back(is_null ? std::nullopt : std::optional(value));
      csv += std::to_string(row) + "," + (is_null ? "" : std::to_string(value)) + "\n";
      if (is_null) continue;
      least_ = std::min(least_, value);
      most_ = std::max(most_, value);
    }
    made_.emplace(csv, 1u << 20);
  }

  /// At and beside the ends of what there is, and within.
  std::vector<Number> points() const {
    std::vector<Number> points;
    for (const Number end : {least_, most_}) {
      if (end != std::numeric_limits<Number>::min()) points.push_back(end - 1);
      points.push_back(end);
      if (end != std::numeric_limits<Number>::max()) points.push_back(end + 1);
    }
    points.push_back(least_ / 2 + most_ / 2);
    return points;
  }

  /// On the GPU, as bits of rows or, every other time, as a count and a sum.
  void expect_found(const NumberRange& range) {
    SCOPED_TRACE(range.text());
    const bool counts = ++asked_ % 2 == 0;
    Query query = Query::from(*made_->table);
    query.where(range.text());
    if (counts) {
      query.aggregate("count(*), sum(id)");
    } else {
      query.select("id");
    }
    const Answer found = answer_of(query, device_);
    EXPECT_EQ(found.text, counts ? sum_of(range) : rows_of(range));
    // Where no number can be in the range nobody need look for rows.
    if (!range.is_empty()) {
      EXPECT_EQ(found.summary.why_cpu, "");
    }
  }

 private:
  bool has(const NumberRange& range, std::size_t row) const {
    return values_[row] && range.has(*values_[row]);
  }
  std::string rows_of(const NumberRange& range) const {
    std::string rows;
    for (std::size_t row = 0; row < values_.size(); ++row) {
      if (has(range, row)) rows += std::to_string(row) + "\n";
    }
    return rows;
  }
  std::string sum_of(const NumberRange& range) const {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    for (std::size_t row = 0; row < values_.size(); ++row) {
      if (!has(range, row)) continue;
      ++count;
      sum += row;
    }
    return std::to_string(count) + "," + (count == 0 ? "" : std::to_string(sum)) + "\n";
  }

  std::vector<std::optional<Number>> values_;
  std::optional<MadeTable> made_;
  std::shared_ptr<QueryDevice> device_ = make_emulated_query_device();
  Number least_ = std::numeric_limits<Number>::max();
  Number most_ = std::numeric_limits<Number>::min();
  unsigned asked_ = 0;
};

constexpr unsigned kOneVectorAndAFew = 1061;

class RangesOnGpu : public ::testing::TestWithParam<Packing> {};

TEST_P(RangesOnGpu, OfAllFormsBetweenAllPoints) {
  RangedTable table(GetParam(), kOneVectorAndAFew);
  unsigned number = 0;
  for (const RangeForm& form : all_forms()) {
    for (const Number least : table.points()) {
      for (const Number most : table.points()) {
        const bool is_left_out = kIsSanitized && number++ % 8 != 0;
        if (!is_left_out) table.expect_found(range_of(form, least, most));
        if (!form.has_most) break;
      }
      if (!form.has_least) break;
    }
  }
}

constexpr Number kLeast = std::numeric_limits<Number>::min();
INSTANTIATE_TEST_SUITE_P(Packings, RangesOnGpu,
                         ::testing::Values(Packing{1}, Packing{8, -100, 1, true},
                                           Packing{12, 1'000'000, 300}, Packing{31, -7},
                                           Packing{32, 5, 1, true}, Packing{33, -70'000'000'000},
                                           Packing{62, kLeast}, Packing{64, 0, 1, true}));

/// Some ranges of each width.
TEST(RangeOnGpu, OfEveryWidth) {
  const std::vector<RangeForm> forms = all_forms();
  for (unsigned width = 1; width <= 64; width += kIsSanitized ? 3 : 1) {
    SCOPED_TRACE(width);
    corpora::Random random(width);
    const Number base = width < 60 ? static_cast<Number>(random.below(1000)) - 500 : 0;
    RangedTable table({width, base, width < 20 ? 1 + width % 3 : 1, width % 4 == 0},
                      kOneVectorAndAFew);
    const std::vector<Number> points = table.points();
    for (int i = 0; i < 24; ++i) {
      const Number least = points[random.below(static_cast<unsigned>(points.size()))];
      const Number most = points[random.below(static_cast<unsigned>(points.size()))];
      table.expect_found(range_of(forms[random.below(static_cast<unsigned>(forms.size()))],
                                  std::min(least, most), std::max(least, most)));
    }
  }
}

/// No bit stands for a row that there is not, least of all where the condition is negated.
TEST(RangeOnGpu, OfAnyNumberOfRows) {
  constexpr unsigned kSizes[] = {2,    3,    7,    8,    9,    31,    32,   33,   255,
                                 256,  1020, 1021, 1022, 1023, 1024,  1025, 1026, 1027,
                                 8191, 8192, 8193, 8209, 9973, 16384, 16411};
  for (const unsigned rows : kSizes) {
    SCOPED_TRACE(rows);
    RangedTable table({12, -17, 1, rows % 2 == 0}, rows);
    for (const bool is_negated : {false, true}) {
      for (const Number most : {Number{-18}, Number{-17}, Number{2000}, Number{5000}}) {
        const NumberRange range{std::nullopt, Bound{most, true}, is_negated};
        table.expect_found(range);
        table.expect_found(range);
      }
    }
  }
}

}  // namespace
}  // namespace presso::query_ranges_on_gpu_test
