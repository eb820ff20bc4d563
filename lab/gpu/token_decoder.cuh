// SPDX-License-Identifier: MIT
// Writes the text of blocks of tokens (coding 5, FORMAT.md 17) and the offsets of their rows.
// Each warp takes a vector of 1,024 codes, whose place in the text token_survey.cuh has found.
// Blocks that it found faulty are skipped, so nothing is checked here.
//
// A tile is four steps, each with one code a lane. For each code, slot (one access of 16 bytes)
// and length come from the dictionary in shared memory; a scan of lengths tells where the token
// goes. The text is put together in the warp's *tile* in shared memory: first each lane stores
// the words whose first byte is in its token, shifted into place; then, over the bytes that
// those words have after their token, the up to three bytes of its own token before its first
// such word. So no word is stored by two lanes, and the lanes synchronise once a tile instead
// of once a step. The tile then goes to the output in units of 16 bytes; the last unit stays if
// it is not full. Only a vector's first and last unit, which its neighbours share, are written
// byte by byte. The offsets of the rows that end in the tile's codes follow, a lane for each
// row.
//
// Cost on an H200, 400 blocks of 1.9 MB of text with 9.4 bytes a code and 27 bytes a row: 0.62 ms,
// and 0.09 and 0.12 ms of survey and places in front; together 890 GB/s of text, of 36 blocks 480.
// What limits it are bank conflicts of slots and of words (a third of the time) and 107
// instructions of a warp for a step. 64 registers; TokenDecoderShared, 105 KiB: two thread blocks a
// multiprocessor. Tests: lab/tests/token_column_suite.cpp.
#pragma once

#include "lab/gpu/token_share.cuh"

namespace presso::gpu {

inline constexpr u32 kTokenWarps = 16;  ///< warps of a thread block
inline constexpr u32 kTileUnit = 16;

struct TokenTile {
  /// The rest of the last tile, the tokens, and room for the words that reach beyond them.
  alignas(16) u32 words[(kTileUnit + kTileCodes * kMaxTokenBytes + kTileUnit) / 4];
  std::uint16_t ends[kTileCodes];  ///< of tokens, in the vector's text
};

struct TokenDecoderShared {
  simt::Vec4 slots[kMaxTokens];
  alignas(16) Byte lengths[kMaxTokens];
  TokenTile tiles[kTokenWarps];
};

/// A token in registers, zeros after its `length` bytes.
struct LaneToken {
  u32 words[4];
  u32 length;
};

PRESSO_DEVICE LaneToken load_token(const TokenDecoderShared& shared, u32 code, bool is_code) {
  if (!is_code) return {{0, 0, 0, 0}, 0};
  const simt::Vec4 slot = simt::load_shared_16(shared.slots + code);
  return {{slot.x, slot.y, slot.z, slot.w}, shared.lengths[code]};
}

/// Stores the words whose first byte is in the token, which begins at byte `at` of the tile.
/// The last word's other bytes belong to the next tokens and are overwritten.
PRESSO_DEVICE void store_words(u32* tile, const LaneToken& token, u32 at) {
  u32* const first = tile + (at + 3) / 4;
  const u32 shift = 8 * ((0 - at) % 4);
  const u32 count = (at + token.length + 3) / 4 - (at + 3) / 4;
  PRESSO_UNROLL
  for (u32 i = 0; i < 4; ++i) {
    const u32 next = i < 3 ? token.words[(i + 1) % 4] : 0;
    if (i < count) first[i] = simt::funnel_shift_right(token.words[i], next, shift);
  }
}

/// Stores the token's bytes before its first full word.
PRESSO_DEVICE void store_first_bytes(u32* tile, const LaneToken& token, u32 at) {
  Byte* const bytes = reinterpret_cast<Byte*>(tile) + at;
  const u32 skipped = (0 - at) % 4;
  const u32 count = skipped < token.length ? skipped : token.length;
  PRESSO_UNROLL
  for (u32 i = 0; i < 3; ++i) {
    if (i < count) bytes[i] = static_cast<Byte>(token.words[0] >> (8 * i));
  }
}

/// A vector's text on its way to the output. All members are the same in all lanes.
class TileWriter {
 public:
  /// `out`: where the vector's text goes.
  PRESSO_DEVICE TileWriter(TokenTile& tile, Byte* out)
      : tile_(tile), out_(out - address_of(out) % kTileUnit) {
    fill_ = kept_ = static_cast<u32>(address_of(out) % kTileUnit);
    begin_ = fill_;
  }

  /// Appends a tile's tokens, step by step; notes where they end in the vector's text.
  PRESSO_DEVICE void append(const LaneToken (&tokens)[kTileSteps]) {
    u32 at[kTileSteps];
    PRESSO_UNROLL
    for (u32 step = 0; step < kTileSteps; ++step) {
      const u32 end = fill_ + simt::inclusive_sum(tokens[step].length);
      at[step] = end - tokens[step].length;
      store_words(tile_.words, tokens[step], at[step]);
      tile_.ends[step * kWarpSize + simt::lane()] =
          static_cast<std::uint16_t>(written_ + end - begin_);
      fill_ = simt::shuffle(end, kWarpSize - 1);
    }
    simt::warp_sync();
    PRESSO_UNROLL
    for (u32 step = 0; step < kTileSteps; ++step) {
      store_first_bytes(tile_.words, tokens[step], at[step]);
    }
  }

