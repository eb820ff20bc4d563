// SPDX-License-Identifier: MIT
// Implements key_numbers.h, numbers for keys that do not fit into a word, in three passes: hash all
// keys; divide the rows into parts by hash, so that one thread fills each part's table and the
// table stays in its cache; number the keys of each part. Finally each part's numbers are raised by
// the number of keys in the parts before it. Memory: 8 bytes a row for hashes (if the caller has
// none) and 4 for the divided rows, besides the tables.
#include "query/join/key_numbers.h"

#include <array>
#include <utility>

#include "format/threads/memory_budget.h"
#include "format/threads/parallel.h"
#include "query/join/build_rows.h"
#include "query/values/hash.h"

namespace presso::query::join {
namespace {

// The number of parts grows in steps with the rows, so that it does not depend on the threads.
constexpr std::uint64_t kRowsOfOnePart = 65'536;
constexpr std::uint64_t kManyRows = 500'000;
constexpr std::size_t kParts = 16;
constexpr std::size_t kMostParts = 64;  ///< so that tables of a million keys stay in the L2 cache
constexpr std::uint64_t kRowsForAThread = 16'384;

/// Asks for the bytes of a key; pairs of words have none elsewhere.
void prefetch_bytes(const grouping::WordPair&) {}
void prefetch_bytes(const StringRef& key) {
  __builtin_prefetch(key.data);
}

/// Numbers the keys of one build side. Lives for the duration of build().
template <class Key>
class Builder {
 public:
  using Rows = typename KeyNumbers<Key>::Rows;

  Builder(const Rows& rows, unsigned threads, std::uint64_t memory_bytes, std::uint64_t* numbers,
          std::vector<grouping::KeyTable<Key>>& tables)
      : rows_(rows),
        threads_(std::max(1u, threads)),
        numbers_(numbers),
        tables_(tables),
        budget_(memory_bytes) {}

  /// Does all passes and writes where the numbers of each part begin.
  Status run(std::vector<std::uint64_t>& first) {
    if (rows_.hashes == nullptr) PRESSO_TRY(make_hashes());
    PRESSO_TRY(deal_out());
    PRESSO_TRY(for_each_in_parallel(tables_.size(), threads_,
                                    [&](std::size_t part, unsigned) { return number_part(part); }));
    for (std::size_t part = 0; part < tables_.size(); ++part) {
      first[part + 1] = first[part] + tables_[part].size();
    }
    if (numbers_ == nullptr) return {};
    return for_each_range([&](std::uint64_t begin, std::uint64_t end, std::size_t) {
      for (std::uint64_t row = begin; row < end; ++row) {
        numbers_[row] = is_valid(row) ? numbers_[row] + first[part_of_row(row)] : 0;
      }
    });
  }

 private:
  /// Scratch for looking up a batch; too large for the stack.
  struct Batch {
    std::array<Key, kBatchRows> keys;
    std::array<std::uint64_t, kBatchRows> hashes;
    std::array<std::uint32_t, kBatchRows> ids;
    grouping::NewKeys added;
  };

  /// Rows without a key get hash 0, which is never used.
  Status make_hashes() {
    std::uint64_t hashes_bytes = 0;
    PRESSO_TRY(budget_.reserve(hashes_bytes, column_bytes<std::uint64_t>(rows_.keys.size())));
    hashes_.extend_unset(rows_.keys.size());
    budget_.update(hashes_bytes, hashes_.bytes());
    rows_.hashes = hashes_.data();
    return for_each_range([&](std::uint64_t begin, std::uint64_t end, std::size_t) {
      for (std::uint64_t row = begin; row < end; ++row) {
        hashes_[row] = is_valid(row) ? grouping::hash_key(rows_.keys[row]) : 0;
      }
    });
  }

  bool is_valid(std::uint64_t row) const { return has_bit(rows_.validity, row); }
  std::size_t part_of_row(std::uint64_t row) const {
    return part_of(rows_.hashes[row], static_cast<std::uint32_t>(tables_.size()));
  }

  /// Calls work(begin, end, number of the range) for ranges of rows, one for each thread at most.
  template <class Work>
  Status for_each_range(const Work& work) {
    const std::uint64_t rows = rows_.keys.size();
    const std::uint64_t ranges = ranges_of(rows);
    return for_each_in_parallel(
        static_cast<std::size_t>(ranges), threads_, [&](std::size_t i, unsigned) {
          work(part_begin(rows, i, ranges), part_begin(rows, i + 1, ranges), i);
          return Status();
        });
  }
  std::uint64_t ranges_of(std::uint64_t rows) const {
    return std::min<std::uint64_t>(threads_, rows / kRowsForAThread + 1);
  }

