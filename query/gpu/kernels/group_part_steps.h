// SPDX-License-Identifier: MIT
// Enqueues the kernels of group_parts.cuh in their order: rows that a pipeline has written become
// groups, one part of their keys after another. A template over the launcher, so that the emulator
// can run the same steps (compare query/gpu/join/join_steps.h), and over the number of threads.
// Tests: tests/simt/group_parts_test.cpp.
#pragma once

#include "presso/error.h"
#include "query/gpu/kernels/group_parts.cuh"

namespace presso::gpu {

/// On a device.
struct GroupPartThreads {
  static constexpr u32 kCount = 1024;
  static constexpr u32 kPlace = 1024;
  static constexpr u32 kMove = 512;
  static constexpr u32 kMoveItems = 8;
  static constexpr u32 kSum = 512;
};

/// `parts`: divided by plan_parts().
template <class Threads, class Launcher>
Status enqueue_group_parts(const PartedRows& parts, Launcher& launcher) {
  using Count = CountGroupParts<Threads::kCount>;
  using Move = MoveGroupRows<Threads::kMove, Threads::kMoveItems>;
  using Place = PlaceGroupParts<Threads::kPlace, Move::kTile>;
  using Sum = SumGroupParts<Threads::kSum>;
  PRESSO_TRY(launcher.fill(parts.part_cursors, 0, parts.parts() * sizeof(u32)));
  PRESSO_TRY(launcher.fill(parts.record_count, 0, sizeof *parts.record_count));
  const std::uint64_t count_tiles = (std::uint64_t{parts.rows} + Count::kTile - 1) / Count::kTile;
  PRESSO_TRY(launcher.template run<Count>(count_tiles, Count::shared_bytes(parts), parts));
  PRESSO_TRY(launcher.template run<Place>(1, Place::kSharedBytes, parts));
  const std::uint64_t tiles = (std::uint64_t{parts.rows} + Move::kTile - 1) / Move::kTile;
  const MoveGroupRowsArguments first{parts, 1};
  PRESSO_TRY(launcher.template run<Move>(tiles, Move::shared_bytes(first), first));
  const MoveGroupRowsArguments second{parts, 2};
  PRESSO_TRY(
      launcher.template run<Move>(tiles + parts.bundles(), Move::shared_bytes(second), second));
  return launcher.template run<Sum>(parts.parts(), Sum::shared_bytes(parts), parts);
}

}  // namespace presso::gpu
