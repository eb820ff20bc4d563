// SPDX-License-Identifier: MIT
// Generates the completions for bash, zsh and fish from the flag tables: commands, options, values
// of options with choices, file names, and, for lists and conditions, the names of the columns of
// all files on the command line. For column names the scripts call `presso select --list-columns`,
// which reads the schemas and nothing else. Tested by tests/cli/test_completions.py, which runs the
// shells that are installed.
#include "tools/cli/generate.h"

namespace presso::cli {
namespace {

/// The text in single quotes for a shell. A single quote ends the quoting, stands escaped on its
/// own, and begins it again.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

/// All spellings of the flags that are listed: "-o --output" and so on, with the negations.
std::string option_words(std::span<const Flag> flags) {
  std::string out;
  const auto add = [&out](const std::string& word) { out += (out.empty() ? "" : " ") + word; };
  for (const Flag& flag : flags) {
    if (!flag.is_listed()) continue;
    if (flag.short_name != 0) add(std::string("-") + flag.short_name);
    add("--" + std::string(flag.name));
    if (!flag.negation.empty()) add("--" + std::string(flag.negation));
  }
  return out;
}

/// The values that a flag may have, as the shells' word lists. Choices contain no blanks, so they
/// need no quoting among themselves.
std::string choice_words(const Flag& flag) {
  std::string out;
  for (const std::string_view choice : flag.choices) {
    out += (out.empty() ? "" : " ") + std::string(choice);
  }
  return out;
}

/// The cases of `$command:$previous` in the bash function, which say what follows an option with a
/// value. A flag without choices, columns or files offers nothing ("return"), because any guess
/// would be wrong. Expert flags are included here, unlike in option_words(): whoever has typed one
/// needs its values.
std::string bash_value_cases(std::string_view command, std::span<const Flag> flags) {
  std::string out;
  for (const Flag& flag : flags) {
    if (!flag.takes_value()) continue;
    std::string action = "return";
    if (!flag.choices.empty()) {
      action = "COMPREPLY=($(compgen -W " + quoted(choice_words(flag)) + " -- \"$word\")); return";
    } else if (flag.completion == Completion::kColumns) {
      action = "_presso_columns; return";
    } else if (flag.completion != Completion::kNone) {
      action = "_presso_files; return";
    }
    std::string pattern;
    if (flag.short_name != 0) {
      pattern = std::string(command) + ":-" + flag.short_name + "|";
    }
    pattern += std::string(command) + ":--" + std::string(flag.name);
    out += "    " + pattern + ") " + action + " ;;\n";
  }
  return out;
}

/// A flag in the notation of zsh's _arguments, `-T[use N threads]:N:`, once for each spelling.
/// Brackets, colons and backslashes in the brief text are escaped, since _arguments takes them for
/// its own syntax. The leading "*" lets an option be given several times.
std::string zsh_specs(const Flag& flag) {
  std::string brief;
  for (const char c : flag.brief) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') brief += '\\';
    brief += c;
  }
  std::string value;
  if (flag.takes_value()) {
    value = ":" + std::string(flag.value_name) + ":";
    if (!flag.choices.empty()) value += "(" + choice_words(flag) + ")";
    if (flag.completion == Completion::kColumns) {
      value += "_presso_columns";
    } else if (flag.completion != Completion::kNone) {
      value += "_files";
    }
  }
  std::string out;
  const auto add = [&](const std::string& spelling, const std::string& rest) {
    out += " \\\n        " + quoted("*" + spelling + "[" + brief + "]" + rest);
  };
  if (flag.short_name != 0) {
    add(std::string("-") + flag.short_name + (flag.takes_value() ? "+" : ""), value);
  }
  add("--" + std::string(flag.name) + (flag.takes_value() ? "=" : ""), value);
  if (!flag.negation.empty()) add("--" + std::string(flag.negation), "");
  return out;
}

/// The `complete` command by which fish learns of one flag, under a condition on the command line
/// so far. "-x" says that a value is needed and no file is offered, "-r" that a file may be.
std::string fish_line(std::string_view condition, const Flag& flag) {
  std::string out = "complete -c presso -n " + quoted(condition);
  if (flag.short_name != 0) out += std::string(" -s ") + flag.short_name;
  out += " -l " + std::string(flag.name);
  const bool columns = flag.completion == Completion::kColumns;
  if (flag.takes_value()) out += columns || flag.completion == Completion::kNone ? " -x" : " -r";
  if (columns) out += " -a '(__presso_columns)'";
  if (flag.takes_value() && !flag.choices.empty()) out += " -a " + quoted(choice_words(flag));
  return out + " -d " + quoted(flag.brief) + "\n";
}

}  // namespace

