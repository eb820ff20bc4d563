// SPDX-License-Identifier: MIT
#include "query/join/key_partition.h"

#include <memory>

#include "query/group/kernels.h"
#include "query/order/parallel.h"
#include "query/values/hash.h"

namespace presso::query::join {
namespace {

constexpr std::size_t kBatch = 1024;
constexpr std::uint64_t kRowsForAThread = 16'384;

/// Collects tuples for each part, and writes them where the part goes on.
class CombiningWriter {
 public:
  CombiningWriter(std::size_t parts, std::uint64_t* next, Tuple* tuples)
      : waiting_(std::make_unique<Waiting[]>(parts)), parts_(parts), next_(next), tuples_(tuples) {}

  void add(std::size_t part, const Tuple& tuple) {
    Waiting& waiting = waiting_[part];
    waiting.tuples[waiting.count++] = tuple;
    if (waiting.count == kTuples) flush(part);
  }
  void finish() {
    for (std::size_t part = 0; part < parts_; ++part) flush(part);
  }

 private:
  /// With the count 16 tuples are 196 bytes; 15 make 3 cache lines.
  static constexpr std::uint32_t kTuples = 15;
  struct alignas(64) Waiting {
    Tuple tuples[kTuples];
    std::uint32_t count = 0;
  };

  void flush(std::size_t part) {
    Waiting& waiting = waiting_[part];
    if (waiting.count == kTuples) {
      std::memcpy(tuples_ + next_[part], waiting.tuples, sizeof(waiting.tuples));
    } else {
      std::copy(waiting.tuples, waiting.tuples + waiting.count, tuples_ + next_[part]);
    }
    next_[part] += waiting.count;
    waiting.count = 0;
  }

  std::unique_ptr<Waiting[]> waiting_;
  const std::size_t parts_;
  std::uint64_t* const next_;
  Tuple* const tuples_;
};

/// Calls take(part, key, row) for some rows with a key.
template <class Take>
void for_each_hashed(const BuildKeys& keys, std::uint64_t begin, std::uint64_t end, unsigned bits,
                     Take&& take) {
  const auto& kernels = grouping::kernels();
  std::uint64_t hashes[kBatch];
  for (std::uint64_t first = begin; first < end; first += kBatch) {
    const std::uint64_t last = std::min<std::uint64_t>(end, first + kBatch);
    kernels.hash_words(keys.keys.data() + first, static_cast<std::uint32_t>(last - first), hashes);
    for_each_key(keys, first, last, [&](std::uint64_t key, std::uint32_t row) {
      take(static_cast<std::size_t>(partition_of(hashes[row - first], bits)), key, row);
    });
  }
}

/// counts[chunk][part] become where that chunk's tuples of that part begin, by parts, then chunks.
/// Returns where parts begin.
std::vector<std::uint64_t> counts_to_begins(std::vector<std::vector<std::uint64_t>>& counts,
                                            std::size_t parts) {
  std::vector<std::uint64_t> begins(parts + 1);
  std::uint64_t next = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    begins[part] = next;
    for (std::vector<std::uint64_t>& chunk : counts) {
      const std::uint64_t count = chunk[part];
      chunk[part] = next;
      next += count;
    }
  }
  begins[parts] = next;
  return begins;
}

/// Of one part, into 2^more.
void split(const Tuple* from, std::uint64_t begin, std::uint64_t end, unsigned bits, unsigned more,
           std::uint64_t* begins, Tuple* to) {
  const std::uint64_t mask = (std::uint64_t{1} << more) - 1;
  const auto part_of_tuple = [&](const Tuple& tuple) {
    return static_cast<std::size_t>(partition_of(hash_word(key_of(tuple)), bits + more) & mask);
  };
  std::vector<std::uint64_t> next(mask + 2);
  for (std::uint64_t i = begin; i < end; ++i) ++next[part_of_tuple(from[i]) + 1];
  next[0] = begin;
  for (std::uint64_t part = 0; part <= mask; ++part) {
    next[part + 1] += next[part];
    begins[part] = next[part];
  }
  CombiningWriter writer(mask + 1, next.data(), to);
  for (std::uint64_t i = begin; i < end; ++i) writer.add(part_of_tuple(from[i]), from[i]);
  writer.finish();
}

}  // namespace

Result<std::vector<std::uint64_t>> partition_keys(const BuildKeys& keys, unsigned threads,
                                                  unsigned bits, Tuple* tuples) {
  const std::uint64_t rows = keys.keys.size();
  const std::size_t parts = std::size_t{1} << bits;
  const std::uint64_t chunks = std::min<std::uint64_t>(threads, rows / kRowsForAThread + 1);
  std::vector<std::vector<std::uint64_t>> counts(chunks, std::vector<std::uint64_t>(parts));
  const auto for_each_of_chunk = [&](std::size_t chunk, auto&& take) {
    for_each_hashed(keys, part_begin(rows, chunk, chunks), part_begin(rows, chunk + 1, chunks),
                    bits, take);
  };
  PRESSO_TRY(for_each_in_parallel(chunks, threads, [&](std::size_t chunk) {
    std::uint64_t* const count = counts[chunk].data();
    for_each_of_chunk(chunk,
                      [&](std::size_t part, std::uint64_t, std::uint32_t) { ++count[part]; });
    return Status();
  }));
  std::vector<std::uint64_t> begins = counts_to_begins(counts, parts);
  PRESSO_TRY(for_each_in_parallel(chunks, threads, [&](std::size_t chunk) {
    CombiningWriter writer(parts, counts[chunk].data(), tuples);
    for_each_of_chunk(chunk, [&](std::size_t part, std::uint64_t key, std::uint32_t row) {
      writer.add(part, make_tuple(key, row));
    });
    writer.finish();
    return Status();
  }));
  return begins;
}

Result<std::vector<std::uint64_t>> partition_again(const Tuple* from,
                                                   const std::vector<std::uint64_t>& begins,
                                                   unsigned threads, unsigned bits, unsigned more,
                                                   Tuple* to) {
  const std::size_t parts = begins.size() - 1;
  std::vector<std::uint64_t> result((parts << more) + 1);
  PRESSO_TRY(for_each_in_parallel(parts, threads, [&](std::size_t part) {
    split(from, begins[part], begins[part + 1], bits, more, result.data() + (part << more), to);
    return Status();
  }));
  result.back() = begins.back();
  return result;
}

}  // namespace presso::query::join