  /// Calls take(row, part) for the rows of a range that have a key.
  template <class Take>
  void for_each_valid(std::uint64_t begin, std::uint64_t end, const Take& take) const {
    for (std::uint64_t row = begin; row < end; ++row) {
      if (is_valid(row)) take(row, part_of_row(row));
    }
  }

  /// Divides the rows with a key into parts, keeping their order: each range of rows is counted
  /// first, prefix sums say where its rows go, and then it writes them. Ranges and parts never
  /// write to one place.
  Status deal_out() {
    std::uint64_t dealt_bytes = 0;
    PRESSO_TRY(budget_.reserve(dealt_bytes, column_bytes<std::uint32_t>(rows_.keys.size())));
    dealt_.extend_unset(rows_.keys.size());
    budget_.update(dealt_bytes, dealt_.bytes());
    const std::size_t parts = tables_.size();
    const auto ranges = static_cast<std::size_t>(ranges_of(rows_.keys.size()));
    std::vector<std::vector<std::uint64_t>> at(ranges, std::vector<std::uint64_t>(parts));
    PRESSO_TRY(for_each_range([&](std::uint64_t begin, std::uint64_t end, std::size_t range) {
      std::uint64_t* const counts = at[range].data();
      for_each_valid(begin, end, [&](std::uint64_t, std::size_t part) { ++counts[part]; });
    }));
    std::uint64_t next = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      begins_.push_back(next);
      for (std::size_t range = 0; range < ranges; ++range) {
        next += std::exchange(at[range][part], next);
      }
    }
    begins_.push_back(next);
    return for_each_range([&](std::uint64_t begin, std::uint64_t end, std::size_t range) {
      std::uint64_t* const places = at[range].data();
      for_each_valid(begin, end, [&](std::uint64_t row, std::size_t part) {
        dealt_[static_cast<std::size_t>(places[part]++)] = static_cast<std::uint32_t>(row);
      });
    });
  }

  /// Numbers the keys of one part, batch by batch.
  Status number_part(std::size_t part) {
    const auto batch = std::make_unique<Batch>();
    std::uint64_t bytes = 0;  // of its table, as counted
    for (std::uint64_t at = begins_[part]; at < begins_[part + 1]; at += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(kBatchRows, begins_[part + 1] - at));
      PRESSO_TRY(make_room(part, at, count, bytes));
      number_batch(dealt_.data() + at, count, tables_[part], *batch);
      budget_.update(bytes, tables_[part].bytes());
      PRESSO_TRY(budget_.check());
    }
    return {};
  }

  /// Makes room for a batch. If memory allows, it also makes room for all keys that are likely to
  /// come, extrapolated from the rows so far: tables that grow step by step would move their keys
  /// each time.
  Status make_room(std::size_t part, std::uint64_t at, std::uint32_t count, std::uint64_t& bytes) {
    grouping::KeyTable<Key>& table = tables_[part];
    if (table.size() > grouping::KeyTable<Key>::kMostKeys) {
      return make_error(ErrorCode::kInvalidArgument, "a join has too many different keys");
    }
    const std::uint64_t done = at - begins_[part], left = begins_[part + 1] - at;
    const std::uint64_t likely = done == 0 ? 0 : left * table.size() / done;
    auto more = std::max(count, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                    likely, grouping::KeyTable<Key>::kMostKeys - table.size())));
    PRESSO_TRY(budget_.reserve(bytes, table.growth_bytes(count)));
    const std::uint64_t beyond = table.slot_growth_bytes(more) - table.slot_growth_bytes(count);
    if (!budget_.reserve(bytes, beyond).ok()) more = count;
    table.reserve(more);
    return {};
  }

  /// Goes over the batch several times, each time prefetching what the next pass compares, because
  /// a key that occurred before may have its bytes anywhere in memory.
  void number_batch(const std::uint32_t* rows, std::uint32_t count, grouping::KeyTable<Key>& table,
                    Batch& batch) {
    for (std::uint32_t i = 0; i < count; ++i) {
      batch.keys[i] = rows_.keys[rows[i]];
      batch.hashes[i] = rows_.hashes[rows[i]];
      table.prefetch(batch.hashes[i]);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      batch.ids[i] = table.candidate(batch.keys[i], batch.hashes[i]);
      if (batch.ids[i] != kAbsent) __builtin_prefetch(table.keys() + batch.ids[i]);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (batch.ids[i] == kAbsent) continue;
      prefetch_bytes(table.keys()[batch.ids[i]]);
      prefetch_bytes(batch.keys[i]);
    }
    table.find_or_add(batch.keys.data(), batch.hashes.data(), count, batch.ids.data(), batch.added);
    for (std::uint32_t i = 0; numbers_ != nullptr && i < count; ++i)
      numbers_[rows[i]] = batch.ids[i];
  }

  static constexpr std::uint32_t kAbsent = grouping::KeyTable<Key>::kAbsent;

  Rows rows_;
  const unsigned threads_;
  std::uint64_t* const numbers_;
  std::vector<grouping::KeyTable<Key>>& tables_;
  MemoryBudget budget_;
  Column<std::uint64_t> hashes_;       ///< where the caller has none
  Column<std::uint32_t> dealt_;        ///< rows, part by part
  std::vector<std::uint64_t> begins_;  ///< where each part begins in dealt_
};

