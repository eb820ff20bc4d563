// SPDX-License-Identifier: MIT
// The loop that filters slices. Everything works on bitmaps: one bit for each row, 16 words of 64
// bits for a vector of kBatchRows (1,024) rows, kSliceWords for a slice. A condition narrows the
// bitmap of rows that are alive; a vector without a live row is skipped by all later conditions and
// its blocks are not decoded.
#include "query/filter/filter_run.h"

#include <algorithm>
#include <bit>

#include "presso/checksum.h"
#include "query/filter/coded_strings.h"
#include "query/filter/key_test.h"
#include "query/rows/row_bits.h"

namespace presso::query {
namespace {

using Kind = Filter::Kind;

/// The number of bits that are set in a slice's bitmap.
std::uint64_t count_slice(const std::uint64_t* bits) {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < kSliceWords; i += kBatchWords) count += count_rows(bits + i);
  return count;
}

/// Sets the first `rows` bits and clears all others.
void set_first(std::uint64_t* bits, std::uint32_t words, std::uint32_t rows) {
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::uint32_t left = rows > 64 * i ? rows - 64 * i : 0;
    bits[i] = left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
  }
}

/// Compares a range condition with the minimum and maximum of the rows. NaN is greater than every
/// number and zones hold the numbers alone, so a zone with NaNs counts as reaching up to the
/// greatest image.
Answer answer_by_interval(const Filter& filter, const GroupReader& group, std::uint32_t first,
                          std::uint32_t rows) {
  if (group.chunk(filter.column).representation == Representation::kNull) return Answer::kNone;
  const ColumnZone zone = group.zone(filter.column, first, rows);
  if ((zone.flags & kZoneKnown) == 0) return Answer::kSome;
  const bool nan = (zone.flags & kZoneHasNan) != 0;
  if ((zone.flags & kZoneNoValue) != 0) return nan ? Answer::kSome : Answer::kNone;
  const std::uint64_t most = nan ? ~std::uint64_t{0} : zone.most;
  if (!filter.intervals.meets(zone.least, most)) return Answer::kNone;
  const bool all = (zone.flags & kZoneHasNull) == 0 && filter.intervals.covers(zone.least, most);
  return all ? Answer::kAll : Answer::kSome;
}

/// Decides equality with certain strings. Dictionary columns store which checksums of strings occur
/// in a block, so a block can be ruled out, but never proved to consist of these strings.
Answer answer_by_presence(const Filter& filter, const GroupReader& group, std::uint32_t first,
                          std::uint32_t rows) {
  const auto representation = group.chunk(filter.column).representation;
  if (representation == Representation::kNull) return Answer::kNone;
  const auto& strings = filter.test->exact_strings();
  if (representation != Representation::kDictionary || strings.empty() || filter.negated) {
    return Answer::kSome;
  }
  const bool possible = std::any_of(strings.begin(), strings.end(), [&](const std::string& text) {
    return group.may_hold(filter.column, first, rows,
                          checksum64({reinterpret_cast<const Byte*>(text.data()), text.size()}));
  });
  return possible ? Answer::kSome : Answer::kNone;
}

}  // namespace

Answer answer_by_zones(const Filter& filter, const GroupReader& group, std::uint32_t first,
                       std::uint32_t rows) {
  switch (filter.kind) {
    case Kind::kTrue:
      return Answer::kAll;
    case Kind::kFalse:
      return Answer::kNone;
    case Kind::kIntervals:
      return answer_by_interval(filter, group, first, rows);
    case Kind::kText:
      return answer_by_presence(filter, group, first, rows);
    case Kind::kNull: {
      const ColumnChunk& chunk = group.chunk(filter.column);
      if (chunk.nulls == 0) return filter.negated ? Answer::kAll : Answer::kNone;
      if (chunk.nulls == group.rows()) return filter.negated ? Answer::kNone : Answer::kAll;
      return Answer::kSome;
    }
    case Kind::kExpression:
      return Answer::kSome;
    case Kind::kKeys:
      if (filter.keys->may_hold(group, first, rows)) return Answer::kSome;
      return filter.negated ? Answer::kAll : Answer::kNone;
    default: {
      const bool conjunction = filter.kind == Kind::kAnd;
      const Answer decisive = conjunction ? Answer::kNone : Answer::kAll;
      bool some = false;
      for (const Filter& part : filter.parts) {
        const Answer answer = answer_by_zones(part, group, first, rows);
        if (answer == decisive) return decisive;
        some = some || answer == Answer::kSome;
      }
      if (some) return Answer::kSome;
      return conjunction ? Answer::kAll : Answer::kNone;
    }
  }
}

