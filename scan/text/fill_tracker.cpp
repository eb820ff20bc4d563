// SPDX-License-Identifier: MIT
#include "scan/text/fill_tracker.h"

#include <algorithm>

#include "scan/matching/line_scan.h"

namespace presso::scan_detail {
namespace {

constexpr std::uint64_t kPeekBytes = 3;
constexpr std::uint64_t kStdinFirstBytes = 8192;

}  // namespace

void FillTracker::feed(Bytes piece, bool short_read, std::optional<std::size_t> nul) {
  const std::uint64_t piece_end = piece_at_ + piece.size();
  // Reads that end before the NUL are complete and clean.
  const std::uint64_t known = nul ? piece_at_ + *nul : piece_end;
  while (next_read_end() <= known) end_read(piece, next_read_end());
  if (nul) {
    nul_ = piece_at_ + *nul;
  } else if (short_read && read_ < piece_end) {
    end_read(piece, piece_end);
  }
  safe_ = begin_;
  const std::size_t line = line_begin(piece, 0, piece.size());
  if (line > 0) last_line_ = piece_at_ + line;
  piece_at_ = piece_end;
}

std::uint64_t FillTracker::next_read_end() const {
  if (!peeked_) return kPeekBytes;
  if (is_stdin_ && read_ <= kPeekBytes) return read_ + kStdinFirstBytes - kPeekBytes;
  return begin_ + capacity_;
}

/// A read ends at `end`. Where it brought a '\n' the fill is over, and the next one begins behind
/// the last of them; else the fill goes on.
void FillTracker::end_read(Bytes piece, std::uint64_t end) {
  const std::uint64_t floor = std::max(read_, piece_at_);
  std::uint64_t line = piece_at_ + line_begin(piece, floor - piece_at_, end - piece_at_);
  // line_begin gives `floor` where it finds nothing: the '\n' may lie in an earlier piece.
  if (line == floor) line = last_line_;
  if (line > read_) {
    begin_ = line;
  } else if (end == begin_ + capacity_) {
    capacity_ *= 3;
  }
  read_ = end;
  peeked_ = true;
}

}  // namespace presso::scan_detail
