// SPDX-License-Identifier: MIT
// An open file or standard input as something to scan. Its first bytes tell whether it is presso's,
// gzip, zstd or lz4 (read through tools/io/foreign_source.h), or plain. Tested by
// tests/cli/test_scan_files.py. Memory does not depend on the size of the file, except where
// matches may span lines.
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

/// One input; used by one search at a time. The descriptor must stay open until the search has
/// ended.
class ScanInput {
 public:
  /// Opens an input. `fd` stays the caller's. Errors: those of reading, a format that this build
  /// cannot read, a damaged file that presso made or whose `name` says so, and with --blocks a file
  /// that has no blocks.
  static Result<ScanInput> open(int fd, bool is_stdin, const ScanSettings& settings,
                                const std::string& name);

  /// The file, if it is a regular one whose text can be read at any place; otherwise nullptr.
  ScannedFile* scanned_file() { return scanned_ ? &*scanned_ : nullptr; }
  /// Whether its text is in another encoding than UTF-8, and is converted.
  bool is_recoded() const { return is_recoded_; }
  /// Whether the input is not worth a second thread.
  bool small() const;
  /// The size of plain text; 0 if it is not known.
  std::uint64_t plain_size() const { return is_plain_ && file_ ? file_->size() : 0; }

  /// Searches the input; may be called once, since a stream is used up by it.
  Result<ScanSummary> scan(const Pattern& pattern, const ScanOptions& options,
                           const LineCallback& on_line);
  /// The error that made the last scan see only the beginning of a file that another program
  /// compressed, if there was one. What was found there counts.
  const std::optional<Error>& cut_short() const { return cut_short_; }

 private:
  /// Makes UTF-8 of a text in another encoding, which the first bytes or the settings tell.
  Status recode(Bytes begun, bool is_presso, const ScanSettings& settings);
  bool is_utf16_in_presso(const ScanSettings& settings);
  /// Opens what the first bytes call for.
  Status look_at(Bytes begun, const ScanSettings& settings, const std::string& name);

  std::unique_ptr<FdRandomAccess> file_;  ///< a regular file
  std::optional<ScannedFile> scanned_;    ///< the same, unless another program compressed it
  std::unique_ptr<ByteSource> stream_;    ///< anything else, and what lies below foreign_
  Buffer magic_;                          ///< the first bytes of stream_
  std::unique_ptr<ByteSource> begun_;     ///< stream_ with them put back in front
  Buffer kept_;                           ///< what was read of begun_ to learn the encoding
  std::unique_ptr<ByteSource> replayed_;  ///< kept_ and the rest of begun_
  std::unique_ptr<ByteSource> foreign_;   ///< text that one thread makes, in order
  std::optional<Error> cut_short_;
  bool is_plain_ = false;
  bool is_recoded_ = false;
};

}  // namespace presso::cli
