// SPDX-License-Identifier: MIT
// The automaton in a kernel, one type for each layout of line_table.h: where the rows of its table
// lie and what a step costs. Each type copies its part of the image into the front of shared memory
// and then answers next(state, byte).
//
//   ByteRows<shift>   one look-up a byte: 4 instructions with counting (permute, multiply-add,
//                     load, shift-add); shift 8 stands for hit == 255, which costs one more
//   ByteClassRows     two look-ups in shared memory, the class first: 5 instructions with counting
//   SharedRows        the same with 16-bit rows
//   GlobalRows        the row from device memory through L1 and L2
//
// Test: tests/simt/scan_lines_test.cpp, with all of them.
#pragma once

#include "scan/gpu/lines/line_scan_args.h"

namespace presso::gpu {

struct alignas(16) Quad {
  u32 words[4];
};

/// Copies to the front of shared memory, by all threads of a block; a block_sync must follow.
PRESSO_DEVICE void copy_to_shared(const Byte* d_from, u32 bytes) {
  Quad* const to = reinterpret_cast<Quad*>(simt::shared_memory());
  const Quad* const from = reinterpret_cast<const Quad*>(d_from);
  for (u32 i = simt::thread_in_block(); i < bytes / kQuadBytes; i += simt::block_threads()) {
    to[i] = simt::load_readonly(from + i);
  }
}
/// Copies the part of the image that kernels keep in shared memory; a block_sync must follow.
PRESSO_DEVICE void copy_table(const LineTableView& table) {
  copy_to_shared(table.d_image, table.shared_bytes);
}

// Rows of a kBytes table: state and byte are the index. hits() is 1 in the state `hit`; where its
// number has a bit of its own, a shift gets that without a comparison.
template <u32 kShift>
class ByteRows {
 public:
  PRESSO_DEVICE explicit ByteRows(const LineTableView&) {}

  PRESSO_DEVICE u32 next(u32 state, u32 byte) const {
    return simt::shared_memory()[state * kBytePitch + byte];
  }
  PRESSO_DEVICE bool is_hit(u32 state) const {
    return kShift < 8 ? (state >> kShift) != 0 : state == kMostByteStates;
  }
  PRESSO_DEVICE u32 hits(u32 state) const {
    if constexpr (kShift < 8) return state >> kShift;
    return is_hit(state) ? 1 : 0;
  }
};

/// Rows of a kByteClasses table: the byte's class is looked up first. The shift is 7 or 8.
template <u32 kShift>
class ByteClassRows {
 public:
  PRESSO_DEVICE explicit ByteClassRows(const LineTableView& table) : classes_(table.classes) {}

  PRESSO_DEVICE u32 next(u32 state, u32 byte) const {
    const u32 at = state * classes_ + simt::shared_memory()[byte];
    return simt::shared_memory()[kClassMapBytes + at];
  }
  PRESSO_DEVICE bool is_hit(u32 state) const { return hits(state) != 0; }
  PRESSO_DEVICE u32 hits(u32 state) const {
    if constexpr (kShift < 8) return state >> kShift;
    return state == kMostByteStates ? 1 : 0;
  }

 private:
  u32 classes_;
};

/// Rows of 16 bits, of a kShared or a kGlobal table.
template <bool kInShared>
class ClassRows {
 public:
  PRESSO_DEVICE explicit ClassRows(const LineTableView& table)
      : rows_(reinterpret_cast<const std::uint16_t*>(table.d_image + kClassMapBytes)),
        classes_(table.classes),
        hit_(table.hit) {}

  PRESSO_DEVICE u32 next(u32 state, u32 byte) const {
    const u32 at = state * classes_ + simt::shared_memory()[byte];
    if constexpr (kInShared) {
      return reinterpret_cast<const std::uint16_t*>(simt::shared_memory() + kClassMapBytes)[at];
    } else {
      return simt::load_readonly(rows_ + at);
    }
  }
  PRESSO_DEVICE bool is_hit(u32 state) const { return state == hit_; }
  PRESSO_DEVICE u32 hits(u32 state) const { return is_hit(state) ? 1 : 0; }

 private:
  const std::uint16_t* rows_;
  u32 classes_;
  u32 hit_;
};

using SharedRows = ClassRows<true>;
using GlobalRows = ClassRows<false>;

/// The text as the slow paths read it: from device memory, a byte or a quad at a time.
class TextReader {
 public:
  PRESSO_DEVICE TextReader(const Byte* d_text, u64 bytes) : text_(d_text), bytes_(bytes) {}

