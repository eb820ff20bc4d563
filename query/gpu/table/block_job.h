// SPDX-License-Identifier: MIT
// One block of a table on its way to device memory: what to read, and its status after reading and
// checking. Tested with loaded_table.h.
#pragma once

#include <memory>
#include <vector>

#include "decompress/columns/gpu/column_batch.h"
#include "decompress/table/group_reader.h"
#include "query/gpu/kernels/column_forms.h"

namespace presso::gpu {

struct BlockJob {
  enum class Kind : Byte { kValues, kValidity, kCounts, kCodes, kText };

  // What is to be read.
  const GroupReader* reader = nullptr;
  std::uint32_t block = 0;    ///< of the row group
  std::uint32_t column = 0;   ///< of those that were asked for
  std::uint32_t group = 0;    ///< in LoadedTable::groups()
  std::uint32_t strings = 0;  ///< where it is of these: in LoadedTable::strings()
  std::uint32_t number = 0;   ///< the slice's; where it is of strings its own in these
  std::uint32_t entries = 0;  ///< of the dictionary; 0: values
  Kind kind = Kind::kValues;
  Byte width_bytes = 0;
  bool is_sampled = false;   ///< its first rows are wanted here, too
  bool verifies = false;     ///< checksums of counts and codes are compared here
  std::uint64_t offset = 0;  ///< of where it is stored, in the part's device memory

  // What has become of it.
  bool is_plain = false;    ///< it was decoded here, since it is not stored as integers
  std::uint32_t bytes = 0;  ///< of its payload, or in `kept`
  std::uint32_t codes = 0;  ///< of tokens
  std::uint64_t checksum = 0;
  IntegerParameters parameters;
  ColumnForms forms;                  ///< of its vectors
  std::unique_ptr<Buffer> kept;       ///< plain values, or the payload of codes that are sampled
  std::vector<std::uint32_t> sample;  ///< counts

  bool is_of_strings() const { return kind >= Kind::kCounts; }
  std::uint32_t stored_bytes() const { return reader->directory().blocks[block].stored_bytes; }
};

/// Reads the block as it is stored. `to`: room for that; the payload comes behind a header.
/// The device compares checksums; only those of counts and codes are compared here, if wanted.
/// Errors: those of the file, with block and offset; kUnsupported where the device cannot decode a
/// block of text. Any thread, one job at a time.
Status read_block(BlockJob& job, Byte* to);

}  // namespace presso::gpu