Error failure_error(const Failure& failure, std::uint64_t row) {
  return make_error(ErrorCode::kInvalidArgument, "row " + grouped(row + 1) + ": " + failure.what);
}

Status FilterRunner::run(const FilterPlan& plan, SliceReader& reader, std::uint64_t* bits) {
  const Slice& slice = reader.slice();
  set_first(bits, kSliceWords, slice.rows);
  counts_.resize(plan.conditions.size());
  answers_.clear();
  bool all = true;
  for (const Condition& condition : plan.conditions) {
    const Answer answer =
        answer_by_zones(condition.filter, *slice.group->reader, slice.first, slice.rows);
    if (answer == Answer::kNone) {
      std::fill_n(bits, kSliceWords, std::uint64_t{0});
      return {};
    }
    all = all && answer == Answer::kAll;
    answers_.push_back(answer);
  }
  if (all) return {};
  failures_.clear();
  for (const FilterPass& pass : plan.passes) {
    PRESSO_TRY(run_pass(plan, pass, reader, bits));
  }
  return report_failures(slice, bits);
}

/// Evaluates a string condition that stands alone at the start of a pass over the texts of the
/// whole slice at once, since searches for literals are cheapest over long texts. This is done only
/// for token and byte columns and if at least a quarter of the vectors have live rows; otherwise
/// `done` stays false and the vectors are evaluated one by one.
Status FilterRunner::run_on_text(const FilterPlan& plan, std::size_t number, SliceReader& reader,
                                 std::uint64_t* bits, bool& done) {
  const Filter& filter = plan.conditions[number].filter;
  const Slice& slice = reader.slice();
  std::uint32_t alive_vectors = 0;
  for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
    alive_vectors += any_row(bits + std::size_t{vector} * kBatchWords) ? 1 : 0;
  }
  const bool most = alive_vectors * 4 >= slice.vectors();
  reader.expect_all_vectors(most);
  if (filter.kind != Kind::kText || !most || alive_vectors == 0) return {};
  ColumnSlice& column = reader.column(filter.column);
  const Representation representation = column.representation();
  if (representation != Representation::kToken && representation != Representation::kBytes) {
    return {};
  }
  text_bits_.assign(kSliceWords, 0);
  PRESSO_TRY(find_in_slice(filter, reader, bits, text_bits_.data()));
  counts_[number].asked += count_slice(bits);
  for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
    std::uint64_t* const found = text_bits_.data() + std::size_t{vector} * kBatchWords;
    if (filter.negated) {
      for (std::uint32_t i = 0; i < kBatchWords; ++i) found[i] = ~found[i];
    }
    PRESSO_TRY(keep_valid(filter.column, reader, vector, found));
  }
  for (std::uint32_t i = 0; i < kSliceWords; ++i) bits[i] &= text_bits_[i];
  counts_[number].left += count_slice(bits);
  done = true;
  return {};
}