/// Gives an out-of-memory error that has no text one that names the cause.
Error with_reason(Error error) {
  if (error.code == ErrorCode::kOutOfMemory && error.what.empty()) {
    error.what = "the different keys of a join take more memory than is allowed";
  }
  return error;
}

}  // namespace

template <class Key>
Result<std::unique_ptr<KeyNumbers<Key>>> KeyNumbers<Key>::build(const Rows& rows, unsigned threads,
                                                                std::uint64_t memory_bytes,
                                                                std::uint64_t* numbers) {
  auto result = without_bad_alloc([&]() -> Result<std::unique_ptr<KeyNumbers>> {
    const std::size_t count = rows.keys.size();
    const std::size_t parts = count <= kRowsOfOnePart ? 1 : count < kManyRows ? kParts : kMostParts;
    std::unique_ptr<KeyNumbers> made(new KeyNumbers(parts));
    for (auto& table : made->parts_) {
      if (rows.bytes != nullptr) table.borrow_bytes();
    }
    PRESSO_TRY(Builder<Key>(rows, threads, memory_bytes, numbers, made->parts_).run(made->first_));
    if (rows.bytes == nullptr) return made;
    if (made->size() >= count / 2) {
      made->bytes_ = rows.bytes;
      made->bytes_size_ = rows.bytes_size;
    } else {
      for (auto& table : made->parts_) table.own_bytes();
    }
    return made;
  });
  if (!result.ok()) return with_reason(std::move(result.error()));
  return result;
}

/// Slots, keys and bytes are each prefetched for the whole batch before they are read, so that the
/// cache misses of a batch overlap.
template <class Key>
void KeyNumbers<Key>::find(const Key* keys, std::uint32_t count, const std::uint64_t* validity,
                           std::uint64_t* numbers, std::uint64_t* bits) const {
  constexpr std::uint32_t kAbsent = grouping::KeyTable<Key>::kAbsent;
  std::uint64_t hashes[kBatchRows];
  std::uint32_t found[kBatchRows];
  const auto parts = static_cast<std::uint32_t>(parts_.size());
  const auto part_with = [&](std::uint32_t i) { return part_of(hashes[i], parts); };
  for (std::uint32_t i = 0; i < count; ++i) {
    hashes[i] = has_bit(validity, i) ? grouping::hash_key(keys[i]) : 0;
    parts_[part_with(i)].prefetch(hashes[i]);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& table = parts_[part_with(i)];
    found[i] = has_bit(validity, i) ? table.candidate(keys[i], hashes[i]) : kAbsent;
    if (found[i] != kAbsent) __builtin_prefetch(table.keys() + found[i]);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (found[i] != kAbsent) prefetch_bytes(parts_[part_with(i)].keys()[found[i]]);
  }
  std::fill_n(bits, (count + 63) / 64, std::uint64_t{0});
  for (std::uint32_t i = 0; i < count; ++i) {
    numbers[i] = 0;
    if (found[i] == kAbsent) continue;
    const std::uint32_t part = part_with(i);
    if (!(parts_[part].keys()[found[i]] == keys[i])) {
      found[i] = parts_[part].find(keys[i], hashes[i]);
      if (found[i] == kAbsent) continue;
    }
    numbers[i] = first_[part] + found[i];
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

template <class Key>
std::uint64_t KeyNumbers<Key>::bytes() const {
  std::uint64_t sum = bytes_size_;
  for (const auto& table : parts_) sum += table.bytes();
  return sum;
}

template class KeyNumbers<grouping::WordPair>;
template class KeyNumbers<StringRef>;

}  // namespace presso::query::join
