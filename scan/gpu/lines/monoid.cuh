// SPDX-License-Identifier: MIT
// An automaton's transition monoid (transition_monoid.h) in a kernel: what a piece of a line does
// to all states is one number, found by one look-up a byte. Classes of bytes and rows of functions
// are read from the front of shared memory, where copy_to_shared() has put them, or, where little
// is to be read, from device memory through the caches; values and products always from there.
// Test: tests/simt/scan_lines_test.cpp.
#pragma once

#include "scan/gpu/lines/line_engines.cuh"

namespace presso::gpu {

/// Where the rows of functions are read from. kGlobal where little is read and a copy would not
/// pay.
enum class MonoidRows { kShared, kGlobal };

// The monoid for a warp. It holds no state of its own besides pointers, so each kernel makes one
// where it needs it.
template <MonoidRows kRows>
class Monoid {
 public:
  PRESSO_DEVICE explicit Monoid(const LineScanArguments& scan)
      : view_(scan.table.monoid),
        image_(scan.table.d_image + view_.at),
        states_(scan.table.states),
        values_(reinterpret_cast<const std::uint16_t*>(scan.table.d_image + view_.values_at)),
        products_(reinterpret_cast<const std::uint16_t*>(scan.table.d_image + view_.products_at)),
        text_(scan.d_text, scan.bytes) {}

  /// The function that `first` and then `second` make together, by one look-up.
  PRESSO_DEVICE u32 product(u32 first, u32 second) const {
    return simt::load_readonly(products_ + first * view_.functions + second);
  }
  /// The product of all lanes' functions, in the order of lanes, in five rounds; only lane 0 gets
  /// it.
  PRESSO_DEVICE u32 product_of_lanes(u32 function) const {
    for (u32 distance = 1; distance < kWarpSize; distance *= 2) {
      const u32 next = simt::shuffle(function, simt::lane() + distance);
      if (simt::lane() + distance < kWarpSize) function = product(function, next);
    }
    return function;
  }
  /// The state that the function leads `state` to.
  PRESSO_DEVICE u32 value(u32 function, u32 state) const {
    return simt::load_readonly(values_ + function * states_ + state);
  }
  /// The function of the text [from, to), which has to lie within a line; `from` is a multiple of
  /// 16. Starts from the identity, which is number 0, and takes a step a byte.
  PRESSO_DEVICE u32 run(u64 from, u64 to) const {
    u32 function = 0;
    PRESSO_NO_UNROLL
    for (; from + kQuadBytes <= to; from += kQuadBytes) {
      const Quad quad = text_.quad(from);
      PRESSO_UNROLL
      for (u32 i = 0; i < kQuadBytes; ++i) {
        function = next(function, simt::byte_permute(quad.words[i / 4], 0, 0x4440 + i % 4));
      }
    }
    PRESSO_NO_UNROLL
    for (; from < to; ++from) function = next(function, text_.byte(from));
    return function;
  }

 private:
  PRESSO_DEVICE u32 next(u32 function, u32 byte) const {
    if constexpr (kRows == MonoidRows::kShared) {
      const Byte* const image = simt::shared_memory();
      return rows_in(image)[function * view_.classes + image[byte]];
    } else {
      const u32 byte_class = simt::load_readonly(image_ + byte);
      return simt::load_readonly(rows_in(image_) + function * view_.classes + byte_class);
    }
  }
  static PRESSO_DEVICE const std::uint16_t* rows_in(const Byte* image) {
    return reinterpret_cast<const std::uint16_t*>(image + kClassMapBytes);
  }

  const MonoidView& view_;
  const Byte* image_;
  u32 states_;
  const std::uint16_t* values_;
  const std::uint16_t* products_;
  TextReader text_;
};

}  // namespace presso::gpu