/// Runs one pass of the plan: the first condition over the whole text if it can be, and the rest
/// vector by vector, driven by the bitmap or by a list of rows.
Status FilterRunner::run_pass(const FilterPlan& plan, const FilterPass& pass, SliceReader& reader,
                              std::uint64_t* bits) {
  const Slice& slice = reader.slice();
  std::size_t first_group = 0;
  if (pass.groups[0].size() == 1 && answers_[pass.groups[0][0]] == Answer::kSome) {
    bool done = false;
    PRESSO_TRY(run_on_text(plan, pass.groups[0][0], reader, bits, done));
    first_group = done ? 1 : 0;
  }
  if (first_group == pass.groups.size()) return {};
  if (pass.as_list) return run_on_list(plan, pass, first_group, reader, bits);
  for (std::uint32_t vector = 0; vector < slice.vectors(); ++vector) {
    PRESSO_TRY(run_on_vector(plan, pass, first_group, reader, vector,
                             bits + std::size_t{vector} * kBatchWords));
  }
  return {};
}

/// Tests the groups of a pass on one vector. Within a group every condition is tested even if no
/// row is left, which spares a branch that may be mispredicted; between groups the loop stops once
/// no row is left.
Status FilterRunner::run_on_vector(const FilterPlan& plan, const FilterPass& pass,
                                   std::size_t first_group, SliceReader& reader,
                                   std::uint32_t vector, std::uint64_t* alive) {
  if (!any_row(alive)) return {};
  std::uint64_t found[kBatchWords];
  std::uint32_t left = count_rows(alive);
  for (std::size_t group = first_group; group < pass.groups.size() && left != 0; ++group) {
    for (const std::size_t number : pass.groups[group]) {
      if (answers_[number] == Answer::kAll || is_idle(plan.conditions[number], number)) continue;
      counts_[number].asked += left;
      PRESSO_TRY(test(plan.conditions[number].filter, reader, vector, alive, found));
      keep_rows(alive, found);
      left = count_rows(alive);
      counts_[number].left += left;
    }
  }
  return {};
}

/// Whether an optional condition should be dropped: after 65,536 rows more than three quarters have
/// passed it, so it costs more than it removes. Optional conditions come from joins (keys that the
/// build side has), and the join would drop these rows anyway.
bool FilterRunner::is_idle(const Condition& condition, std::size_t number) const {
  constexpr std::uint64_t kTrial = 65'536;
  const Count& count = counts_[number];
  return condition.is_optional && count.asked > kTrial && 4 * count.left > 3 * count.asked;
}

/// Writes the rows that the previous pass left as a list of row numbers and visits only the vectors
/// that occur in it (S4.4, S4.7). Cheaper than walking the bitmap if less than 1/16 of the rows are
/// left.
Status FilterRunner::run_on_list(const FilterPlan& plan, const FilterPass& pass,
                                 std::size_t first_group, SliceReader& reader,
                                 std::uint64_t* bits) {
  list_.resize(kSliceRows);
  std::size_t count = 0;
  for (std::uint32_t word = 0; word < kSliceWords; ++word) {
    for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
      list_[count++] = static_cast<std::uint16_t>(
          64 * word + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
  }
  std::fill_n(bits, kSliceWords, std::uint64_t{0});
  for (std::size_t at = 0; at < count;) {
    const std::uint32_t vector = list_[at] / kBatchRows;
    std::uint64_t* const alive = bits + std::size_t{vector} * kBatchWords;
    for (; at < count && list_[at] / kBatchRows == vector; ++at) {
      const std::uint32_t row = list_[at] % kBatchRows;
      alive[row / 64] |= std::uint64_t{1} << (row % 64);
    }
    PRESSO_TRY(run_on_vector(plan, pass, first_group, reader, vector, alive));
  }
  return {};
}

/// Clears the bits of rows whose value is NULL: the values that are stored in their place are
/// arbitrary.
Status FilterRunner::keep_valid(std::size_t column, SliceReader& reader, std::uint32_t vector,
                                std::uint64_t* found) {
  ColumnSlice& slice = reader.column(column);
  if (!slice.has_nulls()) return {};
  std::uint64_t valid[kBatchWords];
  PRESSO_TRY(slice.validity(vector, valid));
  keep_rows(found, valid);
  return {};
}

/// Compares packed numbers with each interval and unites the bitmaps; values are not decoded to
/// memory. All rows of the vector are compared, whether alive or not.
Status FilterRunner::test_intervals(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                                    std::uint64_t* found) {
  ColumnSlice& slice = reader.column(filter.column);
  if (slice.representation() == Representation::kNull) {
    std::fill_n(found, kBatchWords, std::uint64_t{0});
    return {};
  }
  const auto& intervals = filter.intervals.intervals();
  PRESSO_TRY(slice.numbers_between(vector, intervals[0].least, intervals[0].most, found));
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    std::uint64_t more[kBatchWords];
    PRESSO_TRY(slice.numbers_between(vector, intervals[i].least, intervals[i].most, more));
    for (std::uint32_t word = 0; word < kBatchWords; ++word) found[word] |= more[word];
  }
  return keep_valid(filter.column, reader, vector, found);
}

