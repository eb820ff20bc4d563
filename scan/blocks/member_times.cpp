// SPDX-License-Identifier: MIT
// Implements member_times.h.
#include "scan/blocks/member_times.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace presso::scan_detail {
namespace {

bool fits(const std::string& hint, const std::string& form) {
  return hint.empty() || hint == form;
}

/// The beginning of a member's text; what is damaged of it is left out.
Buffer sample_of(const CompressedFile& archive, const ArchiveMember& member) {
  Buffer sample;
  Buffer plain;
  Buffer stored;
  for (std::uint64_t i = 0; i < member.block_count && sample.size() < kTimeSampleBytes; ++i) {
    if (archive.read_block(member.first_block + i, plain, stored).ok())
      sample.append(plain.bytes());
  }
  return sample;
}

}  // namespace

TimeFormRange time_form_at(std::span<const MemberTimes> members, std::uint64_t offset) {
  const auto after = std::upper_bound(
      members.begin(), members.end(), offset,
      [](std::uint64_t at, const MemberTimes& member) { return at < member.plain_offset; });
  const std::uint64_t end = after == members.end() ? ~std::uint64_t{0} : after->plain_offset;
  if (after == members.begin()) return {0, end, nullptr};
  const MemberTimes& member = *std::prev(after);
  return {member.plain_offset, end, member.reader ? &*member.reader : nullptr};
}

bool any_tells_times(std::span<const MemberTimes> members) {
  return std::any_of(members.begin(), members.end(),
                     [](const MemberTimes& member) { return member.reader.has_value(); });
}

Result<std::vector<MemberTimes>> read_member_times(const RandomAccess& file,
                                                   const ArchiveIndex& index,
                                                   const TimeWindow& window,
                                                   const DecodeOptions& options) {
  std::vector<MemberTimes> all;
  std::optional<CompressedFile> archive;
  for (const ArchiveMember& member : index.members()) {
    MemberTimes& times = all.emplace_back();
    times.plain_offset = member.plain_offset;
    auto facts = read_time_facts(file, member);
    const bool is_told = facts.ok() && *facts && fits(window.hint.key, (*facts)->form.key) &&
                         fits(window.hint.format, (*facts)->form.format);
    std::int64_t latest = window.latest;
    if (!window.latest_is_given) latest = member.metadata.modified().value_or(latest);
    if (is_told) {
      const bool distrusts = window.latest_is_given;
      auto reader = TimeReader::make((*facts)->form, distrusts ? latest : (*facts)->latest);
      if (reader.ok()) {
        if (!distrusts || !reader->lacks_year()) times.facts = std::move(**facts);
        times.reader = std::move(*reader);
        continue;
      }
    }
    if (!archive) {
      PRESSO_ASSIGN(archive, CompressedFile::open(file, options));
    }
    const Buffer sample = sample_of(*archive, member);
    std::optional<TimeForm> form = find_time_form(sample.bytes(), window.hint);
    // It may begin within a long record of the member before.
    if (!form && all.size() > 1 && all[all.size() - 2].reader)
      form = all[all.size() - 2].reader->form();
    if (!form) continue;
    auto reader = TimeReader::make(*form, latest);
    if (reader.ok()) times.reader = std::move(*reader);
  }
  return all;
}

}  // namespace presso::scan_detail
