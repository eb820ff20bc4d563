// SPDX-License-Identifier: MIT
// Nothing here is a stable format; scripts use --json or --stats. Tested by
// tests/cli/test_scan_output.py and tests/cli/test_scan_device.py.
#include "tools/scan/scan_report.h"

#include <unistd.h>

#include "presso/ordered_pipeline.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"

namespace presso::cli {
namespace {

/// The time in seconds.
double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

/// A range in words; the largest number stands for an open end.
std::string range_text(const ScanRange& range) {
  const bool open = range.last == ~std::uint64_t{0};
  return grouped(range.first) + " to " + (open ? "the end" : grouped(range.last));
}

}  // namespace

/// An error of the search, with the flag that lifts a limit.
std::string scan_error_text(const Error& error, const Pattern& pattern,
                            const ScanOptions& options) {
  if (error.code == ErrorCode::kUnsupported) {
    if (pattern.spans_lines()) return error.text() + " (--multiline-limit sets it)";
    if (options.records) return error.text() + " (--record-limit sets how long one may be)";
  }
  const bool has_times = options.times || (options.records && options.records->times);
  if (!has_times || error.code != ErrorCode::kInvalidArgument) return error.text();
  return error.text() + kTimeAdvice;
}

/// Prints, for --explain, how the patterns are searched and what is asked for.
void explain_plan(const ScanSettings& settings, const ScanPlan& plan, const Pattern& pattern) {
  // The options are those of a file that is text and without a limit, which is the usual case.
  const ScanOptions options = plan.scan_options(BinaryRule::kText, ~std::uint64_t{0});
  std::string text = "plan: " + pattern.describe() +
                     "; CPU: " + std::string(name(options.decode.level)) +
                     ", threads: " + std::to_string(threads_or_all(options.threads));
  text += plan.counts_only() ? "; lines are counted only" : "; lines are printed";
  if (options.matches) text += ", every match in them is looked for";
  if (options.line_numbers) text += ", line ends are counted";
  if (settings.lines.is_limit(1)) text += "; lines " + range_text(settings.lines);
  if (settings.blocks.is_limit(0)) text += "; blocks " + range_text(settings.blocks);
  inform("", text);
}

/// Prints, for --explain, how much was searched at what rate. The time is that of the searches
/// alone, without opening files and walking directories.
void explain_rates(const ScanStatistics& statistics) {
  const double searching = seconds(statistics.elapsed);
  std::string text = "done: files: " + grouped(statistics.searches) +
                     ", plain bytes: " + grouped(statistics.bytes_searched) +
                     ", matched lines: " + grouped(statistics.matched_lines) + ", " +
                     seconds_text(statistics.elapsed) + " s searching";
  if (searching > 0) {
    text += ", " + rate_text(static_cast<double>(statistics.bytes_searched) / searching);
  }
  if (statistics.blocks_skipped > 0) {
    text += ", blocks skipped by the index: " + grouped(statistics.blocks_skipped) + " of " +
            grouped(statistics.blocks);
  }
  inform("", text);
}

/// Chooses between a bar, a line a second, and nothing: a bar would run into lines that are printed
/// on the same terminal.
ScanProgress::ScanProgress(const ScanSettings& settings, const ScanPlan& plan, std::string name,
                           std::uint64_t size)
    : name_(std::move(name)), size_(size) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  // Lines of results on the terminal would run into the bar.
  const bool undisturbed = plan.counts_only() || isatty(STDOUT_FILENO) == 0;
  const bool wanted = settings.progress || settings.force_progress;
  if (wanted && terminal && undisturbed) bar_ = std::make_unique<Progress>(name_, size_, true);
  prints_lines_ = settings.force_progress && !bar_;
}

/// An empty function where nothing is shown, so that the search need not call it.
std::function<void(std::uint64_t)> ScanProgress::callback() {
  if (!bar_ && !prints_lines_) return {};
  return [this](std::uint64_t bytes) { update(bytes); };
}

/// Called by the search as it goes on; prints at most once a second where there is no bar. `bytes`
/// are those of plain text so far.
void ScanProgress::update(std::uint64_t bytes) {
  bytes_ = bytes;
  if (bar_) return bar_->update(bytes, bytes);
  if (Clock::now() < next_line_) return;
  next_line_ += std::chrono::seconds(1);
  print_line();
}

/// Prints how far the search of this file has come.
void ScanProgress::print_line() const {
  const double passed = seconds(Clock::now() - start_);
  const double rate = passed > 0 ? static_cast<double>(bytes_) / passed : 0;
  std::string text = grouped(bytes_) + " bytes";
  if (size_ > 0) text += " of " + grouped(size_);
  inform(name_, text + ", " + rate_text(rate));
}

/// Ends the display of this file.
void ScanProgress::done() {
  if (prints_lines_) print_line();
  bar_.reset();
}

}  // namespace presso::cli
