// SPDX-License-Identifier: MIT
// Any number of literals of any lengths laid out for a GPU: a filter for shared memory, and tables
// in device memory with which what passes it is verified. Host code, no CUDA.
//
// Each literal is looked for by a gram, up to eight of its bytes: those that are rarest in texts
// and shared with the fewest other literals. A gram's hash is a bit of the filter. Where all
// literals are long enough, a text's grams are looked up at every second or fourth place only; then
// a literal has that many grams, one after another, and where those would be shared by too many the
// stride is smaller. Literals of less than four bytes among longer ones are a group of their own,
// so that they do not shorten the others' grams.
//
// Image:  filters, [group][filter_bytes]: bit h % 32 of the word at h >> filter_shift
//         slots, an open hash table of grams for each group, at h >> slot_shift and after that
//         entries: the literals of each gram, short ones first
//         for each literal's eight bytes: bytes 0-3, their mask, bytes 4-7, their mask
// Hash:   h = words[0] * multipliers[0] + words[1] * multipliers[1] of the eight bytes of text
//         from a place, each bit of `fold` set; the multipliers shift out what a gram has not.
//
// Literals that hold another one of up to eight bytes are left out: a line with them has that one
// too. Test: tests/simt/many_literals_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso::gpu {

/// A slot of the hash table of grams. It is unused where `entries` is 0.
struct alignas(16) GramSlot {
  std::uint32_t words[2] = {};    ///< folded, with zeroes after the gram's end
  std::uint32_t first_entry = 0;  ///< its literals
  std::uint32_t entries = 0;      ///< | kWholeGram

  static constexpr std::uint32_t kWholeGram = 1u << 31;  ///< the gram alone is a literal
};

/// One literal around a gram: where it begins, and where its bytes are for the comparison.
struct alignas(16) GramEntry {
  std::uint32_t begin_before = 0;  ///< how many bytes before the gram it begins
  std::uint32_t length = 0;
  std::uint32_t at = 0;  ///< its bytes and masks in the image
  std::uint32_t reserved = 0;
};

/// Literals whose grams have the same length, with the constants of their hash. The multipliers and
/// shifts are for filter and hash table both.
struct LiteralGroup {
  std::uint32_t multipliers[2] = {};
  std::uint32_t masks[2] = {};  ///< the bytes of a gram
  std::uint32_t filter_shift = 0;
  std::uint32_t slot_shift = 0;
  std::uint32_t slot_mask = 0;  ///< slots - 1
  std::uint32_t slots_at = 0;   ///< in the image
};

/// The table as kernels see it. Trivially copyable.
struct ManyLiteralTableView {
  const Byte* d_image = nullptr;  ///< 16-byte aligned
  LiteralGroup groups[2];         ///< [1]: the short ones, looked up at every place
  std::uint32_t group_count = 1;  ///< or 2
  std::uint32_t stride = 1;  ///< the first group is looked up at every stride-th place: 1, 2 or 4
  std::uint32_t fold = 0;    ///< set in each word: case is ignored
  std::uint32_t filter_bytes = 0;  ///< size of a group's filter, a power of two
  std::uint32_t entries_at = 0;
  std::uint32_t image_bytes = 0;  ///< a multiple of 16

  std::uint32_t shared_bytes() const { return group_count * filter_bytes; }
};

/// The table in host memory. The caller copies the image to the device and sets the view's pointer.
struct ManyLiteralTable {
  std::vector<Byte> image;
  ManyLiteralTableView view;  ///< d_image is for the caller to set
};

/// Lays literals out, in time that grows with their bytes times eight. Error: kInvalidArgument
/// where there are none, one is empty or holds a '\n', or they have more than 2^26 bytes together.
Result<ManyLiteralTable> lay_out_many_literals(const std::vector<std::string>& literals,
                                               bool ignore_ascii_case);

}  // namespace presso::gpu
