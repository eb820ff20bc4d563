// SPDX-License-Identifier: MIT
// What the flags of `presso scan` say, as plain data, and their table (flags_scan.cpp). Nothing is
// opened or compiled here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "presso/decompress.h"
#include "presso/pattern.h"
#include "tools/cli/flag.h"

namespace presso::cli {

struct ScanSettings {
  enum class Case { kSensitive, kIgnore, kSmart };
  enum class Counting { kNone, kLines, kMatches };
  enum class Listing { kNone, kWithMatch, kWithoutMatch };
  enum class Color { kAuto, kAlways, kNever };

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
  Case letter_case = Case::kSensitive;
  MatchBounds bounds = MatchBounds::kNone;
  bool invert = false;

  // What to show.
  Counting counting = Counting::kNone;
  Listing listing = Listing::kNone;
  bool include_zero = false;
  bool only_matching = false;
  bool quiet = false;
  bool byte_offset = false;
  bool column = false;
  bool null_after_path = false;
  std::optional<bool> line_number;    ///< nullopt: on a terminal
  std::optional<bool> with_filename;  ///< nullopt: with several files
  std::optional<bool> heading;        ///< nullopt: on a terminal
  Color color = Color::kAuto;
  std::optional<std::uint64_t> max_count;

  // How to search.
  bool text = false;
  bool no_messages = false;
  bool fail_fast = false;
  bool check = true;
  bool use_index = true;
  bool stats = false;
  unsigned threads = 0;
  std::vector<std::shared_ptr<const Dictionary>> dictionaries;
};

/// The table, bound to `settings`.
std::vector<Flag> scan_flags(ScanSettings& settings);

}  // namespace presso::cli
