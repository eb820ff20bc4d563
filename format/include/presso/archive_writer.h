// SPDX-License-Identifier: MIT
// Writes the container (FORMAT.md 3): file header, sections, blocks in order, index and trailer, in
// one pass to any sink, so that output can go to a pipe. It knows nothing of codings: blocks arrive
// encoded. Tested by tests/unit/format/archive_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/metadata.h"
#include "presso/wire.h"

namespace presso {

/// One member of a file. Calls come in this order: begin, add_dictionary*, add_block*,
/// add_line_facts?, add_times?, add_filter?, finish. Not thread-safe. Memory: 4 bytes a block, for
/// the index. Every call returns the sink's errors; after one the file is not usable.
class ArchiveWriter {
 public:
  /// `sink` is kept by reference.
  explicit ArchiveWriter(ByteSink& sink) : sink_(sink) {}

  /// Writes the file header and, if there are entries, the metadata section.
  Status begin(const FileHeader& header, const Metadata& metadata);
  /// `stored_blocks`: the dictionary's content as a sequence of stored blocks; `id`: 1 to
  /// kMaxDictionaries.
  Status add_dictionary(Byte id, Bytes stored_blocks);
  /// `stored`: header, payload and padding of block number block_count().
  Status add_block(Bytes stored, std::uint32_t plain_bytes);
  /// `payload`: as serialise_line_facts() makes it (line_facts.h).
  Status add_line_facts(Bytes payload);
  /// `payload`: as serialise_time_facts() makes it (time_facts.h).
  Status add_times(Bytes payload);
  /// `payload`: as serialise_filter() makes it (block_filter.h). Filters need line facts.
  Status add_filter(Bytes payload);
  /// Writes the index and the trailer. Without it a reader sees a truncated file.
  Status finish();

  /// Blocks so far, which is the number of the next one.
  std::uint64_t block_count() const { return stored_bytes_.size(); }
  std::uint64_t bytes_written() const { return written_; }

 private:
  Status write(Bytes bytes);
  Status write_section(FrameKind kind, bool mandatory, std::uint32_t parameter, Bytes payload);

  ByteSink& sink_;
  std::uint64_t written_ = 0;
  std::uint64_t plain_bytes_ = 0;
  std::uint64_t first_block_offset_ = 0;
  std::vector<std::uint32_t> stored_bytes_;  ///< of each block: the index
};

}  // namespace presso
