// SPDX-License-Identifier: MIT
// A string per lane without vector instructions: lanes take turns, each over eight bytes, so that
// the processor overlaps their loads, where one string alone waits for each table entry. For
// machines without gathers, and those on which gathers are slow.
#include <array>

#include "scan/strings/regex_kernels.h"

namespace presso::strings {
namespace {

template <class View>
struct Lane {
  static constexpr std::int32_t kSteps = 8;

  std::int32_t row = 0;
  std::int32_t left = 0;
  const Byte* at = nullptr;
  std::int32_t state = 0;

  void enter(const View& table, const RegexJob& job, std::int32_t first) {
    row = first;
    at = job.text + job.start_of(first);
    left = job.length_of(first);
    state = table.start;
  }

  /// Up to kSteps steps; whether the string is decided. A sink is seen behind them only.
  bool advance(const View& table) {
    std::int32_t reached = state;
    if (left >= kSteps) {
      for (std::int32_t i = 0; i < kSteps; ++i) reached = table.step(reached, at[i]);
    } else {
      for (std::int32_t i = 0; i < left; ++i) reached = table.step(reached, at[i]);
    }
    state = reached;
    at += kSteps;
    left -= kSteps;
    return left <= 0 || table.is_sink(reached);
  }
};

template <class View, int kLanes>
std::size_t select_lanes(const View& view, const RegexJob& given) {
  const View table = view;  // not through memory that stores to ids might change
  const RegexJob job = given;
  std::size_t found = 0;
  std::int32_t next = 0;
  if (job.rows > 2 * kLanes) {
    std::array<Lane<View>, kLanes> lanes;
    for (auto& lane : lanes) lane.enter(table, job, next++);
    while (next + kLanes < job.rows) {
      for (auto& lane : lanes) {
        if (!lane.advance(table)) continue;
        job.ids[found] = job.first_row + static_cast<std::uint32_t>(lane.row);
        found += table.accepts(lane.state) ? 1 : 0;
        lane.enter(table, job, next++);
      }
    }
    for (const auto& lane : lanes) select_scalar(table, job, lane.row, found);
  }
  for (; next < job.rows; ++next) select_scalar(table, job, next, found);
  return found;
}

}  // namespace

template <class View>
RegexKernel<View> lane_kernel(unsigned unroll) {
  return unroll == 1 ? select_lanes<View, 4> : select_lanes<View, 8>;
}
template RegexKernel<Table32View> lane_kernel<Table32View>(unsigned unroll);
template RegexKernel<Table8View> lane_kernel<Table8View>(unsigned unroll);

}  // namespace presso::strings
