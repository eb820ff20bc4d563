// SPDX-License-Identifier: MIT
// Common parts of the kernels that test strings: where each tile of rows begins among the codes,
// how codes get from the payload into registers, and how tiles are divided between thread blocks.
//
//   place_row_tiles_body  a thread block for each block: adds up the counts of each kRowTile rows,
//                         and checks sizes and counts (FORMAT.md 17.4)
//
// After that step every place in the codes is known to lie in the payload, whatever its contents,
// so no later kernel checks bounds. Tested by tests/simt/string_suite.cpp.
#pragma once

#include "decompress/columns/gpu/token_codes.cuh"
#include "query/gpu/strings/string_batch.h"

namespace presso::gpu {

inline constexpr u32 kStringTileThreads = 512;

/// Whether the payload has the size that the number of codes demands. If not, it is not read.
PRESSO_DEVICE bool has_right_size(const StringBlock& block) {
  return block.codes <= kMaxBlockBytes && block.payload.size == 4 * token_words(block.codes);
}

/// Returns, in all lanes, the sum of a tile's counts, or any number above `codes` if the sum is.
/// Counts are not trusted: sums saturate, so they cannot wrap around.
PRESSO_DEVICE u32 sum_tile(const StringBlock& block, u32 tile) {
  const u32 first = tile * kRowTile;
  const u32 rows = block.rows - first < kRowTile ? block.rows - first : kRowTile;
  const u32 too_many = block.codes + 1;
  u32 sum = 0;
  PRESSO_UNROLL
  for (u32 i = 0; i < kRowTile / kWarpSize; ++i) {
    const u32 row = i * kWarpSize + simt::lane();
    const u32 count = row < rows ? simt::load_readonly(block.counts + first + row) : 0;
    sum = count <= block.codes && sum + count < too_many ? sum + count : too_many;
  }
  return simt::reduce_add(sum);
}

/// Replaces the sum of each tile by the sum of the tiles before it. Called by one warp; returns the
/// sum of all tiles, or any number above `codes` if the sum is.
PRESSO_DEVICE u32 place_tiles(const StringBlock& block) {
  const u32 tiles = row_tiles(block.rows);
  const u32 too_many = block.codes + 1;
  u32 before = 0;
  for (u32 begin = 0; begin < tiles; begin += kWarpSize) {
    const u32 tile = begin + simt::lane();
    const u32 own = tile < tiles ? block.tile_begins[tile] : 0;
    const u32 sums = simt::inclusive_sum(own < too_many ? own : too_many);
    if (tile < tiles) block.tile_begins[tile] = before + sums - own;
    const u32 sum = before + simt::shuffle(sums, kWarpSize - 1);
    before = sum < too_many ? sum : too_many;
  }
  return before;
}
static_assert(u64{kWarpSize + 1} * (kMaxBlockBytes + 1) < u64{1} << 32);

/// Grid: a thread block of kStringTileThreads threads for each block.
PRESSO_DEVICE void place_row_tiles_body(const StringBatch& batch) {
  const u32 number = simt::block_index();
  if (is_checksum_fault(batch.status[number])) return;
  const StringBlock& block = batch.blocks[number];
  const bool reports = simt::thread_in_block() == 0;
  if (!has_right_size(block)) {
    if (reports) report_fault(batch.status + number, kSizeFault, ErrorCode::kBadPayloadSize);
    return;
  }
  const u32 warps = simt::block_threads() / kWarpSize;
  for (u32 tile = uniform_warp(); tile < row_tiles(block.rows); tile += warps) {
    const u32 sum = sum_tile(block, tile);
    if (simt::lane() == 0) block.tile_begins[tile] = sum;
  }
  simt::block_sync();
  if (uniform_warp() != 0) return;
  if (place_tiles(block) == block.codes) return;
  if (reports) report_fault(batch.status + number, kCountsFault, ErrorCode::kBadLength);
}

/// Whether nothing of the block may be read. A kCodeFault is no reason to refuse a block: it is
/// reported while other warps still work on the block, and they must all decide alike.
PRESSO_DEVICE bool is_refused(u32 fault) {
  return fault >> kFaultCodeBits < kCodeFault;
}

// --- codes

/// Eight steps of codes: 96 bits of each lane are three words, and a vector of 1,024 codes is four
/// octets. So octet i of a payload is its words 96 * i to 96 * i + 95; a last vector may have
/// fewer.
inline constexpr u32 kOctetSteps = 8;
inline constexpr u32 kOctetCodes = kOctetSteps * kWarpSize;
inline constexpr u32 kOctetWords = kOctetSteps * kTokenBits / kWordBits;
static_assert(4 * kOctetCodes == kVectorRows && 4 * kOctetWords * kLanes == kTokenVectorWords);

/// The lane's codes of an octet, one for each step: step s has code 32 * s + lane.
struct OctetCodes {
  u32 steps[kOctetSteps];
};

/// The octets of a tile one after another; the words of the next octet are loaded while the warp
/// works on this one.
class CodeFeed {
 public:
  /// From the octet of code `code` on.
  PRESSO_DEVICE CodeFeed(const StringBlock& block, u32 code)
      : end_(code / kOctetCodes * kOctetCodes) {
    const u32 first = code / kOctetCodes * kOctetWords * kLanes;
    at_ = reinterpret_cast<const u32*>(block.payload.bytes) + first + simt::lane();
    left_ = block.payload.size / 4 - first;
    load();
  }

