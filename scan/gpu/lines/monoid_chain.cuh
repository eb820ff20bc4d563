// SPDX-License-Identifier: MIT
// Corrects chains of broken tiles (tile_chain.cuh) if the automaton's transition monoid is at hand
// (scan/automaton/transition_monoid.h): what a tile does to all states at once is one number, so
// nothing is searched and no tile is run state by state.
//
//   tile_monoid     a warp for each broken tile: each lane runs a 32nd of it from the identity, a
//                   look-up a byte, and the lanes' functions are multiplied, neighbours first
//   multiply_groups a warp for each 32 tiles without '\n': one function for all of them
//
// follow_chains (tile_chain.cuh) looks up what a function makes of a state. Shared memory: classes
// of bytes and rows of functions; values and products stay in device memory and its caches.
// Synchronisation: within warps, but once for the rows. Test: tests/simt/scan_lines_test.cpp.
#pragma once

#include "scan/gpu/lines/monoid.cuh"

namespace presso::gpu {

/// Whether an absorbing state is carried through the tile's head. Its function is not needed then:
/// the state stays what it is whatever is read, so any function will do.
PRESSO_DEVICE bool is_absorbed(const LineScanArguments& scan, u64 tile) {
  const TileSummary& before = scan.d_tiles[tile - 1];
  return scan.d_tiles[tile].broken == TileSummary::kAbsorbed ||
         (before.broken == 0 && is_absorbing(scan.table, before.out));
}

/// Where the stage at `begin`, which has a '\n', has its first one, or the end of the text; by a
/// warp.
PRESSO_DEVICE u64 end_of_line_in_stage(const LineScanArguments& scan, u64 begin) {
  constexpr u32 kParts = kStageBytes / kWarpSize;
  for (u32 part = 0; part < kParts; ++part) {
    const u64 at = begin + part * kWarpSize + simt::lane();
    const bool ends = at >= scan.bytes || simt::load_readonly(scan.d_text + at) == '\n';
    const u32 found = simt::ballot(ends);
    if (found != 0) return begin + part * kWarpSize + simt::find_first_set(found) - 1;
  }
  return begin + kStageBytes;  // not reached
}

/// The function of the tile's head, which is what a state before the tile is carried through. Each
/// lane runs a 32nd; lane 0 gets the product.
PRESSO_DEVICE u32 function_of_head(const LineScanArguments& scan,
                                   const Monoid<MonoidRows::kShared>& monoid, u64 tile) {
  const u64 begin = tile * scan.tile_bytes();
  u64 end = end_of_head(scan, tile);
  if (scan.d_tiles[tile].first != kNoStage) end = end_of_line_in_stage(scan, end);
  const u64 piece = ((end - begin) / kWarpSize / kQuadBytes + 1) * kQuadBytes;
  const u64 from = begin + piece * simt::lane();
  const u32 mine = from < end ? monoid.run(from, from + piece < end ? from + piece : end) : 0;
  return monoid.product_of_lanes(mine);
}

/// Writes down that `tiles` tiles from `tile` on, without a line end, are the function `number`.
PRESSO_DEVICE void set_function(const LineScanArguments& scan, u64 tile, u32 number, u32 tiles) {
  scan.d_functions[tile].number = static_cast<std::uint16_t>(number);
  scan.d_functions[tile].tiles = static_cast<std::uint16_t>(tiles);
}

/// Gives each broken tile its function, a warp to a tile.
PRESSO_DEVICE void tile_monoid_body(const LineScanArguments& scan) {
  if (*scan.d_broken == 0) return;
  copy_to_shared(scan.table.d_image + scan.table.monoid.at, scan.table.monoid.shared_bytes);
  simt::block_sync();
  const Monoid<MonoidRows::kShared> monoid(scan);
  const u32 warps = simt::block_threads() / kWarpSize;
  const u32 warp = simt::shuffle(simt::warp_in_block(), 0);
  for (u64 tile = u64{simt::block_index()} * warps + warp; tile < scan.tiles();
       tile += u64{simt::grid_blocks()} * warps) {
    if (scan.d_tiles[tile].broken == 0) continue;
    const u32 function = is_absorbed(scan, tile) ? 0 : function_of_head(scan, monoid, tile);
    if (simt::lane() == 0) set_function(scan, tile, function, 1);
  }
}

/// Makes one function for each 32 tiles in a row that only hand a state on, so that follow_chains
/// takes them in one step.
PRESSO_DEVICE void multiply_groups_body(const LineScanArguments& scan) {
  if (*scan.d_broken == 0) return;
  constexpr u32 kGroup = TileFunction::kGroupTiles;
  const Monoid<MonoidRows::kGlobal> monoid(scan);
  const u64 warps = u64{simt::grid_blocks()} * (simt::block_threads() / kWarpSize);
  const u64 warp = u64{simt::block_index()} * (simt::block_threads() / kWarpSize) +
                   simt::shuffle(simt::warp_in_block(), 0);
  for (u64 base = warp * kGroup; base + kGroup <= scan.tiles(); base += warps * kGroup) {
    const TileSummary& mine = scan.d_tiles[base + simt::lane()];
    if (simt::ballot(mine.broken == 0 || mine.first != kNoStage) != 0) continue;
    const u32 all = monoid.product_of_lanes(scan.d_functions[base + simt::lane()].number);
    if (simt::lane() == 0) set_function(scan, base, all, kGroup);
  }
}

}  // namespace presso::gpu
