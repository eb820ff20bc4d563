// SPDX-License-Identifier: MIT
// Implements time_facts.h: reading the lines of blocks, joining what borders cut, the section.
#include "format/time_facts.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/container_rules.h"
#include "format/tail_section.h"
#include "presso/checksum.h"
#include "presso/wire.h"

namespace presso {
namespace {

/// The bytes that are kept of a line that a border cuts.
constexpr std::size_t kMostCut = std::size_t{4} << 10;
// Lines with a time, latest, words, sizes of the key and the format, reserved.
constexpr std::size_t kHeadBytes = 20;
constexpr std::size_t kBlockBytes = 16;

Error bad_times(const char* what) {
  return make_error(ErrorCode::kBadHeader, std::string("times: ") + what);
}

/// Adds bytes up to that limit.
void append(std::vector<Byte>& to, Bytes from) {
  const std::size_t room = kMostCut - std::min(to.size(), kMostCut);
  to.insert(to.end(), from.begin(),
            from.begin() + static_cast<std::ptrdiff_t>(std::min(from.size(), room)));
}

}  // namespace

ReadTimes read_times(const TimeReader& reader, Bytes plain) {
  ReadTimes found;
  const auto* const first = static_cast<const Byte*>(
      plain.empty() ? nullptr : std::memchr(plain.data(), '\n', plain.size()));
  if (first == nullptr) {
    append(found.head, plain);
    return found;
  }
  found.has_newline = true;
  const Byte* const end = plain.data() + plain.size();
  append(found.head, Bytes(plain.data(), first + 1));
  TimeReader::Memo memo;
  for (const Byte* at = first + 1;;) {
    const auto* const newline = static_cast<const Byte*>(
        at == end ? nullptr : std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr) {
      append(found.tail, Bytes(at, end));
      return found;
    }
    if (const auto time = reader.time_of(Bytes(at, newline), memo)) {
      found.times.add(*time);
      found.last = time;
      ++found.timed_lines;
    } else if (!found.last) {
      found.begins_without = true;
    }
    at = newline + 1;
  }
}

/// Ends the line that borders cut. All blocks that it has touched have its time, or that of the
/// line before it.
void TimeFactsBuilder::close_line(bool is_whole) {
  if (line_.empty()) return;
  const auto time = reader_.time_of(line_);
  // What is missing might have made a time, or another one.
  const bool is_known = is_whole && !std::exchange(lacks_begin_, false);
  if (is_known && time) {
    last_ = time;
    ++timed_lines_;
  }
  const std::size_t touched = std::min(line_blocks_, blocks_.size());
  for (std::size_t i = blocks_.size() - touched; i < blocks_.size(); ++i) {
    if (is_known && last_) {
      blocks_[i].add(*last_);
    } else {
      blocks_[i] = BlockTimes::unknown();
    }
  }
  if (!is_known) last_.reset();
  line_.clear();
  line_blocks_ = 0;
}

void TimeFactsBuilder::add(ReadTimes block) {
  blocks_.push_back({});
  append(line_, block.head);
  ++line_blocks_;
  if (!block.has_newline) return;
  close_line(line_.size() < kMostCut);
  BlockTimes& times = blocks_.back();
  if (block.begins_without) {
    if (last_) {
      times.add(*last_);
    } else {
      times = BlockTimes::unknown();
    }
  }
  if (!block.times.empty()) {
    times.add(block.times.least);
    times.add(block.times.greatest);
  }
  if (block.last) last_ = block.last;
  timed_lines_ += block.timed_lines;
  line_ = std::move(block.tail);
  line_blocks_ = line_.empty() ? 0 : 1;
}

TimeFacts TimeFactsBuilder::finish(bool more) {
  const bool is_cut = more && !line_.empty();
  close_line(!is_cut && line_.size() < kMostCut);
  lacks_begin_ = is_cut;
  TimeFacts facts;
  facts.form = reader_.form();
  facts.latest = reader_.lacks_year() ? reader_.latest() : 0;
  facts.timed_lines = std::exchange(timed_lines_, 0);
  facts.blocks = std::exchange(blocks_, {});
  return facts;
}

// --- The section

std::vector<Byte> serialise_time_facts(const TimeFacts& facts) {
  std::vector<Byte> payload;
  append_value<std::uint64_t>(payload, facts.timed_lines);
  append_value<std::int64_t>(payload, facts.latest);
  for (const std::size_t number : {std::size_t{facts.form.words}, facts.form.key.size(),
                                   facts.form.format.size(), std::size_t{0}}) {
    payload.push_back(static_cast<Byte>(number));
  }
  for (const std::string* const text : {&facts.form.key, &facts.form.format}) {
    payload.insert(payload.end(), text->begin(), text->end());
  }
  for (const BlockTimes& block : facts.blocks) {
    append_value<std::int64_t>(payload, block.least);
    append_value<std::int64_t>(payload, block.greatest);
  }
  return payload;
}

Result<TimeFacts> parse_time_facts(Bytes payload, std::uint64_t blocks) {
  if (payload.size() < kHeadBytes) return bad_times("size");
  TimeFacts facts;
  facts.timed_lines = load<std::uint64_t>(payload.data());
  facts.latest = load<std::int64_t>(payload.data() + 8);
  facts.form.words = payload[16];
  const std::size_t key = payload[17];
  const std::size_t format = payload[18];
  const std::size_t texts = key + format;
  if (payload[19] != 0) return bad_times("reserved byte");
  if (payload.size() - kHeadBytes < texts ||
      (payload.size() - kHeadBytes - texts) % kBlockBytes != 0 ||
      (payload.size() - kHeadBytes - texts) / kBlockBytes != blocks) {
    return bad_times("number of blocks");
  }
  const auto* const text = reinterpret_cast<const char*>(payload.data() + kHeadBytes);
  facts.form.key.assign(text, key);
  facts.form.format.assign(text + key, format);
  for (std::size_t at = kHeadBytes + texts; at < payload.size(); at += kBlockBytes) {
    const Byte* const block = payload.data() + at;
    facts.blocks.push_back({load<std::int64_t>(block), load<std::int64_t>(block + 8)});
  }
  return facts;
}

Result<std::optional<TimeFacts>> read_time_facts(const RandomAccess& file,
                                                 const ArchiveMember& member) {
  using Found = std::optional<TimeFacts>;
  PRESSO_ASSIGN(const auto section,
                find_tail_section(file, member, FrameKind::kTimes, kTimeFactsLayout));
  if (!section) return Found();
  // The size is checked before it is allocated.
  const std::uint64_t bytes = section->header.payload_bytes;
  const std::uint64_t of_blocks = kBlockBytes * member.block_count;
  if (bytes < of_blocks + kHeadBytes || bytes > of_blocks + kHeadBytes + 2 * kMostTimeText) {
    return bad_times("number of blocks");
  }
  std::vector<Byte> payload(static_cast<std::size_t>(bytes));
  PRESSO_TRY(file.read_at(section->payload_offset, payload));
  if (checksum64(payload) != section->header.payload_checksum) {
    return make_error(ErrorCode::kSectionChecksum, kind_name(FrameKind::kTimes));
  }
  PRESSO_ASSIGN(TimeFacts facts, parse_time_facts(payload, member.block_count));
  return Found(std::move(facts));
}

}  // namespace presso
