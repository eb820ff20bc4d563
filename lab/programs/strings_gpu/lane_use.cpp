// SPDX-License-Identifier: MIT
#include "lab/programs/strings_gpu/lane_use.h"

#include <algorithm>
#include <array>

#include "query/gpu/strings/string_batch.h"

namespace presso::gpu::bench {
namespace {

constexpr std::uint32_t kPieceBytes = 16;
constexpr std::uint32_t kWordBytes = 4;  ///< after so many a lane looks whether its row is decided

std::uint32_t pieces_of(const scan_detail::Dfa& dfa, Bytes row) {
  std::uint32_t state = dfa.start;
  std::size_t at = 0;
  while (at < row.size() && !dfa.is_absorbing(state)) {
    const std::size_t end = std::min<std::size_t>(at + kWordBytes, row.size());
    for (; at < end; ++at) state = dfa.step(state, row[at]);
  }
  return static_cast<std::uint32_t>((at + kPieceBytes - 1) / kPieceBytes);
}

/// Steps of a warp that gives each lane a row and waits for the longest.
std::uint64_t steps_of_waiting(const std::uint32_t* begin, const std::uint32_t* end) {
  std::uint64_t steps = 0;
  for (; begin < end; begin += std::min<std::ptrdiff_t>(kLanes, end - begin)) {
    steps += *std::max_element(begin, begin + std::min<std::ptrdiff_t>(kLanes, end - begin));
  }
  return steps;
}

/// Those of text_refill.cuh, which takes a step for rows without pieces, too.
std::uint64_t steps_of_refilled(const std::uint32_t* begin, const std::uint32_t* end,
                                std::uint32_t threshold) {
  std::array<std::uint32_t, kLanes> left{};
  std::array<bool, kLanes> is_walking{};
  const auto give_row = [&](std::uint32_t lane) {
    is_walking[lane] = begin < end;
    if (is_walking[lane]) left[lane] = *begin++;
  };
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) give_row(lane);
  for (std::uint64_t steps = 1;; ++steps) {
    std::uint32_t walking = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (left[lane] > 0) --left[lane];
      is_walking[lane] = is_walking[lane] && left[lane] > 0;
      walking += is_walking[lane] ? 1 : 0;
    }
    if (walking >= threshold) continue;
    if (begin == end && walking == 0) return steps;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!is_walking[lane]) give_row(lane);
    }
  }
}

}  // namespace

std::vector<std::uint32_t> pieces_of_rows(const scan_detail::Dfa& dfa, const TextTable& table,
                                          Bytes text, const std::vector<std::int64_t>& offsets) {
  std::vector<std::uint32_t> pieces;
  for (std::size_t row = 0; row + 1 < offsets.size(); ++row) {
    const auto begin = static_cast<std::size_t>(offsets[row]);
    const auto bytes = static_cast<std::size_t>(offsets[row + 1]) - begin;
    const bool may_match = table.least_bytes <= bytes && bytes <= table.most_bytes;
    pieces.push_back(may_match ? pieces_of(dfa, text.subspan(begin, bytes)) : 0);
  }
  return pieces;
}

double LaneSteps::use() const {
  if (steps == 0) return 1;
  return static_cast<double>(pieces) / static_cast<double>(kLanes * steps);
}

LaneSteps& LaneSteps::operator+=(const LaneSteps& other) {
  pieces += other.pieces;
  steps += other.steps;
  return *this;
}

LaneSteps count_lane_steps(const std::vector<std::uint32_t>& pieces, std::uint32_t refill) {
  LaneSteps count;
  for (const std::uint32_t of_row : pieces) count.pieces += of_row;
  for (std::size_t first = 0; first < pieces.size(); first += kRowTile) {
    const std::uint32_t* const begin = pieces.data() + first;
    const std::uint32_t* const end = begin + std::min<std::size_t>(kRowTile, pieces.size() - first);
    count.steps +=
        refill == 0 ? steps_of_waiting(begin, end) : steps_of_refilled(begin, end, refill);
  }
  return count;
}

}  // namespace presso::gpu::bench
