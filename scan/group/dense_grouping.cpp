// SPDX-License-Identifier: MIT
// A place for each possible key: the code of a row's key is the number of its group. No table is
// searched; what remains are additions at places that may be far apart. Each thread has its own
// array. Memory of places that never occur is not touched (Column).
#include "presso/ordered_pipeline.h"
#include "scan/group/group_output.h"
#include "scan/group/memory_budget.h"
#include "scan/group/row_parts.h"
#include "scan/group/strategies.h"

namespace presso::query::grouping {
namespace {

struct Worker {
  explicit Worker(const GroupingPlan& plan) : states(plan.aggregates) {}

  GroupStates states;
  KeyCodes codes;
  std::array<std::uint64_t, kBatchRows> hashes;
  std::array<std::uint32_t, kBatchRows> ids;
  std::array<std::uint32_t, kBatchRows> run_ids;
  std::array<std::uint32_t, kBatchRows> run_ends;
  RowParts parts;
  std::uint64_t next_row = 0;  ///< one more than the greatest number so far
  std::uint64_t bytes = 0;
};

class DenseGrouping final : public Grouping {
 public:
  DenseGrouping(const GroupingPlan& plan, const KeyCoder& coder)
      : plan_(plan),
        coder_(coder),
        places_(static_cast<std::uint32_t>(coder.range())),
        budget_(plan.memory_bytes) {
    for (unsigned i = 0; i < std::max(plan.threads, 1u); ++i) {
      workers_.push_back(std::make_unique<Worker>(plan));
    }
  }

  Status add(unsigned worker, RowNumbers rows, std::span<const VectorView> keys,
             std::span<const VectorView> arguments, std::uint32_t count) override {
    if (count == 0) return {};
    return without_bad_alloc([&] {
      return add_rows(*workers_[worker], {rows, arguments, count}, keys);
    });
  }

  Result<RowStore> finish(std::vector<std::uint64_t>* first_rows) override {
    return without_bad_alloc([&]() -> Result<RowStore> {
      GroupStates& all = merge_workers();
      std::vector<GroupPiece<std::uint64_t>> pieces(1);
      pieces[0].states = &all;
      for (std::uint32_t place = 0; place < places_; ++place) {
        if (all.row_count(place) == 0 && !plan_.keys.empty()) continue;
        pieces[0].groups.extend_unset(pieces[0].groups.size() + 1);
        pieces[0].groups[pieces[0].groups.size() - 1] = place;
      }
      return write_groups(plan_, coder_, pieces, first_rows);
    });
  }

  std::uint64_t bytes() const override { return budget_.used(); }
  std::string describe() const override {
    if (plan_.keys.empty()) return "one group";
    return "dense, " + grouped(places_) + (places_ == 1 ? " place" : " places");
  }

 private:
  Status add_rows(Worker& worker, InputRows rows, std::span<const VectorView> keys) {
    std::uint64_t* const words = worker.codes.words.data();
    if (plan_.keys.empty()) {
      std::fill_n(words, rows.count, 0);
    } else {
      coder_.encode(keys, rows.count, worker.codes);
    }
    if (plan_.parts > 1) {
      kernels().hash_words(words, rows.count, worker.hashes.data());
      rows = worker.parts.select(rows, plan_.part, plan_.parts, words, worker.hashes.data());
      if (rows.count == 0) return {};
    }
    if (kernels().greatest(words, rows.count) >= places_) {
      return make_error(ErrorCode::kInvalidArgument, "a key is outside of its column's range");
    }
    if (worker.states.groups() != places_) {
      PRESSO_TRY(budget_.check(worker.states.growth_bytes(places_)));
      worker.states.extend(places_);
    }
    const RowOrder order =
        row_number(rows.numbers, 0) >= worker.next_row ? RowOrder::kAfterAll : RowOrder::kAny;
    PRESSO_TRY(
        worker.states.add(grouped_rows(worker, rows.count), rows.arguments, rows.numbers, order));
    worker.next_row = std::max(worker.next_row, row_number(rows.numbers, rows.count - 1) + 1);
    budget_.update(worker.bytes, worker.states.bytes());
    return budget_.check();
  }

  GroupedRows grouped_rows(Worker& worker, std::uint32_t count) const {
    const std::uint64_t* const words = worker.codes.words.data();
    GroupedRows rows;
    rows.count = count;
    rows.groups = places_;
    rows.ids = worker.ids.data();
    kernels().narrow(words, count, worker.ids.data());
    if (places_ > kFewGroups && kernels().changes(words, count) < count / 2) {
      rows.runs = kernels().run_ends(words, count, worker.run_ends.data());
      for (std::uint32_t i = 0; i < rows.runs; ++i) {
        worker.run_ids[i] = worker.ids[worker.run_ends[i] - 1];
      }
      rows.run_ids = worker.run_ids.data();
      rows.run_ends = worker.run_ends.data();
    }
    return rows;
  }

  /// Into the first worker's states that has any.
  GroupStates& merge_workers() {
    std::vector<GroupStates*> filled;
    for (const auto& worker : workers_) {
      if (worker->states.groups() != 0) filled.push_back(&worker->states);
    }
    if (filled.empty()) {
      workers_[0]->states.extend(places_);
      return workers_[0]->states;
    }
    std::array<std::uint32_t, kBatchRows> places;
    for (std::size_t i = 1; i < filled.size(); ++i) {
      filled[i]->prepare_merge();
      for (std::uint32_t first = 0; first < places_; first += kBatchRows) {
        std::uint32_t count = 0;
        for (std::uint32_t j = first; j < std::min(places_, first + kBatchRows); ++j) {
          places[count] = j;
          count += filled[i]->row_count(j) != 0 ? 1 : 0;
        }
        filled[0]->merge(*filled[i], {places.data(), count}, places.data());
      }
    }
    return *filled[0];
  }

  const GroupingPlan plan_;
  const KeyCoder coder_;
  const std::uint32_t places_;
  MemoryBudget budget_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

std::unique_ptr<Grouping> make_dense_grouping(const GroupingPlan& plan, const KeyCoder& coder) {
  return std::make_unique<DenseGrouping>(plan, coder);
}

}  // namespace presso::query::grouping