/// Tests strings: codes of dictionary columns against the set of entries that match, and other
/// columns by search. An all-NULL column has no matching row.
Status FilterRunner::test_text(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                               const std::uint64_t* alive, std::uint64_t* found) {
  ColumnSlice& slice = reader.column(filter.column);
  switch (slice.representation()) {
    case Representation::kDictionary: {
      PRESSO_ASSIGN(const auto* wanted, matching_entries(filter, reader));
      PRESSO_TRY(slice.codes_in(vector, wanted->data(), found));
      break;
    }
    case Representation::kNull:
      std::fill_n(found, kBatchWords, std::uint64_t{0});
      return {};
    default: {
      PRESSO_TRY(find_in_vector(filter, reader, vector, alive, found));
      if (filter.negated) {
        for (std::uint32_t i = 0; i < kBatchWords; ++i) found[i] = ~found[i];
      }
      break;
    }
  }
  return keep_valid(filter.column, reader, vector, found);
}

/// The working memory of a program, which is made on first use and kept for all slices of the
/// thread.
Program::State& FilterRunner::state_of(const Filter& filter) {
  auto& state = states_[filter.program.get()];
  if (state == nullptr) state = std::make_unique<Program::State>(*filter.program);
  return *state;
}

/// Evaluates a program. If it reads a single dictionary column, it is evaluated once for each entry
/// and codes are looked up in the result; otherwise the live rows of its columns are gathered and
/// computed.
/// A row for which the program fails counts as found and is remembered in failures_, since a later
/// condition may still remove it: report_failures() decides.
Status FilterRunner::test_expression(const Filter& filter, SliceReader& reader,
                                     std::uint32_t vector, const std::uint64_t* alive,
                                     std::uint64_t* found) {
  const Program& program = *filter.program;
  const std::optional<std::size_t> coded = coded_column(program, *reader.slice().group);
  if (coded) {
    PRESSO_ASSIGN(const auto* outcome, entries_by_program(filter, reader));
    if (outcome->usable) {
      PRESSO_TRY(reader.column(*coded).codes_in(vector, outcome->entries.data(), found));
      if (outcome->null_passes) {
        // The codes under NULLs are arbitrary, so the bits of NULLs are set from the validity
        // bitmap.
        if (reader.column(*coded).has_nulls()) {
          std::uint64_t valid[kBatchWords];
          PRESSO_TRY(reader.column(*coded).validity(vector, valid));
          for (std::uint32_t i = 0; i < kBatchWords; ++i) found[i] |= ~valid[i];
        }
        return {};
      }
      return keep_valid(*coded, reader, vector, found);
    }
  }
  selection_.set(alive, reader.slice().vector_rows(vector));
  inputs_.clear();
  for (const std::size_t column : program.inputs()) {
    PRESSO_ASSIGN(const VectorView view, reader.load(column, vector, selection_));
    inputs_.push_back(view);
  }
  VectorView truth;
  const auto failure = program.run(state_of(filter), inputs_, selection_.count, {&truth, 1});
  const std::uint64_t* const failed = failure ? program.failures(state_of(filter), 0) : nullptr;
  std::fill_n(found, kBatchWords, std::uint64_t{0});
  const Byte* const values = truth.as<Byte>();
  const Byte wanted = filter.negated ? 0 : 1;
  for (std::uint32_t i = 0; i < selection_.count; ++i) {
    const bool fails = failed != nullptr && (failed[i / 64] >> (i % 64) & 1) != 0;
    if (!fails && (values[i] != wanted || truth.is_null(i))) continue;
    const std::uint32_t row = selection_.all ? i : selection_.rows[i];
    found[row / 64] |= std::uint64_t{1} << (row % 64);
    if (fails) failures_.push_back({vector * kBatchRows + row, failure->what});
  }
  return {};
}

