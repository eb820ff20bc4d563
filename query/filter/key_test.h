// SPDX-License-Identifier: MIT
// Interface of a condition on join keys (Filter::kKeys): whether another table has the key of a
// row. A join uses it to drop rows of one side while that side is scanned, before they reach the
// join. The scan knows this interface only; query/run/build_key_test.h implements it over the keys
// of a build side.
//
// Tests may be inexact in one direction: they may let a row pass that has no partner, but never
// drop one that has. Tested by tests/unit/query/run/join_scan_test.cpp.
#pragma once

#include <cstdint>
#include <memory>

#include "query/rows/slice_reader.h"

namespace presso::query {

/// Scratch memory of a test; each thread has one of its own.
struct KeyTestState {
  virtual ~KeyTestState() = default;
};

/// Immutable once the scan has begun, and shared by all of its threads.
class KeyTest {
 public:
  virtual ~KeyTest() = default;

  /// Returns false if no row of [first, first + rows) can have such a key, by zones of the
  /// directory alone.
  virtual bool may_hold(const GroupReader& group, std::uint32_t first,
                        std::uint32_t rows) const = 0;
  /// Makes the scratch memory for one thread.
  virtual std::shared_ptr<KeyTestState> make_state() const = 0;
  /// Sets bit i of `found` (16 words, all written) if row i of the vector has such a key, or may
  /// have one where the test is inexact. Rows without a bit in `alive` need not be looked at; their
  /// bits are undefined. `state` comes from make_state() of this object. Errors: those of reading
  /// the key's columns.
  virtual Status test(SliceReader& reader, std::uint32_t vector, const std::uint64_t* alive,
                      KeyTestState& state, std::uint64_t* found) const = 0;
};

}  // namespace presso::query
