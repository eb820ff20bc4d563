// SPDX-License-Identifier: MIT
// Tables of made-up values, what grouping them must give by a plain map with exact arithmetic, and
// how to feed them to a Grouping. Answers are compared as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "query/group/grouping.h"

namespace presso::query::test {

struct TestColumn {
  Physical physical = Physical::kInt64;
  std::vector<Int128> numbers;  ///< kBool, kInt64, kInt128
  std::vector<double> doubles;
  std::vector<std::string> strings;
  std::vector<bool> nulls;  ///< empty: none
  bool is_null(std::size_t row) const { return !nulls.empty() && nulls[row]; }
};

TestColumn int_column(std::vector<std::int64_t> values, std::vector<bool> nulls = {});
TestColumn wide_column(std::vector<Int128> values, std::vector<bool> nulls = {});
TestColumn bool_column(std::vector<bool> values, std::vector<bool> nulls = {});
TestColumn double_column(std::vector<double> values, std::vector<bool> nulls = {});
TestColumn string_column(std::vector<std::string> values, std::vector<bool> nulls = {});

struct TestInput {
  std::uint64_t rows = 0;
  std::vector<TestColumn> keys;
  std::vector<TestColumn> arguments;  ///< one for each aggregate
};

using TextRow = std::vector<std::string>;

std::string text_of(Int128 value);
std::string text_of(double value);  ///< its bits; all NaNs alike

/// The answer in the order of first rows, whose numbers it writes too.
std::vector<TextRow> expected_groups(const GroupingPlan& plan, const TestInput& input,
                                     std::vector<std::uint64_t>* first_rows = nullptr);

/// How rows are given to add().
struct Feeding {
  std::uint64_t seed = 1;
  bool threads = false;    ///< real ones: plan.threads of them; else workers take turns
  bool in_order = false;   ///< chunks of each worker ascend
  bool row_lists = false;  ///< half of the chunks come with gaps in their row numbers
  bool mixed = false;      ///< a chunk's rows come from anywhere, in any order, with their numbers
};

/// Gives all rows, in chunks of 1 to kBatchRows, and returns the first error. What a chunk's views
/// point to is gone after the call.
Status feed(Grouping& grouping, const GroupingPlan& plan, const TestInput& input, Feeding feeding);

std::vector<TextRow> text_of(const RowStore& store);

/// Feeds and finishes; an error's text in a single row.
std::vector<TextRow> actual_groups(const GroupingPlan& plan, const TestInput& input,
                                   Feeding feeding,
                                   std::vector<std::uint64_t>* first_rows = nullptr);

}  // namespace presso::query::test
