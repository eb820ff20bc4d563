// SPDX-License-Identifier: MIT
// Paths are compared part by part, as the walk does, so that --sortr=path is its exact reverse.
// Times are asked for once for each file, before they are compared. Tested by
// tests/cli/test_scan_files.py.
#include "tools/scan/scan_order.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace presso::cli {
namespace {

using Key = FileOrder::Key;
/// Seconds and nanoseconds.
using Time = std::pair<std::int64_t, std::uint32_t>;

constexpr Time kNoTime = {std::numeric_limits<std::int64_t>::max(), 0};

/// The time of a file, kNoTime if there is none. `not_kept` is set if the file exists and its file
/// system does not keep this time.
Time time_of(const std::string& path, Key key, bool& not_kept) {
  const unsigned wanted = key == Key::kModified   ? STATX_MTIME
                          : key == Key::kAccessed ? STATX_ATIME
                                                  : STATX_BTIME;
  struct statx about {};
  if (statx(AT_FDCWD, path.c_str(), 0, wanted, &about) != 0) return kNoTime;
  if ((about.stx_mask & wanted) == 0) {
    not_kept = true;
    return kNoTime;
  }
  const statx_timestamp& time = key == Key::kModified   ? about.stx_mtime
                                : key == Key::kAccessed ? about.stx_atime
                                                        : about.stx_btime;
  return {time.tv_sec, time.tv_nsec};
}

/// Whether a path comes before another one, part by part: a slash comes before all other bytes.
bool path_less(const std::string& a, const std::string& b) {
  const auto rank = [](char c) { return c == '/' ? 0 : 1 + static_cast<unsigned char>(c); };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return rank(x) < rank(y); });
}

}  // namespace

std::optional<std::string> sort_files(std::vector<FileToScan>& files, const FileOrder& order) {
  struct Timed {
    Time time;
    FileToScan file;
  };
  std::optional<std::string> not_kept_by;
  std::vector<Timed> timed;
  for (FileToScan& file : files) {
    bool not_kept = false;
    Time time = kNoTime;
    if (order.key != Key::kPath && file.origin != Origin::kStdin) {
      time = time_of(file.path, order.key, not_kept);
    }
    if (not_kept && !not_kept_by) not_kept_by = file.path;
    timed.push_back({time, std::move(file)});
  }
  const auto less = [&](const Timed& a, const Timed& b) {
    return order.key == Key::kPath ? path_less(a.file.path, b.file.path) : a.time < b.time;
  };
  std::stable_sort(timed.begin(), timed.end(), [&](const Timed& a, const Timed& b) {
    return order.reverse ? less(b, a) : less(a, b);
  });
  files.clear();
  for (Timed& one : timed) files.push_back(std::move(one.file));
  return not_kept_by;
}

}  // namespace presso::cli
