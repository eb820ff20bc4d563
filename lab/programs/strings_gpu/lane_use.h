// SPDX-License-Identifier: MIT
// How well the lanes of a warp are used where rows of text are tested (L3): counted on the host, by
// what the kernels do with each row. Tested by tests/simt/lane_use_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/bytes.h"
#include "query/gpu/strings/text_table.h"
#include "scan/automaton/dfa.h"

namespace presso::gpu::bench {

/// Of each row: how many pieces of 16 bytes its lane takes until its state is decided or the row
/// ends; 0 where its length tells. `offsets`: of the rows, one more than there are.
std::vector<std::uint32_t> pieces_of_rows(const scan_detail::Dfa& dfa, const TextTable& table,
                                          Bytes text, const std::vector<std::int64_t>& offsets);

/// What warps do with rows; a step is a piece for each lane.
struct LaneSteps {
  std::uint64_t pieces = 0;
  std::uint64_t steps = 0;

  /// The share of lanes that have a row's piece to walk, over all steps; 1 where there are none.
  double use() const;
  LaneSteps& operator+=(const LaneSteps& other);
};

/// Of rows with so many pieces. `refill`: as for the laboratory's kernel, 0 where lanes keep their
/// rows.
LaneSteps count_lane_steps(const std::vector<std::uint32_t>& pieces, std::uint32_t refill);

}  // namespace presso::gpu::bench
