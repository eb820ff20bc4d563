// SPDX-License-Identifier: MIT
// Implements key_partition.h, which divides (key, row) tuples by the hashes of their keys. Each
// thread has a chunk of the rows; prefix sums over (partition, chunk) say where its tuples of each
// partition go, which keeps the order of rows for any number of threads.
#include "query/join/key_partition.h"

#include <memory>

#include "format/cpu_loops.h"
#include "format/threads/parallel.h"
#include "query/group/kernels.h"
#include "query/join/combining_writer.h"
#include "query/values/hash.h"

namespace presso::query::join {
namespace {

constexpr std::size_t kBatch = 1024;
constexpr std::uint64_t kRowsForAThread = 16'384;

/// Calls take(partition, key, row) for the rows of a range that have a key; hashes are computed by
/// the vector kernels of query/group.
template <class Take>
void for_each_hashed(const BuildKeys& keys, std::uint64_t begin, std::uint64_t end, unsigned bits,
                     Take&& take) {
  const auto& kernels = loops_for<grouping::Kernels>();
  std::uint64_t hashes[kBatch];
  for (std::uint64_t first = begin; first < end; first += kBatch) {
    const std::uint64_t last = std::min<std::uint64_t>(end, first + kBatch);
    kernels.hash_words(keys.keys.data() + first, static_cast<std::uint32_t>(last - first), hashes);
    for_each_key(keys, first, last, [&](std::uint64_t key, std::uint32_t row) {
      take(static_cast<std::size_t>(partition_of(hashes[row - first], bits)), key, row);
    });
  }
}

/// Turns counts[chunk][partition] into the place where that chunk's tuples of that partition begin.
/// Returns where partitions begin.
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
  PRESSO_TRY(for_each_in_parallel(chunks, threads, [&](std::size_t chunk, unsigned) {
    std::uint64_t* const count = counts[chunk].data();
    for_each_of_chunk(chunk,
                      [&](std::size_t part, std::uint64_t, std::uint32_t) { ++count[part]; });
    return Status();
  }));
  std::vector<std::uint64_t> begins = counts_to_begins(counts, parts);
  PRESSO_TRY(for_each_in_parallel(chunks, threads, [&](std::size_t chunk, unsigned) {
    CombiningWriter writer(parts, counts[chunk].data(), tuples);
    for_each_of_chunk(chunk, [&](std::size_t part, std::uint64_t key, std::uint32_t row) {
      writer.add(part, make_tuple(key, row));
    });
    writer.finish();
    return Status();
  }));
  return begins;
}

}  // namespace presso::query::join
