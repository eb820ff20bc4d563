// SPDX-License-Identifier: MIT
// A condition on keys (Filter::kKeys) as the rows of a scan are asked it: whether another table has
// the row's key. What knows the other table's keys implements it (query/run/build_key_test.h).
#pragma once

#include <cstdint>
#include <memory>

#include "query/rows/slice_reader.h"

namespace presso::query {

/// One thread's memory for a test.
struct KeyTestState {
  virtual ~KeyTestState() = default;
};

class KeyTest {
 public:
  virtual ~KeyTest() = default;

  /// False where no row of these can have such a key, by what directories tell.
  virtual bool may_hold(const GroupReader& group, std::uint32_t first,
                        std::uint32_t rows) const = 0;
  virtual std::shared_ptr<KeyTestState> make_state() const = 0;
  /// Sets bit i of `found` (16 words, all written) where row i of the vector has such a key, or may
  /// have where the test is not exact. Rows without a bit in `alive` need not be looked at: their
  /// bits are anything. `state`: of make_state().
  virtual Status test(SliceReader& reader, std::uint32_t vector, const std::uint64_t* alive,
                      KeyTestState& state, std::uint64_t* found) const = 0;
};

}  // namespace presso::query
