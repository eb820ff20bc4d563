// SPDX-License-Identifier: MIT
// divide_lines() and open_part_chunks(). A part begins and ends at the beginnings of lines, which
// the file's line facts tell without decoding anything. Division is declined (nullopt) where lines
// alone do not decide the result: matches across lines, context, limits, NUL-ended lines and the
// rule for binary files.

#include "scan/blocks/line_parts.h"

#include <algorithm>
#include <utility>

#include "format/line_facts.h"
#include "presso/checksum.h"
#include "scan/blocks/block_index.h"
#include "scan/blocks/indexed_chunks.h"
#include "scan/matching/matcher.h"
#include "scan/pattern/pattern_access.h"

namespace presso {
namespace {

using scan_detail::BlockIndex;

/// Whether a scan of the whole file would come to the same blocks.
bool is_sound(const RandomAccess& file, const ArchiveIndex& index) {
  for (const ArchiveMember& member : index.members()) {
    if (!index.check_tail(member).ok()) return false;
  }
  if (std::all_of(index.members().begin(), index.members().end(),
                  [](const ArchiveMember& member) { return member.dictionaries.empty(); })) {
    return true;
  }
  auto opened = ArchiveIndex::open_as_written(file, 0);
  return opened.ok() && CompressedFile::open(std::move(*opened)).ok();
}

/// Cuts a file into parts at the beginnings of lines.
class Divider {
 public:
  /// Keeps everything by reference. `filters` is nullptr if no block is ruled out.
  Divider(const ArchiveIndex& index, const LineTable& lines, const BlockIndex* filters,
          const ScanOptions& options, std::uint64_t file_bytes, bool with_layout)
      : index_(index),
        lines_(lines),
        filters_(filters),
        options_(options),
        file_bytes_(file_bytes),
        with_layout_(with_layout),
        layout_checksum_(scan_detail::layout_checksum(index, lines)) {}

  std::vector<LinePart> divide(std::uint64_t target_bytes) {
    std::vector<LinePart> parts;
    for (std::uint64_t first = 0; first < index_.block_count();) {
      const std::uint64_t begin = index_.block_plain_offset(first);
      const std::uint64_t bytes =
          std::clamp<std::uint64_t>(target_bytes, 1, index_.plain_bytes() - begin);
      const std::uint64_t end = index_.block_at(begin + bytes - 1) + 1;
      add(first, end, parts);
      first = end;
    }
    return parts;
  }

 private:
  /// Adds the part of blocks first to end - 1, unless it holds no wanted line.
  void add(std::uint64_t first, std::uint64_t end, std::vector<LinePart>& parts) const {
    LinePart part;
    part.begin = lines_.line_start(first);
    part.end = lines_.line_start(end);
    part.lines_before = lines_.lines_before(first);
    part.lines = lines_.lines_before(end) - part.lines_before;
    if (part.begin == part.end || !has_wanted_lines(part)) return;
    part.file_bytes = file_bytes_;
    part.layout_checksum = layout_checksum_;
    const std::uint64_t from = index_.block_at(part.begin);
    const std::uint64_t to = index_.block_at(part.end - 1) + 1;
    part.is_behind_mark = from > 0 && lines_.facts(0).begins_with_mark;
    if (filters_ != nullptr) {
      for (std::uint64_t block = from; block < to; ++block) {
        part.wanted.push_back(filters_->wanted(block));
      }
      part.clause = filters_->clause();
      if (std::find(part.wanted.begin(), part.wanted.end(), true) == part.wanted.end()) return;
    }
    if (with_layout_) part.layout = layout_of(from, to);
    parts.push_back(std::move(part));
  }

  /// What a part brings along so that its reader need not open the file's index; nullopt if the
  /// blocks are in more than one member.
  std::optional<PartLayout> layout_of(std::uint64_t from, std::uint64_t to) const {
    std::optional<ArchiveExcerpt> blocks = index_.excerpt(from, to);
    if (!blocks) return std::nullopt;
    std::vector<LineFacts> facts;
    facts.reserve(to - from);
    for (std::uint64_t block = from; block < to; ++block) facts.push_back(lines_.facts(block));
    return PartLayout{std::move(*blocks), serialise_line_facts(facts)};
  }

  bool has_wanted_lines(const LinePart& part) const {
    return part.lines_before < options_.last_line &&
           part.lines_before + part.lines >= options_.first_line;
  }

  const ArchiveIndex& index_;
  const LineTable& lines_;
  const BlockIndex* filters_;
  const ScanOptions& options_;
  std::uint64_t file_bytes_;
  bool with_layout_;
  std::uint64_t layout_checksum_;
};

}  // namespace

/// Divides a file for several processes. Returns nothing where lines cannot be told apart by block:
/// with context, multiline matches, limits, or without line facts.
std::optional<std::vector<LinePart>> divide_lines(ScannedFile& file, const Pattern& pattern,
                                                  const ScanOptions& options,
                                                  std::uint64_t target_bytes, bool with_layout) {
  const scan_detail::Matcher& matcher = scan_detail::matcher_of(pattern);
  const bool more_than_lines =
      matcher.spans_lines() || matcher.null_data() || options.wants_context() ||
      options.limits_blocks() || options.times.has_value() || options.records ||
      options.max_lines != ~std::uint64_t{0} || options.binary != BinaryRule::kText;
  if (more_than_lines || file.index() == nullptr || !is_sound(file.file(), *file.index())) {
    return std::nullopt;
  }
  // Asking for filters may take the index, so it comes first.
  const auto filters = file.filters(pattern, options);
  const ArchiveIndex& index = *file.index();
  auto lines = without_bad_alloc([&] { return LineTable::read(file.file(), index); });
  if (!lines.ok() || !*lines) return std::nullopt;
  return Divider(index, **lines, filters.get(), options, file.file().size(), with_layout)
      .divide(target_bytes);
}

namespace scan_detail {

/// A checksum over where blocks and their line ends are, by which a part is known to be of this
/// file. Works in steps so that memory stays small.
std::uint64_t layout_checksum(const ArchiveIndex& index, const LineTable& lines) {
  constexpr std::uint64_t kAtATime = 1024;
  std::vector<std::uint64_t> layout;
  Checksum64 checksum;
  for (std::uint64_t first = 0; first < index.block_count(); first += kAtATime) {
    layout.clear();
    const std::uint64_t end = std::min(first + kAtATime, index.block_count());
    for (std::uint64_t block = first; block < end; ++block) {
      const LineFacts& facts = lines.facts(block);
      layout.push_back(index.block_offset(block));
      layout.push_back(std::uint64_t{facts.newlines} << 32 | facts.first_newline);
      layout.push_back(facts.last_newline);
    }
    checksum.add({reinterpret_cast<const Byte*>(layout.data()), layout.size() * 8});
  }
  return checksum.value();
}

/// Opens the chunks of one part.
Result<std::unique_ptr<ChunkSource>> open_part_chunks(const RandomAccess& file,
                                                      const LinePart& part, const Pattern& pattern,
                                                      const ScanOptions& options) {
  PRESSO_ASSIGN(std::shared_ptr<const BlockIndex> index,
                BlockIndex::open_part(file, part, matcher_of(pattern).required(), options));
  return make_indexed_chunks(std::move(index));
}

}  // namespace scan_detail
}  // namespace presso
