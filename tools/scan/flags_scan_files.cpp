// SPDX-License-Identifier: MIT
// The flags of `presso scan` about which files of a directory are searched, and how they are read.
// Files such as .gitignore are not read, so ripgrep's flags about these change nothing. Tested by
// tests/cli/test_scan_files.py. Globs are checked as they are read, so that a mistake is reported
// before any file is opened.
#include <limits>

#include "tools/cli/bind.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {
namespace {

/// Adds a glob after checking its syntax. Error: that of check_glob().
Apply add_glob(std::vector<GlobText>& globs, bool ignore_case) {
  return [&globs, ignore_case](const Given& given) -> Status {
    PRESSO_TRY(check_glob(given.value));
    globs.push_back({given.value, ignore_case});
    return {};
  };
}

/// For --sort and --sortr. The parser has checked the key; "none" is the order of the walk.
Apply order_into(FileOrder& order, bool reverse) {
  return [&order, reverse](const Given& given) -> Status {
    using Key = FileOrder::Key;
    order.key = given.value == "modified"   ? Key::kModified
                : given.value == "accessed" ? Key::kAccessed
                : given.value == "created"  ? Key::kCreated
                : given.value == "time"     ? Key::kLines
                                            : Key::kPath;
    order.reverse = reverse && given.value != "none";
    return {};
  };
}

/// For -u, -uu and -uuu. The first -u is about ignore files that are found, of which there are none
/// here.
Apply unrestrict(ScanSettings& s) {
  return [&s](const Given&) -> Status {
    ++s.unrestricted;
    if (s.unrestricted >= 2) s.walk.hidden = true;
    if (s.unrestricted >= 3) s.binary = true;
    return {};
  };
}

/// For --encoding. Error: a name that nobody knows.
Apply encoding_into(ScanEncoding& encoding) {
  return [&encoding](const Given& given) -> Status {
    Result<ScanEncoding> parsed = parse_encoding(given.negated ? "auto" : given.value);
    if (!parsed.ok()) {
      return make_error(parsed.error().code, given.spelled + ": " + parsed.error().what);
    }
    encoding = std::move(*parsed);
    return {};
  };
}

}  // namespace

