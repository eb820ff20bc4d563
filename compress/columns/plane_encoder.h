// SPDX-License-Identifier: MIT
// Encodes a block of numbers in planes (coding 6, FORMAT.md 18, plane_layout.h). Numbers of few
// different values become codes of a dictionary, doubles that were written with few decimals
// become integers, and either may become differences to the number before; what is smallest by a
// sample is taken. Tested by tests/unit/decompress/columns/plane_round_trip_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "compress/columns/alp_encoder.h"
#include "compress/encode/block_encoder.h"
#include "format/columns/plane_layout.h"

namespace presso {

/// The values of a block, in Arrow's layout.
struct PlaneInput {
  const Byte* values = nullptr;
  const Byte* validity = nullptr;  ///< a bit a row; nullptr: all rows have values
  Byte width_bytes = 8;            ///< 1, 2, 4 or 8
  bool is_signed = false;
  bool floating = false;
  std::uint32_t rows = 0;     ///< 1 to kMaxIntegerRows
  std::uint64_t divisor = 1;  ///< that all differences of integers share
};

/// What an encoding may take.
struct PlaneLimits {
  std::size_t bytes = 0;
  std::uint32_t plans = 2;  ///< how many ways are coded to find the smallest
};

/// The encoder of one thread. Keeps its memory from block to block.
class PlaneEncoder {
 public:
  /// Appends the payload if it is within the limit of bytes, and returns whether it did. Large
  /// blocks are tried on a sample first. Rows without a value decode to anything. `bytes` codes the
  /// planes.
  bool encode(const PlaneInput& input, PlaneLimits limits, BlockEncoder& bytes, Buffer& payload);

 private:
  /// A way to put numbers into planes.
  struct Plan {
    PlaneMap map = PlaneMap::kNone;
    bool steps = false;
    AlpExponents exponents{};
    double estimate = 0;
  };

  /// The different images in rising order, and which one each row has.
  struct Dictionary {
    std::vector<std::uint64_t> entries;
    std::vector<std::uint64_t> codes;
  };

  std::vector<Plan> plans_of(std::span<const std::uint64_t> images, const PlaneInput& input,
                             bool may_have_entries);
  void append_numbers(std::span<const std::uint64_t> images, const PlaneInput& input, Plan plan,
                      Buffer& to);
  void append_planes(std::span<const std::uint64_t> numbers, Buffer& to);
  void append_plane(Bytes plane, Buffer& to);
  Dictionary dictionary_of(std::span<const std::uint64_t> images, std::size_t most);

  BlockEncoder* bytes_ = nullptr;  ///< during encode()
  std::vector<std::uint64_t> images_;
  std::vector<std::uint32_t> slots_;
  std::vector<Byte> plane_;
  Buffer coded_;
  Buffer trial_;
};

}  // namespace presso
