// SPDX-License-Identifier: MIT
// Tests rows of codes (the strings of a column that is stored as tokens, FORMAT.md 17) without
// following the state of each row of an automaton (StringLayout::kSweep). For each code it is known
// to which state it leads from the start; the guess is that this is the state after the code,
// whatever was before it. One word for each code (kSweep in string_table.h) is enough to check the
// guess against the word of the code before: a warp checks 32 codes side by side in the order in
// which they are packed, whatever rows they belong to. A row in which every guess holds does not
// match. All other rows are *suspects*: they are collected and walked, one lane for each row, by
// the whole automaton, whose table is in device memory because few rows need it. So the automaton
// may have any number of states, and rows any number of codes.
//
// Example: for `%special%requests%` most tokens lead to the start from every state in which
// "special" is not complete yet. A row is a suspect if a token completes that word, or ends in the
// middle of it and the next token continues it.
//
// This is fast if few rows are suspects, that is for patterns whose match may begin anywhere. If
// most codes lead from the start to a match, or if the first codes of a row decide it, row_walk.cuh
// is faster; string_choice.h decides.
//
// Estimated from instructions, for 4.6 codes in a row: a warp needs 10 instructions for 32 codes, 9
// for their rows, and 6 cycles of shared memory. Tested by tests/simt/string_suite.cpp.
#pragma once

#include "query/gpu/strings/row_walk.cuh"

namespace presso::gpu {

inline constexpr u32 kHitWords = 256;  ///< of a warp's ring: 8,192 codes
/// Suspects wait until there is one for each lane; a group of rows may then add all of its rows.
inline constexpr u32 kSuspects = kWarpSize + kQuadRows;

/// A row to be walked: its codes, and its place in the tile. The begin has 22 bits and the row the
/// 10 bits above, so that a suspect has 8 bytes.
struct Suspect {
  u32 begin_and_row;
  u32 end;
};
inline constexpr u32 kSuspectRowShift = 22;
static_assert(kMaxBlockBytes <= 1u << kSuspectRowShift);
static_assert(u64{kRowTile} << kSuspectRowShift == u64{1} << 32);  // allow(bare-32): bits

/// The part of shared memory that belongs to one warp; the table's words are before all of them.
struct SweepShared {
  alignas(16) u32 hits[kHitWords];  ///< a bit for each code, in a ring
  u32 bits[kRowTile / kWarpSize];   ///< a bit for each row of the tile: whether it matches
  Suspect suspects[kSuspects];
};

/// The table of kSweep: words in shared memory, the classes next to them, the automaton's rows in
/// device memory.
struct SweepTable {
  const u32* words;
  const std::uint16_t* classes;
  const std::uint16_t* rows;  ///< in device memory
  u32 pitch;

  PRESSO_DEVICE explicit SweepTable(const StringTableView& view)
      : words(reinterpret_cast<const u32*>(simt::shared_memory())),
        classes(reinterpret_cast<const std::uint16_t*>(words + kMaxTokens)),
        rows(reinterpret_cast<const std::uint16_t*>(view.d_image + view.rows_at)),
        pitch(view.pitch) {}
  PRESSO_DEVICE u32 after(u32 state, u32 code) const {
    return simt::load_readonly(rows + state * pitch + classes[code]);
  }
};

/// A warp's ring of hits. A hit is a code whose guess does not hold or after which there may be a
/// match. All members are the same in all lanes, except for the codes that the feed holds.
class HitWindow {
 public:
  static constexpr u32 kCodes = kHitWords * kWordBits;

  PRESSO_DEVICE HitWindow(const SweepTable& table, const StringBlock& block, u32* ring, u32 code)
      : table_(table), ring_(ring), feed_(block, code) {}

