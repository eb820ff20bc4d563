// SPDX-License-Identifier: MIT
// Brings the vectors of each column of a table that stays in device memory to one form, so that
// code which is compiled for that form reads all of them (kernel_source.h). Vectors that have it
// already stay where they are; others are packed anew, into memory beside what is stored: about the
// size of a column whose blocks are mostly differences or runs, and nothing for most others.
// Columns of doubles whose vectors differ are decoded, 8 bytes a row. Tests:
// tests/simt/usual_vectors_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "query/gpu/kernels/usual_vectors.h"
#include "query/gpu/table/loaded_table.h"
#include "query/gpu/table/run_space.h"

namespace presso::gpu {

class UsualColumns {
 public:
  /// Of all columns of integers and doubles, where device memory has room. Waits. Errors: those of
  /// the device other than kDeviceMemory, which leaves a column as it is.
  static Status make(const RunSpace& space, LoadedTable& table);

 private:
  UsualColumns(const RunSpace& space, LoadedTable& table)
      : space_(space), table_(table), bytes_left_(space.memory.device_bytes_left() / 4) {}

  bool has_integers(std::size_t column) const;
  bool has_doubles(std::size_t column) const;
  Status make_plain(std::size_t column);
  Status make_column(std::size_t column);
  Status find_places();
  Status pack();
  Result<std::vector<Byte>> measure();
  Result<DeviceMemory> allocate(std::uint64_t bytes) const;
  std::uint32_t vectors() const { return table_.blocks_.slice_count * kSliceVectors; }
  TableBlocks blocks_of(std::size_t column) const;

  const RunSpace& space_;
  LoadedTable& table_;
  std::uint64_t bytes_left_;  ///< of device memory that columns may still take
  // Of the column:
  std::size_t column_ = 0;
  ColumnForm form_;
  OddVectors odd_;
  VectorPacking packing_;
  std::vector<DeviceMemory> memory_;  ///< that the column keeps
  DeviceMemory list_;                 ///< OddVectors, and behind it the vectors without a place
  DeviceMemory widths_;               ///< VectorPacking::widths, where they were measured
};

/// The width that costs least where vectors need `widths` bits, VectorPacking::kNoWidth of them
/// none: those that need more are decoded for each query.
Byte best_width(const std::vector<Byte>& widths);

}  // namespace presso::gpu
