// SPDX-License-Identifier: MIT
// ExcerptMaker: reserves device memory, enqueues kernels, and copies back only what the findings
// ask for.
#include "scan/gpu/file/excerpt_maker.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace presso::gpu {
namespace {

using scan_detail::Findings;
using scan_detail::FoundLine;
using scan_detail::SearchedExcerpt;

/// The list has room for one line for each 32 bytes of text. If more lines of a batch match, all of
/// its text is copied to the host: a listed line takes 16 bytes besides its own, and the host has
/// to read nearly all of the text in any case.
constexpr std::uint64_t kBytesAListedLine = 32;  // allow(bare-32): bytes
// If gathered lines took more than half of the text, copying all of it would be the better choice.
constexpr std::uint64_t kPartGathered = 2;
/// Bytes that are copied to the host at once.
constexpr std::uint64_t kMostPinned = 8u << 20;

/// The length of the batch's text, which is that of its blocks without the gaps between them.
std::uint64_t text_bytes(const SlotBatch& batch) {
  std::uint64_t bytes = 0;
  for (const BlockSpan& span : batch.blocks()) bytes += span.plain_bytes;
  return bytes;
}

/// Whether blocks lie apart in the batch's plain text, as aligned ones may.
bool has_gaps(const SlotBatch& batch) {
  std::uint64_t end = 0;
  for (const BlockSpan& span : batch.blocks()) {
    if (span.plain_offset != end) return true;
    end += span.plain_bytes;
  }
  return false;
}

}  // namespace

Status ExcerptMaker::reserve(DeviceMemory& memory, std::uint64_t bytes, Memory& from) const {
  if (memory.bytes() >= bytes) return {};
  memory.reset();
  PRESSO_ASSIGN(memory, from.allocate(bytes));
  return {};
}

Status ExcerptMaker::reserve_pinned(std::uint64_t bytes, Memory& from) {
  if (pinned_.bytes() >= bytes) return {};
  pinned_.reset();
  PRESSO_ASSIGN(pinned_, from.allocate_pinned(bytes));
  return {};
}

/// Where the batch's text lies in one piece; copies it together if the blocks have gaps.
Result<const Byte*> ExcerptMaker::text_of(const SlotView& view) {
  if (!has_gaps(view.batch)) return view.d_plain;
  PRESSO_TRY(reserve(d_text_, bytes_, view.memory));
  std::uint64_t at = 0;
  for (const BlockSpan& span : view.batch.blocks()) {
    PRESSO_TRY(view.memory.device().copy_within(
        d_text_.get() + at, view.d_plain + span.plain_offset, span.plain_bytes, view.stream));
    at += span.plain_bytes;
  }
  return static_cast<const Byte*>(d_text_.get());
}

/// Enqueues the search of the batch's text. All memory is reserved before, so that it grows with
/// the largest batch only. Errors: kInvalidArgument for a batch over kLongestBatch, and those of
/// the device.
Status ExcerptMaker::enqueue(const SlotView& view, const BatchSearch& plan, BatchKernels& kernels) {
  bytes_ = text_bytes(view.batch);
  findings_ = {};
  if (bytes_ == 0) return {};
  if (bytes_ > kLongestBatch) {
    return make_error(ErrorCode::kInvalidArgument, "a batch is too large to be searched at once");
  }
  PRESSO_ASSIGN(d_at_, text_of(view));
  BatchScanRequest request;
  request.d_text = d_at_;
  request.bytes = bytes_;
  request.engine = &plan.engine;
  request.wants = plan.wants;
  PRESSO_TRY(reserve(d_findings_, sizeof(BatchFindings), view.memory));
  request.d_findings = reinterpret_cast<BatchFindings*>(d_findings_.get());
  request.temporary_bytes = kernels.temporary_bytes(plan.engine, bytes_, plan.wants);
  PRESSO_TRY(reserve(d_temporary_, request.temporary_bytes, view.memory));
  request.d_temporary = d_temporary_.get();
  if (plan.wants.lines) {
    most_listed_ = static_cast<std::uint32_t>(bytes_ / kBytesAListedLine + 1);
    most_gathered_ = static_cast<std::uint32_t>(bytes_ / kPartGathered + 1);
    PRESSO_TRY(reserve(d_listed_, most_listed_ * sizeof(ListedLine), view.memory));
    PRESSO_TRY(reserve(d_gathered_, most_gathered_, view.memory));
    request.d_listed = reinterpret_cast<ListedLine*>(d_listed_.get());
    request.d_gathered = d_gathered_.get();
    request.most_listed = most_listed_;
    request.most_gathered = most_gathered_;
  }
  PRESSO_TRY(kernels.enqueue(request, view.stream));
  if (pinned_findings_.bytes() == 0) {
    PRESSO_ASSIGN(pinned_findings_, view.memory.allocate_pinned(sizeof(BatchFindings)));
  }
  return view.memory.device().copy_out(pinned_findings_.get(), d_findings_.get(),
                                       sizeof(BatchFindings), view.stream);
}

