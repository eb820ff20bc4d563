// SPDX-License-Identifier: MIT
// The arrays that hold the rows of GroupPlace::kParts (rows that a pipeline has written and whose
// groups are made afterwards), and how the rows are divided into parts by hashes of their keys;
// kernels (group_parts.cuh) and host (query/gpu/table/group_parts.h) agree on them here. Trivially
// copyable; all arrays are device memory. Tests: tests/simt/group_parts_test.cpp.
#pragma once

#include <cstdint>

#include "query/gpu/kernels/pipeline.h"

namespace presso::gpu {

// Arrays of Pipeline::output.
constexpr std::uint32_t kKeyArray = 0;    ///< the key of a row's group, wide
constexpr std::uint32_t kOrderArray = 1;  ///< the number by which the row is in order
constexpr std::uint32_t kCellArrays = 2;  ///< words for cells, from here on

/// What a row has for a cell.
enum class CellWord : Byte {
  kNone,    ///< nothing: it counts all rows
  kNarrow,  ///< 32 bits, signed
  kWide,    ///< 64 bits
};
PRESSO_HD constexpr CellWord word_of(const PipelineCell& cell) {
  using Kind = PipelineCell::Kind;
  if (cell.kind == Kind::kCount) {
    return cell.valid_columns == 0 && !cell.has_valid ? CellWord::kNone : CellWord::kNarrow;
  }
  const bool is_narrow =
      cell.kind == Kind::kSum && cell.part == RealPart::kNone && !cell.from.is_wide();
  return is_narrow ? CellWord::kNarrow : CellWord::kWide;
}

/// What a device, or a test, allows.
struct GroupPartLimits {
  std::uint32_t table_bytes = 0;     ///< of shared memory, for the groups of a part
  std::uint32_t most_bits = 0;       ///< of a hash that tell a row's part: from 2 to 15
  std::uint32_t most_part_rows = 0;  ///< one thread block has them all
};

/// A cell of a group, and where a row's word for it is.
struct PartCell {
  PipelineCell::Kind kind = PipelineCell::Kind::kCount;
  Byte array = 0;  ///< 0: it counts all rows
};

/// Rows, and what becomes of them. Parts that have the first bits of the hash in common are a
/// bundle: the first level moves rows to their bundles, the second one to their parts.
struct PartedRows {
  PRESSO_HD constexpr std::uint32_t bits() const { return first_bits + second_bits; }
  PRESSO_HD constexpr std::uint32_t parts() const { return 1u << bits(); }
  PRESSO_HD constexpr std::uint32_t bundles() const { return 1u << first_bits; }
  PRESSO_HD constexpr bool is_wide(std::uint32_t array) const {
    return (wide_arrays >> array & 1) != 0;
  }

  std::uint32_t rows = 0;  ///< below 2^31
  Byte arrays = 0;
  Byte cells = 0;
  std::uint16_t wide_arrays = 0;  ///< bits of those of 64 bits
  std::uint32_t first_bits = 1;
  std::uint32_t second_bits = 1;
  std::uint32_t most_part_rows = 0;
  std::uint32_t table_places = 0;         ///< of groups in shared memory, one more for kNoKey
  void* rows_of[kMostRowArrays] = {};     ///< as the pipeline wrote them, then by part
  void* bundles_of[kMostRowArrays] = {};  ///< between two levels
  PartCell cell[kMostPipelineCells];
  std::uint32_t* begins = nullptr;          ///< of parts, and the end: parts() + 1
  std::uint32_t* part_cursors = nullptr;    ///< before: 0; counts first, then the next free place
  std::uint32_t* bundle_cursors = nullptr;  ///< the same of bundles
  std::uint32_t* bundle_tiles = nullptr;    ///< tiles before each bundle, and all: bundles() + 1
  std::uint64_t* records = nullptr;         ///< as of GroupList; may be where bundles were
  std::uint64_t* record_count = nullptr;    ///< before: 0
  std::uint64_t* fault = nullptr;           ///< of the pipeline
};

}  // namespace presso::gpu
