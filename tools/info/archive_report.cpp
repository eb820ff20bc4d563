// SPDX-License-Identifier: MIT
// Headers are read through the index, at places; a file of any size costs a few reads. Damage in an
// optional section is part of the report, while damage to the index makes it be rebuilt, which
// reads all headers. Tested by tests/cli/test_reports.py.
#include "tools/info/archive_report.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "format/block_filter.h"
#include "format/time_facts.h"
#include "presso/line_table.h"
#include "tools/times/time_window.h"

namespace presso::cli {
namespace {

/// The most headers that are read without --blocks, so that info stays fast on huge files.
constexpr std::uint64_t kSampledHeaders = 64;

/// Whether the file ends with a trailer; if not, it was cut off. A rebuilt index alone does not
/// tell that, since the trailer may be there and damaged.
bool ends_with_trailer(const RandomAccess& file) {
  Byte tail[kTrailerBytes];
  return file.size() >= kTrailerBytes && file.read_at(file.size() - kTrailerBytes, tail).ok() &&
         parse_trailer(tail).ok();
}

/// The plain size of a dictionary, from the headers of the blocks that its section holds. A
/// dictionary that is only named has its size in the reference.
std::uint64_t dictionary_bytes(const StoredSection& section) {
  const Bytes payload = section.payload.bytes();
  if (is_dictionary_reference(payload)) {
    const auto named = parse_dictionary_reference(payload.data());
    return named.ok() ? named->plain_bytes : 0;
  }
  std::uint64_t plain = 0;
  for (std::uint64_t at = 0; at + kBlockHeaderBytes <= payload.size();) {
    const auto header = parse_block_header(payload.data() + at);
    // A damaged header ends the sum; reading the blocks reports the damage.
    if (!header.ok()) break;
    plain += header->plain_bytes;
    at += header->stored_bytes();
  }
  return plain;
}

/// Adds up the sizes of the search indexes and names the lengths of n-grams that they are made of.
/// Members may have been made with different options, so all of them are looked at.
void describe_filters(const RandomAccess& file, const ArchiveIndex& index, ArchiveReport& report) {
  std::set<std::uint32_t> lengths;
  bool damaged = false;
  for (const ArchiveMember& member : index.members()) {
    const auto filter = read_filter(file, member);
    damaged |= !filter.ok();
    if (!filter.ok() || !*filter) continue;
    report.filter_bytes += kSectionHeaderBytes + (*filter)->payload.size();
    for (const FilterGroup& group : (*filter)->groups) lengths.insert(group.gram_bytes);
  }
  for (const std::uint32_t length : lengths) {
    report.filter += (report.filter.empty() ? "" : "+") + std::to_string(length) + "-grams";
  }
  if (report.filter.empty()) report.filter = "-";
  if (damaged) report.filter = "damaged";
}

/// Takes the number of lines from the line facts, if the file has any. Without them the lines are
/// not known, as nothing is decoded.
void count_lines(const RandomAccess& file, const ArchiveIndex& index, ArchiveReport& report) {
  const auto table = LineTable::read(file, index);
  report.line_facts_damaged = !table.ok();
  if (table.ok() && *table) report.lines = (*table)->lines();
}

std::string moment_text(std::int64_t nanos) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t seconds = nanos / kSecond - (nanos % kSecond < 0 ? 1 : 0);
  char fraction[16];
  std::snprintf(fraction, sizeof fraction, ".%03d",
                static_cast<int>((nanos - seconds * kSecond) / 1'000'000));
  return clock_text(seconds) + fraction;
}

/// Takes the times of the first member's form; members of another form are passed over.
void describe_times(const RandomAccess& file, const ArchiveIndex& index, ArchiveReport& report) {
  BlockTimes all;
  for (const ArchiveMember& member : index.members()) {
    const auto times = read_time_facts(file, member);
    if (!times.ok() || !*times) continue;
    const TimeFacts& facts = **times;
    if (!report.times) {
      const auto reader = TimeReader::make(facts.form, facts.latest);
      if (!reader.ok()) continue;
      TimeSpan& span = report.times.emplace();
      span.has_zone = reader->has_zone();
      span.lacks_year = reader->lacks_year();
      span.form = facts.form;
    }
    if (facts.form != report.times->form) continue;
    report.times->timed_lines += facts.timed_lines;
    for (const BlockTimes& block : facts.blocks) {
      if (block == BlockTimes::unknown() || block.empty()) continue;
      all.add(block.least);
      all.add(block.greatest);
    }
  }
  if (all.empty()) return;
  report.times->first = moment_text(all.least);
  report.times->last = moment_text(all.greatest);
}

/// Reads block headers: all of them, or a sample that is spread evenly over the file. Error: that
/// of a header that cannot be read.
Status read_rows(const ArchiveIndex& index, bool all_blocks, ArchiveReport& report) {
  const std::uint64_t count = index.block_count();
  const std::uint64_t wanted = all_blocks ? count : std::min(count, kSampledHeaders);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    BlockRow row;
    // The first and the last block are always in the sample.
    row.number = wanted == count ? i : i * (count - 1) / (wanted - 1);
    PRESSO_ASSIGN(row.header, index.read_block_header(row.number));
    row.file_offset = index.block_offset(row.number);
    row.plain_offset = index.block_plain_offset(row.number);
    report.rows.push_back(std::move(row));
  }
  return {};
}