/// Rows that a condition could not be evaluated for were kept alive. They are an error only if all
/// other conditions hold for them; the error names the first such row. This makes the outcome
/// independent of the order in which conditions are tested.
Status FilterRunner::report_failures(const Slice& slice, const std::uint64_t* bits) const {
  const Failure* first = nullptr;
  for (const Failure& failure : failures_) {
    const bool alive = (bits[failure.row / 64] >> (failure.row % 64) & 1) != 0;
    if (alive && (first == nullptr || failure.row < first->row)) first = &failure;
  }
  if (first == nullptr) return {};
  return failure_error(*first, slice.first_row() + first->row);
}

/// Asks another table's keys; an inexact test may let rows pass that the join drops later.
Status FilterRunner::test_keys(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                               const std::uint64_t* alive, std::uint64_t* found) {
  auto& state = key_states_[filter.keys.get()];
  if (state == nullptr) state = filter.keys->make_state();
  PRESSO_TRY(filter.keys->test(reader, vector, alive, *state, found));
  for (std::uint32_t i = 0; filter.negated && i < kBatchWords; ++i) found[i] = ~found[i];
  return {};
}

/// Evaluates AND and OR: each part is tested only for the rows that it can still decide.
Status FilterRunner::test_any(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                              const std::uint64_t* alive, std::uint64_t* found) {
  const bool conjunction = filter.kind == Kind::kAnd;
  std::uint64_t open[kBatchWords];
  std::uint64_t part_found[kBatchWords];
  std::copy_n(alive, kBatchWords, open);
  if (!conjunction) std::fill_n(found, kBatchWords, std::uint64_t{0});
  for (const Filter& part : filter.parts) {
    if (!any_row(open)) break;
    PRESSO_TRY(test(part, reader, vector, open, part_found));
    for (std::uint32_t i = 0; i < kBatchWords; ++i) {
      if (conjunction) {
        open[i] &= part_found[i];
      } else {
        found[i] |= open[i] & part_found[i];
        open[i] &= ~part_found[i];
      }
    }
  }
  if (conjunction) std::copy_n(open, kBatchWords, found);
  return {};
}

Status FilterRunner::test(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                          const std::uint64_t* alive, std::uint64_t* found) {
  switch (filter.kind) {
    case Kind::kTrue:
      set_first(found, kBatchWords, kBatchRows);
      return {};
    case Kind::kFalse:
      std::fill_n(found, kBatchWords, std::uint64_t{0});
      return {};
    case Kind::kIntervals:
      return test_intervals(filter, reader, vector, found);
    case Kind::kText:
      return test_text(filter, reader, vector, alive, found);
    case Kind::kNull: {
      set_first(found, kBatchWords, kBatchRows);
      PRESSO_TRY(keep_valid(filter.column, reader, vector, found));
      if (!filter.negated) {
        for (std::uint32_t i = 0; i < kBatchWords; ++i) found[i] = ~found[i];
      }
      return {};
    }
    case Kind::kExpression:
      return test_expression(filter, reader, vector, alive, found);
    case Kind::kKeys:
      return test_keys(filter, reader, vector, alive, found);
    default:
      return test_any(filter, reader, vector, alive, found);
  }
}

}  // namespace presso::query
