// SPDX-License-Identifier: MIT
// Implements entry_merge.h, the merge of sorted runs in memory: cuts the runs into as many parts as
// there are threads, and merges each part with a tree of losers (format/loser_tree.h).
#include "query/order/entry_merge.h"

#include <algorithm>

#include "format/loser_tree.h"
#include "format/threads/parallel.h"

namespace presso::query {
namespace {

/// The part of a run that has not been merged yet.
struct Rest {
  const SortEntry* at;
  const SortEntry* end;
};

/// Merges the runs of one part to `to`. Rows with equal keys are compared by numbers that lie
/// anywhere in memory, so once there were such rows the numbers of later ones are prefetched.
void merge_part(std::vector<Rest>& runs, const RowOrder& order, SortEntry* to) {
  constexpr std::ptrdiff_t kAhead = 16;
  bool equal_keys = false;
  const auto comes_first = [&](std::uint32_t a, std::uint32_t b) {
    const Rest& left = runs[a];
    const Rest& right = runs[b];
    if (left.at == left.end || right.at == right.end) {
      return right.at == right.end && (left.at != left.end || a < b);
    }
    return order.comes_first(*left.at, *right.at, equal_keys);
  };
  LoserTree tree;
  tree.build(static_cast<std::uint32_t>(runs.size()), comes_first);
  while (true) {
    Rest& run = runs[tree.winner()];
    if (run.at == run.end) return;
    *to++ = *run.at++;
    if (equal_keys && run.end - run.at > kAhead) order.fetch_number(run.at[kAhead]);
    tree.replay(comes_first);
  }
}

/// For each run, where each part begins, and the end.
class Cuts {
 public:
  Cuts(const std::vector<EntryArray>& runs, const RowOrder& order, std::size_t parts)
      : runs_(runs), begins_(runs.size()) {
    const EntryArray& largest = *std::max_element(
        runs.begin(), runs.end(),
        [](const EntryArray& a, const EntryArray& b) { return a.size() < b.size(); });
    for (std::size_t i = 0; i < runs.size(); ++i) {
      begins_[i].push_back(runs[i].begin());
      for (std::size_t part = 1; part < parts && largest.size() != 0; ++part) {
        const SortEntry& cut = largest[largest.size() * part / parts];
        begins_[i].push_back(std::lower_bound(begins_[i].back(), runs[i].end(), cut, order));
      }
      begins_[i].push_back(runs[i].end());
    }
  }

  std::size_t parts() const { return begins_.front().size() - 1; }
  std::vector<Rest> part(std::size_t number) const {
    std::vector<Rest> rests;
    for (const auto& begins : begins_) rests.push_back({begins[number], begins[number + 1]});
    return rests;
  }
  /// The number of entries in the parts before.
  std::size_t offset(std::size_t number) const {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      offset += static_cast<std::size_t>(begins_[i][number] - runs_[i].begin());
    }
    return offset;
  }

 private:
  const std::vector<EntryArray>& runs_;
  std::vector<std::vector<const SortEntry*>> begins_;
};

}  // namespace

Result<EntryArray> merge_entries(std::vector<EntryArray> runs, const RowOrder& order,
                                 unsigned threads) {
  if (runs.empty()) return EntryArray();
  if (runs.size() == 1) return std::move(runs.front());
  const Cuts cuts(runs, order, threads);
  std::size_t size = 0;
  for (const EntryArray& run : runs) size += run.size();
  EntryArray merged(size);
  PRESSO_TRY(for_each_in_parallel(cuts.parts(), threads, [&](std::size_t i, unsigned) -> Status {
    std::vector<Rest> rests = cuts.part(i);
    merge_part(rests, order, merged.begin() + cuts.offset(i));
    return {};
  }));
  return merged;
}

}  // namespace presso::query
