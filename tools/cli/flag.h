// SPDX-License-Identifier: MIT
// One option of the command line, as data. The parser, the help, the man page, the completions and
// the lists of options in docs/ are all made from vectors of these, so that an option is declared
// in one place only.
//
// A command hands out its flags bound to its own members:
//
//   Flag{.short_name = 'T', .name = "threads", .value_name = "N", .category = kPerformance,
//        .brief = "use N threads", .environment = "PRESSO_THREADS",
//        .apply = number_into(threads_, 1, 1024)}
//
// Flags are applied in the order of the command line, so the last of contradictory ones wins.
// Values from the environment come first. Tested by tests/cli/test_frame.py.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"

namespace presso::cli {

// A Given points to its flag, and a Flag is declared after it.
struct Flag;

/// One use of a flag on the command line or in the environment. The flag is owned by the vector
/// from which the command line was parsed.
struct Given {
  const Flag* flag = nullptr;
  bool negated = false;  ///< given as Flag::negation
  std::string value;
  std::string spelled;     ///< as the user wrote it: "-T", "--threads", "PRESSO_THREADS"
  std::string place = {};  ///< "FILE:LINE: " if a file of options has it
};

/// Takes a value over into a command, or returns kInvalidArgument with a text that names the
/// limits.
using Apply = std::function<Status(const Given&)>;

/// What a shell offers as the value of a flag or as an operand.
enum class Completion {
  kNone,
  kFile,
  kPressoFile,
  kColumns,  ///< names of the columns of all files on the command line
};

// The headings under which help and man page list the flags; the order on the page is that in which
// a command first uses them.
constexpr std::string_view kOutput = "Output";
constexpr std::string_view kCompression = "Compression";
constexpr std::string_view kTables = "Tables";
constexpr std::string_view kSelection = "Selection";
constexpr std::string_view kPlainInput = "Plain inputs";
constexpr std::string_view kPerformance = "Performance";
constexpr std::string_view kMessages = "Messages";
constexpr std::string_view kOther = "Other";
/// The category for experiments and for options without effect, which only --help=expert and the
/// man page list.
constexpr std::string_view kExpert = "Expert options";

/// A flag. Every member has a default, so that a flag table gives only what it needs; texts have
/// static lifetime.
struct Flag {
  char short_name = 0;
  std::string_view name = {};        ///< long name, without dashes; unique within a command
  std::string_view value_name = {};  ///< empty: a switch without a value
  std::string_view category = kOther;
  std::string_view brief = {};                 ///< one line, lower case, no full stop
  std::string_view text = {};                  ///< further sentences for --help and the man page
  std::vector<std::string_view> choices = {};  ///< all permitted values, if there are few
  std::string_view default_value = {};
  std::string_view negation = {};  ///< long name that undoes the flag, mostly "no-" + name
  std::vector<std::string_view> aliases = {};  ///< further long names, not documented
  std::string_view environment = {};           ///< variable that is applied before the command line
  Completion completion = Completion::kNone;
  bool digits = false;             ///< -1, -12, ... give the value too
  bool value_is_optional = false;  ///< --name=CHOICE and --name; value_name is empty then
  bool hidden = false;             ///< left out of help and completions
  Apply apply = {};

  /// A flag with an optional value counts as a switch here, because it never takes the next word.
  bool takes_value() const { return !value_name.empty(); }
  bool is_expert() const { return category == kExpert; }
  /// Whether -h and --help show it and completions offer it.
  bool is_listed() const { return !hidden && !is_expert(); }
};

}  // namespace presso::cli
