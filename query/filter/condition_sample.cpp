// SPDX-License-Identifier: MIT
// Draws the planner's sample in two steps: zones of slices spread evenly over all tables tell which
// slices a query reads at all, and conditions are then evaluated on vectors spread evenly over some
// of those slices. Places are chosen by position and not at random, so that a query gets the same
// plan each time.
#include "query/filter/condition_sample.h"

#include <algorithm>

#include "query/filter/filter_run.h"

namespace presso::query {
namespace {

/// The most slices whose zones are looked at.
constexpr std::size_t kMostLooked = 64;
/// Bounds on the number of slices that are read: places / kPartRead, clamped to [kLeastRead,
/// kMostRead].
constexpr std::size_t kMostRead = 8;
constexpr std::size_t kLeastRead = 2;
constexpr std::size_t kPartRead = 16;
/// Vectors that are evaluated in all, divided evenly among the slices that are read.
constexpr std::uint32_t kVectors = 64;

/// Position of a slice: table, row group, and the slice's first row within the row group.
struct Place {
  std::size_t table = 0;
  std::uint64_t group = 0;
  std::uint32_t first = 0;
};

/// All slices of all tables that can be sampled: whole slices, and the first slice of a row group
/// if it has at least one whole vector. Directories must be open; no data is read.
std::vector<Place> places_of(const std::vector<Table>& tables) {
  std::vector<Place> places;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    for (std::uint64_t group = 0; group < tables[table].row_groups(); ++group) {
      const std::uint64_t rows = tables[table].row_group(group).rows;
      if (rows >= kBatchRows) places.push_back({table, group, 0});
      for (std::uint64_t first = kSliceRows; first + kSliceRows <= rows; first += kSliceRows) {
        places.push_back({table, group, static_cast<std::uint32_t>(first)});
      }
    }
  }
  return places;
}

/// Up to `most` elements of `all`, taken at even distances.
template <class T>
std::vector<T> spread(std::vector<T> all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<T> some;
  for (std::size_t i = 0; i < most; ++i) {
    some.push_back(std::move(all[(2 * i + 1) * all.size() / (2 * most)]));
  }
  return some;
}

/// Collects the slices that zones do not rule out, and counts for each condition how often zones
/// already prove it for all rows. Keeps references to tables and conditions. Used by one thread.
class ZoneLook {
 public:
  ZoneLook(const std::vector<Table>& tables, const std::vector<Condition>& conditions)
      : tables_(tables), conditions_(conditions), open_(conditions.size()) {}

  /// Opens the row group of `place` if it differs from the last one, and asks the zones of each
  /// condition. Places must come in order, so that each row group is opened once. Errors: those of
  /// opening a row group.
  Status look_at(const Place& place) {
    if (context_ == nullptr || place.table != at_.table || place.group != at_.group) {
      context_ = std::make_shared<GroupContext>();
      context_->table = place.table;
      PRESSO_ASSIGN(context_->reader, GroupReader::open(tables_[place.table], place.group));
    }
    at_ = place;
    ++looked_at_;
    const std::uint32_t rows = std::min(kSliceRows, context_->reader->rows() - place.first);
    std::vector<Answer> answers;
    for (const Condition& condition : conditions_) {
      answers.push_back(answer_by_zones(condition.filter, *context_->reader, place.first, rows));
      if (answers.back() == Answer::kNone) return {};
    }
    for (std::size_t i = 0; i < answers.size(); ++i) {
      open_[i] += answers[i] == Answer::kSome ? 1 : 0;
    }
    live_.push_back({context_, place.first, rows});
    return {};
  }

  /// Writes the shares into `sampled`. If no slice is live, half of a slice is assumed to be, since
  /// a share of 0 would make all plans cost nothing.
  void tell(SampledConditions& sampled) const {
    if (looked_at_ == 0) return;
    const auto live = static_cast<double>(live_.size());
    sampled.live_share = std::max(live, 0.5) / looked_at_;
    for (std::size_t i = 0; i < open_.size() && live > 0; ++i) {
      sampled.open_shares[i] = open_[i] / live;
    }
  }

  std::vector<Slice> take_live() { return std::move(live_); }

 private:
  const std::vector<Table>& tables_;
  const std::vector<Condition>& conditions_;
  std::shared_ptr<GroupContext> context_;
  /// The row group that is open, shared with the slices that are kept.
  Place at_;
  double looked_at_ = 0;
  /// Slices that were looked at, and for each condition the slices in which zones leave it
  /// undecided.
  std::vector<double> open_;
  std::vector<Slice> live_;
};

/// Evaluates every condition, each by itself and on all rows, on `vectors` vectors of a slice at
/// even distances, and appends the result to `sample`. Only full vectors are used.
Status read_slice(const Slice& slice, std::uint32_t vectors, FilterRunner& runner,
                  SliceReader& reader, const std::vector<Condition>& conditions,
                  ConditionSample& sample) {
  reader.open(slice);
  reader.expect_all_vectors(false);
  const std::uint32_t full = slice.rows / kBatchRows;
  const std::uint32_t count = std::min(vectors, full);
  std::uint64_t alive[kBatchWords];
  std::fill_n(alive, kBatchWords, ~std::uint64_t{0});
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t vector = (2 * k + 1) * full / (2 * count);
    for (std::size_t i = 0; i < conditions.size(); ++i) {
      std::uint64_t found[kBatchWords];
      PRESSO_TRY(runner.test(conditions[i].filter, reader, vector, alive, found));
      sample.bits[i].insert(sample.bits[i].end(), found, found + kBatchWords);
    }
    ++sample.vectors;
  }
  sample.slice_ends.push_back(sample.vectors);
  return {};
}

}  // namespace

Result<SampledConditions> sample_conditions(const std::vector<Table>& tables,
                                            const std::vector<Physical>& physical,
                                            const std::vector<Condition>& conditions) {
  SampledConditions sampled;
  sampled.open_shares.assign(conditions.size(), 1);
  sampled.rows.bits.resize(conditions.size());
  std::vector<Place> places = places_of(tables);
  const std::size_t most_read = std::clamp(places.size() / kPartRead, kLeastRead, kMostRead);
  ZoneLook look(tables, conditions);
  for (const Place& place : spread(std::move(places), kMostLooked)) {
    PRESSO_TRY(look.look_at(place));
  }
  look.tell(sampled);
  const std::vector<Slice> slices = spread(look.take_live(), most_read);
  if (slices.empty()) return sampled;
  FilterRunner runner;
  SliceReader reader(physical);
  const std::uint32_t vectors = kVectors / static_cast<std::uint32_t>(slices.size());
  for (const Slice& slice : slices) {
    PRESSO_TRY(read_slice(slice, vectors, runner, reader, conditions, sampled.rows));
  }
  return sampled;
}

}  // namespace presso::query
