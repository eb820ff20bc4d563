// SPDX-License-Identifier: MIT
// Evaluates the conditions of a filter plan on the rows of a slice, which are up to 65,536 rows of
// a row group (query/rows/slice_reader.h). Zones (minimum, maximum and flags of a range of rows)
// are asked first and may decide a condition for the whole slice without reading it (S1.1). What
// they leave open is read: numbers are compared while they are still packed, strings by dictionary
// entry, by token or as text, and everything else by a program over decoded rows.
//
// Columns are read lazily, through the SliceReader: a slice without live rows costs no block of the
// columns that come later in the plan. Which order to test in is the planner's business
// (query/plan/planner.h). Tested by tests/unit/query/filter/filter_run_test.cpp and, through whole
// queries, by tests/unit/query/answer/query_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "query/plan/filter_plan.h"
#include "query/rows/slice_reader.h"

namespace presso::query {

/// Words of 64 bits in the bitmap of a slice.
constexpr std::uint32_t kSliceWords = kSliceRows / 64;

/// What zones say about a condition: no row passes, some rows may pass, or all rows pass.
enum class Answer : Byte { kNone, kSome, kAll };
/// Decides a condition for rows [first, first + rows) of a row group by zones alone. kNone and kAll
/// are certain; kSome means that rows must be read. Reads the directory, no blocks.
Answer answer_by_zones(const Filter& filter, const GroupReader& group, std::uint32_t first,
                       std::uint32_t rows);

/// The error for a row that a condition could not be evaluated for; `row` counts from 0 within the
/// tables, messages count from 1.
Error failure_error(const Failure& failure, std::uint64_t row);

struct KeyTestState;

/// Evaluates plans slice by slice and keeps the memory that this needs. Each thread has its own
/// runner; a runner may be used for one plan only, since its counters and states belong to that
/// plan's conditions.
class FilterRunner {
 public:
  /// Evaluates the plan on the reader's open slice. Sets bit i of `bits` (kSliceWords words, all
  /// written) where row i fulfils all conditions. Errors: those of reading, and the first row that
  /// fulfils all other conditions but makes an expression fail.
  Status run(const FilterPlan& plan, SliceReader& reader, std::uint64_t* bits);
  /// Evaluates a single condition on one vector, for samples. Bits outside `alive` (16 words) are
  /// undefined in `found`. Rows for which the condition fails with an error count as found.
  Status test(const Filter& filter, SliceReader& reader, std::uint32_t vector,
              const std::uint64_t* alive, std::uint64_t* found);

  /// How many rows a condition was tested on and how many of these passed, indexed by condition.
  struct Count {
    std::uint64_t asked = 0;
    std::uint64_t left = 0;
  };
  const std::vector<Count>& counts() const { return counts_; }
  /// Adds this thread's counts to `sums`, which must have an element for each condition.
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

  /// What zones say about each condition in the slice that is run.
  std::vector<Answer> answers_;
  /// Failures in this slice; Failure::row counts from the slice's first row.
  std::vector<Failure> failures_;
  /// Totals over all slices so far; is_idle() decides by them.
  std::vector<Count> counts_;
  /// Working memory by program and by key test, made on first use.
  std::map<const Program*, std::unique_ptr<Program::State>> states_;
  std::map<const KeyTest*, std::shared_ptr<KeyTestState>> key_states_;
  /// Scratch memory of run_on_text(), run_on_list() and test_expression().
  std::vector<std::uint64_t> text_bits_;
  std::vector<std::uint16_t> list_;
  Selection selection_;
  std::vector<VectorView> inputs_;
};

}  // namespace presso::query
