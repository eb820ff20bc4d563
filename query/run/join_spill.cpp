// SPDX-License-Identifier: MIT
// Implements join_spill.h, joins through temporary files: the outer loop over the stages that
// spill, and over the parts of each. The rows themselves are joined by JoinWorker (join_run.h).
#include "query/run/join_spill.h"

#include <algorithm>

#include "presso/ordered_pipeline.h"
#include "query/run/join_run.h"

namespace presso::query {
namespace {

/// For a part that is joined in chunks: which of its probe rows have found a partner in earlier
/// chunks. One bit for each row, in words of its own for each batch, so that threads need no lock.
class PartnerBits {
 public:
  explicit PartnerBits(const std::vector<PartFile::Batch>& batches) {
    std::size_t words = 0;
    for (const PartFile::Batch& batch : batches) {
      begins_.push_back(words);
      words += (batch.rows + kBatchRows - 1) / kBatchRows * kBatchWords;
    }
    bits_.resize(words);
  }
  std::uint64_t* of_batch(std::size_t batch) { return bits_.data() + begins_[batch]; }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::uint64_t> bits_;
};

/// One run. Until the first stage that spills, rows of the root pass the stages as usual and are
/// then written; each such stage in turn becomes the base, from whose file rows continue.
class SpilledRun {
 public:
  SpilledRun(Execution& execution, const Program& program, const TakeOfWorker& take)
      : execution_(execution), program_(program), take_(take), joins_(*execution.joins) {}

  /// Works through all stages in order, so that build rows without a partner are known to have none
  /// before they are returned.
  Status run() {
    PRESSO_TRY(joins_.begin_spill(program_));
    PRESSO_TRY(run_slices(execution_, program_, take_));
    std::size_t stage = 0;
    for (; stage < stages() && joins_.spilled(stage) == nullptr; ++stage) {
      PRESSO_TRY(give_build_rows(stage));
    }
    while (stage < stages()) {
      joins_.set_base(stage);
      PRESSO_TRY(run_stage());
      for (++stage; stage < stages() && joins_.spilled(stage) == nullptr; ++stage) {
        PRESSO_TRY(give_build_rows(stage));
      }
      joins_.end_base();
    }
    joins_.set_base(JoinRun::kNoStage);
    return {};
  }

 private:
  std::size_t stages() const { return execution_.tree->stages.size(); }
  SpilledStage& spilled() const { return *joins_.spilled(joins_.base()); }

  /// Returns the stage's build rows that outer, semi or anti joins keep.
  Status give_build_rows(std::size_t stage) {
    if (!gives_build_rows(joins_.kind(stage))) return {};
    return run_build_rows(execution_, program_, stage, take_);
  }

  /// Joins the parts of the base stage. Neighbouring parts that fit into memory together are joined
  /// at once.
  Status run_stage() {
    PRESSO_TRY(spilled().probe->finish());
    const PartFile& build = *spilled().build;
    const double bytes = static_cast<double>(joins_.part_bytes());
    for (std::uint32_t first = 0; first < build.parts();) {
      std::uint32_t end = first;
      double rows = 0;
      do {
        rows += static_cast<double>(build.rows(end++));
      } while (end < build.parts() &&
               (rows + static_cast<double>(build.rows(end))) * spilled().sizes->row_bytes <= bytes);
      PRESSO_TRY(run_parts(first, end));
      first = end;
    }
    return {};
  }

