// SPDX-License-Identifier: MIT
// The keys of a build side as a condition on the rows of a scan (Filter::kKeys): which of them have
// a key that the build side has, asked before a row is put together or joined. Strings that a row
// group stores as codes of a dictionary become a set of codes, for which each entry is looked up
// once (L20): packed codes are then tested as by any condition on strings. Other keys are computed
// and looked up in the filter of keys. What is known of the least and the greatest key leaves out
// slices and vectors by their zones (S1.1); dictionaries tell which slices have none of few
// strings. Tested through tests/unit/query/run/join_scan_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "query/filter/key_test.h"
#include "query/plan/intervals.h"
#include "query/rows/slice_reader.h"
#include "query/run/join_build.h"

namespace presso::query {

/// One thread's memory for a test.
struct BuildKeyTestState final : KeyTestState {
  explicit BuildKeyTestState(const Program& program) : state(program) {}
  Program::State state;
  JoinKeys::Scratch scratch;
  Selection selection;
  SliceReader::Runs runs;
  std::vector<VectorView> inputs;
  std::vector<VectorView> results;
};

class BuildKeyTest final : public KeyTest {
 public:
  /// `graph` and what `built` has are kept by reference, and must outlive the last test.
  /// `first_column`: of the table that is scanned among those of the query. `exact`: rows whose
  /// key the build side has not are not let pass, however they are stored.
  BuildKeyTest(const Graph& graph, const BuiltStage& built, std::size_t first_column, bool exact);

  /// The columns that it reads, as the table numbers them.
  const std::vector<std::size_t>& columns() const { return columns_; }
  bool may_hold(const GroupReader& group, std::uint32_t first, std::uint32_t rows) const override;
  std::shared_ptr<KeyTestState> make_state() const override {
    return std::make_shared<BuildKeyTestState>(program_);
  }
  Status test(SliceReader& reader, std::uint32_t vector, const std::uint64_t* alive,
              KeyTestState& state, std::uint64_t* found) const override;

 private:
  bool may_lie_between(const ColumnZone& zone) const;
  Status test_codes(SliceReader& reader, std::uint32_t vector, std::uint64_t* found) const;
  Status test_values(SliceReader& reader, std::uint32_t vector, const std::uint64_t* alive,
                     BuildKeyTestState& state, std::uint64_t* found) const;
  Result<bool> test_runs(SliceReader& reader, std::uint32_t vector, const std::uint64_t* alive,
                         BuildKeyTestState& state, std::uint64_t* found) const;
  Status look_up(std::uint32_t count, BuildKeyTestState& state, std::uint64_t* bits) const;

  const JoinKeys& keys_;
  const join::KeyFilter* const filter_;
  const bool exact_;
  Program program_;  ///< the keys
  std::vector<std::size_t> columns_;
  std::optional<std::size_t> column_;  ///< of the only key, where that is nothing but a column
  bool is_string_ = false;
  /// Of whole numbers: the zone images that lie between the least and the greatest key.
  std::optional<Interval> images_;
  bool is_signed_ = true;
  std::vector<std::uint64_t> hashes_;  ///< of all strings, where these are few; else empty
};

}  // namespace presso::query
