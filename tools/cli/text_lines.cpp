// SPDX-License-Identifier: MIT
// Files are read through FdSource, since they may be pipes. Tested by tests/cli/test_scan.py and
// test_scan_choice.py.
#include "tools/cli/text_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "presso/byte_stream.h"

namespace presso::cli {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\n\v\f";

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  const auto refuse = [&path](const std::string& why) {
    return make_error(ErrorCode::kInvalidArgument, path + ": " + why);
  };
  const bool is_stdin = path == "-";
  const int fd = is_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return refuse(std::strerror(errno));
  std::string text;
  FdSource source(fd);
  Byte piece[16384];
  Status failed;
  for (;;) {
    const Result<std::size_t> got = source.read(piece);
    if (!got.ok()) failed = refuse(got.error().what);
    if (!got.ok() || *got == 0) break;
    text.append(reinterpret_cast<const char*>(piece), *got);
  }
  if (!is_stdin) close(fd);
  if (!failed.ok()) return failed.error();
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    const std::size_t end = std::min(feed, text.size());
    const bool has_return = feed != text.npos && end > 0 && text[end - 1] == '\r';
    lines.push_back(text.substr(0, end - (has_return ? 1 : 0)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view trim_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kWhiteSpace) + 1);
}

std::string_view trim(std::string_view text) {
  text = trim_end(text);
  return text.substr(std::min(text.find_first_not_of(kWhiteSpace), text.size()));
}

}  // namespace presso::cli
