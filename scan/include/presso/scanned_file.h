// SPDX-License-Identifier: MIT
// A file that is to be searched, together with what has been read of it besides its blocks: what
// kind of file it is, its index, and what its filters say about the search. Each of these is read
// once, when it is first asked for, so that choosing how to search the file and searching it do not
// read them twice.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/lines.h"
#include "presso/pattern.h"

namespace presso {

namespace scan_detail {
class BlockIndex;
struct MemberTimes;
}  // namespace scan_detail

/// Belongs to one search at a time: one pattern and one set of options. Not thread-safe.
class ScannedFile {
 public:
  /// Reads the first bytes of `file`, which is kept by reference. Errors: those of reading;
  /// kNotPresso for a file that presso made and whose first bytes are damaged.
  static Result<ScannedFile> open(const RandomAccess& file);
  /// For callers who have read the first bytes: `is_compressed` says whether they are those of a
  /// presso file.
  ScannedFile(const RandomAccess& file, bool is_compressed);
  ScannedFile(ScannedFile&&) noexcept;
  ScannedFile& operator=(ScannedFile&&) noexcept;
  ~ScannedFile();

  const RandomAccess& file() const { return *file_; }
  bool is_compressed() const { return is_compressed_; }

  /// Returns the index of a compressed file as it was written (FORMAT.md 9); nullptr if it is
  /// missing or damaged.
  const ArchiveIndex* index();
  /// Moves the index out, for the reader of the file; nullopt if index() was not called or returned
  /// nullptr. If index() is called after this, it is read again.
  std::optional<ArchiveIndex> take_index();

  /// Returns which blocks this search must read according to the file's filters (FORMAT.md 7.4);
  /// nullptr if there are none or they do not help. Reads all filters. Shared with the reader of
  /// the file.
  std::shared_ptr<const scan_detail::BlockIndex> filters(const Pattern& pattern,
                                                         const ScanOptions& options);
  /// Returns how the lines of each member tell their time, for a compressed file and options with
  /// times; else, and where that cannot be read, none. Shared with the search.
  std::shared_ptr<const std::vector<scan_detail::MemberTimes>> times(const ScanOptions& options);
  /// After filters(): what is wrong with the filters, if anything.
  const std::optional<Error>& bad_filter() const { return bad_filter_; }

 private:
  const RandomAccess* file_;
  bool is_compressed_;
  bool asked_index_ = false;
  bool asked_filters_ = false;
  std::optional<ArchiveIndex> index_;
  std::shared_ptr<const scan_detail::BlockIndex> filters_;
  std::shared_ptr<const std::vector<scan_detail::MemberTimes>> times_;
  std::optional<Error> bad_filter_;
};

/// As scan() of the file itself, without reading again what `file` holds.
Result<ScanSummary> scan(ScannedFile& file, const Pattern& pattern, const ScanOptions& options = {},
                         const LineCallback& on_line = {});

}  // namespace presso