  PRESSO_DEVICE u32 end() const { return feed_.end(); }
  /// Takes codes up to `end`, as far as there is room besides those from `kept` on (as in
  /// ColumnWindow::fill()).
  PRESSO_DEVICE void fill(u32 kept, u32 end) {
    if (feed_.end() >= end) return;
    const u32 limit = kept / kOctetCodes * kOctetCodes + kCodes;
    simt::warp_sync();  // all lanes have read what the next octets overwrite
    while (feed_.end() < end && feed_.end() < limit) sweep();
    simt::warp_sync();
  }
  /// Returns a bit for each of the lane's rows that has a hit among its codes [from, until), which
  /// are in the window. The first code of a row is compared with the last code of the row before
  /// it. That may make the row a suspect without need, but never hides a match.
  PRESSO_DEVICE u32 hit_rows(const LaneQuad& quad, u32 from, u32 until) const {
    const bool is_inside = from <= quad.begin && quad.ends[kQuad - 1] <= until;
    const bool is_short = quad.ends[kQuad - 1] - quad.begin <= kWordBits;
    if (simt::all(is_inside && is_short)) return hit_short_rows(quad);
    u32 found = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuad; ++i) {
      const u32 begin = from > quad.begin_of(i) ? from : quad.begin_of(i);
      const u32 end = until < quad.ends[i] ? until : quad.ends[i];
      found |= has_hit(begin, end) ? 1u << i : 0;
    }
    return found;
  }

 private:
  PRESSO_DEVICE u32 word(u32 index) const { return ring_[index % kHitWords]; }

  /// The common case: the lane's rows have at most kWordBits codes together, so two words of the
  /// ring have all of their hits.
  PRESSO_DEVICE u32 hit_short_rows(const LaneQuad& quad) const {
    const u32 index = quad.begin / kWordBits;
    const u32 hits = simt::funnel_shift_right(word(index), word(index + 1), quad.begin % kWordBits);
    u32 found = 0;
    u32 before = 0;  // the bits that belong to rows before this one
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuad; ++i) {
      const u32 count = quad.ends[i] - quad.begin;
      const u32 up_to = count < kWordBits ? (1u << count) - 1 : simt::kFullMask;
      found |= (hits & up_to & ~before) != 0 ? 1u << i : 0;
      before = up_to;
    }
    return found;
  }

  /// Whether there is a hit among the codes [begin, end), any number of them. Called by all lanes;
  /// goes on until the lane with the most codes is done.
  PRESSO_DEVICE bool has_hit(u32 begin, u32 end) const {
    const u32 shift = begin % kWordBits;
    u32 index = begin / kWordBits;
    u32 left = begin < end ? end - begin : 0;
    u32 low = word(index);
    u32 hits = 0;
    PRESSO_NO_UNROLL
    while (simt::any(left > 0)) {
      const u32 high = word(++index);
      const u32 wanted = left < kWordBits ? (1u << left) - 1 : simt::kFullMask;
      hits |= simt::funnel_shift_right(low, high, shift) & wanted;
      low = high;
      left = left > kWordBits ? left - kWordBits : 0;
    }
    return hits != 0;
  }

  /// Checks the guesses of one octet. Each lane gets the word of the code before its own from its
  /// neighbour, lane 0 from lane 31 of the step before.
  PRESSO_DEVICE void sweep() {
    u32* const to = ring_ + feed_.end() / kWordBits % kHitWords;
    const OctetCodes codes = feed_.take();
    u32 words[kOctetSteps];
    PRESSO_UNROLL
    for (u32 step = 0; step < kOctetSteps; ++step) words[step] = table_.words[codes.steps[step]];
    u32 hits[kOctetSteps];
    PRESSO_UNROLL
    for (u32 step = 0; step < kOctetSteps; ++step) {
      const u32 turned = simt::shuffle(words[step], simt::lane() + kWarpSize - 1);
      const u32 before = simt::lane() == 0 ? last_ : turned;
      last_ = turned;
      hits[step] = simt::ballot((before >> 16 & words[step]) != 0);
    }
    if (simt::lane() != 0) return;
    reinterpret_cast<simt::Vec4*>(to)[0] = {hits[0], hits[1], hits[2], hits[3]};
    reinterpret_cast<simt::Vec4*>(to)[1] = {hits[4], hits[5], hits[6], hits[7]};
  }

  const SweepTable& table_;
  u32* ring_;
  CodeFeed feed_;
  /// In lane 0: the word of the code before the next step. Before the first code it has no state's
  /// bit, only bit 31, so that a code that leads to a match is still a hit.
  u32 last_ = 1u << 31;
};