bool ExcerptMaker::lists_all() const {
  return findings_.listed <= most_listed_ && findings_.gathered_bytes <= most_gathered_;
}

void ExcerptMaker::Wanted::add(const Byte* d_from, std::uint64_t bytes, Buffer& to) {
  if (bytes == 0) return;
  parts.push_back({d_from, bytes, &to});
  all += bytes;
}

/// Lists the copies that the findings ask for: the bytes that decide about marks and binary files,
/// the head and the tail, and the lines between, gathered or whole. What needs more work than being
/// appended to the excerpt goes to `brought`.
ExcerptMaker::Wanted ExcerptMaker::wanted_of(const BatchSearch& plan, SearchedExcerpt& searched,
                                             Brought& brought) {
  Wanted wanted;
  brought.probe_bytes =
      plan.probe_bytes > searched.offset ? std::min(plan.probe_bytes - searched.offset, bytes_) : 0;
  const std::uint64_t mark = searched.offset == 0 ? std::min<std::uint64_t>(3, bytes_) : 0;
  wanted.add(d_at_, std::max(brought.probe_bytes, mark), brought.first);
  const std::uint64_t head =
      searched.has_newline ? std::uint64_t{findings_.first_newline} + 1 : bytes_;
  wanted.add(d_at_, head, searched.head);
  gathered_.clear();
  if (!searched.has_newline) return wanted;
  const std::uint64_t tail = findings_.behind_last_newline;
  wanted.add(d_at_ + tail, bytes_ - tail, searched.tail);
  if (plan.wants.lines && !lists_all()) {
    wanted.add(d_at_ + head, tail - head, gathered_);
  } else if (plan.wants.lines) {
    wanted.add(d_listed_.get(), findings_.listed * sizeof(ListedLine), brought.listed);
    wanted.add(d_gathered_.get(), findings_.gathered_bytes, gathered_);
  }
  return wanted;
}

/// Copies through pinned memory, which is kMostPinned at most; small results take one round, larger
/// ones a wait for each fill.
Status ExcerptMaker::bring(const SlotView& view, std::vector<Part> parts, std::uint64_t all) {
  const std::uint64_t room = std::min(all, kMostPinned);
  PRESSO_TRY(reserve_pinned(room, view.memory));
  Device& device = view.memory.device();
  std::vector<Part> under_way;  // one after another in pinned memory
  std::uint64_t used = 0;
  const auto take = [&]() -> Status {
    PRESSO_TRY(device.wait(view.stream));
    const Byte* from = pinned_.get();
    for (const Part& part : std::exchange(under_way, {})) {
      part.to->append({from, static_cast<std::size_t>(part.bytes)});
      from += part.bytes;
    }
    used = 0;
    return {};
  };
  for (Part part : parts) {
    while (part.bytes > 0) {
      if (used == room) PRESSO_TRY(take());
      const std::uint64_t bytes = std::min(part.bytes, room - used);
      PRESSO_TRY(device.copy_out(pinned_.get() + used, part.d_from, static_cast<std::size_t>(bytes),
                                 view.stream));
      under_way.push_back({part.d_from, bytes, part.to});
      part.d_from += bytes;
      part.bytes -= bytes;
      used += bytes;
    }
  }
  return take();
}

