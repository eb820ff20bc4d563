// SPDX-License-Identifier: MIT
// A file that several searches share: it is opened once, and its index and filters are read once,
// when somebody first asks for them. Used by one thread at a time. The tests of scans cover it.

#include "presso/scanned_file.h"

#include <algorithm>
#include <utility>

#include "format/damaged_magic.h"
#include "scan/blocks/block_index.h"
#include "scan/blocks/member_times.h"
#include "scan/matching/matcher.h"
#include "scan/pattern/pattern_access.h"

namespace presso {

Result<ScannedFile> ScannedFile::open(const RandomAccess& file) {
  Byte begun[kMagicEvidenceBytes] = {};
  const auto got = static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), sizeof begun));
  PRESSO_TRY(file.read_at(0, MutableBytes(begun, got)));
  const bool is_compressed = has_file_magic(begun);
  if (!is_compressed) PRESSO_TRY(check_is_plain(Bytes(begun, got), &file, {}));
  return ScannedFile(file, is_compressed);
}

ScannedFile::ScannedFile(const RandomAccess& file, bool is_compressed)
    : file_(&file), is_compressed_(is_compressed) {}
ScannedFile::ScannedFile(ScannedFile&&) noexcept = default;
ScannedFile& ScannedFile::operator=(ScannedFile&&) noexcept = default;
ScannedFile::~ScannedFile() = default;

/// The file's index, read on the first call; nullptr for plain files and where it cannot be read.
const ArchiveIndex* ScannedFile::index() {
  if (filters_) return &filters_->file().index();
  if (!std::exchange(asked_index_, true) && is_compressed_) {
    auto index = without_bad_alloc([&] { return ArchiveIndex::open_as_written(*file_, 0); });
    if (index.ok()) index_ = std::move(*index);
  }
  return index_ ? &*index_ : nullptr;
}

std::optional<ArchiveIndex> ScannedFile::take_index() {
  if (index_) asked_index_ = false;
  return std::exchange(index_, std::nullopt);
}

std::shared_ptr<const std::vector<scan_detail::MemberTimes>> ScannedFile::times(
    const ScanOptions& options) {
  if (times_ != nullptr) return times_;
  std::vector<scan_detail::MemberTimes> known;
  const std::optional<TimeWindow>& window =
      !options.times && options.records ? options.records->times : options.times;
  if (window && index() != nullptr) {
    auto read = without_bad_alloc(
        [&] { return scan_detail::read_member_times(*file_, *index(), *window, options.decode); });
    if (read.ok()) known = std::move(*read);
  }
  times_ = std::make_shared<const std::vector<scan_detail::MemberTimes>>(std::move(known));
  return times_;
}

/// The index as a means to leave out blocks, asked for once: later calls give that answer again.
std::shared_ptr<const scan_detail::BlockIndex> ScannedFile::filters(const Pattern& pattern,
                                                                    const ScanOptions& options) {
  if (std::exchange(asked_filters_, true)) return filters_;
  const scan_detail::RequiredLiterals& required = scan_detail::matcher_of(pattern).required();
  if (!scan_detail::can_skip(required, options) || index() == nullptr) return nullptr;
  const auto known = times(options);
  // Where times cannot be read, the search without an index tells why.
  const bool records_by_time = options.records && options.records->times;
  if ((options.times || records_by_time) && known->empty()) return nullptr;
  filters_ = scan_detail::BlockIndex::open(*file_, index_, required, options, *known, bad_filter_);
  return filters_;
}

}  // namespace presso