  /// The code after the last one that was taken.
  PRESSO_DEVICE u32 end() const { return end_; }

  /// Returns the next octet. Places after the block's last code have arbitrary codes.
  PRESSO_DEVICE OctetCodes take() {
    OctetCodes codes;
    PRESSO_UNROLL
    for (u32 step = 0; step < kOctetSteps; ++step) codes.steps[step] = code_of(step);
    at_ += kOctetWords * kLanes;
    left_ = left_ > kOctetWords * kLanes ? left_ - kOctetWords * kLanes : 0;
    load();
    end_ += kOctetCodes;
    return codes;
  }

 private:
  /// Leaves registers as they are for words after the end of the payload.
  PRESSO_DEVICE void load() {
    PRESSO_UNROLL
    for (u32 i = 0; i < kOctetWords; ++i) {
      if (i * kLanes < left_) words_[i] = simt::load_readonly(at_ + i * kLanes);
    }
  }
  PRESSO_DEVICE u32 code_of(u32 step) const {
    const u32 bit = step * kTokenBits;
    const u32 low = words_[bit / kWordBits];
    const u32 shift = bit % kWordBits;
    if (shift + kTokenBits <= kWordBits) return low >> shift & (kMaxTokens - 1);
    return simt::funnel_shift_right(low, words_[bit / kWordBits + 1], shift) & (kMaxTokens - 1);
  }
  const u32* at_;  ///< the lane's first word of the next octet
  u32 left_;       ///< words of the payload from there on, of all lanes
  u32 words_[kOctetWords] = {};
  u32 end_;
};

/// Reports a code without a token, if any lane has met one. Called by all lanes.
PRESSO_DEVICE void report_bad_code(bool is_bad, u32* status) {
  if (!simt::any(is_bad)) return;
  if (simt::lane() == 0) report_fault(status, kCodeFault, ErrorCode::kBadOffset);
}

// --- rows

inline constexpr u32 kQuad = 4;
inline constexpr u32 kQuadRows = kQuad * kWarpSize;

/// Four rows of a lane, one after another: the first has the codes [begin, ends[0]), the next
/// [ends[0], ends[1]), and so on. Rows after the end of the tile have no codes.
struct LaneQuad {
  u32 begin;
  u32 ends[kQuad];

  // Selected by comparisons: an index into registers would move the array into local memory.
  PRESSO_DEVICE u32 begin_of(u32 i) const { return i == 0 ? begin : end_of(i - 1); }
  PRESSO_DEVICE u32 end_of(u32 i) const {
    return i < 2 ? (i == 0 ? ends[0] : ends[1]) : (i == 2 ? ends[2] : ends[3]);
  }
};

/// The rows of a tile in groups of 128, four for each lane. One warp sum for each group gives the
/// places of its rows; the counts of the next group are loaded meanwhile.
class RowFeed {
 public:
  PRESSO_DEVICE RowFeed(const StringBlock& block, u32 tile)
      : at_(block.counts + tile * kRowTile + kQuad * simt::lane()),
        end_(block.tile_begins[tile]),
        rows_(block.rows - tile * kRowTile < kRowTile ? block.rows - tile * kRowTile : kRowTile),
        left_(rows_),
        is_aligned_(address_of(reinterpret_cast<const Byte*>(block.counts)) % sizeof(next_) == 0) {
    load();
  }

