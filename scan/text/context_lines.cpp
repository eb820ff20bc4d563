// SPDX-License-Identifier: MIT
// ContextLines: two counters and the kept lines.
#include "scan/text/context_lines.h"

#include "scan/matching/line_scan.h"

namespace presso::scan_detail {

ContextLines::ContextLines(const ScanOptions& options, bool has_callback, RecordBorders* records)
    : records_(records),
      wanted_(has_callback && options.wants_context()),
      passthru_(options.passthru),
      before_(options.passthru ? 0 : options.before_context),
      after_(options.passthru ? 0 : options.after_context) {}

/// Notes a match: lines after it are context, except that after the limit a further match is
/// context itself.
void ContextLines::matched(bool limit_reached) {
  if (!limit_reached) {
    after_left_ = after_;
  } else if (after_left_ > 0) {
    --after_left_;
  }
}

void ContextLines::followed() {
  if (after_left_ > 0) --after_left_;
}

void ContextLines::cut() {
  kept_.clear();
  after_left_ = 0;
}

/// Keeps the last lines of a text that ends, for a match at the beginning of the next.
void ContextLines::keep(Bytes text, std::size_t begin, std::uint64_t offset) {
  if (before_ == 0 || begin >= text.size()) return;
  std::uint64_t lines = 0;
  std::size_t at = before_begin(text, begin, text.size(), lines);
  while (at < text.size()) {
    const std::size_t end = unit_end(text, at);
    const Bytes line = text.subspan(at, end - at);
    if (kept_.size() == before_) kept_.pop_front();
    kept_.push_back({{line.begin(), line.end()}, offset + at});
    at = end;
  }
}

std::size_t ContextLines::unit_end(Bytes text, std::size_t begin) const {
  const std::size_t end = line_end(text, begin);
  return records_ != nullptr ? records_->next(end) : end;
}

/// Walks back from `end` over at most before_ lines; `lines` gets their number.
std::size_t ContextLines::before_begin(Bytes text, std::size_t begin, std::size_t end,
                                       std::uint64_t& lines) const {
  lines = 0;
  std::size_t at = end;
  // The byte before `at` is the '\n' that ends the line before.
  for (; at > begin && lines < before_; ++lines) {
    at = records_ != nullptr ? records_->last(begin, at) : line_begin(text, begin, at - 1);
  }
  return at;
}

/// Whether a separator belongs before this line: there are lines between it and the one before.
bool ContextLines::gap_before(std::uint64_t offset, std::size_t bytes) {
  const bool gap = !passthru_ && wanted_ && reported_any_ && offset > reported_end_;
  reported_any_ = true;
  reported_end_ = offset + bytes;
  return gap;
}

}  // namespace presso::scan_detail
