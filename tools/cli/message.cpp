// SPDX-License-Identifier: MIT
// Each message is written in one piece under a lock, after the progress line, if there is one, has
// been cleared. Tested by tests/cli/test_frame.py and tests/cli/test_failures.py.
#include "tools/cli/message.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "tools/cli/command.h"
#include "tools/cli/terminal_text.h"

namespace presso::cli {
namespace {

std::mutex print_mutex;
std::mutex notice_mutex;
std::string noticed_file;           ///< the first one with a notice
std::set<std::string> other_files;  ///< with notices that were not printed
std::function<void()> clear_line;
std::atomic<int> status{kSuccess};
std::atomic<Verbosity> level{Verbosity::kNormal};

/// Writes a message in one piece, so that lines of several threads or processes do not mix. A text
/// that begins with an excerpt, indented above its caret, gets lines of its own.
void print_message(std::string_view file, std::string_view text) {
  std::string line = "presso: ";
  if (!file.empty()) line.append(terminal_text(file).text).append(": ");
  if (text.starts_with(' ')) line.append("in this text:\n");
  line.append(terminal_lines(text)).push_back('\n');
  const std::lock_guard lock(print_mutex);
  if (clear_line) clear_line();
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

void set_verbosity(Verbosity verbosity) {
  level = verbosity;
}
Verbosity verbosity() {
  return level;
}

void error(std::string_view file, std::string_view text) {
  status = kFailure;
  if (level >= Verbosity::kQuiet) print_message(file, text);
}

std::string_view advice_for(const Error& error) {
  const bool of_file = error.block == Error::kNone;
  return of_file && error.code == ErrorCode::kMissingDictionary ? "; --dict FILE gives it" : "";
}

void error(std::string_view file, const Error& error) {
  cli::error(file, error.text() + std::string(advice_for(error)));
}

void warning(std::string_view file, std::string_view text) {
  if (level >= Verbosity::kNormal) print_message(file, text);
}

void notice(std::string_view file, std::string_view text) {
  const std::lock_guard lock(notice_mutex);
  if (noticed_file.empty()) noticed_file = file;
  if (file == noticed_file || level >= Verbosity::kVerbose) return warning(file, text);
  other_files.emplace(file);
}

void tell_unsaid_notices() {
  const std::lock_guard lock(notice_mutex);
  if (other_files.empty()) return;
  warning("", "the same kind of notice for " + std::to_string(other_files.size()) +
                  (other_files.size() == 1 ? " more file" : " more files") + "; -v prints all");
}

void inform(std::string_view file, std::string_view text) {
  if (level >= Verbosity::kNormal) print_message(file, text);
}

void verbose(std::string_view file, std::string_view text) {
  if (level >= Verbosity::kVerbose) print_message(file, text);
}

void fail_silently() {
  status = kFailure;
}
int exit_status() {
  return status;
}

void set_line_clearer(std::function<void()> clear) {
  const std::lock_guard lock(print_mutex);
  clear_line = std::move(clear);
}

}  // namespace presso::cli