/// The codes of a block one by one, for any lane: where in the payload the 12 bits of a code are.
struct SingleCodes {
  const u32* payload;

  PRESSO_DEVICE explicit SingleCodes(const StringBlock& block)
      : payload(reinterpret_cast<const u32*>(block.payload.bytes)) {}
  PRESSO_DEVICE u32 at(u32 code) const {
    const u32 bit = code % kVectorRows / kLanes * kTokenBits;
    const u32 shift = bit % kWordBits;
    const u32* const word =
        payload + code / kVectorRows * kTokenVectorWords + bit / kWordBits * kLanes + code % kLanes;
    const u32 low = simt::load_readonly(word);
    const u32 high = shift + kTokenBits > kWordBits ? simt::load_readonly(word + kLanes) : 0;
    return simt::funnel_shift_right(low, high, shift) & (kMaxTokens - 1);
  }
};

struct WalkedRow {
  bool matches;
  bool is_bad;  ///< a code names no token
};

/// Walks the row of the codes [begin, end), in any lane. If the dictionary has all codes, it stops
/// where the state is decided; otherwise it goes on to check that every code names a token.
template <class Table>
PRESSO_DEVICE WalkedRow walk_codes(const Table& table, const StringBlock& block, u32 begin,
                                   u32 end) {
  const StringTableView& view = block.table;
  const SingleCodes codes(block);
  const bool checks = view.tokens < kMaxTokens;
  u32 state = view.start;
  bool is_bad = false;
  PRESSO_NO_UNROLL
  for (u32 at = begin; at < end && (checks || state < view.first_decided); ++at) {
    const u32 code = codes.at(at);
    is_bad = is_bad || code >= view.tokens;
    state = table.after(state, code);
  }
  return {is_match(view, state), is_bad};
}

/// The suspects of a tile, up to kSuspects at a time; walked as soon as there are enough for a
/// warp.
class SuspectList {
 public:
  PRESSO_DEVICE SuspectList(const StringBlock& block, SweepShared& shared)
      : block_(block), shared_(shared) {}

  /// Adds those of the lane's rows whose bit is set in `found`; `first` is the group's first row.
  /// Each round takes at most one row from each lane, so that their places follow from a ballot.
  PRESSO_DEVICE void add(u32 found, const LaneQuad& quad, u32 first) {
    PRESSO_NO_UNROLL
    while (true) {
      const u32 lanes = simt::ballot(found != 0);
      if (lanes == 0) break;
      if (found != 0) {
        const u32 i = simt::find_first_set(found) - 1;
        const u32 row = first + kQuad * simt::lane() + i;
        shared_.suspects[count_ + simt::popcount(lanes & lanes_below())] = suspect(quad, i, row);
      }
      found &= found - 1;
      count_ += simt::popcount(lanes);
    }
    if (count_ < kWarpSize) return;
    simt::warp_sync();
    PRESSO_NO_UNROLL
    while (count_ >= kWarpSize) walk_last(kWarpSize);
  }
  /// Walks the rest, fewer than a warp.
  PRESSO_DEVICE void finish() {
    simt::warp_sync();
    walk_last(count_);
  }
  /// Whether this lane has met a code that names no token.
  PRESSO_DEVICE bool is_bad() const { return is_bad_; }

