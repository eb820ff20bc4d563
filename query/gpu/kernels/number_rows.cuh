// SPDX-License-Identifier: MIT
// Numbers the strings of rows (string_index.h):
//
//   counts    a warp for each tile of kRowTile rows of text: lengths as counts, and their sum
//   places    a warp for each row group of text: where tiles begin, and whether lengths add up to
//             the size of the text
//   rows      a warp for each tile of kRowTile rows, four neighbours for each lane: a lane walks
//             the codes of its row, packs the bytes that they stand for into words, and looks these
//             up; or it takes the words of the row's text
//   bytes     a thread for each block of tokens: whether its rows have as many bytes as it says
//   entries   a lane for each entry of a dictionary
//   slices    a warp for each vector: numbers of the entries of codes, and of NULLs
//
// Codes are read in place: those of neighbouring rows share lines of memory, which caches hold.
// Estimated, not measured, for 16 bytes in 6 codes: about 35 instructions for each code, and 60 for
// each row for hash, bucket and cell. Tests: tests/queries/strings.txt.
#pragma once

#include "decompress/columns/gpu/integer_decoder.cuh"
#include "query/gpu/kernels/any_vector.cuh"
#include "query/gpu/kernels/string_index.cuh"
#include "query/gpu/strings/string_tiles.cuh"

namespace presso::gpu {

inline constexpr u32 kNumberWarps = 8;

/// Code `i` of a payload whose size is right.
PRESSO_DEVICE u32 token_code(const ColumnPayload& payload, u32 i) {
  const u32 in_vector = i % kVectorRows;
  const u32 bit = in_vector / kLanes * kTokenBits;
  const u32* const from = reinterpret_cast<const u32*>(payload.bytes) +
                          i / kVectorRows * kTokenVectorWords + bit / kWordBits * kLanes +
                          in_vector % kLanes;
  const u32 shift = bit % kWordBits;
  const u32 low = simt::load_readonly(from);
  const u32 high = shift + kTokenBits > kWordBits ? simt::load_readonly(from + kLanes) : 0;
  return simt::funnel_shift_right(low, high, shift) & (kMaxTokens - 1);
}

/// A row: the codes [begin, end) of a block. Codes that name no token stand for nothing.
struct TokenString {
  const ColumnPayload& payload;
  const DeviceTokens& tokens;
  u32 begin;
  u32 end;
  mutable bool is_bad = false;  ///< one of the codes names no token

  /// Returns the length.
  template <class Sink>
  PRESSO_DEVICE u32 for_each_word(const Sink& sink) const {
    u64 word = 0;
    u32 length = 0;
    for (u32 i = begin; i < end; ++i) {
      const u32 code = token_code(payload, i);
      is_bad = is_bad || code >= tokens.size;
      const simt::Vec4 slot =
          simt::load_readonly(reinterpret_cast<const simt::Vec4*>(tokens.slots) + code);
      const u64 first = u64{slot.y} << kWordBits | slot.x;
      const u64 second = u64{slot.w} << kWordBits | slot.z;
      const u32 filled = length % kWordBytes;
      const u32 shift = kWordBytes * filled;
      const u32 bytes = simt::load_readonly(tokens.lengths + code);
      const u64 over_first = filled == 0 ? 0 : first >> (2 * kWordBits - shift);
      const u64 over_second = filled == 0 ? 0 : second >> (2 * kWordBits - shift);
      const u64 words[3] = {word | first << shift, over_first | second << shift, over_second};
      const u32 whole = (filled + bytes) / kWordBytes;
      if (whole > 0) sink(words[0]);
      if (whole > 1) sink(words[1]);
      if (whole > 2) sink(words[2]);
      word = whole == 0 ? words[0] : whole == 1 ? words[1] : whole == 2 ? words[2] : 0;
      length += bytes;
    }
    if (length % kWordBytes != 0) sink(word);
    return length;
  }
};
static_assert(kMaxTokenBytes == 2 * kWordBytes);

/// Bytes that lie in memory, anywhere in whole words of it.
struct PlainString {
  const Byte* begin;
  u32 size;

