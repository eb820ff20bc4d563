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
constexpr std::size_t kParts = 16;
constexpr std::uint64_t kRowsForAThread = 16'384;

template <class Key>
class Builder {
 public:
  Builder(std::span<const Key> keys, const std::uint64_t* validity, unsigned threads,
          std::uint64_t memory_bytes, std::uint64_t* numbers,
          std::vector<grouping::KeyTable<Key>>& tables)
      : keys_(keys),
        validity_(validity),
        threads_(std::max(1u, threads)),
        numbers_(numbers),
        tables_(tables),
        budget_(memory_bytes) {}

  /// Writes where the numbers of parts begin.
  Status run(std::vector<std::uint64_t>& first) {
    PRESSO_TRY(budget_.check(column_bytes<std::uint64_t>(keys_.size())));
    hashes_.extend_unset(keys_.size());
    std::uint64_t hashes_bytes = 0;
    budget_.update(hashes_bytes, hashes_.bytes());
    PRESSO_TRY(for_each_range([&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t row = begin; row < end; ++row) {
        hashes_[row] = is_valid(row) ? grouping::hash_key(keys_[row]) : 0;
      }
    }));
    const std::size_t groups = std::min<std::size_t>(threads_, tables_.size());
    PRESSO_TRY(for_each_in_parallel(groups, threads_, [&](std::size_t i) {
      return number_parts(i * tables_.size() / groups, (i + 1) * tables_.size() / groups);
    }));
    for (std::size_t part = 0; part < tables_.size(); ++part) {
      first[part + 1] = first[part] + tables_[part].size();
    }
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
  };
  /// What a batch is looked up with.
  struct Batch {
    std::array<Key, kBatchRows> keys;
    std::array<std::uint64_t, kBatchRows> hashes;
    std::array<std::uint32_t, kBatchRows> ids;
    grouping::NewKeys added;
  };

  bool is_valid(std::uint64_t row) const { return has_bit(validity_, row); }
  std::size_t part_of_row(std::uint64_t row) const {
    return part_of(hashes_[row], static_cast<std::uint32_t>(tables_.size()));
  }

  template <class Work>
  Status for_each_range(const Work& work) {
    const std::uint64_t rows = keys_.size();
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
    for (std::uint64_t row = 0; row < keys_.size(); ++row) {
      const std::size_t part = part_of_row(row);
      if (part < begin || part >= end || !is_valid(row)) continue;
      Waiting& rows = waiting[part - begin];
      rows.rows[rows.count++] = row;
      if (rows.count == kBatchRows) PRESSO_TRY(number_batch(rows, tables_[part], *batch));
    }
    for (std::size_t part = begin; part < end; ++part) {
      PRESSO_TRY(number_batch(waiting[part - begin], tables_[part], *batch));
    }
    return {};
  }

  Status number_batch(Waiting& waiting, grouping::KeyTable<Key>& table, Batch& batch) {
    if (table.size() > grouping::KeyTable<Key>::kMostKeys) {
      return make_error(ErrorCode::kInvalidArgument, "a join has too many different keys");
    }
    PRESSO_TRY(budget_.check(table.growth_bytes(waiting.count)));
    table.reserve(waiting.count);
    for (std::uint32_t i = 0; i < waiting.count; ++i) {
      batch.keys[i] = keys_[waiting.rows[i]];
      batch.hashes[i] = hashes_[waiting.rows[i]];
    }
    table.find_or_add(batch.keys.data(), batch.hashes.data(), waiting.count, batch.ids.data(),
                      batch.added);
    for (std::uint32_t i = 0; i < waiting.count; ++i) numbers_[waiting.rows[i]] = batch.ids[i];
    waiting.count = 0;
    budget_.update(waiting.bytes, table.bytes());
    return budget_.check();
  }

  const std::span<const Key> keys_;
  const std::uint64_t* const validity_;
  const unsigned threads_;
  std::uint64_t* const numbers_;
  std::vector<grouping::KeyTable<Key>>& tables_;
  grouping::MemoryBudget budget_;
  Column<std::uint64_t> hashes_;
};

Error with_reason(Error error) {
  if (error.code == ErrorCode::kOutOfMemory && error.what.empty()) {
    error.what = "the different keys of a join take more memory than is allowed";
  }
  return error;
}

}  // namespace

template <class Key>
Result<std::unique_ptr<KeyNumbers<Key>>> KeyNumbers<Key>::build(std::span<const Key> keys,
                                                                const std::uint64_t* validity,
                                                                unsigned threads,
                                                                std::uint64_t memory_bytes,
                                                                std::uint64_t* numbers) {
  auto result = without_bad_alloc([&]() -> Result<std::unique_ptr<KeyNumbers>> {
    const std::size_t parts = keys.size() <= kRowsOfOnePart ? 1 : kParts;
    std::unique_ptr<KeyNumbers> made(new KeyNumbers(parts));
    PRESSO_TRY(Builder<Key>(keys, validity, threads, memory_bytes, numbers, made->parts_)
                   .run(made->first_));
    return made;
  });
  if (!result.ok()) return with_reason(std::move(result.error()));
  return result;
}

template <class Key>
void KeyNumbers<Key>::find(const Key* keys, std::uint32_t count, const std::uint64_t* validity,
                           std::uint64_t* numbers, std::uint64_t* bits) const {
  std::uint64_t hashes[kBatchRows];
  const auto parts = static_cast<std::uint32_t>(parts_.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    hashes[i] = has_bit(validity, i) ? grouping::hash_key(keys[i]) : 0;
    parts_[part_of(hashes[i], parts)].prefetch(hashes[i]);
  }
  std::fill_n(bits, (count + 63) / 64, std::uint64_t{0});
  for (std::uint32_t i = 0; i < count; ++i) {
    numbers[i] = 0;
    if (!has_bit(validity, i)) continue;
    const std::uint32_t part = part_of(hashes[i], parts);
    const std::uint32_t number = parts_[part].find(keys[i], hashes[i]);
    if (number == grouping::KeyTable<Key>::kAbsent) continue;
    numbers[i] = first_[part] + number;
    bits[i / 64] |= std::uint64_t{1} << (i % 64);
  }
}

template <class Key>
std::uint64_t KeyNumbers<Key>::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& table : parts_) sum += table.bytes();
  return sum;
}

template class KeyNumbers<grouping::WordPair>;
template class KeyNumbers<StringRef>;

}  // namespace presso::query::join
