// SPDX-License-Identifier: MIT
// The flags of `presso scan` about records: lines that belong together, of which one that matches
// selects all. Tested by tests/cli/test_scan_records.py. Where no record is selected they cost next
// to nothing, since only lines near a match are asked whether they begin a record.
#include <limits>

#include "tools/cli/bind.h"
#include "tools/scan/scan_patterns.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {

/// --record-start, --record and --record-limit.
std::vector<Flag> scan_record_flags(ScanSettings& s) {
  return {
      {.name = "record-start",
       .value_name = "REGEX",
       .category = kSelection,
       .brief = "search records: one begins at each line that REGEX matches",
       .text =
           "A record is selected if one of its lines matches, with --invert-match if none does, "
           "and printed with all its lines. --and and --not may hold for other lines of it than "
           "the pattern. All flags that limit or count lines, or print those around, then do so "
           "with records; matches do not span lines. Lines before the first that REGEX matches "
           "are a record, too. Flags such as -i and -F do not change REGEX. Not together with "
           "--multiline, --null-data, --lines and --where.",
       .apply = [&s](const Given& given) -> Status {
         s.record_start = given.value;
         return {};
       }},
      {.name = "record",
       .value_name = "FORM",
       .category = kSelection,
       .brief = "search records, as --record-start does, of lines in a known FORM",
       .text =
           "With 'indent', a line that begins with a space or tab belongs to the line before it. "
           "With 'json', so does one that begins with } or ]: objects printed over several lines "
           "are a record each. With 'time', lines without a time belong to the line before; how "
           "lines tell their time is found out as for --since.",
       .choices = {"indent", "json", "time"},
       .apply = [&s](const Given& given) -> Status {
         s.record = record_kind(given.value);
         return {};
       }},
      {.name = "record-limit",
       .value_name = "SIZE",
       .category = kSelection,
       .brief = "end the search of a file at a record of more than SIZE bytes",
       .text =
           "The limit is of memory: a record that lies within one block of a compressed file, or "
           "within 256 KiB, may be longer. SIZE may end in K, M or G.",
       .default_value = "16M",
       .apply = number_into(s.record_limit, 1, std::numeric_limits<std::uint64_t>::max())},
  };
}

}  // namespace presso::cli
