// SPDX-License-Identifier: MIT
// The loop of source S6.1 over a vector type V (regex_kernels_avx2.cpp,
// regex_kernels_avx512.cpp).
//
// Each lane has a row, the place of its next byte, how many bytes are left, and a state. A round
// reads the lanes' next bytes, Text::kSteps of them, and steps the automaton over each: lanes whose
// string is used up keep their state by the gather's mask, lanes in a sink stay there by the table.
// No branch within a round. Behind it, lanes that ended store their row if it is accepted and take
// the next row. With two groups of lanes, one takes rows from the front and one from the back, so
// that their rounds overlap. Lanes alive when rows run out are read anew by the scalar loop.
#pragma once

#include "lab/strings/regex_kernels.h"

namespace presso::strings {

template <class V>
struct Words {
  typename V::Int low;   ///< bytes 0 to 3
  typename V::Int high;  ///< bytes 4 to 7, where eight are loaded
};

template <class V>
struct ByteText {
  static constexpr int kSteps = 1;
  static Words<V> load(const Byte* text, typename V::Int at) {
    const auto word = V::gather_bytes(text, at);
    return {word, word};
  }
};

template <class V>
struct WordText {
  static constexpr int kSteps = 4;
  static Words<V> load(const Byte* text, typename V::Int at) {
    const auto word = V::gather_bytes(text, at);
    return {word, word};
  }
};

/// At a place p the bytes up to the second multiple of 4 after p are of use: 8 - p mod 4.
template <class V, int kUsable>
struct AlignedText {
  static constexpr int kSteps = kUsable;
  static Words<V> load(const Byte* text, typename V::Int at) {
    const auto word = V::bit_and(at, V::splat(~3));
    const auto low = V::gather_bytes(text, word);
    const auto high = V::gather_bytes(text, V::add(word, V::splat(4)));
    if constexpr (kUsable == 8) return {low, high};
    const auto shift = V::template shift_left<3>(V::bit_and(at, V::splat(3)));
    const auto carried = V::shift_left_by(high, V::sub(V::splat(32), shift));
    return {V::bit_or(V::shift_right_by(low, shift), carried), V::shift_right_by(high, shift)};
  }
};

template <class V>
struct Steps32 {
  using Int = typename V::Int;
  using Mask = typename V::Mask;
  static Int step(const Table32View& table, Int state, Mask active, Int byte) {
    return V::gather_entries(state, active, table.rows, V::add(state, byte));
  }
  static Mask in_sink(Int state) { return V::greater(V::splat(0), state); }
  static Mask accepts(const Table32View& table, Int state) {
    return V::either(V::equal(state, V::splat(Table32View::kAcceptSink)),
                     V::greater(state, V::splat(table.rejecting_end - 1)));
  }
};

template <class V>
struct Steps8 {
  using Int = typename V::Int;
  using Mask = typename V::Mask;
  static Int step(const Table8View& table, Int state, Mask active, Int byte) {
    const Int place = V::bit_or(V::template shift_left<8>(state), byte);
    return V::bit_and(V::gather_bytes(state, active, table.rows, place), V::splat(0xFF));
  }
  static Mask in_sink(Int state) { return V::greater(state, V::splat(253)); }
  static Mask accepts(const Table8View& table, Int state) {
    const Int after = V::bit_and(V::add(state, V::splat(1)), V::splat(0xFF));
    return V::greater(after, V::splat(table.rejecting_end));
  }
};

template <class V>
inline Steps32<V> steps_of(const Table32View&) {
  return {};
}
template <class V>
inline Steps8<V> steps_of(const Table8View&) {
  return {};
}

template <class V, class View, template <class> class Text>
class LaneGroup {
 public:
  using Int = typename V::Int;
  using Mask = typename V::Mask;
  using Steps = decltype(steps_of<V>(View{}));

  LaneGroup(const View& table, const RegexJob& job, std::int32_t first)
      : row_(V::add(V::iota(), V::splat(first))), state_(V::splat(table.start)) {
    enter(job, at_, left_);
  }

  void advance(const View& table, const RegexJob& job) {
    const Words<V> words = Text<V>::load(job.text, at_);
    advance_by<0>(table, words);
    at_ = V::add(at_, V::splat(Text<V>::kSteps));
    left_ = V::sub(left_, V::splat(Text<V>::kSteps));
  }

