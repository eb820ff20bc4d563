// SPDX-License-Identifier: MIT
// A LineDfa laid out for a GPU: one image that lies in device memory and, where it fits, is copied
// into the shared memory of each thread block. Host code, no CUDA.
//
//   kBytes    up to 255 states: a byte for each state and byte of text, rows of 260 bytes. A row
//             more than 256 words apart would put one letter of all states into one bank; the pitch
//             of 65 words spreads them (0.5 against 2 TB/s on text of one letter)
//   kShared   class of each byte (256 bytes; those of ASCII lie in 32 banks), then 16-bit rows of
//             `classes` entries: up to kLargestShared bytes
//   kGlobal   the same, but only the classes are copied; the rows stay in device memory and are
//             read through the caches
//   kByteClasses  up to 255 states: class of each byte, then a byte for each state and class
//
// A look-up takes as many cycles as it meets different words of one bank: up to 32 in kBytes (0.25
// TB/s), and 4 where many states are about (1.9). Rows of classes that fill each bank eight times
// at most take two look-ups, but no text can slow them down as much (0.9 by count), and they are
// as fast as kBytes elsewhere, or 6 % slower (NOTES.md). So lay_out() takes kByteClasses where
// states x classes are at most kPackedBytes. Which of kBytes and kShared suits a larger automaton
// depends on the text, which nobody looks at.
//
// One row is added, `hit`: a copy of the start's that a matching state leads to on '\n'. So a
// kernel counts matching lines by looking for one state number, and nothing else knows of it. In
// kBytes its number has one bit above all states, where there is room: counting is then one shift
// and one addition.
//
// After the rows comes the automaton's transition monoid, where that is small, for lines that are
// longer than what a warp reads (monoid_chain.cuh). Test: tests/simt/scan_lines_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"
#include "scan/automaton/dfa.h"

namespace presso::gpu {

/// States that a table has room for: numbers are of 16 bits, and one of them stands for none.
constexpr std::uint32_t kMostLineStates = 65'534;

enum class LineTableKind : std::uint32_t { kBytes, kShared, kGlobal, kByteClasses };

constexpr std::uint32_t kBytePitch = 260;
constexpr std::uint32_t kMostByteStates = 255;
constexpr std::uint32_t kClassMapBytes = 256;
constexpr std::uint32_t kPackedBytes = 1024;  ///< eight words of each of 32 banks

/// The automaton of functions (transition_monoid.h), in the image of its table. At `at` the class
/// of each byte, then `next`; these are `shared_bytes`. Offsets are multiples of 16.
struct MonoidView {
  std::uint32_t functions = 0;  ///< how many; 0: the table has no monoid
  std::uint32_t classes = 0;
  std::uint32_t at = 0;
  std::uint32_t shared_bytes = 0;  ///< a multiple of 16
  std::uint32_t values_at = 0;
  std::uint32_t products_at = 0;
};

/// A table as kernels see it. Trivially copyable; `d_image` is 16-byte aligned device memory.
struct LineTableView {
  const Byte* d_image = nullptr;
  LineTableKind kind = LineTableKind::kBytes;
  std::uint32_t image_bytes = 0;   ///< a multiple of 16
  std::uint32_t shared_bytes = 0;  ///< the first ones, which are copied to shared memory
  std::uint32_t hit_shift = 8;     ///< rows of bytes: hit == 1 << hit_shift, or 255 where it is 8
  std::uint32_t hit = 0;           ///< the state of a line that begins after a matching one
  std::uint32_t classes = 0;       ///< not with kBytes
  std::uint32_t states = 0;        ///< without `hit`
  std::uint32_t start = 0;
  std::uint32_t first_matching = 0;
  /// States that lead to themselves on all bytes except '\n'; equal to `states` where the automaton
  /// has no such state.
  std::uint32_t sink = 0;  ///< matching
  std::uint32_t dead = 0;  ///< not matching
  MonoidView monoid;
};

/// A table in host memory. The caller copies the image to the device and sets the view's pointer.
struct LineTable {
  std::vector<Byte> image;
  LineTableView view;  ///< d_image is for the caller to set
};

/// The largest image that is kept in shared memory, beside the text: it leaves room for 16 warps.
constexpr std::uint32_t kLargestShared = 140 << 10;

/// Lays the automaton out in the fastest way that fits, with its monoid if that is small. Error:
/// kInvalidArgument where `dfa` breaks its contract (scan/automaton/dfa.h), or has 65,535 states or
/// more.
Result<LineTable> lay_out(const scan_detail::LineDfaView& dfa,
                          std::uint32_t largest_shared = kLargestShared);
/// Lays it out as the caller says, for tests and measurements. Error: kInvalidArgument where the
/// automaton does not fit that layout.
Result<LineTable> lay_out_as(LineTableKind kind, const scan_detail::LineDfaView& dfa);

}  // namespace presso::gpu