  /// Joins parts [first, end): loads as much of the build side as fits, lets all probe rows of
  /// these parts pass, and repeats until the build side is done. Parts without rows on one side are
  /// skipped if the kind of join returns nothing for the other side.
  Status run_parts(std::uint32_t first, std::uint32_t end) {
    const StageKind kind = joins_.kind(joins_.base());
    const auto build = spilled().build->batches(first, end);
    const auto probe = spilled().probe->batches(first, end);
    const bool keeps = keeps_probe(kind) || kind == StageKind::kProbeAnti;
    const bool gives_build = kind == StageKind::kBuildOuter || kind == StageKind::kFullOuter ||
                             kind == StageKind::kBuildAnti;
    if (build.empty() && (probe.empty() || !keeps)) return {};
    if (probe.empty() && !gives_build) return {};
    std::optional<PartnerBits> partners;
    std::size_t next = 0;
    do {
      PRESSO_TRY(joins_.load(build, next));
      const bool is_last = next == build.size();
      const bool asks = keeps || kind == StageKind::kProbeSemi;
      // Needed only if there is more than one chunk.
      if (!is_last && asks && !partners) partners.emplace(probe);
      PRESSO_TRY(run_probe(probe, partners ? &*partners : nullptr, is_last));
      PRESSO_TRY(give_build_rows(joins_.base()));
    } while (next < build.size());
    return {};
  }

  /// What a thread reports for one batch.
  struct Outcome {
    Status status;
    std::uint64_t matched = 0;
  };

  /// Lets the batches of probe rows pass the current chunk, on all threads. `is_last` says that no
  /// more chunks follow, so that rows without a partner are final.
  Status run_probe(const std::vector<PartFile::Batch>& batches, PartnerBits* partners,
                   bool is_last) {
    std::vector<std::unique_ptr<Worker>> workers(execution_.threads);
    std::size_t next = 0;
    Status done = run_ordered<std::size_t, Outcome>(
        {execution_.threads, 0},
        [&]() -> Result<std::optional<std::size_t>> {
          const auto* const cancelled = execution_.options.cancelled;
          if (cancelled != nullptr && *cancelled) return make_error(ErrorCode::kCancelled);
          if (next == batches.size()) return std::optional<std::size_t>();
          return std::optional(next++);
        },
        [&](std::size_t number, unsigned thread) {
          Outcome outcome;
          auto& worker = workers[thread];
          if (worker == nullptr) worker = std::make_unique<Worker>(execution_, program_);
          std::uint64_t* const bits = partners == nullptr ? nullptr : partners->of_batch(number);
          outcome.status =
              run_batch(*worker, thread, batches[number], bits, is_last, outcome.matched);
          return outcome;
        },
        [&](Outcome outcome) -> Result<bool> {
          PRESSO_TRY(std::move(outcome.status));
          execution_.summary.rows_matched += outcome.matched;
          return true;
        });
    for (const auto& worker : workers) {
      if (worker != nullptr) joins_.add_counts(worker->joins->counts());
    }
    return done;
  }

  /// Reads one batch from the file and passes it on, a vector of rows at a time.
  Status run_batch(Worker& worker, unsigned thread, const PartFile::Batch& batch,
                   std::uint64_t* partners, bool is_last, std::uint64_t& matched) {
    RunBatch rows(spilled().probe->columns());
    std::uint64_t at = batch.at;
    PRESSO_TRY(rows.read(*batch.file, at));
    const RowSource source = rows.source();
    ProbeBatch part;
    part.last_chunk = is_last;
    for (std::uint32_t first = 0; first < source.rows; first += kBatchRows) {
      part.rows = std::min(kBatchRows, source.rows - first);
      part.columns.clear();
      for (const VectorView& view : source.columns) part.columns.push_back(view_from(view, first));
      part.partners = partners == nullptr ? nullptr : partners + first / 64;
      const TakeRows take = [&](const RowBatch& made) { return take_(thread, made); };
      PRESSO_TRY(worker.joins->run_batch(part, matched, take));
    }
    return {};
  }

  Execution& execution_;
  const Program& program_;
  const TakeOfWorker& take_;
  JoinRun& joins_;
};

}  // namespace

Status run_spilled_joins(Execution& execution, const Program& program, const TakeOfWorker& take) {
  return SpilledRun(execution, program, take).run();
}

}  // namespace presso::query
