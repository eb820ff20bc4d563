// SPDX-License-Identifier: MIT
// Sums of some of the rows as bytes, which others can add up to the sum of all rows, with the same
// bits: the number of values, and numbers whose exact sum is that of the values. Doubles may need
// several numbers: the rounded sum, what rounding left of it, and so on until nothing is left.
//
//   varint   twice the count of numbers, 1 more for doubles
//   varint   the number of values that were added, without nulls
//   numbers  16 bytes each (integers, decimals times 10^scale), or 8 (doubles)
//
// Varints have 7 bits a byte, the lowest first; numbers are little-endian. Tested by
// tests/unit/query/group/sum_states_test.cpp; documented for users in docs/distributed.md.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "query/group/aggregate_state.h"
#include "query/group/long_sum.h"
#include "query/group/ratio.h"

namespace presso::query::grouping {

/// Appends the state of `values` integers or decimals with this sum.
void append_state(const WideSum& sum, std::uint64_t values, std::vector<Byte>& to);
/// Appends the state of `values` doubles with this sum.
void append_state(const LongSum& sum, std::uint64_t values, std::vector<Byte>& to);
/// Appends the state of doubles among which are NaNs or infinities; `special` is their sum.
void append_special_state(double special, std::uint64_t values, std::vector<Byte>& to);

/// A state that was parsed. Its numbers stay where they are.
struct SumState {
  std::uint64_t values = 0;
  std::uint64_t numbers = 0;
  const Byte* first = nullptr;
};
/// Parses a state; kInvalidArgument if the bytes are no complete state of such numbers.
Result<SumState> read_state(Bytes bytes, bool of_doubles);

/// Owns states that were written; several threads may write at once.
/// The mutex guards the arena only; states are made outside of it. It is held by pointer, because
/// aggregate states are moved.
class WrittenStates {
 public:
  /// Stores in row to[i] of the column what append(i, bytes) appends.
  template <class Append>
  void write(std::uint32_t count, const std::uint64_t* to, const ResultColumn& out,
             Append append) const {
    std::vector<Byte> bytes;
    std::vector<std::size_t> ends;
    for (std::uint32_t i = 0; i < count; ++i) {
      append(i, bytes);
      ends.push_back(bytes.size());
    }
    const std::lock_guard lock(*mutex_);
    for (std::size_t i = 0, first = 0; i < ends.size(); first = ends[i++]) {
      store(out.values + sizeof(StringRef) * to[i],
            arena_->add({bytes.data() + first, ends[i] - first}));
    }
  }
  std::shared_ptr<const StringArena> strings() const { return arena_; }

 private:
  std::shared_ptr<StringArena> arena_ = std::make_shared<StringArena>();
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

}  // namespace presso::query::grouping
