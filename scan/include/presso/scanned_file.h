// SPDX-License-Identifier: MIT
// A file that is to be searched, with what was read of it besides its blocks: what kind of file it
// is, its index, and what its filters say about the search. Each is read once, when it is first
// asked for, so that whoever chooses how to search the file and whoever searches it read it
// together once.
#pragma once

#include <memory>
#include <optional>

#include "presso/archive_reader.h"
#include "presso/lines.h"
#include "presso/pattern.h"

namespace presso {

namespace scan_detail {
class BlockIndex;
}

/// For one search at a time: with one pattern and the same options. Not thread-safe.
class ScannedFile {
 public:
  /// Reads the first bytes of `file`, which is kept by reference. Errors: those of reading.
  static Result<ScannedFile> open(const RandomAccess& file);
  /// Where the caller has read them: `is_compressed` says whether they are a presso file's.
  ScannedFile(const RandomAccess& file, bool is_compressed);
  ScannedFile(ScannedFile&&) noexcept;
  ScannedFile& operator=(ScannedFile&&) noexcept;
  ~ScannedFile();

  const RandomAccess& file() const { return *file_; }
  bool is_compressed() const { return is_compressed_; }

  /// The index of a compressed file as it was written (FORMAT.md 9); nullptr where there is none or
  /// it is damaged.
  const ArchiveIndex* index();
  /// The index for the one that reads the file; nullopt where index() was not called, or said that
  /// there is none. It is read again where somebody asks after this.
  std::optional<ArchiveIndex> take_index();

  /// Which blocks this search has to read by the file's filters (FORMAT.md 7.4); nullptr where
  /// there are none, or they are of no use to it. Reads all filters. Shared with the one that reads
  /// the file.
  std::shared_ptr<const scan_detail::BlockIndex> filters(const Pattern& pattern,
                                                         const ScanOptions& options);
  /// After filters(): what is wrong with them.
  const std::optional<Error>& bad_filter() const { return bad_filter_; }

 private:
  const RandomAccess* file_;
  bool is_compressed_;
  bool asked_index_ = false;
  bool asked_filters_ = false;
  std::optional<ArchiveIndex> index_;
  std::shared_ptr<const scan_detail::BlockIndex> filters_;
  std::optional<Error> bad_filter_;
};

/// As scan() of the file itself.
Result<ScanSummary> scan(ScannedFile& file, const Pattern& pattern, const ScanOptions& options = {},
                         const LineCallback& on_line = {});

}  // namespace presso
