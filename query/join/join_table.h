// SPDX-License-Identifier: MIT
// The build side of a join in memory: which of its rows have a key. Keys are exact 64-bit words,
// each of which is legal (what does not fit into a word gets a number first: key_numbers.h), rows
// are numbers below 2^32 - 1. Tables and expressions are not known here.
//
// Whatever the strategy and the number of threads, the rows of a key come in ascending order, so
// that the answer of a join is always the same one. A table does not change when it is built; any
// number of threads look keys up at once, each with a Found of its own.
//
// What a table needs is known, buffer by buffer, before anything is allocated (G16): predict().
// Tested by tests/unit/query/join/join_table_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "presso/join_strategy.h"

namespace presso::query::join {

/// Rows are below this.
constexpr std::uint64_t kMostBuildRows = ~std::uint32_t{0} - std::uint64_t{1};

/// Keys by row, borrowed until the table is built.
struct BuildKeys {
  std::span<const std::uint64_t> keys;
  const std::uint64_t* validity = nullptr;  ///< rows without a bit match nothing; nullptr: all have
};

/// What memory depends on.
struct JoinKeyFacts {
  std::uint64_t rows = 0;  ///< of the build side
  std::uint64_t keys = 0;  ///< rows that have a key
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;  ///< both 0 where there is no key
  bool ascending = false;      ///< no key is less than one before it
  bool unique = false;         ///< every key is known to occur once
};

struct JoinTablePlan {
  JoinStrategy strategy = JoinStrategy::kAuto;
  unsigned threads = 1;
  std::uint64_t memory_bytes = ~std::uint64_t{0};
  /// For kAuto, asked only where it decides: whether keys that are looked up ascend, each vector
  /// going on where the last one ended. Nothing: they do not.
  std::function<bool()> probes_ascend = {};
};

struct JoinBuffer {
  const char* name = "";
  std::uint64_t bytes = 0;
  bool kept = true;  ///< else it is dropped when the table is built
};

struct JoinMemory {
  std::vector<JoinBuffer> buffers;
  std::uint64_t needed() const;  ///< while it is built
  std::uint64_t kept() const;
  /// "directory 16.8 MB, rows 18.0 MB, partitions 18.0 MB for building"
  std::string text() const;
};

/// What find() found, and its memory.
struct Found {
  /// For each key that was looked up: its rows are count[i] from first[i] on, in `rows`, or where
  /// that is null are those numbers themselves. first[i] is anything where count[i] is 0.
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> count;
  const std::uint32_t* rows = nullptr;
  std::uint64_t pairs = 0;  ///< sum of the counts

  std::uint32_t row(std::size_t key, std::uint32_t k) const {
    const std::uint32_t at = first[key] + k;
    return rows == nullptr ? at : rows[at];
  }
};

class JoinTable {
 public:
  /// kOutOfMemory, with all buffers in its text, where memory_bytes do not suffice;
  /// kInvalidArgument where the keys do not allow the strategy (kMerge: they do not ascend), or
  /// there are kMostBuildRows or more.
  static Result<std::unique_ptr<JoinTable>> build(const JoinTablePlan& plan, const BuildKeys& keys);
  /// The strategy that build() takes for such keys.
  static JoinStrategy choose(const JoinTablePlan& plan, const JoinKeyFacts& facts);
  /// What build() is going to allocate. Where it is not known that keys are unique: at most.
  static JoinMemory predict(const JoinTablePlan& plan, const JoinKeyFacts& facts);

  virtual ~JoinTable() = default;
  JoinTable(const JoinTable&) = delete;
  JoinTable& operator=(const JoinTable&) = delete;

  /// Looks keys up, best some ten thousand at once. `validity`: keys without a bit find nothing.
  Status find(std::span<const std::uint64_t> keys, const std::uint64_t* validity,
              Found& found) const;

  /// That keys are unique is found out while a table is built.
  const JoinKeyFacts& facts() const { return facts_; }
  bool unique() const { return facts_.unique; }
  JoinStrategy strategy() const { return strategy_; }
  /// Of memory; what predict(plan, facts()) calls kept.
  virtual std::uint64_t bytes() const = 0;
  /// "unchained, 2097152 slots, 1500000 rows, unique keys", for --explain.
  std::string describe() const;

 protected:
  JoinTable(JoinStrategy strategy, const JoinKeyFacts& facts)
      : strategy_(strategy), facts_(facts) {}
  /// Writes found.first, .count (which have room) and .rows (which is null), for all keys.
  virtual void find_keys(std::span<const std::uint64_t> keys, Found& found) const = 0;
  virtual std::string details() const = 0;
  virtual std::string_view name() const { return join_strategy_name(strategy_); }

  JoinStrategy strategy_;
  JoinKeyFacts facts_;
};

}  // namespace presso::query::join
