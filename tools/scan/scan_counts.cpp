// SPDX-License-Identifier: MIT
// Implements scan_counts.h.
#include "tools/scan/scan_counts.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace presso::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400;
constexpr std::int64_t kWeek = 7 * kDay;
/// Spans without a line are printed, too, unless there are more spans.
constexpr std::int64_t kMostSpans = 100'000;
constexpr std::uint64_t kBarColumns = 50;

std::int64_t floor_to(std::int64_t value, std::int64_t unit) {
  const std::int64_t rest = value % unit;
  return value - rest - (rest < 0 ? unit : 0);
}

}  // namespace

Result<ScanCounts> ScanCounts::make(const ScanSettings& settings, const Pattern& pattern,
                                    Output& output) {
  ScanCounts counts(pattern, output);
  if (settings.histogram.empty()) {
    counts.text_.emplace(settings.count_by);
    return counts;
  }
  const auto span = span_seconds(settings.histogram);
  if (!span || *span == 0) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--histogram: '" + settings.histogram +
                          "' is no span; spans are like 30s, 15m, 1h, 1d, 1w");
  }
  counts.span_ = *span;
  PRESSO_ASSIGN(counts.zone_, LocalZone::load(settings.times));
  return counts;
}

void ScanCounts::line(const MatchedLine& line) {
  if (line.kind != LineKind::kMatch) return;
  if (text_) {
    for (const MatchSpan& match : line.matches) {
      ++by_text_[text_->of_match(as_text(line.text), match, groups_)];
    }
    return;
  }
  std::int64_t seconds = floor_to(line.time, kSecond) / kSecond;
  if (line.has_zone) seconds += zone_->offset_at(seconds);
  // Weeks begin on Mondays, of which 1970-01-05 is one.
  const std::int64_t first = span_ % kWeek == 0 ? 4 * kDay : 0;
  ++by_time_[floor_to(seconds - first, span_) + first];
}

void ScanCounts::print(bool bars) {
  if (text_) return print_texts();
  print_histogram(bars);
}

/// The most frequent text comes first; of equally frequent ones the first in bytes' order.
void ScanCounts::print_texts() {
  std::vector<std::pair<std::string, std::uint64_t>> all(by_text_.begin(), by_text_.end());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto& [text, count] : all) {
    const std::string number = std::to_string(count);
    constexpr std::size_t kNumberColumns = 7;  // as uniq -c
    output_.write(std::string(kNumberColumns - std::min(number.size(), kNumberColumns), ' '));
    output_.write(number + " " + text + "\n");
    output_.end_line();
  }
}

void ScanCounts::print_histogram(bool bars) {
  if (!bars) output_.write("time,count\n");
  if (by_time_.empty()) return;
  const std::int64_t first = by_time_.begin()->first;
  const std::int64_t last = by_time_.rbegin()->first;
  if ((last - first) / span_ < kMostSpans) {
    for (std::int64_t at = first; at < last; at += span_) by_time_.try_emplace(at, 0);
  }
  std::uint64_t most = 1;
  for (const auto& [at, count] : by_time_) most = std::max(most, count);
  const std::size_t digits = std::to_string(most).size();
  for (const auto& [at, count] : by_time_) {
    const std::string number = std::to_string(count);
    if (bars) {
      output_.write(clock_text(at) + "  " + std::string(digits - number.size(), ' ') + number +
                    " " + std::string(count * kBarColumns / most, '#') + "\n");
    } else {
      output_.write(clock_text(at) + "," + number + "\n");
    }
    output_.end_line();
  }
}

}  // namespace presso::cli