/// Summarises the codings and rules of the headers that were read. Names are in the order of the
/// alphabet, so that the same file always gives the same text.
void summarise_rows(ArchiveReport& report) {
  std::set<std::string_view> codings;
  std::set<std::string_view> rules;
  for (const BlockRow& row : report.rows) {
    codings.insert(name(row.header.coding));
    // A raw block has no back-references, so its rule says nothing.
    if (row.header.coding != Coding::kRaw) rules.insert(name(row.header.rule));
  }
  for (const std::string_view coding : codings) {
    report.coding += (report.coding.empty() ? "" : "+") + std::string(coding);
  }
  if (report.coding.empty()) report.coding = "-";
  report.rule = rules.empty() ? "-" : rules.size() > 1 ? "mixed" : std::string(*rules.begin());
  report.headers_read = report.rows.size();
}

}  // namespace

/// Reads what a file says about itself. Only block headers are read, not their contents. A table is
/// told by its magic and reported as such. Errors: those of opening the file.
Result<ArchiveReport> report_archive(const std::string& path, const InputFile& input,
                                     bool all_blocks) {
  // A pipe has no end to read an index from.
  if (!input.is_regular()) return make_error(ErrorCode::kUnsupported, "not a regular file");
  const FdRandomAccess file(input.fd(), input.size());
  auto opened = ArchiveIndex::open(file);
  if (!opened.ok() && opened.error().code == ErrorCode::kContent) return report_table(path, input);
  if (!opened.ok()) return std::move(opened.error());
  const ArchiveIndex& index = *opened;
  ArchiveReport report;
  report.path = path;
  report.compressed_bytes = input.size();
  report.plain_bytes = index.plain_bytes();
  report.blocks = index.block_count();
  report.members = index.members().size();
  const ArchiveMember& first = index.members().front();
  report.block_bytes = first.header.block_bytes;
  report.version = first.header.version;
  report.metadata = first.metadata;
  for (const ArchiveMember& member : index.members()) {
    for (const StoredSection& section : member.dictionaries) {
      report.dictionary_bytes += dictionary_bytes(section);
    }
  }
  describe_filters(file, index, report);
  describe_times(file, index, report);
  count_lines(file, index, report);
  report.index_rebuilt = index.rebuilt();
  report.truncated = index.rebuilt() && !ends_with_trailer(file);
  PRESSO_TRY(read_rows(index, all_blocks, report));
  summarise_rows(report);
  // The rows were needed for the summary only.
  if (!all_blocks) report.rows.clear();
  return report;
}

/// The names are those of the flags --coding and --deps, so that they can be pasted.
std::string_view name(Coding coding) {
  switch (coding) {
    case Coding::kRaw:
      return "raw";
    case Coding::kByte:
      return "byte";
    case Coding::kBit:
      return "bit";
    case Coding::kIntegers:
      return "integers";
    case Coding::kTokens:
      return "tokens";
    case Coding::kPlanes:
      return "planes";
  }
  return "unknown";
}

/// "unknown" stands for a rule of a newer presso.
std::string_view name(DependencyRule rule) {
  switch (rule) {
    case DependencyRule::kNone:
      return "none";
    case DependencyRule::kStrict:
      return "strict";
    case DependencyRule::kLiteralAware:
      return "literal-aware";
    case DependencyRule::kTwoWave:
      return "two-wave";
    case DependencyRule::kTile:
      return "tile";
  }
  return "unknown";
}

}  // namespace presso::cli