 private:
  /// Selects row `i` of the quad without an index into registers.
  PRESSO_DEVICE static Suspect suspect(const LaneQuad& quad, u32 i, u32 row) {
    u32 begin = quad.begin;
    u32 end = quad.ends[0];
    PRESSO_UNROLL
    for (u32 k = 1; k < kQuad; ++k) {
      begin = i == k ? quad.ends[k - 1] : begin;
      end = i == k ? quad.ends[k] : end;
    }
    return {begin | row << kSuspectRowShift, end};
  }
  /// Walks the last `count` suspects, at most one for each lane, and removes them.
  PRESSO_DEVICE void walk_last(u32 count) {
    count_ -= count;
    if (simt::lane() < count) {
      const Suspect one = shared_.suspects[count_ + simt::lane()];
      const u32 begin = one.begin_and_row & ((1u << kSuspectRowShift) - 1);
      const u32 row = one.begin_and_row >> kSuspectRowShift;
      const WalkedRow walked = walk_codes(SweepTable(block_.table), block_, begin, one.end);
      is_bad_ = is_bad_ || walked.is_bad;
      if (walked.matches) {
        simt::atomic_or(shared_.bits + row / kWarpSize, 1u << row % kWarpSize);
      }
    }
    simt::warp_sync();
  }

  const StringBlock& block_;
  SweepShared& shared_;
  u32 count_ = 0;
  bool is_bad_ = false;
};

/// Returns a bit for each of the lane's rows that has a hit. The rows of all lanes together have
/// the codes [begin, end), which may be more than the window holds.
PRESSO_DEVICE u32 sweep_rows(HitWindow& window, const LaneQuad& quad, u32 begin, u32 end) {
  u32 found = 0;
  u32 from = begin;
  while (true) {
    window.fill(from, end);
    found |= window.hit_rows(quad, from, window.end());
    if (window.end() >= end) return found;
    from = window.end();
  }
}

/// Sets the bits of rows without codes if the pattern matches the empty string: the sweep looks at
/// codes only, so it cannot find them. `left` rows from the group's first on are rows of the tile.
PRESSO_DEVICE void add_empty_rows(const LaneQuad& quad, u32 left, u32* bits) {
  const u32 row = kQuad * simt::lane();
  u32 empty = 0;
  PRESSO_UNROLL
  for (u32 i = 0; i < kQuad; ++i) {
    empty |= row + i < left && quad.begin_of(i) == quad.ends[i] ? 1u << i : 0;
  }
  if (empty != 0) simt::atomic_or(bits + row / kWarpSize, empty << row % kWarpSize);
}

/// One warp's work on a tile of kRowTile rows: sweeps, collects suspects, walks them, writes bits.
/// Octets at the border of two tiles are read for both.
PRESSO_DEVICE void sweep_tile(const StringBatch& batch, u32 number, u32 tile) {
  const StringBlock& block = batch.blocks[number];
  if (!simt::any(wanted_rows(batch, block, tile) != 0)) return;
  const SweepTable table(block.table);
  SweepShared& shared =
      reinterpret_cast<SweepShared*>(simt::shared_memory() + batch.table_bytes)[uniform_warp()];
  const bool matches_empty = is_match(block.table, block.table.start);
  RowFeed feed(block, tile);
  HitWindow window(table, block, shared.hits, feed.end());
  SuspectList suspects(block, shared);
  shared.bits[simt::lane()] = 0;
  simt::warp_sync();
  for (u32 first = 0; !feed.is_done(); first += kQuadRows) {
    const u32 begin = feed.end();
    const LaneQuad quad = feed.take();
    const u32 found = sweep_rows(window, quad, begin, feed.end());
    if (matches_empty) {
      add_empty_rows(quad, feed.rows() - first, shared.bits + first / kWarpSize);
    }
    suspects.add(found, quad, first);
  }
  suspects.finish();
  report_bad_code(suspects.is_bad(), batch.status + number);
  store_bits(batch, number, tile, feed.rows(),
             shared.bits[simt::lane()] & wanted_rows(batch, block, tile));
  simt::warp_sync();
}

constexpr u32 sweep_shared_bytes(u32 table_bytes, u32 warps) {
  return table_bytes + warps * static_cast<u32>(sizeof(SweepShared));
}

/// The kernel: any grid. Dynamic shared memory: sweep_shared_bytes().
PRESSO_DEVICE void sweep_rows_body(const StringBatch& batch) {
  for_each_tile(batch, [&](u32 number, u32 tile) { sweep_tile(batch, number, tile); });
}

}  // namespace presso::gpu
