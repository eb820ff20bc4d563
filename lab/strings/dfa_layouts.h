// SPDX-License-Identifier: MIT
// Small tables for automata with many states: rows that store only what differs from a default.
// Sources: L7, in the forms of generated scanners: state 0 is the error, accepting states come
// last, equal targets are shared through one more indirection.
//   flat:  a row has an entry for each byte of [low, high], and a default for all others;
//   table: a row has entries for single bytes and for ranges, both sorted and searched binarily.
// Flat views for CPU and GPU; bytes are unsigned.
//
// The error's row is not stored: it has no columns, and its default is whatever entry comes first.
// So the error is not absorbing, and a reader must leave when it reaches it; only where no
// transition leads to it (can_fail is false) may the test be left out.
// Tested by lab/tests/dfa_layouts_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "format/host_device.h"
#include "presso/error.h"
#include "scan/automaton/dfa.h"

namespace presso::strings {

using scan_detail::Dfa;

/// What both layouts know of their states.
struct LayoutStates {
  static constexpr std::uint32_t kError = 0;

  std::uint32_t start = kError;
  std::uint32_t first_accepting = 0;
  std::uint32_t accept_sink = ~std::uint32_t{0};  ///< or this: there is none
  std::uint32_t states = 0;                       ///< with the error
  bool can_fail = false;  ///< some transition of another state leads to the error
};

struct FlatDfaView : LayoutStates {
  const Byte* keys = nullptr;                    ///< [2 * state]: low, then high
  const std::uint16_t* spans = nullptr;          ///< [state]: columns, without the default
  const std::uint32_t* index_offsets = nullptr;  ///< [state]: of its first column
  const std::uint16_t* indices = nullptr;        ///< [index_offsets[state] + column]: a target
  const std::uint16_t* targets = nullptr;

  PRESSO_HD std::uint32_t step(std::uint32_t state, Byte byte) const {
    const std::uint32_t span = spans[state];
    const Byte low = keys[2 * state];
    const bool inside = span > 0 && low <= byte && byte <= keys[2 * state + 1];
    const std::uint32_t column = inside ? static_cast<std::uint32_t>(byte - low) : span;
    return targets[indices[index_offsets[state] + column]];
  }
};

struct RangeDfaView : LayoutStates {
  const std::uint32_t* key_offsets = nullptr;  ///< [state]: single bytes, then low and high pairs
  const Byte* keys = nullptr;
  const std::uint16_t* singles = nullptr;  ///< [state]: how many single bytes
  const std::uint16_t* ranges = nullptr;   ///< [state]: how many pairs
  const std::uint32_t* index_offsets = nullptr;
  const std::uint16_t* indices = nullptr;  ///< columns: singles, ranges, the default
  const std::uint16_t* targets = nullptr;

  PRESSO_HD std::uint32_t step(std::uint32_t state, Byte byte) const {
    return targets[indices[index_offsets[state] + column_of(state, byte)]];
  }

 private:
  PRESSO_HD std::uint32_t column_of(std::uint32_t state, Byte byte) const {
    const Byte* const single = keys + key_offsets[state];
    const std::uint32_t single_count = singles[state];
    for (std::uint32_t low = 0, high = single_count; low < high;) {
      const std::uint32_t middle = (low + high) / 2;
      if (single[middle] == byte) return middle;
      if (single[middle] < byte) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const Byte* const range = single + single_count;
    for (std::uint32_t low = 0, high = ranges[state]; low < high;) {
      const std::uint32_t middle = (low + high) / 2;
      if (byte < range[2 * middle]) {
        high = middle;
      } else if (byte > range[2 * middle + 1]) {
        low = middle + 1;
      } else {
        return single_count + middle;
      }
    }
    return single_count + ranges[state];
  }
};

/// Whole strings; leaves at the error and at the accept sink.
template <class View>
PRESSO_HD inline bool layout_matches(const View& dfa, const Byte* text, std::uint64_t length) {
  std::uint32_t state = dfa.start;
  if (state == LayoutStates::kError) return false;
  for (std::uint64_t i = 0; i < length && state != dfa.accept_sink; ++i) {
    state = dfa.step(state, text[i]);
    if (dfa.can_fail && state == LayoutStates::kError) return false;
  }
  return state >= dfa.first_accepting;
}

class FlatDfa {
 public:
  /// kInvalidArgument: more than 65,534 states.
  static Result<FlatDfa> make(const Dfa& dfa);
  FlatDfaView view() const;
  std::size_t size_bytes() const;

 private:
  LayoutStates states_;
  std::vector<Byte> keys_;
  std::vector<std::uint16_t> spans_;
  std::vector<std::uint32_t> index_offsets_;
  std::vector<std::uint16_t> indices_;
  std::vector<std::uint16_t> targets_;
};

class RangeDfa {
 public:
  /// kInvalidArgument: more than 65,534 states.
  static Result<RangeDfa> make(const Dfa& dfa);
  RangeDfaView view() const;
  std::size_t size_bytes() const;

 private:
  LayoutStates states_;
  std::vector<std::uint32_t> key_offsets_;
  std::vector<Byte> keys_;
  std::vector<std::uint16_t> singles_;
  std::vector<std::uint16_t> ranges_;
  std::vector<std::uint32_t> index_offsets_;
  std::vector<std::uint16_t> indices_;
  std::vector<std::uint16_t> targets_;
};

}  // namespace presso::strings