/// The completion for bash. Values and options come from the flags themselves, so they are
/// complete; columns of tables come from a call of presso select --list-columns.
std::string bash_completion() {
  const std::vector<CommandPage> pages = command_pages();
  std::string names = "help";
  std::string values = bash_value_cases("", main_flags());
  std::string words = "    '') words=" + quoted(option_words(main_flags())) + " ;;\n";
  for (const CommandPage& page : pages) {
    const std::string name(page.info().name);
    names += " " + name;
    values += bash_value_cases(name, page.flags);
    words += "    " + name + ") words=" + quoted(option_words(page.flags)) + " ;;\n";
  }
  // The code of the shells follows. It is kept as text here because each of the three has its own
  // rules for words, quoting and "="; only the lists are inserted.
  return "# bash completion for presso; generated by presso --generate complete-bash\n"
         "_presso_files() {\n"
         "  local IFS=$'\\n'\n"
         "  compopt -o filenames 2>/dev/null\n"
         "  COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "}\n"
         // This finds the names of the columns of all files on the line, the output's excepted, and
         // offers them after what the word has so far.
         "_presso_columns() {\n"
         "  local IFS=$'\\n' one before='' last=''\n"
         "  local -a files=()\n"
         "  word=\"${word#[\\\"\\']}\"\n"
         "  before=\"${word%\"${word##*[!A-Za-z0-9_]}\"}\"\n"
         "  compopt -o nospace 2>/dev/null\n"
         "  for one in \"${COMP_WORDS[@]:2}\"; do\n"
         "    case \"$last\" in\n"
         "      -o|--output) ;;\n"
         "      *) if [ -f \"$one\" ]; then files+=(\"$one\"); fi ;;\n"
         "    esac\n"
         "    if [ \"$one\" != = ]; then last=\"$one\"; fi\n"
         "  done\n"
         "  if [ \"${#files[@]}\" -eq 0 ]; then return; fi\n"
         "  COMPREPLY=($(compgen -P \"$before\" -W \"$(\"${COMP_WORDS[0]}\" select --list-columns "
         "-- \"${files[@]}\" 2>/dev/null)\" -- \"${word#\"$before\"}\"))\n"
         "}\n"
         "_presso() {\n"
         "  local word=\"${COMP_WORDS[COMP_CWORD]}\" previous='' at=\"$COMP_CWORD\"\n"
         "  local command='' words=''\n"
         "  COMPREPLY=()\n"
         // bash makes each '=' of --option=value and of --on a=b a word of its own.
         "  while [ \"$at\" -gt 1 ] &&\n"
         "    { [ \"${COMP_WORDS[at]}\" = = ] || [ \"${COMP_WORDS[at-1]}\" = = ]; }; do\n"
         "    at=$((at - 1))\n"
         "  done\n"
         "  previous=\"${COMP_WORDS[at-1]}\"\n"
         "  if [ \"$at\" -lt \"$COMP_CWORD\" ]; then\n"
         "    case \"${COMP_WORDS[at]}\" in -*) previous=\"${COMP_WORDS[at]}\" ;; esac\n"
         "  fi\n"
         "  if [ \"$word\" = = ]; then word=''; fi\n"
         "  if [ \"$COMP_CWORD\" -gt 1 ]; then command=\"${COMP_WORDS[1]}\"; fi\n"
         "  case \"$command\" in -*) command='' ;; esac\n"
         "  case \"$command:$previous\" in\n" +
         values +
         "  esac\n"
         "  case \"$command\" in\n" +
         words + "    help) words=" + quoted(names) +
         " ;;\n"
         "  esac\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then words=\"$words \"" +
         quoted(names) +
         "; fi\n"
         "  case \"$word\" in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
         "    *) if [ \"$COMP_CWORD\" -eq 1 ] || [ \"$command\" = help ]; then\n"
         "         COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "       else\n"
         "         _presso_files\n"
         "       fi ;;\n"
         "  esac\n"
         "}\n"
         "complete -F _presso presso\n";
}

