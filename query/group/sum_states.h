// SPDX-License-Identifier: MIT
// Sums of some of the rows as bytes, which others add up to the sum of all rows with the same bits:
// how many values were added, and numbers whose exact sum is theirs. Doubles may need several: the
// sum rounded, what rounding left of it, and so on, until nothing is left.
//
//   varint   twice the count of numbers, 1 more for doubles
//   varint   how many values were added, nulls aside
//   numbers  16 bytes each (integers, decimals times 10^scale), or 8 (doubles)
//
// Varints have 7 bits a byte, the lowest first; numbers are little-endian.
// Tested by tests/unit/query/group/sum_states_test.cpp.
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
/// The same of doubles.
void append_state(const LongSum& sum, std::uint64_t values, std::vector<Byte>& to);
/// Of doubles among which there are NaNs or infinities: `special` is their sum.
void append_special_state(double special, std::uint64_t values, std::vector<Byte>& to);

/// A state's numbers, which stay in its bytes.
struct SumState {
  std::uint64_t values = 0;
  std::uint64_t numbers = 0;
  const Byte* first = nullptr;
};
/// Error: kInvalidArgument where the bytes are no state of such numbers, or not all of it.
Result<SumState> read_state(Bytes bytes, bool of_doubles);

/// States that were written, which several threads do at once.
class WrittenStates {
 public:
  /// Rows to[i] of the column get what `append(i, bytes)` appends.
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
