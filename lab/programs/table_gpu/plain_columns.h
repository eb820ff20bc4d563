// SPDX-License-Identifier: MIT
// Columns of a loaded table in layouts that are not compressed, which the same kernels can read:
// what compression costs or saves a query is the difference. Values are decoded by the CPU.
// Tests: tests/simt/plain_columns_test.cpp.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "query/gpu/table/loaded_table.h"

namespace presso {

enum class ColumnLayout {
  kStored,  ///< as in the file
  kNarrow,  ///< arrays of 8, 16, 32 or 64 bits, what the column's least and greatest value need
  kInt32,   ///< arrays of 32 bits where these suffice, else of 64: as SSB's figures on GPUs have it
  /// The same 32 bits, told to the kernels as packed values of that width, with a directory: they
  /// come to shared memory ahead of their use and are compared as packed values are, which arrays
  /// are not. Columns that need 64 bits are arrays.
  kWords,
};

/// By its name: stored, narrow, int32 or words.
std::optional<ColumnLayout> layout_named(std::string_view name);

class PlainColumns {
 public:
  /// The columns of `table` that `columns` says it was loaded with. kUnsupported where one has
  /// nulls, or is neither whole numbers nor a dictionary's codes.
  static Result<PlainColumns> make(const gpu::LoadedTable& table,
                                   const std::vector<std::size_t>& columns, ColumnLayout layout);

  /// To be copied to device memory, at a multiple of 16.
  const std::vector<Byte>& image() const { return image_; }
  /// Of the values, and of directories where there are any.
  std::uint64_t bytes() const { return bytes_; }
  /// What describes the image at `base`: by column, then by slice.
  std::vector<gpu::TableBlock> blocks_at(const Byte* base) const;
  /// By column.
  const std::vector<gpu::ColumnForms>& vector_forms() const { return vector_forms_; }

 private:
  struct Placed {
    gpu::TableBlock block;
    std::size_t at;
  };
  struct Column;

  void add_column(const Column& column, ColumnLayout layout);
  void add_array(const std::vector<std::uint64_t>& values, Byte width_bytes);
  void add_words(const std::vector<std::uint64_t>& values, std::uint64_t base);
  Byte* room(std::size_t bytes);

  std::vector<Byte> image_;
  std::vector<Placed> placed_;
  std::vector<gpu::ColumnForms> vector_forms_;
  std::uint64_t bytes_ = 0;
};

}  // namespace presso