  /// Lanes that are done store their row where it is accepted.
  Mask finish(const View& table, const RegexJob& job, std::size_t& found) {
    const Mask done = V::either(V::greater(V::splat(1), left_), Steps::in_sink(state_));
    const Mask accepted = V::both(done, Steps::accepts(table, state_));
    const Int id = V::add(row_, V::splat(static_cast<std::int32_t>(job.first_row)));
    V::store_selected(job.ids + found, accepted, id);
    found += static_cast<unsigned>(V::count(accepted));
    return done;
  }

  void take_rows(const View& table, const RegexJob& job, Mask done, std::int32_t first) {
    row_ = V::next_rows(done, row_, first);
    Int at;
    Int left;
    enter(job, at, left);
    at_ = V::blend(done, at, at_);
    left_ = V::blend(done, left, left_);
    state_ = V::blend(done, V::splat(table.start), state_);
  }

  void store_rows(std::int32_t* rows) const { V::store(rows, row_); }

 private:
  void enter(const RegexJob& job, Int& at, Int& left) const {
    if (job.starts == nullptr) {
      at = V::add(V::multiply(row_, V::splat(job.width)), V::splat(job.first_start));
      left = V::splat(job.width);
    } else {
      const Mask all = V::all();
      at = V::gather_entries(row_, all, job.starts, row_);
      left = V::sub(V::gather_entries(row_, all, job.starts + 1, row_), at);
    }
  }

  template <int kStep>
  void advance_by(const View& table, const Words<V>& words) {
    if constexpr (kStep < Text<V>::kSteps) {
      const Int word = kStep < 4 ? words.low : words.high;
      const Int byte = V::bit_and(V::template shift_right<8 * (kStep % 4)>(word), V::splat(0xFF));
      state_ = Steps::step(table, state_, V::greater(left_, V::splat(kStep)), byte);
      advance_by<kStep + 1>(table, words);
    }
  }

  Int row_;
  Int at_;
  Int left_;
  Int state_;
};

template <class V, class View, template <class> class Text, int kGroups>
std::size_t select_lanes(const View& view, const RegexJob& job) {
  constexpr std::int32_t kLanes = V::kLanes;
  using Group = LaneGroup<V, View, Text>;
  const View table = view;  // not through memory that stores to ids might change
  std::size_t found = 0;
  std::int32_t front = 0;
  std::int32_t back = job.rows;
  if (back >= kGroups * kLanes) {
    Group one(table, job, 0);
    front = kLanes;
    if constexpr (kGroups == 2) back -= kLanes;
    Group other(table, job, kGroups == 2 ? back : 0);
    while (back - front >= kGroups * kLanes) {
      one.advance(table, job);
      if constexpr (kGroups == 2) other.advance(table, job);
      const auto done = one.finish(table, job, found);
      if (V::any(done)) {
        one.take_rows(table, job, done, front);
        front += V::count(done);
      }
      if constexpr (kGroups == 2) {
        const auto other_done = other.finish(table, job, found);
        if (V::any(other_done)) {
          back -= V::count(other_done);
          other.take_rows(table, job, other_done, back);
        }
      }
    }
    std::int32_t alive[2 * kLanes];
    one.store_rows(alive);
    other.store_rows(alive + kLanes);
    for (int i = 0; i < kGroups * kLanes; ++i) select_scalar(table, job, alive[i], found);
  }
  for (; front < back; ++front) select_scalar(table, job, front, found);
  return found;
}

template <class V>
using AlignedText8 = AlignedText<V, 8>;
template <class V>
using AlignedText6 = AlignedText<V, 6>;
template <class V>
using AlignedText5 = AlignedText<V, 5>;

template <class V, class View>
constexpr RegexKernels<View> regex_kernels() {
  return {{{select_lanes<V, View, ByteText, 1>, select_lanes<V, View, ByteText, 2>},
           {select_lanes<V, View, WordText, 1>, select_lanes<V, View, WordText, 2>},
           {select_lanes<V, View, AlignedText8, 1>, select_lanes<V, View, AlignedText8, 2>},
           {select_lanes<V, View, AlignedText6, 1>, select_lanes<V, View, AlignedText6, 2>},
           {select_lanes<V, View, AlignedText5, 1>, select_lanes<V, View, AlignedText5, 2>}}};
}

}  // namespace presso::strings
