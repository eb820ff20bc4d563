// SPDX-License-Identifier: MIT
// Writes tuples to many partitions in turn: tuples wait until there are enough for one partition to
// be written together (software write-combining, Balkesen et al. 2013; key_partition.h says why).
// Takes 192 bytes for each partition. Tested by tests/unit/query/join/key_partition_test.cpp.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "query/join/tuple.h"

namespace presso::query::join {

/// Gathers tuples for each partition and writes them in pieces of kTuples. `next` holds, for each
/// partition, where the next tuple goes; it is advanced.
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
  /// 15 tuples and the count are 184 bytes and fit into three cache lines; 16 would not.
  static constexpr std::uint32_t kTuples = 15;
  struct alignas(64) Waiting {
    Tuple tuples[kTuples];
    std::uint32_t count = 0;
  };

  /// A full piece is copied with a size that the compiler knows.
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

}  // namespace presso::query::join
