// SPDX-License-Identifier: MIT
// Draws with a carriage return and an escape sequence that clears the line. The cost of an update
// that draws nothing is one reading of the clock. progress_line() only lays out the text and
// touches no terminal. Tested by tests/cli/test_frame.py.
#include "tools/io/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/cli/terminal_text.h"
#include "tools/io/unfinished_files.h"

namespace presso::cli {
namespace {

constexpr char kClearLine[] = "\r\033[K";

void clear_line() {
  std::fputs(kClearLine, stderr);
  std::fflush(stderr);
}

// The width is asked for at each drawing, as the window may have been resized; 80 if unknown.
unsigned terminal_columns() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

/// Seconds as m:ss or h:mm:ss.
std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  char text[32];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%llu:%02llu:%02llu",
                  static_cast<unsigned long long>(whole / 3600),
                  static_cast<unsigned long long>(whole / 60 % 60),
                  static_cast<unsigned long long>(whole % 60));
  } else {
    std::snprintf(text, sizeof text, "%llu:%02llu", static_cast<unsigned long long>(whole / 60),
                  static_cast<unsigned long long>(whole % 60));
  }
  return text;
}

/// A bar of `width` columns, "[======>     ]". `share` is between 0 and 1.
std::string bar_text(double share, std::size_t width) {
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  std::string bar(1, '[');
  bar.append(filled, '=');
  if (filled < width) bar.append(1, '>').append(width - filled - 1, ' ');
  bar += ']';
  return bar;
}

}  // namespace

std::string rate_text(double bytes_per_second) {
  if (bytes_per_second >= 1e9) return decimal_text(bytes_per_second / 1e9, 2) + " GB/s";
  return decimal_text(bytes_per_second / 1e6, 0) + " MB/s";
}

/// The line of the bar: the name's end, the share, the rate and how long it will take. Without a
/// total the megabytes so far. Cut to the terminal's columns.
std::string progress_line(const std::string& name, std::uint64_t done, std::uint64_t total,
                          std::uint64_t plain, double seconds, unsigned columns) {
  constexpr std::size_t kNameColumns = 24;
  constexpr std::size_t kBarColumns = 20;
  std::string line =
      name.size() <= kNameColumns ? name : "..." + name.substr(name.size() - (kNameColumns - 3));
  const double rate = seconds > 0 ? static_cast<double>(plain) / seconds : 0;
  if (total > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    char percent[16];
    std::snprintf(percent, sizeof percent, " %3.0f %%", share * 100);
    line.append(" ").append(bar_text(share, kBarColumns)).append(percent);
    line.append("  ").append(rate_text(rate));
    if (share > 0) line.append("  ETA ").append(duration_text(seconds * (1 - share) / share));
  } else {
    line.append("  ").append(std::to_string(plain / 1000000)).append(" MB  ");
    line.append(rate_text(rate));
  }
  return line.substr(0, columns > 1 ? columns - 1 : 1);
}

/// The bar is shown on a terminal only, and not before 300 ms, so that short work shows none.
Progress::Progress(const std::string& name, std::uint64_t total, bool wanted)
    : name_(terminal_text(name).text),
      total_(total),
      active_(wanted && verbosity() >= Verbosity::kNormal && isatty(STDERR_FILENO) != 0) {}

/// Removes the bar from the terminal.
Progress::~Progress() {
  if (!drawn_) return;
  set_line_clearer({});
  set_progress_shown(false);
  clear_line();
}

/// Draws the bar anew, at most ten times a second. One thread calls it.
void Progress::update(std::uint64_t done, std::uint64_t plain) {
  if (!active_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + std::chrono::milliseconds(100);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const std::string line = progress_line(name_, done, total_, plain, seconds, terminal_columns());
  if (!drawn_) set_line_clearer(clear_line);
  drawn_ = true;
  set_progress_shown(true);
  std::fputs((kClearLine + line).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace presso::cli
