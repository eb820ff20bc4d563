// SPDX-License-Identifier: MIT
// Implements build_passes.h: divides the build side's keys into ranges, and runs the pipeline once
// for each. kUnsupported, which leaves the query to the CPU, where the rows of a part have no room
// in host memory, or where a part leaves too little device memory for all else.
#include "query/gpu/table/build_passes.h"

#include <algorithm>
#include <limits>

namespace presso::gpu {
namespace {

/// Forgets which build rows have found a partner.
Status clear_marks(const RunSpace& space, const BuildSide& side) {
  if (side.marks.bytes() == 0) return {};
  return space.kernels.clear(side.marks.get(), static_cast<std::size_t>(side.marks.bytes()),
                             space.stream);
}

/// Divides what lies between the part's ends into `count` parts, or fewer where there are not so
/// many keys.
std::vector<KeyInterval> divided(const KeyInterval& part, std::uint64_t count) {
  const auto begin = static_cast<std::uint64_t>(part.least);
  const std::uint64_t last = static_cast<std::uint64_t>(part.most) - begin;
  const std::uint64_t step = last / count + 1;
  std::vector<KeyInterval> parts;
  for (std::uint64_t at = 0;; at += step) {
    const bool is_last = last - at < step;
    const std::uint64_t end = is_last ? last : at + step - 1;
    parts.push_back(
        {static_cast<std::int64_t>(begin + at), static_cast<std::int64_t>(begin + end)});
    if (is_last) return parts;
  }
}

class Passes {
 public:
  Passes(const RunSpace& space, query::Execution& execution, QueryPipeline& of, PipelineRun& run,
         const PassActions& actions)
      : space_(space), execution_(execution), of_(of), run_(run), actions_(actions) {}

  Status run() {
    for (const BuildSide& side : of_.sides) PRESSO_TRY(clear_marks(space_, side));
    if (of_.in_parts) return run_parts();
    PRESSO_TRY(run_over(actions_.table));
    return run_over_build_rows(0, of_.sides.size());
  }

 private:
  Status run_over(const std::function<Status(const LoadedTable&)>& done) {
    return run_over_tables(space_, execution_, of_.builder, run_, done, actions_.most_rows);
  }

  /// Runs the pipelines over the build rows of the stages from `begin` to `end`, one after another:
  /// what comes out of one may be partners of the next.
  Status run_over_build_rows(std::size_t begin, std::size_t end) {
    for (const BuildRowPipeline& one : of_.of_build_rows) {
      if (one.stage < begin || one.stage >= end) continue;
      PRESSO_TRY(run_.prepare_build_rows(one.pipeline, of_.sides[one.stage].rows));
      PRESSO_TRY(run_.enqueue());
      PRESSO_TRY(space_.device().wait(space_.stream));
      PRESSO_TRY(actions_.build_rows(one.stage));
    }
    return {};
  }

  Status run_parts() {
    const std::size_t stage = of_.in_parts->stage;
    const StageUse& use = of_.builder.stages()[stage];
    BuildSideMaker maker(space_, execution_, of_.builder, of_.codes, use,
                         host_bytes_left(space_, execution_, of_.sides));
    maker.set_most_rows(of_.in_parts->most_rows);
    PRESSO_ASSIGN(left_, first_parts(maker, use));
    std::uint64_t parts = 0;
    std::uint64_t runs = 0;
    for (; !left_.empty(); ++parts) {
      PRESSO_TRY(make_next(maker, parts));
      // Nothing comes of a part without rows, where rows without a partner are dropped.
      if (of_.sides[stage].rows == 0 && !leaves_lone_rows(use.stage->kind)) continue;
      if (++runs > 1) ++execution_.summary.passes;
      PRESSO_TRY(run_over(actions_.table));
      // Rows of stages before go through this one, and meet those of its rows that are in the part.
      PRESSO_TRY(run_over_build_rows(0, stage + 1));
      PRESSO_ASSIGN(const std::uint64_t fault, run_.fault());
      if (fault != 0) return release(stage);
    }
    // Those of stages behind wait for the marks of all passes.
    PRESSO_TRY(run_over_build_rows(stage + 1, of_.sides.size()));
    const std::string& name = execution_.query.joins->sources[use.stage->build.root].name;
    execution_.notes.push_back(
        "on the GPU: " + grouped(of_.in_parts->rows) + " rows of " + name + maker.who() + ", in " +
        grouped(parts) + " parts" +
        (most_on_host_ > 0 ? host_text(use, most_on_host_) + " at most" : ""));
    return release(stage);
  }

  /// The side's memory is free for what follows.
  Status release(std::size_t stage) {
    of_.sides[stage] = {};
    return {};
  }

  /// All numbers that rows of the stage have for keys, those for rows without a key among them.
  Result<KeyInterval> all_keys(const StageUse& use) const {
    constexpr std::int64_t kNumbersBeside = 2;
    std::optional<KeyInterval> keys = of_.builder.key_bounds(use);
    if (!keys) return refused("a large build side whose keys' range is not known");
    const KeyInterval whole;
    keys->least -= keys->least < whole.least + kNumbersBeside ? 0 : kNumbersBeside;
    keys->most += keys->most > whole.most - kNumbersBeside ? 0 : kNumbersBeside;
    return *keys;
  }

