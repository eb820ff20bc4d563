// SPDX-License-Identifier: MIT
// The keys of a build side as a condition on a scan (Filter::kKeys): which rows have a key that the
// build side has, tested before a row is put together or joined. Dictionary strings become a set of
// codes, for which each entry is looked up once (L20), and packed codes are tested against the set.
// Other keys are computed and looked up in the filter of keys. The least and the greatest key rule
// out slices and vectors by their zones (S1.1), and dictionaries tell which slices have none of a
// few strings. Tested through tests/unit/query/run/join_scan_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "query/filter/key_test.h"
#include "query/plan/intervals.h"
#include "query/rows/slice_reader.h"
#include "query/run/join_build.h"

namespace presso::query {

/// Scratch memory of one thread.
struct BuildKeyTestState final : KeyTestState {
  explicit BuildKeyTestState(const Program& program) : state(program) {}
  Program::State state;
  JoinKeys::Scratch scratch;
  Selection selection;
  SliceReader::Runs runs;
  std::vector<VectorView> inputs;
  std::vector<VectorView> results;
};

/// Implements KeyTest. Immutable after construction, and shared by all threads.
class BuildKeyTest final : public KeyTest {
 public:
  /// Keeps references to `graph` and to the members of `built`, which must outlive the last test.
  /// `first_column` is the index of the scanned table's first column among those of the query.
  /// `exact` demands that no row passes whose key the build side lacks.
  BuildKeyTest(const Graph& graph, const BuiltStage& built, std::size_t first_column, bool exact);

  /// The columns that the test reads, numbered as in the table.
  const std::vector<std::size_t>& columns() const { return columns_; }
  bool may_hold(const GroupReader& group, std::uint32_t first, std::uint32_t rows) const override;
  std::shared_ptr<KeyTestState> make_state() const override {
    return std::make_shared<BuildKeyTestState>(program_);
  }
  Status test(SliceReader& reader, std::uint32_t vector, const std::uint64_t* alive,
              KeyTestState& state, std::uint64_t* found) const override;

 private:
  /// Whether a value within the zone can be a key.
  bool may_lie_between(const ColumnZone& zone) const;
  /// The three ways to test a vector: by dictionary code, by value, and by runs of equal values.
  Status test_codes(SliceReader& reader, std::uint32_t vector, std::uint64_t* found) const;
  Status test_values(SliceReader& reader, std::uint32_t vector, const std::uint64_t* alive,
                     BuildKeyTestState& state, std::uint64_t* found) const;
  Result<bool> test_runs(SliceReader& reader, std::uint32_t vector, const std::uint64_t* alive,
                         BuildKeyTestState& state, std::uint64_t* found) const;
  Status look_up(std::uint32_t count, BuildKeyTestState& state, std::uint64_t* bits) const;

  /// Keys of the build side, and their filter, which is nullptr if keys are no words.
  const JoinKeys& keys_;
  const join::KeyFilter* const filter_;
  const bool exact_;
  /// Computes the keys.
  Program program_;
  std::vector<std::size_t> columns_;
  /// The column, if the only key is a plain column.
  std::optional<std::size_t> column_;
  bool is_string_ = false;
  /// For integer keys: zone images from the least to the greatest key.
  std::optional<Interval> images_;
  bool is_signed_ = true;
  /// Hashes of all strings if these are few; otherwise empty.
  std::vector<std::uint64_t> hashes_;
};

}  // namespace presso::query