  PRESSO_DEVICE u32 rows() const { return rows_; }
  PRESSO_DEVICE bool is_done() const { return left_ == 0; }
  /// The code after the groups that were taken.
  PRESSO_DEVICE u32 end() const { return end_; }

  PRESSO_DEVICE LaneQuad take() {
    u32 sums[kQuad];
    u32 sum = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuad; ++i) sums[i] = sum += next_[i];
    at_ += kQuadRows;
    left_ = left_ > kQuadRows ? left_ - kQuadRows : 0;
    load();
    const u32 end = end_ + simt::inclusive_sum(sum);
    LaneQuad quad;
    quad.begin = end - sum;
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuad; ++i) quad.ends[i] = quad.begin + sums[i];
    end_ = simt::shuffle(end, kWarpSize - 1);
    return quad;
  }

 private:
  /// Loads 16 bytes at once if the counts are aligned and the group is complete.
  PRESSO_DEVICE void load() {
    if (is_aligned_ && left_ >= kQuadRows) {
      const simt::Vec4 next = simt::load_readonly(reinterpret_cast<const simt::Vec4*>(at_));
      next_[0] = next.x, next_[1] = next.y, next_[2] = next.z, next_[3] = next.w;
      return;
    }
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuad; ++i) {
      next_[i] = kQuad * simt::lane() + i < left_ ? simt::load_readonly(at_ + i) : 0;
    }
  }

  const u32* at_;
  u32 end_;
  u32 rows_;
  u32 left_;
  bool is_aligned_;
  u32 next_[kQuad] = {};
};

/// A word for each lane, of the tile's rows that are to be tested.
PRESSO_DEVICE u32 wanted_rows(const StringBatch& batch, const StringBlock& block, u32 tile) {
  if (!batch.tests_left) return simt::kFullMask;
  const u32 word = tile * (kRowTile / kWarpSize) + simt::lane();
  return word * kWarpSize < block.rows ? block.bits[word] : 0;
}

/// Writes a tile's bits, one word for each lane, and adds their number to the block's matches.
PRESSO_DEVICE void store_bits(const StringBatch& batch, u32 number, u32 tile, u32 rows, u32 bits) {
  u32* const to = batch.blocks[number].bits + tile * (kRowTile / kWarpSize);
  if (simt::lane() * kWarpSize < rows) to[simt::lane()] = bits;
  const u32 count = simt::reduce_add(simt::popcount(bits));
  if (simt::lane() == 0 && count > 0) simt::atomic_add(batch.matches + number, count);
}

// --- sharing

/// Returns the block to which tile `tile` of the batch belongs, by binary search.
PRESSO_DEVICE u32 block_of_tile(const StringBatch& batch, u32 tile) {
  u32 begin = 0;
  u32 end = batch.count;
  while (end - begin > 1) {
    const u32 middle = begin + (end - begin) / 2;
    (batch.blocks[middle].first_tile <= tile ? begin : end) = middle;
  }
  return begin;
}

/// Calls work(block, tile) for each tile of this thread block's share, one warp for each tile. The
/// block's table is in the first bytes of shared memory; it is copied again only where the next
/// block has another table. Called by all threads together.
template <class Work>
PRESSO_DEVICE void for_each_tile(const StringBatch& batch, const Work& work) {
  const u64 tiles = batch.tiles;
  const u32 begin = static_cast<u32>(tiles * simt::block_index() / simt::grid_blocks());
  const u32 end = static_cast<u32>(tiles * (simt::block_index() + 1) / simt::grid_blocks());
  if (begin == end) return;
  const u32 warps = simt::block_threads() / kWarpSize;
  const Byte* image = nullptr;
  u32 number = block_of_tile(batch, begin);
  for (u32 at = begin; at < end; ++number) {
    const StringBlock& block = batch.blocks[number];
    const u32 block_end = block.first_tile + row_tiles(block.rows);
    const u32 until = block_end < end ? block_end : end;
    if (until <= at) continue;
    if (!is_refused(batch.status[number])) {
      if (block.table.d_image != image) {
        image = block.table.d_image;
        simt::block_sync();  // no warp still uses the table before
        copy_to_shared(image, block.table.shared_bytes, simt::shared_memory());
        simt::block_sync();
      }
      for (u32 tile = at + uniform_warp(); tile < until; tile += warps) {
        work(number, tile - block.first_tile);
      }
    }
    at = until;
  }
}

}  // namespace presso::gpu