  /// As many as are needed where keys are spread evenly, with something to spare; the last one
  /// first. At both ends they have all other numbers: each row belongs to one part.
  Result<std::vector<KeyInterval>> first_parts(BuildSideMaker& maker, const StageUse& use) {
    PRESSO_ASSIGN(all_, all_keys(use));
    std::vector<KeyInterval> parts = parts_that_fit(maker);
    if (parts.empty() && maker.may_be_on_host(1)) {
      maker.put_columns(true);
      parts = parts_that_fit(maker);
    }
    if (parts.empty()) return too_many_passes(maker);
    return parts;
  }

  /// Empty: they would be too many.
  std::vector<KeyInterval> parts_that_fit(const BuildSideMaker& maker) const {
    const std::uint64_t rows = of_.in_parts->rows;
    for (std::uint64_t count = 2; count <= kMostPasses; ++count) {
      std::vector<KeyInterval> parts = divided(all_, count);
      if (rows / parts.size() * 9 / 8 > maker.most_rows(parts[0])) continue;
      std::reverse(parts.begin(), parts.end());
      parts.back().least = KeyInterval().least;
      parts.front().most = KeyInterval().most;
      return parts;
    }
    return {};
  }

  Error too_many_passes(const BuildSideMaker& maker) const {
    return refused("a build side of " + grouped(of_.in_parts->rows) + " rows, of which only " +
                   grouped(maker.most_rows({})) + " have room in device memory at a time");
  }

  /// Makes the next part that fits: those that do not are halved. `done`: parts before.
  Status make_next(BuildSideMaker& maker, std::uint64_t done) {
    const std::size_t stage = of_.in_parts->stage;
    BuildSide& side = of_.sides[stage];
    for (;;) {
      const KeyInterval part = left_.back();
      left_.pop_back();
      auto made = maker.make(part, side);
      if (!made.ok() && maker.are_on_host() && made.error().code == ErrorCode::kOutOfMemory) {
        return refused("a build side whose columns have no room in host memory");
      }
      PRESSO_ASSIGN(bool fits, std::move(made));
      bool on_host = maker.are_on_host();
      if (!fits && !on_host) {
        PRESSO_ASSIGN(fits, make_on_host(maker, part, side));
        on_host = fits;
      }
      if (fits) {
        if (on_host) most_on_host_ = std::max(most_on_host_, side.rows);
        if (side.order_bits > of_.in_parts->order_bits) {
          return refused("a large build side that is made in another way in parts");
        }
        return go_on_with(part);
      }
      std::vector<KeyInterval> halves =
          divided({std::max(part.least, all_.least), std::min(part.most, all_.most)}, 2);
      if (halves.size() == 1) {
        return refused("build rows of one key for which there may be too little device memory");
      }
      halves[0].least = part.least;
      halves[1].most = part.most;
      left_.push_back(halves[1]);
      left_.push_back(halves[0]);
      if (done + left_.size() > kMostPasses) return too_many_passes(maker);
    }
  }

  /// A part that does not fit, with columns in host memory, where that is better than halves.
  Result<bool> make_on_host(BuildSideMaker& maker, const KeyInterval& part, BuildSide& side) const {
    const StageUse& use = of_.builder.stages()[of_.in_parts->stage];
    if (!maker.may_be_on_host(side.rows)) return false;
    PRESSO_ASSIGN(const HostColumns costs,
                  host_columns(space_, execution_, of_.builder, use, side.rows, 1));
    if (seconds_on_host(costs, space_.rates) >= seconds_of_passes(costs, space_.rates))
      return false;
    return maker.make_on_host(part, side);
  }

  /// Tells the pipeline, and those of build rows, of the side that has been made.
  Status go_on_with(const KeyInterval& part) {
    place_sides(of_.builder, of_.sides, of_.pipeline);
    of_.builder.set_part(part, of_.pipeline);
    PRESSO_TRY(make_build_row_pipelines(of_));
    run_.go_on_with(of_.pipeline);
    return clear_marks(space_, of_.sides[of_.in_parts->stage]);
  }

  const RunSpace& space_;
  query::Execution& execution_;
  QueryPipeline& of_;
  PipelineRun& run_;
  const PassActions& actions_;
  KeyInterval all_;
  std::uint64_t most_on_host_ = 0;  ///< rows of a part whose columns were there
  std::vector<KeyInterval> left_;   ///< the next one is the last
};

}  // namespace

Status run_passes(const RunSpace& space, query::Execution& execution, QueryPipeline& of,
                  PipelineRun& run, const PassActions& actions) {
  const Status done = Passes(space, execution, of, run, actions).run();
  if (done.ok() || !of.in_parts || done.error().code != ErrorCode::kDeviceMemory) return done;
  return refused("a build side of " + grouped(of.in_parts->rows) +
                 " rows, beside whose parts there is too little device memory for all else");
}

}  // namespace presso::gpu
