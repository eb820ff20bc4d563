// SPDX-License-Identifier: MIT
// The options that people and scripts know from ripgrep and grep and that presso does not have.
// Those that would change nothing here are accepted and listed by --help=expert. The others are
// refused with a hint at what to do instead, which helps more than "unknown option"; they are
// listed nowhere. Tested by tests/cli/test_scan_habits.py.
#include <limits>

#include "tools/cli/bind.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {
namespace {

/// An option that is refused with the text `instead`. `value_name` is empty if it takes no value.
/// It is hidden, so neither help nor completions offer it.
Flag refused(char short_name, std::string_view name, std::string_view value_name,
             std::string_view instead) {
  Flag flag;
  flag.short_name = short_name;
  flag.name = name;
  flag.value_name = value_name;
  flag.hidden = true;
  flag.apply = [instead](const Given& given) -> Status {
    return make_error(ErrorCode::kInvalidArgument, given.spelled + ": " + std::string(instead));
  };
  return flag;
}

/// An option that is accepted and has no effect. Its negation is accepted as well, since scripts
/// use both.
Flag accepted(std::string_view name, std::string_view negation = {}) {
  Flag flag;
  flag.name = name;
  flag.negation = negation;
  flag.category = kExpert;
  flag.brief = "has no effect; ripgrep or grep has it";
  flag.apply = [](const Given&) -> Status { return {}; };
  return flag;
}

/// An option with a number, which is checked although it has no effect.
Flag accepted_number(std::string_view name) {
  Flag flag = accepted(name);
  flag.value_name = "NUM";
  flag.apply = [](const Given& given) -> Status {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    PRESSO_TRY(parse_number(given.spelled, given.value, 0, kMost));
    return {};
  };
  return flag;
}

}  // namespace

/// Flags of grep and ripgrep that mean nothing here: either accepted, as the default does what they
/// ask for, or refused with a hint what to use. A silent difference would be worse than an error.
std::vector<Flag> scan_other_tools_flags(ScanSettings&) {
  constexpr std::string_view kLinks =
      "directories are searched recursively without it; --follow follows symbolic links in them";
  constexpr std::string_view kLook = "look-around and backreferences are not supported";
  constexpr std::string_view kPipe = "pipe the command's output into 'presso scan'";
  constexpr std::string_view kExplain = "--explain says how the search is done";
  constexpr std::string_view kLinkless = "names of files are printed without links to them";
  return {
      refused('P', "pcre2", "", kLook),
      refused(0, "perl-regexp", "", kLook),
      refused('G', "basic-regexp", "", "patterns are extended regular expressions"),
      refused(0, "extended-regexp", "", "patterns are extended regular expressions without it"),
      refused('R', "dereference-recursive", "", kLinks),
      refused(0, "include", "GLOB", "--glob GLOB searches only files that GLOB matches"),
      refused(0, "exclude", "GLOB", "--glob '!GLOB' leaves out files that GLOB matches"),
      refused(0, "exclude-dir", "GLOB", "--glob '!GLOB' leaves out directories too"),
      refused(0, "pre", "COMMAND", kPipe),
      refused(0, "pre-glob", "GLOB", kPipe),
      refused(0, "pcre2-version", "", kLook),
      refused(0, "debug", "", kExplain),
      refused(0, "trace", "", kExplain),
      refused('V', "version", "", "'presso --version' prints it"),
      refused(0, "stop-on-nonmatch", "", "it is not supported; --max-count limits the lines"),
      refused(0, "hyperlink-format", "FORMAT", kLinkless),
      refused(0, "hostname-bin", "COMMAND", kLinkless),
      accepted("recursive"),
      accepted("sort-files", "no-sort-files"),
      accepted("auto-hybrid-regex", "no-auto-hybrid-regex"),
      accepted("no-require-git", "require-git"),
      accepted("no-ignore-messages", "ignore-messages"),
      accepted("no-pre"),
      accepted_number("dfa-size-limit"),
      accepted_number("regex-size-limit"),
      accepted("no-ignore", "ignore"),
      accepted("no-ignore-dot", "ignore-dot"),
      accepted("no-ignore-exclude", "ignore-exclude"),
      accepted("no-ignore-global", "ignore-global"),
      accepted("no-ignore-parent", "ignore-parent"),
      accepted("no-ignore-vcs", "ignore-vcs"),
      accepted("mmap", "no-mmap"),
      accepted("no-pcre2"),
  };
}

}  // namespace presso::cli
