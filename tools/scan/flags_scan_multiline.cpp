// SPDX-License-Identifier: MIT
// The flags of `presso scan` about matches that span lines (-U). Tested by
// tests/cli/test_scan_multiline.py. A search across lines holds the whole text of a file in memory
// and uses one thread, so it is declined for larger files than --multiline-limit.
#include <limits>

#include "tools/cli/bind.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {

/// --multiline and what goes with it.
std::vector<Flag> scan_multiline_flags(ScanSettings& s) {
  return {
      {.short_name = 'U',
       .name = "multiline",
       .category = kSelection,
       .brief = "matches may span lines",
       .text = "A pattern may then hold \\n, and classes as \\s and [^a] match it; '.' does so "
               "with --multiline-dotall or (?s) only. All lines that a match lies in are "
               "selected. If a pattern may span lines, all of a file's text is read into memory "
               "(see --multiline-limit) and searched by one thread, --count counts matches, and "
               "--max-count counts groups of neighbouring lines. Not together with --and, --not, "
               "--like and --null-data.",
       .negation = "no-multiline",
       .apply = set(s.multiline)},
      {.name = "multiline-dotall",
       .category = kSelection,
       .brief = "with --multiline, let '.' match line feeds too",
       .negation = "no-multiline-dotall",
       .apply = set(s.multiline_dotall)},
      {.name = "multiline-limit",
       .value_name = "SIZE",
       .category = kSelection,
       .brief = "with --multiline, refuse files with more than SIZE bytes of text",
       .text = "SIZE may end in K, M or G.",
       .default_value = "1G",
       .apply = number_into(s.multiline_limit, 1, std::numeric_limits<std::uint64_t>::max())},
  };
}

}  // namespace presso::cli
