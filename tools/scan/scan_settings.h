// SPDX-License-Identifier: MIT
// What the flags of `presso scan` were set to, as plain data, and the table of the flags
// (flags_scan.cpp). Nothing is opened or compiled here; scan_plan.h decides what the flags mean
// together. Tested by tests/cli/test_scan_habits.py.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "presso/decompress.h"
#include "presso/lines.h"
#include "presso/pattern.h"
#include "tools/cli/flag.h"
#include "tools/device/flags_device.h"
#include "tools/scan/scan_colors.h"
#include "tools/scan/scan_encoding.h"
#include "tools/scan/scan_walk.h"
#include "tools/times/time_window.h"

namespace presso::cli {

/// The limit that is never reached.
inline constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// The range A-B of --lines and --blocks, both ends included.
struct ScanRange {
  std::uint64_t first = 0;
  std::uint64_t last = std::numeric_limits<std::uint64_t>::max();

  /// Whether it leaves anything out; `least` is the number of the first line or block.
  bool is_limit(std::uint64_t least) const {
    return first > least || last != std::numeric_limits<std::uint64_t>::max();
  }
};

/// The order of --sort and --sortr.
struct FileOrder {
  enum class Key { kPath, kModified, kAccessed, kCreated, kLines };
  Key key = Key::kPath;
  bool reverse = false;

  /// Whether it is the order in which files are found, so that none has to wait for the others.
  bool is_as_found() const { return key == Key::kPath && !reverse; }
};

/// The settings of one command line. Members without a value depend on the terminal or on other
/// flags.
struct ScanSettings {
  // The values of flags of which the last one wins.
  enum class Case { kSensitive, kIgnore, kSmart };
  enum class Counting { kNone, kLines, kMatches };
  enum class Listing { kNone, kWithMatch, kWithoutMatch };
  enum class Color { kAuto, kAlways, kNever };
  enum class Buffering { kAuto, kLine, kBlock };
  enum class LineEnd { kLineFeed, kCrlf, kNul };

  // What to look for. Files of patterns are read when the command runs.
  struct PatternSource {
    std::string text;
    bool is_file = false;
  };
  std::vector<PatternSource> patterns;
  enum class Syntax { kRegex, kFixed, kLike };
  Syntax syntax = Syntax::kRegex;
  bool unicode = true;
  Engine engine = Engine::kAuto;
  DeviceFlags device;
  Case letter_case = Case::kSensitive;
  MatchBounds bounds = MatchBounds::kNone;
  bool invert = false;
  std::vector<std::string> required;   ///< --and
  std::vector<std::string> forbidden;  ///< --not
  std::vector<std::string> where;      ///< conditions on fields, all of which count
  LineEnd line_end = LineEnd::kLineFeed;
  bool multiline = false;
  bool multiline_dotall = false;
  std::uint64_t multiline_limit = std::uint64_t{1} << 30;
  std::optional<RecordRule::Kind> record;   ///< --record
  std::optional<std::string> record_start;  ///< a regular expression
  std::uint64_t record_limit = RecordRule::kMostBytes;

  bool has_records() const { return record || record_start; }

  // What to show.
  Counting counting = Counting::kNone;
  Listing listing = Listing::kNone;
  bool include_zero = false;
  bool only_matching = false;
  bool quiet = false;
  bool byte_offset = false;
  std::optional<bool> column;  ///< nullopt: with --vimgrep
  bool null_after_path = false;
  std::optional<bool> line_number;    ///< nullopt: on a terminal
  std::optional<bool> with_filename;  ///< nullopt: with several files
  std::optional<bool> heading;        ///< nullopt: on a terminal
  Color color = Color::kAuto;
  ScanColors colors;
  bool pretty = false;  ///< as on a terminal, where the flags above say nothing
  Buffering buffering = Buffering::kAuto;
  bool json = false;
  bool statistics = false;
  bool vimgrep = false;
  bool trim = false;
  std::uint64_t max_columns = 0;  ///< 0: no limit
  bool max_columns_preview = false;
  std::optional<std::string> replacement;
  char path_separator = '/';
  std::string match_separator = ":";
  std::string context_field_separator = "-";
  bool explain = false;
  bool progress = false;
  bool force_progress = false;

  // These are about the lines around matches.
  std::uint64_t both_contexts = 0;
  std::optional<std::uint64_t> before_context;  ///< wins over both_contexts
  std::optional<std::uint64_t> after_context;   ///< wins over both_contexts
  bool passthru = false;                        ///< wins over all three
  std::optional<std::string> context_separator = "--";

  // These limit how much is searched or shown.
  std::optional<std::uint64_t> max_count;
  std::optional<std::uint64_t> max_total;
  bool count_total = false;
  ScanRange lines{1};
  ScanRange blocks{0};
  TimeSettings times;
  std::string histogram;  ///< a span of time; empty: not given
  std::string count_by;   ///< a template; empty: not given

  /// Whether counts are all that is printed, of something else than lines or matches.
  bool groups() const { return !histogram.empty() || !count_by.empty(); }
  bool uses_times() const { return times.limits() || !histogram.empty(); }

  // Which files.
  WalkOptions walk;
  std::vector<std::string> ignore_files;  ///< read when the command runs
  bool no_ignore_files = false;
  bool ignore_files_ignore_case = false;
  FileOrder order;
  bool type_list = false;
  bool list_files = false;
  unsigned unrestricted = 0;  ///< how often -u was given
  bool search_zip = true;
  ScanEncoding encoding;

  // How to search.
  bool text = false;
  bool binary = false;
  bool no_messages = false;
  bool fail_fast = false;
  bool check = true;
  bool use_index = true;
  unsigned threads = 0;
  std::vector<std::shared_ptr<const Dictionary>> dictionaries;
};

/// All flags, bound to `settings`.
std::vector<Flag> scan_flags(ScanSettings& settings);
/// The parts of the table that are in files of their own.
std::vector<Flag> scan_output_flags(ScanSettings& settings);
std::vector<Flag> scan_context_flags(ScanSettings& settings);
std::vector<Flag> scan_file_flags(ScanSettings& settings);
std::vector<Flag> scan_type_flags(ScanSettings& settings);
std::vector<Flag> scan_multiline_flags(ScanSettings& settings);
std::vector<Flag> scan_record_flags(ScanSettings& settings);
std::vector<Flag> scan_other_tools_flags(ScanSettings& settings);

}  // namespace presso::cli
