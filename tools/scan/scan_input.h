// SPDX-License-Identifier: MIT
// An open file or standard input as something to scan: told by its first bytes to be presso's,
// gzip, zstd or lz4 (read through foreign_source.h), or plain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "presso/scan.h"
#include "presso/scanned_file.h"
#include "tools/io/foreign_source.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {

class ScanInput {
 public:
  /// `fd` stays the caller's. Errors: those of reading, a format that this build cannot read, and
  /// with --blocks a file that has none.
  static Result<ScanInput> open(int fd, bool is_stdin, const ScanSettings& settings);

  /// What is scanned, where it is a regular file whose text can be read at any place; else nullptr.
  ScannedFile* scanned_file() { return scanned_ ? &*scanned_ : nullptr; }
  /// Not worth a second thread.
  bool small() const;
  /// 0 where unknown.
  std::uint64_t plain_size() const { return is_plain_ && file_ ? file_->size() : 0; }

  Result<ScanSummary> scan(const Pattern& pattern, const ScanOptions& options,
                           const LineCallback& on_line);
  /// Why the last scan saw the beginning only of what other programs compressed. What it found
  /// there counts.
  const std::optional<Error>& cut_short() const { return cut_short_; }

 private:
  Status look_at(Bytes begun, const ScanSettings& settings);

  std::unique_ptr<FdRandomAccess> file_;  ///< a regular file
  std::optional<ScannedFile> scanned_;    ///< the same, unless another program compressed it
  std::unique_ptr<ByteSource> stream_;    ///< anything else, and what lies below foreign_
  Buffer magic_;                          ///< the first bytes of stream_
  std::unique_ptr<ByteSource> begun_;     ///< stream_ with them put back in front
  std::unique_ptr<ByteSource> foreign_;
  std::optional<Error> cut_short_;
  bool is_plain_ = false;
};

}  // namespace presso::cli
