// SPDX-License-Identifier: MIT
// Paths are compared part by part, as the walk does, so that --sortr=path is its exact reverse.
// Times are asked for once for each file, before they are compared. Tested by
// tests/cli/test_scan_files.py, test_scan_times.py.
#include "tools/scan/scan_order.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "tools/io/input_file.h"
#include "tools/scan/scan_input.h"

namespace presso::cli {
namespace {

using Key = FileOrder::Key;

constexpr FileTime kNoTime = {std::numeric_limits<std::int64_t>::max(), 0};

/// The time of a file, kNoTime if there is none. `not_kept` is set if the file exists and its file
/// system does not keep this time.
FileTime time_of(const std::string& path, Key key, bool& not_kept) {
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

/// A moment of the zone in which a line without one was written.
FileTime moment_of(const MatchedLine& line, const LocalZone& zone) {
  constexpr std::int64_t kNanosOfSecond = 1'000'000'000;
  std::int64_t nanos = line.time % kNanosOfSecond;
  if (nanos < 0) nanos += kNanosOfSecond;
  const std::int64_t seconds = (line.time - nanos) / kNanosOfSecond;
  return {line.has_zone ? seconds : zone.utc_of(seconds), static_cast<std::uint32_t>(nanos)};
}

}  // namespace

Result<FirstLineTimes> FirstLineTimes::make(const ScanSettings& settings) {
  TimeSettings times = settings.times;
  times.since.clear();  // the file that comes first may begin before that
  times.until.clear();
  PRESSO_ASSIGN(TimeWindow window, time_window(times));
  PRESSO_ASSIGN(LocalZone zone, LocalZone::load(times));
  PRESSO_ASSIGN(Pattern all, Pattern::compile_literals({""}));
  return FirstLineTimes(settings, std::move(window), std::move(zone), std::move(all));
}

Result<FileTime> FirstLineTimes::of(const std::string& path) const {
  PRESSO_ASSIGN(const InputFile file, InputFile::open(path));
  PRESSO_ASSIGN(ScanInput input, ScanInput::open(file.fd(), false, *settings_, path));
  ScanOptions options;
  options.threads = 1;
  options.times = window_;
  if (!settings_->times.year) options.times->latest = latest_of(file.about());
  Result<FileTime> first = make_error(ErrorCode::kInvalidArgument, "no line tells a time");
  PRESSO_ASSIGN([[maybe_unused]] const ScanSummary summary,
                input.scan(all_, options, [&](const MatchedLine& line) {
                  first = moment_of(line, zone_);
                  return false;
                }));
  return first;
}

std::optional<UntimedFile> sort_files(std::vector<FileToScan>& files, const FileOrder& order,
                                      const FirstLineTimes* lines) {
  struct Timed {
    FileTime time;
    FileToScan file;
  };
  std::optional<UntimedFile> untimed;
  std::vector<Timed> timed;
  for (FileToScan& file : files) {
    const char* why = nullptr;
    FileTime time = kNoTime;
    if (file.origin == Origin::kStdin) {
      // It has none.
    } else if (order.key == Key::kLines) {
      const Result<FileTime> first = lines->of(file.path);
      if (first.ok()) {
        time = *first;
      } else if (first.error().code == ErrorCode::kInvalidArgument) {
        why = "none of its first lines tells a known time; it counts as the latest";
      }
    } else if (order.key != Key::kPath) {
      bool not_kept = false;
      time = time_of(file.path, order.key, not_kept);
      if (not_kept) why = "its file system does not keep the time to sort by";
    }
    if (why != nullptr && !untimed) untimed = {file.path, why};
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
  return untimed;
}

}  // namespace presso::cli