/// Which files below directories are searched.
std::vector<Flag> scan_file_flags(ScanSettings& s) {
  return {
      {.short_name = 'g',
       .name = "glob",
       .value_name = "GLOB",
       .category = kSelection,
       .brief = "search only files that GLOB matches; !GLOB: leave them out",
       .text =
           "For files below directories. May be given several times; the last GLOB that matches "
           "a file decides, for hidden files too. A GLOB without a slash is compared with "
           "names, one with a slash with paths; * matches within a name, ** across slashes.",
       .apply = add_glob(s.walk.globs, false)},
      {.name = "iglob",
       .value_name = "GLOB",
       .category = kSelection,
       .brief = "as --glob, but ignoring case",
       .apply = add_glob(s.walk.globs, true)},
      {.name = "glob-case-insensitive",
       .category = kSelection,
       .brief = "ignore case in all --glob too",
       .negation = "no-glob-case-insensitive",
       .apply = set(s.walk.globs_ignore_case)},
      {.name = "ignore-file",
       .value_name = "FILE",
       .category = kSelection,
       .brief = "leave out what the lines of FILE say, as in .gitignore",
       .text = "For files below directories. Lines are globs: / at the front or inside binds them "
               "to the current directory, / at the end means directories only, and ! takes files "
               "in again. May be given several times; the last one that is about a file decides. "
               ".gitignore and .ignore are read only if they are named so.",
       .apply = add_text(s.ignore_files)},
      {.name = "no-ignore-files",
       .category = kSelection,
       .brief = "do as if no --ignore-file were given",
       .negation = "ignore-files",
       .apply = set(s.no_ignore_files)},
      {.name = "ignore-file-case-insensitive",
       .category = kSelection,
       .brief = "ignore case in the lines of --ignore-file",
       .negation = "no-ignore-file-case-insensitive",
       .apply = set(s.ignore_files_ignore_case)},
      {.name = "follow",
       .category = kSelection,
       .brief = "follow symbolic links below directories",
       .text = "A link to a directory in which it lies is an error. (-L lists files without a "
               "match.)",
       .negation = "no-follow",
       .apply = set(s.walk.follow)},
      {.name = "one-file-system",
       .category = kSelection,
       .brief = "leave out directories that are on other file systems than the operand",
       .negation = "no-one-file-system",
       .apply = set(s.walk.one_file_system)},
      {.short_name = '.',
       .name = "hidden",
       .category = kSelection,
       .brief = "search hidden files and directories too",
       .negation = "no-hidden",
       .apply = set(s.walk.hidden)},
      {.name = "max-depth",
       .value_name = "NUM",
       .category = kSelection,
       .brief = "go NUM levels down into directories",
       .aliases = {"maxdepth"},
       .apply = number_into(s.walk.max_depth, 0, kNoLimit)},
      {.name = "max-filesize",
       .value_name = "SIZE",
       .category = kSelection,
       .brief = "leave out files below directories that are larger",
       .text = "This is the size on disk; for compressed files, their compressed size.",
       .apply = number_into(s.walk.max_filesize, 0, kNoLimit)},
      {.short_name = 'u',
       .name = "unrestricted",
       .category = kSelection,
       .brief = "-uu: search hidden files too; -uuu: binary files too",
       .text = "A single -u changes nothing: .gitignore and its like are not read anyway.",
       .apply = unrestrict(s)},
      {.name = "binary",
       .category = kSelection,
       .brief = "search binary files below directories as if they were operands",
       .negation = "no-binary",
       .apply = set(s.binary)},
      {.name = "files",
       .category = kOutput,
       .brief = "list the files that would be searched, and search nothing",
       .text = "There is no PATTERN then; all operands are paths.",
       .apply = set(s.list_files)},
      {.name = "sort",
       .value_name = "KEY",
       .category = kOutput,
       .brief = "the order of files",
       .text =
           "For all but path, all files are found before the first one is searched, and those "
           "of all operands are sorted together. 'time' is what the first line says that tells "
           "its time (see --since), whatever the file is called and how it is compressed, as "
           "for the files of a rotation. 'none' is the same as path. Files without such a time, "
           "as standard input, come last.",
       .choices = {"path", "time", "modified", "accessed", "created", "none"},
       .default_value = "path",
       .apply = order_into(s.order, false)},
      {.name = "sortr",
       .value_name = "KEY",
       .category = kOutput,
       .brief = "the reverse order of files; the last of --sort and --sortr wins",
       .choices = {"path", "time", "modified", "accessed", "created", "none"},
       .apply = order_into(s.order, true)},
      {.short_name = 'z',
       .name = "search-zip",
       .category = kSelection,
       .brief = "search within .gz, .zst and .lz4 files (default)",
       .text =
           "They are recognised by their content, as are formats that presso does not read (xz, "
           "bzip2 and others), which are errors then. Files that presso compressed are always "
           "searched within; one whose first bytes are damaged, or other content under a name "
           "that ends in .presso, is an error without --no-search-zip.",
       .negation = "no-search-zip",
       .apply = set(s.search_zip)},
      {.short_name = 'E',
       .name = "encoding",
       .value_name = "ENCODING",
       .category = kSelection,
       .brief = "the encoding of texts: utf-16le, latin1, shift_jis, ...",
       .text =
           "Texts are converted to UTF-8 before they are searched, by one thread; offsets are "
           "those in UTF-8. 'auto' converts UTF-16 that begins with a byte order mark, which "
           "outweighs every other value but 'none'; 'none' converts nothing. What is no character "
           "becomes U+FFFD. Other names are those of 'iconv -l'.",
       .default_value = "auto",
       .negation = "no-encoding",
       .apply = encoding_into(s.encoding)},
  };
}

}  // namespace presso::cli
