// SPDX-License-Identifier: MIT
// The build side of a join in memory: an index that finds the rows with a given key. Keys are exact
// 64-bit words, any value of which is legal (keys that do not fit into a word get a number first:
// key_numbers.h); rows are numbers, of which there must be fewer than kMostBuildRows. Tables of
// files, types and expressions are unknown here. The GPU has its own tables (query/gpu/join).
//
// Whatever the strategy and the number of threads, the rows of a key come in ascending order, so
// that the answer of a join is always the same. A table is immutable once it is built; any number
// of threads may look keys up at once, each with a Found of its own.
//
// The memory that a table needs is known, buffer by buffer, before anything is allocated
// (predict(); G16 of docs/sources.md). Rates and bytes of every strategy are in NOTES.md. Tested by
// tests/unit/query/join/join_table_test.cpp.
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

/// A build side must have fewer rows than this, which is 2^32 - 2: row + 1 then fits into 32 bits,
/// so that 0 can mean that there is no row.
constexpr std::uint64_t kMostBuildRows = ~std::uint32_t{0} - std::uint64_t{1};

/// The keys of a build side, by row. Borrowed until the table is built; tables copy what they keep.
struct BuildKeys {
  std::span<const std::uint64_t> keys;
  /// a bit a row; rows with 0 have no key and match nothing; nullptr: all have a key
  const std::uint64_t* validity = nullptr;
};

/// Statistics of the keys of a build side. The choice of a strategy and its memory depend on
/// nothing else.
struct JoinKeyFacts {
  std::uint64_t rows = 0;  ///< of the build side
  std::uint64_t keys = 0;  ///< rows that have a key
  std::uint64_t least = 0;
  std::uint64_t greatest = 0;  ///< both 0 where there is no key
  bool ascending = false;      ///< no key is less than one before it
  bool unique = false;         ///< every key is known to occur once
};

/// How a table shall be built.
struct JoinTablePlan {
  JoinStrategy strategy = JoinStrategy::kAuto;
  unsigned threads = 1;
  std::uint64_t memory_bytes = ~std::uint64_t{0};
  /// For kAuto, called only if the answer decides: whether the keys that will be looked up ascend,
  /// each vector continuing where the last one ended. Empty: they do not.
  std::function<bool()> probes_ascend = {};
};

/// One piece of a table's memory, with the name that messages show.
struct JoinBuffer {
  const char* name = "";
  std::uint64_t bytes = 0;
  bool kept = true;  ///< false: only needed while the table is built
};

/// All memory of a table.
struct JoinMemory {
  std::vector<JoinBuffer> buffers;
  std::uint64_t needed() const;  ///< at the peak, while the table is built
  std::uint64_t kept() const;    ///< afterwards
  /// Returns a text for messages: "directory 16.8 MB, rows 18.0 MB, partitions 18.0 MB for
  /// building".
  std::string text() const;
};

/// The result of a look-up, with memory that is used again from call to call. Each thread has its
/// own.
struct Found {
  /// The rows of key i are the count[i] entries of `rows` from first[i] on; if `rows` is null, they
  /// are the numbers from first[i] on themselves. Where count[i] is 0, first[i] is arbitrary.
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> count;
  const std::uint32_t* rows = nullptr;
  std::uint64_t pairs = 0;  ///< sum of all counts

  /// Returns the k-th row of key number `key`.
  std::uint32_t row(std::size_t key, std::uint32_t k) const {
    const std::uint32_t at = first[key] + k;
    return rows == nullptr ? at : rows[at];
  }
};

/// An index from keys to rows, made by one of three strategies (presso/join_strategy.h): kMerge
/// searches keys that ascend already, kDirect is an array with a place for each key in a range, and
/// kUnchained is a hash table whose slots point to rows that lie together.
class JoinTable {
 public:
  /// Builds a table on plan.threads threads. Errors: kOutOfMemory, with all buffers in its text, if
  /// plan.memory_bytes do not suffice; kInvalidArgument if the keys do not allow the strategy
  /// (kMerge: they do not ascend), or there are kMostBuildRows rows or more.
  static Result<std::unique_ptr<JoinTable>> build(const JoinTablePlan& plan, const BuildKeys& keys);
  /// Returns the strategy that build() uses for such keys: the plan's or, for kAuto, the first that
  /// applies. kDirect, if keys are dense enough and the array fits into memory. kMerge, if the
  /// build keys ascend, it fits into memory, and either the probe keys ascend, too, or the hash
  /// table does not fit. Otherwise kUnchained, the hash table, even if it does not fit.
  static JoinStrategy choose(const JoinTablePlan& plan, const JoinKeyFacts& facts);
  /// Returns what build() will allocate; an upper bound if it is not known whether keys are unique.
  static JoinMemory predict(const JoinTablePlan& plan, const JoinKeyFacts& facts);

  virtual ~JoinTable() = default;
  JoinTable(const JoinTable&) = delete;
  JoinTable& operator=(const JoinTable&) = delete;

  /// Looks keys up; some ten thousand at once are best, as cache misses then overlap. `validity`:
  /// keys with a 0 bit find nothing; may be nullptr. Errors: kOutOfMemory.
  Status find(std::span<const std::uint64_t> keys, const std::uint64_t* validity,
              Found& found) const;

  /// That keys are unique is found out while a table is built.
  const JoinKeyFacts& facts() const { return facts_; }
  bool unique() const { return facts_.unique; }
  JoinStrategy strategy() const { return strategy_; }
  /// Returns the memory that the table takes: what predict(plan, facts()) calls kept.
  virtual std::uint64_t bytes() const = 0;
  /// Returns a text for --explain: "unchained, 2097152 slots, 1500000 rows, unique keys".
  std::string describe() const;

 protected:
  JoinTable(JoinStrategy strategy, const JoinKeyFacts& facts)
      : strategy_(strategy), facts_(facts) {}
  /// Looks all keys up: writes found.first and found.count, which have room for each key, and sets
  /// found.rows, which is null, if rows are not consecutive numbers.
  virtual void find_keys(std::span<const std::uint64_t> keys, Found& found) const = 0;
  /// The middle part of describe(), such as "2097152 slots"; may be empty.
  virtual std::string details() const = 0;
  virtual std::string_view name() const { return join_strategy_name(strategy_); }

  JoinStrategy strategy_;
  JoinKeyFacts facts_;
};

}  // namespace presso::query::join
