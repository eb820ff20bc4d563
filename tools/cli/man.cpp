// SPDX-License-Identifier: MIT
// Generates the man page presso(1) in roff with the man macros: one page with a section for each
// command. Linted by `mandoc -Tlint` in tests/cli/test_frame.py. Dashes are escaped, since roff
// would print hyphens that cannot be pasted into a shell. The page is generated in the build
// (tools/CMakeLists.txt) and is not part of the repository.
#include <algorithm>

#include "tools/cli/generate.h"

namespace presso::cli {
namespace {

/// Breaks text lines of more than 78 columns at spaces; lines that are requests stay whole. `mandoc
/// -Tlint` warns of longer ones.
std::string short_lines(const std::string& page) {
  constexpr std::size_t kManWidth = 78;
  std::string out;
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t end = page.find('\n', at);
    std::string_view line = std::string_view(page).substr(at, end - at);
    at = end + 1;
    while (line.size() > kManWidth && line[0] != '.') {
      // A line must not begin with what roff would take for a request.
      std::size_t space = line.rfind(' ', kManWidth);
      while (space != line.npos && (line[space + 1] == '.' || line[space + 1] == '\'')) {
        space = space == 0 ? line.npos : line.rfind(' ', space - 1);
      }
      if (space == line.npos || space == 0) break;
      out.append(line.substr(0, space)).append("\n");
      line.remove_prefix(space + 1);
    }
    out.append(line).append("\n");
  }
  return out;
}

/// The text so that roff shows it literally: with escaped backslashes, dashes that can be copied,
/// and no requests by accident.
std::string roff_escaped(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

/// Makes paragraphs, which an empty line separates, into .PP.
std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    if (!out.empty()) out += ".PP\n";
    out += roff_escaped(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(text.size(), end + 2));
  }
  return out;
}

/// A brief text as a sentence: with a capital letter and a full stop. Only ASCII letters are
/// changed, which all briefs begin with.
std::string sentence(std::string_view brief) {
  std::string out(brief);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 32);
  return out + ".";
}

/// One flag: its heading as a tag, then its texts and default.
std::string flag_entry(const Flag& flag) {
  std::string heading = flag_heading(flag);
  heading.erase(0, heading.find_first_not_of(' '));
  std::string out =
      ".TP\n.B " + roff_escaped(heading) + "\n" + roff_escaped(sentence(flag.brief)) + "\n";
  if (!flag.default_value.empty()) {
    out += "Default: " + roff_escaped(flag.default_value) + ".\n";
  }
  const std::string details = flag_details(flag);
  if (!details.empty()) out += roff_escaped(details) + "\n";
  return out;
}

/// The entries of all listed flags by category, then the expert options under a heading of their
/// own. The categories themselves are not shown, because the page has one section a command.
std::string flag_entries(std::span<const Flag> flags) {
  std::string out;
  for (const std::string_view category : categories(flags)) {
    for (const Flag& flag : flags) {
      if (!flag.hidden && flag.category == category) out += flag_entry(flag);
    }
  }
  if (!has_expert_flags(flags)) return out;
  out += ".SS " + std::string(kExpert) + "\n";
  for (const Flag& flag : flags) {
    if (!flag.hidden && flag.is_expert()) out += flag_entry(flag);
  }
  return out;
}

std::string example_entries(std::span<const Example> examples) {
  std::string out;
  for (const Example& example : examples) {
    out += ".TP\n.B " + roff_escaped(example.line) + "\n" + roff_escaped(sentence(example.effect)) +
           "\n";
  }
  return out;
}

// Section names are upper case by convention.
std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  }
  return out;
}

/// The section of one command: synopsis, description, options, examples, exit status.
std::string command_section(const CommandPage& page) {
  const CommandInfo& info = page.info();
  std::string out = ".SH " + upper(info.name) + "\n";
  out += ".B presso " + roff_escaped(info.name) + "\n";
  out += "[\\fIOPTION\\fR]... " + roff_escaped(info.operands) + "\n.PP\n";
  out += paragraphs(info.description);
  out += flag_entries(page.flags);
  out += ".PP\nExamples:\n" + example_entries(info.examples);
  if (!info.exit_status.empty())
    out += ".PP\nExit status: " + roff_escaped(info.exit_status) + "\n";
  return out;
}

// What stands before and after the commands. kBack lists the variables that apply to all of them; a
// flag's own variable is also named in its entry.
constexpr std::string_view kFront = R"(.SH NAME
presso \- keep big text compressed and search it at memory speed
.SH SYNOPSIS
.B presso
.I COMMAND
[\fIOPTION\fR]... [\fIFILE\fR]...
.SH DESCRIPTION
Presso compresses text and logs into files made of independent blocks.
Such files are searched, decompressed and checked on all cores at once, any part of them is read
without the rest, and damage to one block leaves the others readable.
.PP
Options may stand before or after file names; \-\- ends them, a single \- is standard input.
If options contradict each other, the last one counts.
Numbers take the units K, M, G and T (powers of 1024; KB and KiB mean the same as K).
)";

constexpr std::string_view kBack = R"(.SH ENVIRONMENT
.TP
.B PRESSO_THREADS
Number of threads if \-T is not given.
.TP
.B PRESSO_LEVEL
Compression level if none is given.
.TP
.B PRESSO_CONFIG_PATH
A file with options for
.BR "presso scan" ,
one argument on each line; empty lines and lines that begin with # are left out.
.TP
.B PRESSO_FORCE_BACKEND
Use this CPU back end (portable, avx2, avx512vbmi2) if the CPU can.
.TP
.B NO_COLOR
If set and not empty, no colours are printed unless the command line asks for them.
.SH EXIT STATUS
0 on success, 2 after any error, even if other files succeeded.
.B presso scan
ends with 1 if nothing matched.
After SIGINT, SIGTERM or SIGHUP: 128 plus the signal's number; unfinished output is removed.
.SH SEE ALSO
.BR zstd (1),
.BR lz4 (1),
.BR rg (1)
)";

}  // namespace

std::string man_page() {
  std::string out = ".\\\" Generated by presso --generate man; do not edit.\n";
  out += ".TH PRESSO 1 \"" PRESSO_DATE "\" \"presso " PRESSO_VERSION "\" \"User Commands\"\n";
  out += kFront;
  const std::vector<CommandPage> pages = command_pages();
  for (const CommandPage& page : pages) {
    out += ".PP\n.B presso " + roff_escaped(page.info().name) + "\n\\(en " +
           roff_escaped(page.info().summary) + ".\n";
  }
  out += ".SH OPTIONS\n" + flag_entries(main_flags());
  for (const CommandPage& page : pages) out += command_section(page);
  out += kBack;
  return short_lines(out);
}

}  // namespace presso::cli
