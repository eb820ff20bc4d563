// SPDX-License-Identifier: MIT
// Tests the conditions of a plan on the rows of a slice. Zones answer first: of slices, then of
// vectors (S1.1); what they cannot tell is read. Comparisons of numbers are made on packed values,
// tests of strings on dictionaries' entries, on tokens, or on text.
// Tested by tests/unit/query/answer/query_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "query/plan/filter_plan.h"
#include "query/rows/slice_reader.h"

namespace presso::query {

constexpr std::uint32_t kSliceWords = kSliceRows / 64;

/// What is known of the rows of a slice without reading them.
enum class Answer : Byte { kNone, kSome, kAll };
Answer answer_by_zones(const Filter& filter, const GroupReader& group, std::uint32_t first,
                       std::uint32_t rows);

/// A row for which a condition could not be computed.
Error failure_error(const Failure& failure, std::uint64_t row);

struct KeyTestState;

class FilterRunner {
 public:
  /// Rows of the slice that fulfil all conditions: bit i of `bits` (kSliceWords, all written).
  Status run(const FilterPlan& plan, SliceReader& reader, std::uint64_t* bits);
  /// One condition alone on one vector, among the rows of `alive` (16 words); for samples. Rows for
  /// which it has no result are among those found.
  Status test(const Filter& filter, SliceReader& reader, std::uint32_t vector,
              const std::uint64_t* alive, std::uint64_t* found);

  /// Rows that each condition was asked for, and that it left, by its number.
  struct Count {
    std::uint64_t asked = 0;
    std::uint64_t left = 0;
  };
  const std::vector<Count>& counts() const { return counts_; }
  /// Adds them to those of other threads, which has one for each condition.
  void add_counts(std::vector<Count>& sums) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      sums[i].asked += counts_[i].asked;
      sums[i].left += counts_[i].left;
    }
  }

 private:
  Status run_pass(const FilterPlan& plan, const FilterPass& pass, SliceReader& reader,
                  std::uint64_t* bits);
  Status run_on_text(const FilterPlan& plan, std::size_t number, SliceReader& reader,
                     std::uint64_t* bits, bool& done);
  Status run_on_vector(const FilterPlan& plan, const FilterPass& pass, std::size_t first_group,
                       SliceReader& reader, std::uint32_t vector, std::uint64_t* alive);
  Status run_on_list(const FilterPlan& plan, const FilterPass& pass, std::size_t first_group,
                     SliceReader& reader, std::uint64_t* bits);
  Status test_intervals(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                        std::uint64_t* found);
  Status test_text(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                   const std::uint64_t* alive, std::uint64_t* found);
  Status test_expression(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                         const std::uint64_t* alive, std::uint64_t* found);
  Status test_keys(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                   const std::uint64_t* alive, std::uint64_t* found);
  Status test_any(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                  const std::uint64_t* alive, std::uint64_t* found);
  Status keep_valid(std::size_t column, SliceReader& reader, std::uint32_t vector,
                    std::uint64_t* found);
  Status report_failures(const Slice& slice, const std::uint64_t* bits) const;
  Program::State& state_of(const Filter& filter);
  bool is_idle(const Condition& condition, std::size_t number) const;

  std::vector<Answer> answers_;
  std::vector<Failure> failures_;  ///< Failure::row: of the slice
  std::vector<Count> counts_;
  std::map<const Program*, std::unique_ptr<Program::State>> states_;
  std::map<const KeyTest*, std::shared_ptr<KeyTestState>> key_states_;
  std::vector<std::uint64_t> text_bits_;
  std::vector<std::uint16_t> list_;
  Selection selection_;
  std::vector<VectorView> inputs_;
};

}  // namespace presso::query
