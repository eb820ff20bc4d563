// SPDX-License-Identifier: MIT
// A string per lane without vector instructions: lanes take turns, each over eight bytes, so that
// the processor overlaps their loads, where one string alone waits for each table entry. What a
// round does depends on no data: a branch that is mispredicted would throw away what other lanes
// have begun. For machines without gathers, and those on which gathers are slow.
#include <array>

#include "lab/strings/regex_kernels.h"

namespace presso::strings {
namespace {

constexpr std::int32_t kSteps = 8;

/// `yes`: 0 or -1. Arithmetic, since compilers make branches of the conditional operator.
std::int32_t chosen(std::int32_t yes, std::int32_t a, std::int32_t b) {
  return b ^ ((a ^ b) & yes);
}

struct Lane {
  std::int32_t row = 0;
  std::int32_t at = 0;
  std::int32_t left = 0;
  std::int32_t state = 0;
};

/// kWhole: all rows have the same multiple of kSteps bytes.
template <class View, bool kWhole>
class Lanes {
 public:
  Lanes(const View& table, const RegexJob& job) : table_(table), job_(job) {}

  Lane entered(std::int32_t row) const {
    return {row, job_.start_of(row), job_.length_of(row), table_.start};
  }

  void advance(Lane& lane) const {
    const Byte* const text = job_.text + lane.at;
    std::int32_t state = lane.state;
    for (std::int32_t i = 0; i < kSteps; ++i) {
      const std::int32_t next = table_.step(state, text[i]);
      state = kWhole ? next : chosen(-static_cast<std::int32_t>(i < lane.left), next, state);
    }
    lane.state = state;
    lane.at += kSteps;
    lane.left -= kSteps;
  }

  /// Stores the row if it is accepted, and goes on with row `next` if it is done; returns whether.
  std::int32_t finish(Lane& lane, std::int32_t next, std::size_t& found) const {
    const auto done = static_cast<std::int32_t>(lane.left <= 0) |
                      static_cast<std::int32_t>(table_.is_sink(lane.state));
    job_.ids[found] = job_.first_row + static_cast<std::uint32_t>(lane.row);
    found += static_cast<std::size_t>(done & static_cast<std::int32_t>(table_.accepts(lane.state)));
    const Lane other = entered(next);
    lane.row = chosen(-done, other.row, lane.row);
    lane.at = chosen(-done, other.at, lane.at);
    lane.left = chosen(-done, other.left, lane.left);
    lane.state = chosen(-done, other.state, lane.state);
    return done;
  }

 private:
  const View table_;  // copies: stores to ids cannot change them
  const RegexJob job_;
};

template <class View, int kLanes, bool kWhole>
std::size_t select_with(const View& table, const RegexJob& job) {
  const Lanes<View, kWhole> rules(table, job);
  std::size_t found = 0;
  std::int32_t next = 0;
  if (job.rows > 2 * kLanes) {
    std::array<Lane, kLanes> lanes;
    for (Lane& lane : lanes) lane = rules.entered(next++);
    while (next + kLanes < job.rows) {
      for (Lane& lane : lanes) rules.advance(lane);
      for (Lane& lane : lanes) next += rules.finish(lane, next, found);
    }
    for (const Lane& lane : lanes) select_scalar(table, job, lane.row, found);
  }
  for (; next < job.rows; ++next) select_scalar(table, job, next, found);
  return found;
}

template <class View, int kLanes>
std::size_t select_lanes(const View& table, const RegexJob& job) {
  const bool whole = job.starts == nullptr && job.width % kSteps == 0;
  return whole ? select_with<View, kLanes, true>(table, job)
               : select_with<View, kLanes, false>(table, job);
}

}  // namespace

template <class View>
RegexKernel<View> lane_kernel(unsigned unroll) {
  return unroll == 1 ? select_lanes<View, 4> : select_lanes<View, 8>;
}
template RegexKernel<Table32View> lane_kernel<Table32View>(unsigned unroll);
template RegexKernel<Table8View> lane_kernel<Table8View>(unsigned unroll);

}  // namespace presso::strings