/// Fills the excerpt's texts, listed_ and gathered_.
Status ExcerptMaker::copy_out(const SlotView& view, const BatchSearch& plan, Excerpt& excerpt) {
  SearchedExcerpt& searched = excerpt.searched;
  Brought brought;
  Wanted wanted = wanted_of(plan, searched, brought);
  PRESSO_TRY(bring(view, std::move(wanted.parts), wanted.all));
  listed_.resize(brought.listed.size() / sizeof(ListedLine));
  if (!listed_.empty()) std::memcpy(listed_.data(), brought.listed.data(), brought.listed.size());
  const Bytes first = brought.first.bytes();
  excerpt.has_mark = searched.offset == 0 && scan_detail::begins_with_mark(first);
  if (brought.probe_bytes > 0) {
    searched.probe.append(first.first(static_cast<std::size_t>(brought.probe_bytes)));
  }
  return {};
}

/// Searches the gathered lines for their matches, or all of the text between head and tail where
/// too many lines match to be listed. Gathered lines are found at their place in the buffer;
/// `moved` takes each back to its place in the batch, by the list of where it came from.
Status ExcerptMaker::look_at_lines(const BatchSearch& plan, ScannerPool& scanners,
                                   Excerpt& excerpt) {
  SearchedExcerpt& searched = excerpt.searched;
  searched.lines = std::move(gathered_);
  gathered_ = Buffer();
  PRESSO_ASSIGN(searched.findings, scanners.scan(searched.lines.bytes()));
  if (!lists_all()) return {};
  Findings& findings = searched.findings;
  findings.newlines = plan.wants.numbers ? findings_.newlines - 1 : 0;
  auto line = listed_.begin();
  for (FoundLine& found : findings.found) {
    while (line->bytes == 0 || line->at != found.begin) ++line;
    found.moved = line->begin - searched.head.size() - found.begin;
    if (plan.wants.numbers) found.number = line->number - 1;
  }
  return {};
}

/// Reads the findings first, which tell what else is to be copied. Where only counts are wanted,
/// the head's lines are subtracted: the GPU has counted the head as a line of its own.
Result<Excerpt> ExcerptMaker::fetch(const SlotView& view, const BatchSearch& plan,
                                    ScannerPool& scanners) {
  Excerpt excerpt;
  SearchedExcerpt& searched = excerpt.searched;
  searched.offset = view.batch.places().empty() ? 0 : view.batch.places().front().plain_offset;
  searched.bytes = bytes_;
  searched.blocks = view.batch.block_count();
  for (const BlockSpan& span : view.batch.blocks()) searched.stored_bytes += span.stored_bytes;
  if (bytes_ == 0) return excerpt;
  std::memcpy(&findings_, pinned_findings_.get(), sizeof findings_);
  searched.has_newline = findings_.first_newline != BatchFindings::kNowhere;
  PRESSO_TRY(copy_out(view, plan, excerpt));
  if (!searched.has_newline) return excerpt;
  if (plan.wants.lines) {
    PRESSO_TRY(look_at_lines(plan, scanners, excerpt));
    return excerpt;
  }
  // The head was counted as if it began with a line.
  const std::uint64_t lines = findings_.lines - scanners.count(searched.head.bytes());
  const std::uint64_t inner = plan.wants.numbers ? findings_.newlines - 1 : 0;
  searched.findings.lines = plan.invert ? inner - lines : lines;
  searched.findings.newlines = inner;
  return excerpt;
}

}  // namespace presso::gpu