  /// Writes all full units and moves the rest to the tile's beginning.
  PRESSO_DEVICE void flush() {
    simt::warp_sync();
    const u32 units = fill_ / kTileUnit;
    write_first_unit(units);
    for (u32 unit = simt::lane() + (kept_ > 0 ? 1 : 0); unit < units; unit += kWarpSize) {
      simt::store_streaming(reinterpret_cast<simt::Vec4*>(out_) + unit, unit_at(unit));
    }
    if (units == 0) return;
    const simt::Vec4 rest = unit_at(units);
    simt::warp_sync();
    if (simt::lane() == 0) *reinterpret_cast<simt::Vec4*>(tile_.words) = rest;
    out_ += units * kTileUnit;
    written_ += units * kTileUnit;
    fill_ -= units * kTileUnit;
    kept_ = 0;
    simt::warp_sync();
  }

  /// Writes what is left; call it after the last flush().
  PRESSO_DEVICE void finish() const { write_bytes(kept_, fill_); }

 private:
  PRESSO_DEVICE simt::Vec4 unit_at(u32 unit) const {
    return simt::load_shared_16(reinterpret_cast<const simt::Vec4*>(tile_.words) + unit);
  }
  PRESSO_DEVICE void write_first_unit(u32 units) const {
    if (kept_ > 0 && units > 0) write_bytes(kept_, kTileUnit);
  }
  PRESSO_DEVICE void write_bytes(u32 from, u32 to) const {
    const u32 at = from + simt::lane();
    if (at < to) out_[at] = reinterpret_cast<const Byte*>(tile_.words)[at];
  }

  TokenTile& tile_;
  Byte* out_;        ///< where byte 0 of the tile goes, at a multiple of kTileUnit
  u32 written_ = 0;  ///< bytes of the tiles before
  u32 fill_;         ///< bytes in the tile
  u32 begin_;        ///< where the vector's text began in its first tile
  u32 kept_;         ///< bytes of the first unit that are not the vector's
};

/// The first of `rows` rows that ends after code `code`; a search by 32 lanes at once.
PRESSO_DEVICE u32 first_row_behind(const u32* row_ends, u32 rows, u32 code) {
  u32 begin = 0;
  u32 end = rows;
  while (end - begin > kWarpSize) {
    const u32 share = (end - begin) / kWarpSize;
    const u32 probe = begin + (simt::lane() + 1) * share - 1;
    const u32 first = simt::find_first_set(simt::ballot(row_ends[probe] > code));
    if (first > 0) end = begin + first * share;
    begin += (first > 0 ? first - 1 : kWarpSize) * share;
  }
  const u32 at = begin + simt::lane();
  const u32 first = simt::find_first_set(simt::ballot(at < end && row_ends[at] > code));
  return first > 0 ? begin + first - 1 : end;
}

/// Sets the offsets of the rows from `row` on that end at codes begin + 1 to `end`, whose
/// tokens end at `ends`. Returns the first row that ends later.
PRESSO_DEVICE u32 store_offsets(const TokenBlock& block, u32 row, u32 begin, u32 end,
                                const std::uint16_t* ends, std::int64_t text) {
  while (true) {
    const u32 at = row + simt::lane();
    const u32 row_end = at < block.rows ? block.row_ends[at] : simt::kFullMask;
    const bool is_here = row_end <= end;
    if (is_here) block.offsets[at + 1] = text + ends[row_end - begin - 1];
    const u32 count = simt::popcount(simt::ballot(is_here));
    row += count;
    if (count < kWarpSize) return row;
  }
}

PRESSO_DEVICE void decode_token_vector(TokenDecoderShared& shared, const TokenBlock& block,
                                       u32 vector) {
  TokenTile& tile = shared.tiles[uniform_warp()];
  const u32 n = codes_of_vector(block, vector);
  const u32* const lane = lane_of_vector(block, vector);
  const u32 words = lane_words_of(n);
  const u32 text = block.vector_begins[vector];
  const u32 vector_code = vector * kVectorRows;
  TileCodes codes = TileCodes::load(lane, words, 0);
  u32 row = first_row_behind(block.row_ends, block.rows, vector_code);
  TileWriter writer(tile, block.out + text);
  for (u32 begin = 0; begin < n; begin += kTileCodes) {
    const TileCodes next = TileCodes::load(lane, words, begin / kTileCodes + 1);
    LaneToken tokens[kTileSteps];
    PRESSO_UNROLL
    for (u32 step = 0; step < kTileSteps; ++step) {
      const bool is_code = begin + step * kWarpSize + simt::lane() < n;
      tokens[step] = load_token(shared, codes.at(step), is_code);
    }
    codes = next;
    writer.append(tokens);
    writer.flush();
    const u32 end = begin + kTileCodes < n ? begin + kTileCodes : n;
    row = store_offsets(block, row, vector_code + begin, vector_code + end, tile.ends,
                        block.first_offset + text);
    simt::warp_sync();
  }
  writer.finish();
  simt::warp_sync();
}

PRESSO_DEVICE void decode_tokens_body(const TokenBatch& batch) {
  auto* const shared = reinterpret_cast<TokenDecoderShared*>(simt::shared_memory());
  const Byte* slots = nullptr;
  for_each_in_share(batch, [&](u32 number, u32 first, u32 end) {
    if (batch.status[number] != kNoFault) return;
    const TokenBlock& block = batch.blocks[number];
    if (block.tokens.slots != slots) {
      slots = block.tokens.slots;
      simt::block_sync();  // what was there has been used
      copy_to_shared(slots, kMaxTokens * kMaxTokenBytes, reinterpret_cast<Byte*>(shared->slots));
      copy_to_shared(block.tokens.lengths, kMaxTokens, shared->lengths);
      simt::block_sync();
    }
    for (u32 vector = first + uniform_warp(); vector < end; vector += kTokenWarps) {
      decode_token_vector(*shared, block, vector);
    }
  });
}

}  // namespace presso::gpu
