// SPDX-License-Identifier: MIT
// What the kernels of a line scan share: the text, how it is cut, and what they tell each other.
//
// A lane takes a strip of the text, a warp 32 neighbouring strips, a tile. Only the first line end
// of a strip or tile, its head, depends on what stands before it, so a strip is
//
//   (state guessed at its start, state at its end, where its first '\n' is)
//
// and whoever finds the guess wrong runs the head again. Trivially copyable, host and device.
#pragma once

#include <cstdint>

#include "decompress/gpu/simt/simt.h"
#include "scan/gpu/lines/line_scan.h"

namespace presso::gpu {

using simt::kWarpSize;
using simt::u32;
using simt::u64;

constexpr u32 kQuadBytes = 16;        ///< a quad: what a lane loads at once
constexpr u32 kStageBytes = 64;       ///< a stage: the part of a strip that is copied at once
constexpr u32 kStagePitch = 80;       ///< rows of a stage: no two lanes of a quarter warp collide
constexpr u32 kNoStage = 0xFFFFFFFF;  ///< no stage of the tile has a '\n'
constexpr u32 kTableStates = kWarpSize;

constexpr u64 kTextForStripsOf512 = u64{128} << 20;
constexpr u64 kTextForStripsOf1024 = u64{256} << 20;

/// Longer strips spend less on warming up; shorter ones give all warps something to do.
constexpr u32 strip_bytes_of(u64 text_bytes) {
  if (text_bytes >= kTextForStripsOf1024) return 1024;
  return text_bytes >= kTextForStripsOf512 ? 512 : 256;
}
/// How many tiles a text has that is not empty. Tiles are 32 strips, 8 to 32 KiB.
constexpr u64 tiles_of(u64 text_bytes) {
  return (text_bytes - 1) / (strip_bytes_of(text_bytes) * kWarpSize) + 1;
}
/// The most tiles of any text of 1 to `text_bytes` bytes: a text that is a little smaller may be
/// cut into smaller strips, and so into more tiles.
constexpr u64 most_tiles(u64 text_bytes) {
  u64 most = tiles_of(text_bytes);
  for (const u64 longer_strips : {kTextForStripsOf512, kTextForStripsOf1024}) {
    if (text_bytes < longer_strips) continue;
    const u64 tiles = tiles_of(longer_strips - 1);
    most = most > tiles ? most : tiles;
  }
  return most;
}

/// All that is known of a tile after line_tiles_kernel. States are those of the automaton.
struct TileSummary {
  std::uint16_t guess;   ///< at its start, or kUnknown
  std::uint16_t out;     ///< at its end, right under any guess if there is a '\n'; or kUnknownOut
  std::uint16_t before;  ///< under the guess, in front of the stage with the first '\n'
  std::uint16_t broken;  ///< 0: the guess was right; kBroken: it was wrong, or may be; kAbsorbed
  u32 first;             ///< the number of that stage in the tile, or kNoStage
  u32 reserved;

  // For a tile without '\n' whose lanes did not agree. Neither is a state, and they differ from
  // each other, so that such a tile is inconsistent with both neighbours.
  static constexpr std::uint16_t kUnknown = 0xFFFF;
  static constexpr std::uint16_t kUnknownOut = 0xFFFE;
  static constexpr std::uint16_t kBroken = 1;
  // Broken, and its head is known to keep an absorbing state.
  static constexpr std::uint16_t kAbsorbed = 2;
};

/// The function of a broken tile, as a table: for each state that may stand at its start, the state
/// at its end, or whether its first line matches. In the first tile of a group that has no '\n',
/// the function of the whole group.
struct TileFunction {
  std::uint16_t count;   ///< entries of the arrays, or kTooMany; unused with a monoid
  std::uint16_t tiles;   ///< 1 or kGroupTiles
  std::uint16_t number;  ///< with a monoid, the number of the function
  std::uint16_t in[kTableStates];
  std::uint16_t result[kTableStates];  ///< the state at its end, or whether the first line matches

  static constexpr std::uint16_t kTooMany = 0xFFFF;
  static constexpr u32 kGroupTiles = kWarpSize;
};

struct LineScanArguments : LineScan {  // at least one byte
  LineTableView table;
  u32 strip_bytes = 1024;               ///< a multiple of kStageBytes
  TileSummary* d_tiles = nullptr;       ///< one for each tile
  TileFunction* d_functions = nullptr;  ///< room for one of each tile
  u32* d_broken = nullptr;              ///< how many tiles are broken; must be 0 before the scan

  /// The marks as words of 16 bits, one for each quad of text.
  PRESSO_HD std::uint16_t* marks() const { return reinterpret_cast<std::uint16_t*>(d_marks); }
  PRESSO_HD constexpr u32 tile_bytes() const { return strip_bytes * kWarpSize; }
  PRESSO_HD constexpr u64 tiles() const { return (bytes - 1) / tile_bytes() + 1; }
};

}  // namespace presso::gpu