  PRESSO_DEVICE u64 size() const { return bytes_; }
  PRESSO_DEVICE u32 byte(u64 at) const { return simt::load_readonly(text_ + at); }
  PRESSO_DEVICE Quad quad(u64 at) const {
    return simt::load_readonly(reinterpret_cast<const Quad*>(text_ + at));
  }

 private:
  const Byte* text_;
  u64 bytes_;
};

/// Bit 7 of a byte is set where one of the word's bytes is '\n'. Only the lowest such bit is sure:
/// a borrow may set the bit of a byte above it. Enough to ask whether there is one, and where the
/// first is.
PRESSO_DEVICE u32 newline_bits(u32 word) {
  const u32 differs = word ^ 0x0A0A0A0Au;
  return (differs - 0x01010101u) & ~differs & 0x80808080u;
}
PRESSO_DEVICE bool has_newline(const Quad& quad) {
  return (newline_bits(quad.words[0]) | newline_bits(quad.words[1]) | newline_bits(quad.words[2]) |
          newline_bits(quad.words[3])) != 0;
}

/// Adds up what the lanes of a warp have found, by one atomic addition.
PRESSO_DEVICE void add_lines(u64* d_lines, u64 lines) {
  for (u32 distance = kWarpSize / 2; distance > 0; distance /= 2) {
    lines += simt::shuffle_xor(lines, distance);
  }
  if (simt::lane() == 0 && lines != 0) simt::atomic_add(d_lines, lines);
}

/// The end of the part of a tile (line_scan_args.h) that depends on the state before it: the
/// beginning of the stage of 64 bytes with the first '\n', or the tile's end.
PRESSO_DEVICE u64 end_of_head(const LineScanArguments& scan, u64 tile) {
  const u64 begin = tile * scan.tile_bytes();
  const u32 first = scan.d_tiles[tile].first;
  if (first != kNoStage) return begin + u64{first} * kStageBytes;
  return begin + scan.tile_bytes() < scan.bytes ? begin + scan.tile_bytes() : scan.bytes;
}

/// Whether the automaton keeps this state to the end of its line, so that the rest need not be
/// read.
PRESSO_DEVICE bool is_absorbing(const LineTableView& table, u32 state) {
  return state == table.sink || state == table.dead;
}

/// Runs the automaton over bytes within lines, on the slow paths where a piece is run again. It
/// never sees a '\n', so it meets no hits.
template <class Rows>
class LineWalker {
 public:
  /// Holds no reference to what lies in registers: that would move it to memory.
  PRESSO_DEVICE explicit LineWalker(const LineScanArguments& scan)
      : rows_(scan.table), table_(scan.table), text_(scan.d_text, scan.bytes) {}

  PRESSO_DEVICE bool is_absorbing(u32 state) const { return gpu::is_absorbing(table_, state); }
  PRESSO_DEVICE bool matches(u32 state) const { return state >= table_.first_matching; }
  /// The state of the LineDfa that `hit` stands for: the start. All other states are themselves.
  PRESSO_DEVICE u32 plain(u32 state) const { return rows_.is_hit(state) ? table_.start : state; }

  /// Runs over [from, to), both multiples of 16; `to` may also be the end of the text.
  PRESSO_DEVICE u32 run(u32 state, u64 from, u64 to) const {
    if (is_absorbing(state)) return state;
    PRESSO_NO_UNROLL
    for (; from + kQuadBytes <= to; from += kQuadBytes) state = run_quad(state, text_.quad(from));
    PRESSO_NO_UNROLL
    for (; from < to; ++from) state = rows_.next(state, text_.byte(from));
    return plain(state);
  }

  struct LineEnd {
    u64 at;  ///< the place of its '\n', or the end of the text
    bool matches;
  };
  /// Runs to the end of the line. `from` is a multiple of 16.
  PRESSO_DEVICE LineEnd end_of_line(u32 state, u64 from) const {
    PRESSO_NO_UNROLL
    for (; from + kQuadBytes <= text_.size(); from += kQuadBytes) {
      const Quad quad = text_.quad(from);
      if (has_newline(quad)) break;
      state = run_quad(state, quad);
    }
    PRESSO_NO_UNROLL
    for (; from < text_.size(); ++from) {
      const u32 byte = text_.byte(from);
      if (byte == '\n') break;
      state = rows_.next(state, byte);
    }
    return {from, matches(state)};
  }

 private:
  PRESSO_DEVICE u32 run_quad(u32 state, const Quad& quad) const {
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuadBytes; ++i) {
      state = rows_.next(state, simt::byte_permute(quad.words[i / 4], 0, 0x4440 + i % 4));
    }
    return state;
  }

  Rows rows_;
  const LineTableView& table_;
  TextReader text_;
};

}  // namespace presso::gpu
