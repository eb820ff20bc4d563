// SPDX-License-Identifier: MIT
// The bytes of a kept table: in memory up to a limit, and what follows in a temporary file without
// a name. Written once, from front to back, and then read by any number of threads. Tested through
// tests/unit/query/kept/kept_rows_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "format/temporary_file.h"
#include "presso/byte_stream.h"

namespace presso::query {

/// Owns the bytes. The file is created when the limit is reached.
class KeptFile final : public ByteSink, public RandomAccess {
 public:
  KeptFile(std::uint64_t memory_bytes, std::string temporary_directory);

  /// Errors: those of the file (kNoSpace, kIo), which name its directory; kOutOfMemory.
  Status write(Bytes bytes) override;
  std::uint64_t size() const override { return memory_size_ + spilled_bytes(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override;
  /// Bytes that are in the temporary file.
  std::uint64_t spilled_bytes() const { return file_ ? file_->size() : 0; }

 private:
  static constexpr std::size_t kChunkBytes = 1u << 20;

  void write_memory(Bytes bytes);
  void read_memory(std::uint64_t offset, MutableBytes into) const;

  std::uint64_t limit_;
  std::string directory_;
  std::vector<std::unique_ptr<Byte[]>> chunks_;  ///< of kChunkBytes each
  std::uint64_t memory_size_ = 0;
  std::optional<TemporaryFile> file_;
};

}  // namespace presso::query
