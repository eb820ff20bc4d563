// SPDX-License-Identifier: MIT
// Puts CLI11 beneath the flag tables: it finds the options in a command line, splits bundles
// (-abc), takes values, keeps the order of options (parse_order) and collects operands (remaining).
// This is the only file that includes CLI11, because compiling it takes seconds.
//
// CLI11 reads three spellings differently from what presso wants: "--name=" would take the next
// word as its value, "-e=x" would have the value "=x", and "-12" would be "-1 -2". Therefore values
// and numbers are first put into words of their own ("separate"). That step has to look at every
// option, so it is also where the first mistake is found; CLI11 then parses the words before the
// mistake. This way the reported mistake is always the first one of the command line. CLI11 is told
// not to add its own --help, and to keep operands rather than to complain about them. Tested by
// tests/cli/test_frame.py.
#include "tools/cli/lexer.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "format/suggest.h"

namespace presso::cli {
namespace {

/// The option by which CLI11 knows the flag with `digits`: "-12" becomes "-0" and "12". In a table
/// with such a flag no other flag may have a digit for its letter.
constexpr const char* kDigits = "-0";
/// The value that CLI11 reports for an option that was given without one.
constexpr std::string_view kGiven = "true";

/// An error of the user, with the text that is printed.
Error lexing_error(std::string text) {
  return make_error(ErrorCode::kInvalidArgument, std::move(text));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Error: kInvalidArgument where the value is none of the flag's choices, with the nearest one, or
/// how the command is written where it looks like a file.
Status check_choice(const Given& given) {
  const auto& choices = given.flag->choices;
  if (std::find(choices.begin(), choices.end(), given.value) != choices.end()) return {};
  std::string list;
  for (const std::string_view choice : choices) {
    list += (list.empty() ? "" : ", ") + std::string(choice);
  }
  return lexing_error(given.spelled + ": '" + given.value + "' is not one of " + list +
                      (given.value.find_first_of("./") == given.value.npos
                           ? did_you_mean(given.value, {choices.begin(), choices.end()})
                           : "; before a file: " + given.spelled + " " + std::string(choices[0]) +
                                 " " + given.value));
}

/// Checks a use of a flag. Error: the flag has choices and the value is none of them. A negation
/// and a switch have no value to check.
Status check_value(const Given& given) {
  const bool has_value = given.flag->takes_value() || !given.value.empty();
  const bool free = given.flag->choices.empty() || given.negated || !has_value;
  return free ? Status() : check_choice(given);
}

/// The error for an unknown long option, with the name that was probably meant. Hidden flags are
/// not proposed.
Error unknown_long(std::span<const Flag> flags, const std::string& spelled) {
  std::vector<std::string> names;
  for (const Flag& flag : flags) {
    if (flag.hidden) continue;
    names.push_back("--" + std::string(flag.name));
    if (!flag.negation.empty()) names.push_back("--" + std::string(flag.negation));
  }
  return lexing_error("unknown option '" + spelled + "'" + did_you_mean(spelled, names));
}

/// The error for an unknown letter at `at` of `word`. A word of several letters is named as a
/// whole, because a file name that begins with a dash is the usual reason.
Error unknown_short(const std::string& word, std::size_t at) {
  std::string text = std::string("unknown option '-") + word[at] + "'";
  if (word.size() > 2) text += " in '" + word + "'";
  return lexing_error(text + "; if '" + word + "' is meant as a file name, write '--' before it");
}

/// Whether `flag` has this short or long name; its negation and its aliases count as names.
bool has_name(const Flag& flag, std::string_view spelled) {
  if (spelled.substr(0, 2) != "--") return flag.short_name != 0 && flag.short_name == spelled[1];
  const std::string_view name = spelled.substr(2);
  return !name.empty() &&
         (flag.name == name || flag.negation == name ||
          std::find(flag.aliases.begin(), flag.aliases.end(), name) != flag.aliases.end());
}

/// One command line while it is parsed. Each spelling of a flag (short, long, negation, alias) is
/// an option of its own for CLI11, so that its order of options also tells how each was spelled.
/// Only the spellings that the command line has are made known to CLI11: all 240 of `presso scan`
/// would take it a millisecond.
class CommandLine {
 public:
  explicit CommandLine(std::span<const Flag> flags)
      : flags_(flags), digits_(std::find_if(flags.begin(), flags.end(), [](const Flag& flag) {
          return flag.digits;
        })) {
    app_.set_help_flag();
    app_.allow_extras();
  }

  /// Parses the words before the first mistake, then reports it. CLI11 takes its words from the end
  /// of the vector, hence the reversal.
  Result<Parsed> parse(std::span<const std::string> arguments) {
    const Status separated = separate(arguments);
    std::reverse(words_.begin(), words_.end());
    app_.parse(std::move(words_));
    PRESSO_ASSIGN(Parsed parsed, result());
    if (!separated.ok()) return separated.error();
    return parsed;
  }

 private:
  /// The use of the flag that is spelled so; null if there is no such flag.
  const Given* find(const std::string& spelled) {
    if (const CLI::Option* known = app_.get_option_no_throw(spelled)) return &uses_.at(known);
    const auto flag = std::find_if(flags_.begin(), flags_.end(), [&](const Flag& candidate) {
      return has_name(candidate, spelled);
    });
    return flag == flags_.end() ? nullptr : make_known(*flag, spelled);
  }

  /// Tells CLI11 of one spelling. take_all() keeps each use of a repeated option apart, and
  /// allow_extra_args(false) keeps an option from taking more than one word.
  const Given* make_known(const Flag& flag, const std::string& spelled) {
    const bool negated = spelled.substr(2) == flag.negation && !flag.negation.empty();
    const bool takes_value = flag.takes_value() && !negated;
    CLI::Option* option = takes_value ? app_.add_option(spelled) : app_.add_flag(spelled);
    option->take_all()->allow_extra_args(false);
    return &uses_.emplace(option, Given{&flag, negated, {}, spelled}).first->second;
  }

  /// Fills `words_` up to the first mistake, which it returns.
  Status separate(std::span<const std::string> arguments) {
    std::size_t at = 0;
    std::vector<std::string> commented;
    while (at < arguments.size() && arguments[at] != "--") {
      const std::string& word = arguments[at++];
      const Given* lacks_value = nullptr;
      // An SQL statement may begin with a comment; no option has a space or line feed there.
      if (word.starts_with("-- ") || word.starts_with("--\n")) {
        commented.push_back(word);
        continue;
      }
      if (word.size() < 2 || word[0] != '-') {
        words_.push_back(word);
      } else {
        PRESSO_ASSIGN(lacks_value, word[1] == '-' ? separate_long(word) : separate_short(word));
      }
      if (lacks_value == nullptr) continue;
      if (at == arguments.size()) {
        words_.pop_back();
        return lexing_error("option '" + lacks_value->spelled +
                            "' needs a value: " + std::string(lacks_value->flag->value_name));
      }
      words_.push_back(arguments[at++]);
    }
    // From "--" on everything is an operand, the marker included; result() removes it.
    words_.insert(words_.end(), arguments.begin() + static_cast<std::ptrdiff_t>(at),
                  arguments.end());
    if (!commented.empty() && at == arguments.size()) words_.emplace_back("--");
    words_.insert(words_.end(), commented.begin(), commented.end());
    return {};
  }

  /// Makes --name=VALUE into --name and VALUE. Returns the option if its value is the next word.
  Result<const Given*> separate_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Given* given = find(name);
    if (given == nullptr) return unknown_long(flags_, name);
    const bool takes_value = given->flag->takes_value() && !given->negated;
    const bool may_take_value = given->flag->value_is_optional;
    if (!takes_value && !may_take_value && equals != word.npos) {
      return lexing_error("option '" + name + "' takes no value");
    }
    if (!takes_value && equals != word.npos) {
      // An empty value and kGiven would reach CLI11 as if there were none.
      Given with_value = *given;
      with_value.value = word.substr(equals + 1);
      PRESSO_TRY(check_choice(with_value));
    }
    words_.push_back(takes_value ? name : word);
    if (!takes_value) return nullptr;
    if (equals == word.npos) return given;
    words_.push_back(word.substr(equals + 1));
    return nullptr;
  }

  /// Makes -abVALUE and -ab=VALUE into -ab and VALUE, and -a12b into -a -0 12 -b. Returns the
  /// option if its value is the next word.
  Result<const Given*> separate_short(const std::string& word) {
    std::string bundle = "-";
    const auto end_bundle = [&] {
      if (bundle.size() > 1) words_.push_back(std::exchange(bundle, "-"));
    };
    for (std::size_t at = 1; at < word.size();) {
      if (digits_ != flags_.end() && is_digit(word[at])) {
        end_bundle();
        at = separate_number(word, at);
        continue;
      }
      const Given* given = find(std::string("-") + word[at]);
      if (given == nullptr) return unknown_short(word, at);
      bundle += word[at++];
      if (!given->flag->takes_value()) continue;
      end_bundle();
      if (at == word.size()) return given;
      words_.push_back(word.substr(word[at] == '=' ? at + 1 : at));
      return nullptr;
    }
    end_bundle();
    return nullptr;
  }

  /// Makes the number at `at` of `word` into kDigits and the number. Returns where it ends. The
  /// number keeps its digits as text; the flag's apply function checks its range.
  std::size_t separate_number(const std::string& word, std::size_t at) {
    const std::size_t end = std::min(word.find_first_not_of("0123456789", at), word.size());
    if (app_.get_option_no_throw(kDigits) == nullptr) make_known(*digits_, kDigits);
    words_.insert(words_.end(), {kDigits, word.substr(at, end - at)});
    return end;
  }

  /// Returns what CLI11 found, as uses of flags.
  Result<Parsed> result() const {
    Parsed parsed;
    // The next result of each option, since CLI11 lists results by option and uses by order.
    std::unordered_map<const CLI::Option*, std::size_t> seen;
    for (const CLI::Option* option : app_.parse_order()) {
      Given given = uses_.at(option);
      const std::string& value = option->results()[seen[option]++];
      if (value != kGiven || option->get_items_expected_max() > 0) given.value = value;
      if (given.flag->digits && given.spelled == kDigits) given.spelled = "-" + given.value;
      PRESSO_TRY(check_value(given));
      parsed.given.push_back(std::move(given));
    }
    parsed.operands = app_.remaining();
    // Only the first "--" is the marker. What follows it is an operand, whatever it looks like.
    const auto marker = std::find(parsed.operands.begin(), parsed.operands.end(), "--");
    if (marker != parsed.operands.end()) parsed.operands.erase(marker);
    return parsed;
  }

  std::span<const Flag> flags_;
  std::span<const Flag>::iterator digits_;  ///< the flag with Flag::digits, or the end
  CLI::App app_;
  // References to the values stay valid when the table grows, which find() relies on.
  std::unordered_map<const CLI::Option*, Given> uses_;
  std::vector<std::string> words_;
};

}  // namespace

Result<Parsed> parse(std::span<const Flag> flags, std::span<const std::string> arguments) {
  return CommandLine(flags).parse(arguments);
}

Status add_environment(std::span<const Flag> flags, Parsed& parsed) {
  // An empty variable counts as unset, so that `PRESSO_LEVEL= presso compress x` uses the default.
  std::vector<Given> from_environment;
  for (const Flag& flag : flags) {
    if (flag.environment.empty()) continue;
    const std::string variable(flag.environment);
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr || *value == '\0') continue;
    from_environment.push_back({&flag, false, value, variable});
    PRESSO_TRY(check_value(from_environment.back()));
  }
  parsed.given.insert(parsed.given.begin(), std::make_move_iterator(from_environment.begin()),
                      std::make_move_iterator(from_environment.end()));
  return {};
}

Status apply(const Parsed& parsed) {
  for (const Given& given : parsed.given) {
    if (!given.flag->apply) continue;
    const Status applied = given.flag->apply(given);
    if (applied.ok()) continue;
    if (given.place.empty()) return applied;
    return make_error(applied.error().code, given.place + applied.error().text());
  }
  return {};
}

}  // namespace presso::cli
