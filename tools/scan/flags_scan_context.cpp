// SPDX-License-Identifier: MIT
// The flags of `presso scan` about lines around matches. As in ripgrep 14, -A and -B outweigh -C,
// each for its side and in any order (in ripgrep 13 the last one takes back the others); of these
// and --passthru the last one wins. Tested by tests/cli/test_scan_output.py.
#include <limits>

#include "tools/cli/bind.h"
#include "tools/scan/scan_settings.h"
#include "tools/scan/scan_unescape.h"

namespace presso::cli {
namespace {

// The side of a match on which lines are printed.
enum class Side { kBefore, kAfter, kBoth };

/// Sets the number of lines on one side or both.
Apply context_into(ScanSettings& s, Side side) {
  return [&s, side](const Given& given) -> Status {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    PRESSO_ASSIGN(const std::uint64_t lines, parse_number(given.spelled, given.value, 0, kMost));
    s.passthru = false;
    if (side == Side::kBoth) s.both_contexts = lines;
    if (side == Side::kBefore) s.before_context = lines;
    if (side == Side::kAfter) s.after_context = lines;
    return {};
  };
}

}  // namespace

/// Context by numbers of lines, or by --passthru, which overrides them. Order matters as in
/// ripgrep.
std::vector<Flag> scan_context_flags(ScanSettings& s) {
  return {
      {.short_name = 'A',
       .name = "after-context",
       .value_name = "NUM",
       .category = kOutput,
       .brief = "print NUM lines after each selected line",
       .apply = context_into(s, Side::kAfter)},
      {.short_name = 'B',
       .name = "before-context",
       .value_name = "NUM",
       .category = kOutput,
       .brief = "print NUM lines before each selected line",
       .apply = context_into(s, Side::kBefore)},
      {.short_name = 'C',
       .name = "context",
       .value_name = "NUM",
       .category = kOutput,
       .brief = "print NUM lines before and after each selected line",
       .apply = context_into(s, Side::kBoth)},
      {.name = "context-separator",
       .value_name = "TEXT",
       .category = kOutput,
       .brief = "print TEXT between groups of lines that do not touch",
       .text = "Escapes such as \\t and \\x7F are understood.",
       .default_value = "--",
       .negation = "no-context-separator",
       .apply = [&s](const Given& given) -> Status {
         s.context_separator.reset();
         // "--no-context-separator" leaves the separator without a value, which prints none.
         if (!given.negated) s.context_separator = unescape(given.value);
         return {};
       }},
      {.name = "passthru",
       .category = kOutput,
       .brief = "print all lines, whether they match or not",
       .aliases = {"passthrough"},
       .apply = [&s](const Given&) -> Status {
         s.passthru = true;
         s.both_contexts = 0;
         s.before_context.reset();
         s.after_context.reset();
         return {};
       }},
  };
}

}  // namespace presso::cli