/// The completion for zsh, by _arguments. The last line serves both ways of loading: by autoload
/// from $fpath, where the file is the function, and by `source`.
std::string zsh_completion() {
  const std::vector<CommandPage> pages = command_pages();
  std::string names = "    'help:print help'\n";
  std::string cases;
  for (const CommandPage& page : pages) {
    const std::string name(page.info().name);
    names += "    " + quoted(name + ":" + std::string(page.info().summary)) + "\n";
    cases += "    " + name + ")\n      _arguments -s -S";
    for (const Flag& flag : page.flags) {
      if (flag.is_listed()) cases += zsh_specs(flag);
    }
    cases += " \\\n        '*:file:_files'\n      ;;\n";
  }
  std::string main;
  for (const Flag& flag : main_flags()) main += zsh_specs(flag);
  return "#compdef presso\n"
         "# zsh completion for presso; generated by presso --generate complete-zsh\n"
         "_presso_columns() {\n"
         "  local one last\n"
         "  local -a files names\n"
         "  for one in ${(Q)words}; do\n"
         "    [[ $last != (-o|--output) && -f $one ]] && files+=($one)\n"
         "    last=$one\n"
         "  done\n"
         "  (( $#files )) || return 1\n"
         "  names=(${(f)\"$(presso select --list-columns -- $files 2>/dev/null)\"})\n"
         "  compset -P '*[^A-Za-z0-9_]'\n"
         "  compadd -S '' -a names\n"
         "}\n"
         "_presso() {\n"
         "  local -a commands=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    if [[ $words[2] == -* ]]; then\n"
         "      _arguments -s -S" +
         main +
         "\n"
         "    else\n"
         "      _describe command commands\n"
         "    fi\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "    help) _describe command commands ;;\n"
         "  esac\n"
         "}\n"
         "if [ \"$funcstack[1]\" = _presso ]; then _presso \"$@\"; else compdef _presso presso; "
         "fi\n";
}

/// The completion for fish: a line for each option of each command. fish has no function that runs
/// at the first Tab, so the file declares all options at once.
std::string fish_completion() {
  std::string out = "# fish completion for presso; generated by presso --generate complete-fish\n";
  out +=
      "function __presso_columns\n"
      "  set -l line (commandline -opc)\n"
      "  set -l files\n"
      "  set -l last\n"
      "  for one in $line[3..]\n"
      "    if test -f \"$one\"; and not contains -- \"$last\" -o --output\n"
      "      set -a files $one\n"
      "    end\n"
      "    set last $one\n"
      "  end\n"
      "  set -q files[1]; or return\n"
      "  set -l before (commandline -ct | string match -r '.*[^A-Za-z0-9_]')\n"
      "  for one in ($line[1] select --list-columns -- $files 2>/dev/null)\n"
      "    echo \"$before$one\"\n"
      "  end\n"
      "end\n";
  const std::string none = "__fish_use_subcommand";
  for (const Flag& flag : main_flags()) out += fish_line(none, flag);
  for (const CommandPage& page : command_pages()) {
    const std::string name(page.info().name);
    out += "complete -c presso -f -n " + quoted(none) + " -a " + name + " -d " +
           quoted(page.info().summary) + "\n";
    for (const Flag& flag : page.flags) {
      if (flag.is_listed()) out += fish_line("__fish_seen_subcommand_from " + name, flag);
    }
  }
  return out;
}

}  // namespace presso::cli
