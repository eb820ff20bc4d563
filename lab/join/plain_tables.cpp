// SPDX-License-Identifier: MIT
// kNestedLoop and kSortMerge (G20): as plain as joins can be, to compare the others with.
#include "lab/join/collected_rows.h"
#include "lab/join/strategies.h"

namespace presso::query::join::lab {
namespace {

/// The keys of the build side with their rows, in the order of the rows.
struct KeptKeys {
  KeptKeys() = default;
  explicit KeptKeys(const LabInput& input) {
    keys.extend_unset(static_cast<std::size_t>(input.facts.keys));
    rows.extend_unset(static_cast<std::size_t>(input.facts.keys));
    std::size_t next = 0;
    for_each_key(input.keys, 0, input.rows(), [&](std::uint64_t key, std::uint32_t row) {
      keys[next] = key;
      rows[next++] = row;
    });
  }
  std::size_t size() const { return keys.size(); }
  std::uint64_t bytes() const { return keys.bytes() + rows.bytes(); }

  Column<std::uint64_t> keys;
  Column<std::uint32_t> rows;
};

JoinMemory memory_of(const JoinKeyFacts& facts) {
  return JoinMemory{{{"keys", column_bytes<std::uint64_t>(facts.keys)},
                     {"rows", column_bytes<std::uint32_t>(facts.keys)}}};
}

class NestedLoopTable final : public LabTable {
 public:
  explicit NestedLoopTable(const LabInput& input)
      : LabTable(Strategy::kNestedLoop, input.facts), kept_(input) {}
  std::uint64_t bytes() const override { return kept_.bytes(); }

 protected:
  void find_keys(std::span<const std::uint64_t> keys, Found& found) const override {
    CollectedRows collected(found, keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
      found.count[i] = 0;
      std::size_t k = 0;
      while (k < kept_.size() && kept_.keys[k] != keys[i]) ++k;
      if (k == kept_.size()) continue;
      const auto append = [&](std::vector<std::uint32_t>& rows) {
        for (; k < kept_.size(); ++k) {
          if (kept_.keys[k] == keys[i]) rows.push_back(kept_.rows[k]);
        }
      };
      collected.add(kept_.rows[k], append, found.first[i], found.count[i]);
    }
    collected.finish();
  }
  std::string details() const override { return {}; }

 private:
  const KeptKeys kept_;
};

class SortMergeTable final : public LabTable {
 public:
  /// Order of keys, then rows.
  explicit SortMergeTable(const LabInput& input)
      : LabTable(Strategy::kSortMerge, input.facts), kept_(input) {
    Column<std::uint32_t> order;
    order.extend_unset(kept_.size());
    for (std::uint32_t i = 0; i < kept_.size(); ++i) order[i] = i;
    const std::uint64_t* const keys = kept_.keys.data();
    std::sort(order.data(), order.data() + order.size(), [&](std::uint32_t a, std::uint32_t b) {
      return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
    });
    sort_by(order);
  }
  std::uint64_t bytes() const override { return kept_.bytes(); }

 protected:
  void find_keys(std::span<const std::uint64_t> keys, Found& any) const override {
    LabFound& found = static_cast<LabFound&>(any);
    found.numbers.resize(keys.size());
    for (std::uint32_t i = 0; i < keys.size(); ++i) found.numbers[i] = i;
    std::sort(found.numbers.begin(), found.numbers.end(),
              [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    std::size_t begin = 0, end = 0;  // of the rows of the last key
    for (const std::uint32_t i : found.numbers) {
      if (begin == end || kept_.keys[begin] != keys[i]) {
        begin = end;
        while (begin < kept_.size() && kept_.keys[begin] < keys[i]) ++begin;
        end = begin;
        while (end < kept_.size() && kept_.keys[end] == keys[i]) ++end;
      }
      found.first[i] = static_cast<std::uint32_t>(begin);
      found.count[i] = static_cast<std::uint32_t>(end - begin);
    }
    found.rows = kept_.rows.data();
  }
  std::string details() const override { return {}; }

 private:
  /// Brings keys and rows into `order`, and finds out whether keys are unique.
  void sort_by(const Column<std::uint32_t>& order) {
    KeptKeys sorted;
    sorted.keys.extend_unset(order.size());
    sorted.rows.extend_unset(order.size());
    facts_.unique = true;
    for (std::size_t i = 0; i < order.size(); ++i) {
      sorted.keys[i] = kept_.keys[order[i]];
      sorted.rows[i] = kept_.rows[order[i]];
      facts_.unique = facts_.unique && (i == 0 || sorted.keys[i - 1] != sorted.keys[i]);
    }
    kept_ = std::move(sorted);
  }

  KeptKeys kept_;
};

}  // namespace

BuildResult build_nested_loop(const LabInput& input) {
  PRESSO_TRY(check_memory(input.plan, predict_nested_loop(input.plan, input.facts)));
  return std::unique_ptr<JoinTable>(std::make_unique<NestedLoopTable>(input));
}

JoinMemory predict_nested_loop(const Plan&, const JoinKeyFacts& facts) {
  return memory_of(facts);
}

BuildResult build_sort_merge(const LabInput& input) {
  PRESSO_TRY(check_memory(input.plan, predict_sort_merge(input.plan, input.facts)));
  return std::unique_ptr<JoinTable>(std::make_unique<SortMergeTable>(input));
}

JoinMemory predict_sort_merge(const Plan&, const JoinKeyFacts& facts) {
  JoinMemory memory = memory_of(facts);
  memory.buffers.push_back({"order", column_bytes<std::uint32_t>(facts.keys), false});
  memory.buffers.push_back({"sorted keys", column_bytes<std::uint64_t>(facts.keys), false});
  memory.buffers.push_back({"sorted rows", column_bytes<std::uint32_t>(facts.keys), false});
  return memory;
}

}  // namespace presso::query::join::lab