  template <class Sink>
  PRESSO_DEVICE u32 for_each_word(const Sink& sink) const {
    if (size == 0) return 0;
    const u32 before = static_cast<u32>(address_of(begin) % kWordBytes);
    const u32 shift = 8 * before;
    const u64* from = reinterpret_cast<const u64*>(begin - before);
    u64 low = simt::load_readonly(from);
    for (u32 left = size;; left -= kWordBytes) {
      const u64 high = before + left > kWordBytes ? simt::load_readonly(++from) : 0;
      const u64 word = shift == 0 ? low : low >> shift | high << (2 * kWordBits - shift);
      if (left <= kWordBytes) {
        sink(word & ~u64{0} >> 8 * (kWordBytes - left));
        return size;
      }
      sink(word);
      low = high;
    }
  }
};

// --- places of text

/// The sum of all lanes' values.
PRESSO_DEVICE u64 sum_of_lanes(u64 value) {
  for (u32 distance = kWarpSize / 2; distance != 0; distance /= 2) {
    value += simt::shuffle_xor(value, distance);
  }
  return value;
}

/// Writes the counts of a tile's rows; returns their sum, or anything above `codes`.
PRESSO_DEVICE u64 count_text_tile(const StringBlock& block, const NumberedBlock& to, u32 tile) {
  const u32 first = tile * kRowTile;
  const u32 rows = block.rows - first < kRowTile ? block.rows - first : kRowTile;
  const u64 too_many = u64{block.codes} + 1;
  u64 sum = 0;
  for (u32 row = simt::lane(); row < rows; row += kWarpSize) {
    const u64 length = simt::load_readonly(to.lengths + first + row);
    to.counts[first + row] = static_cast<u32>(length);
    sum += length < too_many ? length : too_many;
  }
  return sum_of_lanes(sum);
}

/// Replaces sums by those of the tiles before, by one warp; returns the sum of all.
PRESSO_DEVICE u64 place_text_tiles(const StringBlock& block) {
  const u32 tiles = row_tiles(block.rows);
  u64 before = 0;
  for (u32 begin = 0; begin < tiles; begin += kWarpSize) {
    const u32 tile = begin + simt::lane();
    const u64 own = tile < tiles ? block.tile_begins[tile] : 0;
    u64 sums = own;
    for (u32 distance = 1; distance < kWarpSize; distance *= 2) {
      const u64 more = simt::shuffle_up(sums, distance);
      if (simt::lane() >= distance) sums += more;
    }
    if (tile < tiles) block.tile_begins[tile] = static_cast<u32>(before + sums - own);
    before += simt::shuffle(sums, kWarpSize - 1);
  }
  return before;
}

PRESSO_DEVICE void report_bad_lengths(const NumberBatch& batch, u32 number) {
  if (simt::lane() != 0) return;
  report_fault(batch.strings.status + number, kCountsFault, ErrorCode::kBadLength);
}

/// Any grid.
PRESSO_DEVICE void count_text_body(const NumberBatch& batch) {
  const u32 warps = simt::block_threads() / kWarpSize;
  for (u32 tile = simt::block_index() * warps + uniform_warp(); tile < batch.strings.tiles;
       tile += simt::grid_blocks() * warps) {
    const u32 number = block_of_tile(batch.strings, tile);
    const StringBlock& block = batch.strings.blocks[number];
    const u32 own = tile - block.first_tile;
    const u64 sum = count_text_tile(block, batch.blocks[number], own);
    if (sum > block.codes) report_bad_lengths(batch, number);
    if (simt::lane() == 0) block.tile_begins[own] = static_cast<u32>(sum);
  }
}

/// A warp for each row group.
PRESSO_DEVICE void place_text_body(const NumberBatch& batch) {
  const u32 warps = simt::block_threads() / kWarpSize;
  const u32 number = simt::block_index() * warps + uniform_warp();
  if (number >= batch.strings.count) return;
  const StringBlock& block = batch.strings.blocks[number];
  if (place_text_tiles(block) != block.codes) report_bad_lengths(batch, number);
}

// --- rows

/// How kernels number rows. `kText`: NumberBatch::has_text; `kAdds`: NumberBatch::adds.
template <bool kText, bool kAdds>
struct RowNumbering {
  static constexpr bool kHasText = kText;
  static constexpr bool kPutsIn = kAdds;
  /// So many of a lane's rows are looked for at a time. Where codes of tokens are only walked and
  /// looked up more warps do better, which have fewer registers.
  static constexpr u32 kRowsAtOnce = kText || kAdds ? 4 : 1;
  /// Thread blocks of a multiprocessor.
  static constexpr u32 kBlocks = kAdds ? 2 : kText ? 3 : 4;
  static_assert(kQuad % kRowsAtOnce == 0);
};

template <class Policy>
PRESSO_DEVICE void number_tile(const NumberBatch& batch, u32 number, u32 tile) {
  constexpr bool kText = Policy::kHasText;
  constexpr u32 kRowsAtOnce = Policy::kRowsAtOnce;
  const StringBlock& block = batch.strings.blocks[number];
  const NumberedBlock& to = batch.blocks[number];
  u32* const numbers = to.numbers + tile * kRowTile + kQuad * simt::lane();
  RowFeed feed(block, tile);
  u32 bytes = 0;
  bool is_bad = false;
  for (u32 first = 0; first < feed.rows(); first += kQuadRows) {
    const LaneQuad quad = feed.take();
    const u32 row = first + kQuad * simt::lane();
    for (u32 own = 0; own < kQuad; own += kRowsAtOnce) {
      const auto source_of = [&](u32 i) {
        const u32 begin = quad.begin_of(own + i);
        const u32 end = quad.end_of(own + i);
        if constexpr (kText) {
          return PlainString{to.text + begin, end - begin};
        } else {
          return TokenString{block.payload, to.tokens, begin, end};
        }
      };
      SoughtString sought[kRowsAtOnce];
      PRESSO_UNROLL
      for (u32 i = 0; i < kRowsAtOnce; ++i) {
        const auto source = source_of(i);
        sought[i].digest = digest_of(source, batch.index.hash_bits);
        sought[i].asks = row + own + i < feed.rows();
        if constexpr (!kText) {
          sought[i].asks = sought[i].asks && !source.is_bad;
          is_bad = is_bad || source.is_bad;
          bytes += sought[i].digest.length;
        }
      }
      u32* const to_numbers = numbers + first + own;
      if constexpr (Policy::kPutsIn) {
        const auto first_row = static_cast<u32>(to_numbers - batch.numbers);
        const u32 fresh = find_or_write_strings(batch.index, sought, first_row, source_of);
        claim_strings(batch.index, fresh, sought, source_of);
      } else {
        find_strings<false>(batch.index, sought, source_of);
      }
      PRESSO_UNROLL
      for (u32 i = 0; i < kRowsAtOnce; ++i) {
        if (row + own + i >= feed.rows()) continue;
        const u32 found = sought[i].number;
        to_numbers[i] = found == kNoString ? batch.none : found;
      }
    }
  }
  if constexpr (kText) return;
  report_bad_code(is_bad, batch.strings.status + number);
  const u32 all = simt::reduce_add(bytes);
  if (simt::lane() == 0 && all != 0) simt::atomic_add(batch.strings.matches + number, all);
}
static_assert(u64{kMaxBlockBytes} * kMaxTokenBytes < u64{1} << 32);

/// Any grid.
template <class Policy>
PRESSO_DEVICE void number_rows_body(const NumberBatch& batch) {
  const u32 warps = simt::block_threads() / kWarpSize;
  for (u32 tile = simt::block_index() * warps + uniform_warp(); tile < batch.strings.tiles;
       tile += simt::grid_blocks() * warps) {
    const u32 number = block_of_tile(batch.strings, tile);
    // Faults that are found meanwhile are no reason to leave the block (is_refused()).
    if (is_refused(batch.strings.status[number])) continue;
    number_tile<Policy>(batch, number, tile - batch.strings.blocks[number].first_tile);
  }
}

/// A thread a block.
PRESSO_DEVICE void check_bytes_body(const NumberBatch& batch) {
  const u32 number = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  if (number >= batch.strings.count || batch.strings.status[number] != kNoFault) return;
  if (batch.strings.matches[number] == batch.blocks[number].plain_bytes) return;
  report_fault(batch.strings.status + number, kLengthsFault, ErrorCode::kBadLength);
}

/// Any grid.
PRESSO_DEVICE void number_entries_body(const EntryBatch& batch) {
  const u32 step = simt::grid_blocks() * simt::block_threads();
  const u32 warp_first = simt::thread_in_block() - simt::lane();
  for (u32 first = simt::block_index() * simt::block_threads() + warp_first; first < batch.count;
       first += step) {
    const u32 entry = first + simt::lane();
    const bool asks = entry < batch.count;
    const u32 begin = asks && entry != 0 ? batch.ends[entry - 1] : 0;
    const u32 end = asks ? batch.ends[entry] : 0;
    const PlainString source{batch.bytes + begin, end - begin};
    SoughtString sought[1];
    sought[0].asks = asks;
    sought[0].digest = digest_of(source, batch.index.hash_bits);
    const auto source_of = [&source](u32) { return source; };
    if (batch.adds) {
      const u32 fresh = find_or_write_strings(batch.index, sought, 0, source_of);
      claim_strings(batch.index, fresh, sought, source_of);
    } else {
      find_strings<false>(batch.index, sought, source_of);
    }
    const u32 found = sought[0].number;
    if (asks) batch.numbers[entry] = found == kNoString ? batch.none : found;
  }
}

/// A vector's.
PRESSO_DEVICE void finish_vector(const SliceBatch& batch, const NumberedSlice& slice, u32 vector,
                                 u32* staging) {
  const TableBlock& block = slice.block;
  const u32 n = vector_rows(block.rows, vector);
  u32* const to = slice.numbers + vector * kVectorRows;
  const u32 valid = valid_bits(block, vector, n, staging);
  const auto put = [&](u32 step, u32 code) {
    const u32 row = step * kWarpSize + simt::lane();
    const bool is_valid = (simt::shuffle(valid, step) >> simt::lane() & 1) != 0;
    if (row >= n) return;
    if (!is_valid) {
      to[row] = batch.null_number;
    } else if (slice.entry_numbers != nullptr) {
      to[row] = simt::load_readonly(slice.entry_numbers + code);
    }
  };
  if (block.words == nullptr || slice.entry_numbers == nullptr) {
    for (u32 step = 0; step < steps_of(n); ++step) put(step, 0);
  } else if (block.is_plain) {
    for (u32 step = 0; step < steps_of(n); ++step) {
      const u32 row = step * kWarpSize + simt::lane();
      put(step, simt::load_readonly(block.words + vector * kVectorRows + (row < n ? row : n - 1)));
    }
  } else {
    const VectorEntry entry = load_entry(reinterpret_cast<const Byte*>(block.words), vector);
    for_each_value(checked_vector<u32>(block, entry, n, staging), put);
  }
  simt::warp_sync();
}

/// Grid: kIntegerParts thread blocks of kIntegerWarps warps for each slice. Shared memory:
/// IntegerShared<u32>.
PRESSO_DEVICE void finish_slices_body(const SliceBatch& batch) {
  const NumberedSlice& slice = batch.slices[simt::block_index() / kIntegerParts];
  const u32 warp = uniform_warp();
  const u32 vector = simt::block_index() % kIntegerParts * kIntegerWarps + warp;
  if (vector >= vectors_of(slice.block.rows)) return;
  auto* const shared = reinterpret_cast<IntegerShared<u32>*>(simt::shared_memory());
  finish_vector(batch, slice, vector, shared->staging[warp]);
}

}  // namespace presso::gpu
