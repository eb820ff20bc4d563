// SPDX-License-Identifier: MIT
// First all hashes, then a table for each part: a thread has some parts, walks over all hashes and
// collects the rows of each part until a batch of them can be looked up. At last the numbers of a
// part move behind those of the parts before it.
#include "scan/join/key_numbers.h"

#include <array>

#include "scan/group/memory_budget.h"
#include "scan/join/build_rows.h"
#include "scan/order/parallel.h"
#include "scan/values/hash.h"

namespace presso::query::join {
namespace {

constexpr std::uint64_t kRowsOfOnePart = 65'536;
constexpr std::uint64_t kManyRows = 500'000;
constexpr std::size_t kParts = 16;
constexpr std::size_t kMostParts = 64;  ///< so that tables of a million keys stay in the L2 cache
constexpr std::uint64_t kRowsForAThread = 16'384;

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

  /// Writes where the numbers of parts begin.
  Status run(std::vector<std::uint64_t>& first) {
    if (rows_.hashes == nullptr) PRESSO_TRY(make_hashes());
    const std::size_t groups = std::min<std::size_t>(threads_, tables_.size());
    PRESSO_TRY(for_each_in_parallel(groups, threads_, [&](std::size_t i) {
      return number_parts(i * tables_.size() / groups, (i + 1) * tables_.size() / groups);
    }));
    for (std::size_t part = 0; part < tables_.size(); ++part) {
      first[part + 1] = first[part] + tables_[part].size();
    }
    if (numbers_ == nullptr) return {};
    return for_each_range([&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t row = begin; row < end; ++row) {
        numbers_[row] = is_valid(row) ? numbers_[row] + first[part_of_row(row)] : 0;
      }
    });
  }

 private:
  struct Waiting {
    std::array<std::uint64_t, kBatchRows> rows;
    std::uint32_t count = 0;
    std::uint64_t bytes = 0;  ///< of the part's table, as counted
    std::uint64_t all = 0;    ///< rows of the part
    std::uint64_t done = 0;
  };
  /// What a batch is looked up with.
  struct Batch {
    std::array<Key, kBatchRows> keys;
    std::array<std::uint64_t, kBatchRows> hashes;
    std::array<std::uint32_t, kBatchRows> ids;
    grouping::NewKeys added;
  };

  Status make_hashes() {
    PRESSO_TRY(budget_.check(column_bytes<std::uint64_t>(rows_.keys.size())));
    hashes_.extend_unset(rows_.keys.size());
    std::uint64_t hashes_bytes = 0;
    budget_.update(hashes_bytes, hashes_.bytes());
    rows_.hashes = hashes_.data();
    return for_each_range([&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t row = begin; row < end; ++row) {
        hashes_[row] = is_valid(row) ? grouping::hash_key(rows_.keys[row]) : 0;
      }
    });
  }

  bool is_valid(std::uint64_t row) const { return has_bit(rows_.validity, row); }
  std::size_t part_of_row(std::uint64_t row) const {
    return part_of(rows_.hashes[row], static_cast<std::uint32_t>(tables_.size()));
  }

  template <class Work>
  Status for_each_range(const Work& work) {
    const std::uint64_t rows = rows_.keys.size();
    const std::uint64_t ranges = std::min<std::uint64_t>(threads_, rows / kRowsForAThread + 1);
    return for_each_in_parallel(static_cast<std::size_t>(ranges), threads_, [&](std::size_t i) {
      work(part_begin(rows, i, ranges), part_begin(rows, i + 1, ranges));
      return Status();
    });
  }

  /// The rows of parts `begin` to before `end`.
  Status number_parts(std::size_t begin, std::size_t end) {
    std::vector<Waiting> waiting(end - begin);
    const auto batch = std::make_unique<Batch>();
    const auto for_each_row = [&](auto&& take) -> Status {
      for (std::uint64_t row = 0; row < rows_.keys.size(); ++row) {
        const std::size_t part = part_of_row(row);
        if (part < begin || part >= end || !is_valid(row)) continue;
        PRESSO_TRY(take(part, row));
      }
      return {};
    };
    PRESSO_TRY(for_each_row([&](std::size_t part, std::uint64_t) -> Status {
      ++waiting[part - begin].all;
      return {};
    }));
    PRESSO_TRY(for_each_row([&](std::size_t part, std::uint64_t row) -> Status {
      Waiting& rows = waiting[part - begin];
      rows.rows[rows.count++] = row;
      return rows.count < kBatchRows ? Status{} : number_batch(rows, tables_[part], *batch);
    }));
    for (std::size_t part = begin; part < end; ++part) {
      PRESSO_TRY(number_batch(waiting[part - begin], tables_[part], *batch));
    }
    return {};
  }

  /// Room for a batch; and for all that are likely to come, by how many of the rows so far had a
  /// key of their own, as tables that grow step by step move all their keys each time.
  Status make_room(const Waiting& waiting, grouping::KeyTable<Key>& table) {
    std::uint64_t more = waiting.count;
    if (waiting.done > 0) {
      const std::uint64_t left = waiting.all - waiting.done;
      more = std::max<std::uint64_t>(more, left * table.size() / waiting.done);
    }
    const bool fits = more < grouping::KeyTable<Key>::kMostKeys - table.size() &&
                      budget_.check(table.growth_bytes(static_cast<std::uint32_t>(more))).ok();
    if (!fits) more = waiting.count;
    PRESSO_TRY(budget_.check(table.growth_bytes(static_cast<std::uint32_t>(more))));
    table.reserve(static_cast<std::uint32_t>(more));
    return {};
  }

  Status number_batch(Waiting& waiting, grouping::KeyTable<Key>& table, Batch& batch) {
    if (table.size() > grouping::KeyTable<Key>::kMostKeys) {
      return make_error(ErrorCode::kInvalidArgument, "a join has too many different keys");
    }
    PRESSO_TRY(make_room(waiting, table));
    for (std::uint32_t i = 0; i < waiting.count; ++i) {
      batch.keys[i] = rows_.keys[waiting.rows[i]];
      batch.hashes[i] = rows_.hashes[waiting.rows[i]];
    }
    table.find_or_add(batch.keys.data(), batch.hashes.data(), waiting.count, batch.ids.data(),
                      batch.added);
    for (std::uint32_t i = 0; numbers_ != nullptr && i < waiting.count; ++i) {
      numbers_[waiting.rows[i]] = batch.ids[i];
    }
    waiting.done += waiting.count;
    waiting.count = 0;
    budget_.update(waiting.bytes, table.bytes());
    return budget_.check();
  }

  Rows rows_;
  const unsigned threads_;
  std::uint64_t* const numbers_;
  std::vector<grouping::KeyTable<Key>>& tables_;
  grouping::MemoryBudget budget_;
  Column<std::uint64_t> hashes_;  ///< where the caller has none
};

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

namespace {

void prefetch_bytes(const grouping::WordPair&) {}
void prefetch_bytes(const StringRef& key) {
  __builtin_prefetch(key.data);
}

}  // namespace

/// Slots, keys and their bytes each are a walk over all keys, so that their memory comes at once.
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
