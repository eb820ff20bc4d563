// SPDX-License-Identifier: MIT
// Implements build_key_test.h, the test of a scan's rows for keys of a build side: chooses the
// cheapest exact way for each vector, from zones over dictionary codes and runs of equal values to
// single look-ups.
#include "query/run/build_key_test.h"

#include <algorithm>

#include "format/columns/bit_copy.h"
#include "format/columns/zone_image.h"
#include "query/rows/row_bits.h"
#include "query/run/entry_words.h"

namespace presso::query {
namespace {

/// The most strings for which directories are asked one by one whether a slice has them.
constexpr std::uint64_t kFewStrings = 64;

/// The integer that a zone image stands for.
Int128 value_of_image(std::uint64_t image, bool is_signed) {
  return is_signed ? Int128{static_cast<std::int64_t>(image ^ kTopBit)} : Int128{image};
}

}  // namespace

/// Zones can be used if the only key is a plain column; computed keys are tested by value.
BuildKeyTest::BuildKeyTest(const Graph& graph, const BuiltStage& built, std::size_t first_column,
                           bool exact)
    : keys_(built.keys),
      filter_(built.filter.get()),
      exact_(exact),
      program_(graph, built.bound.probe_keys) {
  for (const std::size_t column : program_.inputs()) columns_.push_back(column - first_column);
  const Node& key = graph.at(built.bound.probe_keys[0]);
  if (built.bound.probe_keys.size() != 1 || key.kind != Node::Kind::kColumn) return;
  column_ = key.column - first_column;
  is_string_ = key.physical == Physical::kString;
  if (is_string_) hashes_ = keys_.string_hashes(kFewStrings);
  if (key.physical != Physical::kInt64 || filter_ == nullptr) return;
  is_signed_ = is_signed(key.schema.type);
  const join::JoinKeyFacts& facts = filter_->facts();
  const IntervalSet between =
      integers_between(key.schema.type, Int128{keys_.base()} + Int128{facts.least},
                       Int128{keys_.base()} + Int128{facts.greatest});
  if (!between.empty() && facts.keys > 0) images_ = between.intervals()[0];
}

/// Intersects the zone with the range of keys and asks the filter whether a key lies there.
bool BuildKeyTest::may_lie_between(const ColumnZone& zone) const {
  if ((zone.flags & kZoneKnown) == 0) return true;
  if ((zone.flags & kZoneNoValue) != 0) return false;
  if (zone.most < images_->least || zone.least > images_->most) return false;
  const Int128 least = value_of_image(std::max(zone.least, images_->least), is_signed_);
  const Int128 most = value_of_image(std::min(zone.most, images_->most), is_signed_);
  return filter_->may_hold(static_cast<std::uint64_t>(least - keys_.base()),
                           static_cast<std::uint64_t>(most - keys_.base()));
}

/// Called for each slice before it is read.
bool BuildKeyTest::may_hold(const GroupReader& group, std::uint32_t first,
                            std::uint32_t rows) const {
  if (!column_) return true;
  const Representation representation = group.chunk(*column_).representation;
  if (representation == Representation::kNull) return false;
  if (images_) return may_lie_between(group.zone(*column_, first, rows));
  if (representation != Representation::kDictionary || hashes_.empty()) return true;
  return std::any_of(hashes_.begin(), hashes_.end(), [&](std::uint64_t hash) {
    return group.may_hold(*column_, first, rows, hash);
  });
}

Status BuildKeyTest::test(SliceReader& reader, std::uint32_t vector, const std::uint64_t* alive,
                          KeyTestState& given, std::uint64_t* found) const {
  // make_state() makes no other type.
  auto& state = static_cast<BuildKeyTestState&>(given);
  if (!column_) return test_values(reader, vector, alive, state, found);
  ColumnSlice& slice = reader.column(*column_);
  const Representation representation = slice.representation();
  bool none = representation == Representation::kNull;
  if (!none && images_) {
    PRESSO_ASSIGN(const auto between, slice.vector_between(vector, images_->least, images_->most));
    none = between == ColumnSlice::Between::kNone;
  }
  if (none) {
    std::fill_n(found, kBatchWords, std::uint64_t{0});
    return {};
  }
  if (representation == Representation::kDictionary) return test_codes(reader, vector, found);
  // An inexact test lets all pass: the join looks them up once anyway.
  if (is_string_ && !exact_) {
    std::fill_n(found, kBatchWords, ~std::uint64_t{0});
    return {};
  }
  PRESSO_ASSIGN(const bool tested, test_runs(reader, vector, alive, state, found));
  return tested ? Status{} : test_values(reader, vector, alive, state, found);
}

/// Tests packed codes against the set of entries that are keys; NULLs never pass.
Status BuildKeyTest::test_codes(SliceReader& reader, std::uint32_t vector,
                                std::uint64_t* found) const {
  PRESSO_ASSIGN(const EntryWords* const entries, entry_words(keys_, reader, *column_));
  if (!entries->any_known) {
    std::fill_n(found, kBatchWords, std::uint64_t{0});
    return {};
  }
  ColumnSlice& slice = reader.column(*column_);
  PRESSO_TRY(slice.codes_in(vector, entries->known.data(), found));
  if (!slice.has_nulls()) return {};
  std::uint64_t valid[kBatchWords];
  PRESSO_TRY(slice.validity(vector, valid));
  keep_rows(found, valid);
  return {};
}

/// Looks up runs of equal numbers, once for each run. Returns false, having done nothing, if the
/// vector is not stored in runs, has NULLs, or has more runs than live rows.
Result<bool> BuildKeyTest::test_runs(SliceReader& reader, std::uint32_t vector,
                                     const std::uint64_t* alive, BuildKeyTestState& own,
                                     std::uint64_t* found) const {
  ColumnSlice& slice = reader.column(*column_);
  if (is_string_ || slice.has_nulls()) return false;
  PRESSO_TRY(reader.load_runs(*column_, vector, count_rows(alive), own.runs));
  if (own.runs.count == 0) return false;
  own.inputs.assign(1, own.runs.values);
  std::uint64_t bits[kBatchWords] = {};
  PRESSO_TRY(look_up(own.runs.count, own, bits));
  slice.spread_run_bits(vector, own.runs.starts, bits, found);
  return true;
}

/// Looks up values. If at least half of the rows are alive, all are looked up, which spares
/// gathering.
Status BuildKeyTest::test_values(SliceReader& reader, std::uint32_t vector,
                                 const std::uint64_t* alive, BuildKeyTestState& own,
                                 std::uint64_t* found) const {
  const std::uint32_t rows = reader.slice().vector_rows(vector);
  if (2 * count_rows(alive) >= rows) {
    own.selection.set_all(rows);
  } else {
    own.selection.set(alive, rows);
  }
  own.inputs.clear();
  for (const std::size_t column : columns_) {
    PRESSO_ASSIGN(const VectorView view, reader.load(column, vector, own.selection));
    own.inputs.push_back(view);
  }
  std::uint64_t bits[kBatchWords] = {};
  PRESSO_TRY(look_up(own.selection.count, own, bits));
  own.selection.spread(bits, found);
  return {};
}

/// Computes and looks up the keys of `count` rows, whose columns are own.inputs; sets bit i of
/// `bits` if row i may have a partner.
Status BuildKeyTest::look_up(std::uint32_t count, BuildKeyTestState& own,
                             std::uint64_t* bits) const {
  own.results.resize(program_.results().size());
  const auto failure = program_.run(own.state, own.inputs, count, own.results);
  if (failure) return make_error(ErrorCode::kInvalidArgument, failure->what);
  const std::uint64_t* const validity = keys_.encode(own.results, count, own.scratch);
  if (keys_.are_words()) {
    filter_->test(own.scratch.codes.words.data(), count, bits);
    if (validity != nullptr) keep_rows(bits, validity);
  } else {
    keys_.words(count, validity, own.scratch);
    std::copy_n(own.scratch.known, (count + 63) / 64, bits);
  }
  return {};
}

}  // namespace presso::query
