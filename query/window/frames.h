// SPDX-License-Identifier: MIT
// The frame of each row of a partition. Tested through tests/unit/query/window/window_test.cpp.
#pragma once

#include "query/window/window_call.h"

namespace presso::query {

/// The frames of a partition's rows before what EXCLUDE leaves out; the first row's comes first.
struct Frames {
  bool constant = false;  ///< all are the whole partition, and nothing is left out
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> end;  ///< not less than `begin`
};

/// Whether every frame is the whole partition.
bool is_constant_frame(const WindowCall& call);
/// Finds the frames in O(n), or O(n log n) for ranges with an offset. Errors: kInvalidArgument for
/// an offset that is null or negative.
Status find_frames(const WindowInput& input, RowRange32 partition, Frames& frames);

}  // namespace presso::query
