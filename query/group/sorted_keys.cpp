// SPDX-License-Identifier: MIT
// Implements sorted_keys.h, grouping of keys that come in ascending order. While keys ascend, a
// group is found by one comparison with the last key: no table, no hash. Threads have different row
// groups of sorted input, so their lists share few keys; those are found by walking two lists in
// turn with growing steps.
#include "query/group/sorted_keys.h"
#include "format/cpu_loops.h"

namespace presso::query::grouping {
namespace {

/// Returns the first of `keys` from `at` on that is not less than `key`: steps of 1, 2, 4, ...,
/// then halves, so that near keys are found fast (Bentley and Yao 1976).
std::size_t gallop(std::span<const std::uint64_t> keys, std::size_t at, std::uint64_t key) {
  std::size_t step = 1;
  std::size_t below = at;  // all keys before this are less
  while (below + step <= keys.size() && keys[below + step - 1] < key) {
    below += step;
    step *= 2;
  }
  const auto end = keys.begin() + static_cast<std::ptrdiff_t>(std::min(keys.size(), below + step));
  return static_cast<std::size_t>(
      std::lower_bound(keys.begin() + static_cast<std::ptrdiff_t>(below), end, key) - keys.begin());
}

/// Calls found(i, j) for each key a[i] == b[j]; both are ascending.
template <class Found>
void intersect(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, Found&& found) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i] < b[j]) {
      i = gallop(a, i, b[j]);
    } else if (b[j] < a[i]) {
      j = gallop(b, j, a[i]);
    } else {
      found(i++, j++);
    }
  }
}

/// Pairs of equal groups, merged by the thousand.
struct Pairs {
  std::array<std::uint32_t, kBatchRows> from;
  std::array<std::uint32_t, kBatchRows> to;
  std::uint32_t count = 0;
};

void merge_pairs(GroupStates& to, const GroupStates& from, Pairs& pairs) {
  if (pairs.count != 0) to.merge(from, {pairs.from.data(), pairs.count}, pairs.to.data());
  pairs.count = 0;
}

/// Whether a thread's group has been merged into another thread's.
/// Groups are not removed from lists, which would move states; pieces simply do not list them.
using Dead = std::vector<bool>;

/// Merges groups of `from` that `to` has as well, and marks them.
void merge_two(const SortedGroups& to, const SortedGroups& from, const Dead& to_dead,
               Dead& from_dead) {
  Pairs pairs;
  to.states->begin_merge(*from.states);
  intersect({to.keys->keys(), to.keys->size()}, {from.keys->keys(), from.keys->size()},
            [&](std::size_t i, std::size_t j) {
              if (to_dead[i] || from_dead[j]) return;
              from_dead[j] = true;
              pairs.to[pairs.count] = static_cast<std::uint32_t>(i);
              pairs.from[pairs.count++] = static_cast<std::uint32_t>(j);
              if (pairs.count == kBatchRows) merge_pairs(*to.states, *from.states, pairs);
            });
  merge_pairs(*to.states, *from.states, pairs);
}

}  // namespace

/// One comparison for each row, without a branch, once the vector is known to ascend.
/// Nothing changes if it returns false, so that the caller can go on with a table.
bool SortedKeys::add(const std::uint64_t* keys, std::uint32_t count, std::uint32_t* ids) {
  std::uint32_t next = size();  // the number of the next new key
  if (next != 0 && keys[0] < keys_[next - std::size_t{1}]) return false;
  if (loops_for<Kernels>().descents(keys, count) != 0) return false;
  keys_.extend_unset(next + std::size_t{count});
  const bool repeats = next != 0 && keys[0] == keys_[next - std::size_t{1}];
  std::uint64_t* const out = keys_.data();
  std::uint64_t last = repeats ? keys[0] : ~keys[0];
  for (std::uint32_t i = 0; i < count; ++i) {
    out[next] = keys[i];
    next += keys[i] != last ? 1 : 0;
    last = keys[i];
    ids[i] = next - 1;
  }
  keys_.extend_unset(next);
  return true;
}

/// Every pair of threads is intersected; with n slices of the input each intersection takes a few
/// steps for each slice, not for each key.
std::vector<GroupPiece<std::uint64_t>> merge_sorted(std::span<const SortedGroups> threads) {
  std::vector<Dead> dead;
  for (const SortedGroups& thread : threads) {
    dead.emplace_back(thread.keys->size());
    thread.states->prepare_merge();
  }
  for (std::size_t to = 0; to < threads.size(); ++to) {
    for (std::size_t from = to + 1; from < threads.size(); ++from) {
      merge_two(threads[to], threads[from], dead[to], dead[from]);
    }
  }
  std::vector<GroupPiece<std::uint64_t>> pieces(threads.size());
  for (std::size_t i = 0; i < threads.size(); ++i) {
    pieces[i].states = threads[i].states;
    Column<std::uint32_t>& groups = pieces[i].groups;
    groups.extend_unset(dead[i].size());
    std::size_t count = 0;
    for (std::uint32_t group = 0; group < dead[i].size(); ++group) {
      groups[count] = group;
      count += dead[i][group] ? 0 : 1;
    }
    groups.extend_unset(count);
  }
  return pieces;
}

}  // namespace presso::query::grouping
