// SPDX-License-Identifier: MIT
// Written by hand rather than on CLI11: version 2.1 splits an operand like [a,b] in two, reads
// "--name=" as "take the next word", reads -12 as -1 -2 and costs 5 s to compile. The operands of a
// search tool are patterns, so these would be wrong answers.
#include "tools/cli/lexer.h"

#include <algorithm>
#include <cstdlib>

#include "tools/cli/suggest.h"

namespace presso::cli {
namespace {

Error usage_error(std::string text) {
  return make_error(ErrorCode::kInvalidArgument, std::move(text));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

Status check_choice(const Given& given) {
  const auto& choices = given.flag->choices;
  const bool free = choices.empty() || given.negated || !given.flag->takes_value();
  if (free || std::find(choices.begin(), choices.end(), given.value) != choices.end()) return {};
  std::string list;
  for (const std::string_view choice : choices) {
    list += (list.empty() ? "" : ", ") + std::string(choice);
  }
  return usage_error(given.spelled + ": '" + given.value + "' is not one of " + list +
                     did_you_mean(given.value, {choices.begin(), choices.end()}));
}

class Lexer {
 public:
  Lexer(std::span<const Flag> flags, std::span<const std::string> arguments)
      : flags_(flags), arguments_(arguments) {}

  Result<Parsed> run() {
    while (at_ < arguments_.size()) {
      const std::string& word = arguments_[at_++];
      if (word == "--") {
        parsed_.operands.insert(parsed_.operands.end(), arguments_.begin() + at_, arguments_.end());
        break;
      }
      if (word.size() < 2 || word[0] != '-') {
        parsed_.operands.push_back(word);
      } else if (word[1] == '-') {
        PRESSO_TRY(take_long(word));
      } else {
        PRESSO_TRY(take_short(word));
      }
    }
    return std::move(parsed_);
  }

 private:
  Status take_long(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(2, equals == word.npos ? equals : equals - 2);
    Given given;
    given.spelled = "--" + std::string(name);
    for (const Flag& flag : flags_) {
      const bool alias =
          std::find(flag.aliases.begin(), flag.aliases.end(), name) != flag.aliases.end();
      if (flag.name == name || flag.negation == name || alias) given.flag = &flag;
      if (flag.negation == name) given.negated = true;
      if (given.flag != nullptr) break;
    }
    if (name.empty() || given.flag == nullptr) return unknown_long(given.spelled, name);
    const bool wants_value = given.flag->takes_value() && !given.negated;
    if (!wants_value && equals != word.npos) {
      return usage_error("option '" + given.spelled + "' takes no value");
    }
    if (equals != word.npos) {
      given.value = word.substr(equals + 1);
      return add(std::move(given));
    }
    return add_with_next_word(std::move(given), wants_value);
  }

  /// -abc: switches in one word; the rest of the word, or else the next, is the value of the first
  /// flag that takes one. Digits belong to the flag that has `digits`: -9f is -9 -f.
  Status take_short(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      if (const Flag* counted = digits_flag(); counted != nullptr && is_digit(word[i])) {
        const std::size_t end = std::min(word.find_first_not_of("0123456789", i), word.size());
        PRESSO_TRY(add({counted, false, word.substr(i, end - i), "-" + word.substr(i, end - i)}));
        i = end - 1;
        continue;
      }
      const auto flag = std::find_if(flags_.begin(), flags_.end(), [&](const Flag& candidate) {
        return candidate.short_name != 0 && candidate.short_name == word[i];
      });
      if (flag == flags_.end()) return unknown_short(word, i);
      Given given{&*flag, false, {}, std::string("-") + word[i]};
      if (flag->takes_value() && i + 1 < word.size()) {
        given.value = word.substr(i + (word[i + 1] == '=' ? 2 : 1));
        return add(std::move(given));
      }
      PRESSO_TRY(add_with_next_word(std::move(given), flag->takes_value()));
    }
    return {};
  }

  const Flag* digits_flag() const {
    const auto found =
        std::find_if(flags_.begin(), flags_.end(), [](const Flag& flag) { return flag.digits; });
    return found == flags_.end() ? nullptr : &*found;
  }

  Status add_with_next_word(Given given, bool wants_value) {
    if (!wants_value) return add(std::move(given));
    if (at_ == arguments_.size()) {
      return usage_error("option '" + given.spelled +
                         "' needs a value: " + std::string(given.flag->value_name));
    }
    given.value = arguments_[at_++];
    return add(std::move(given));
  }

  Status add(Given given) {
    PRESSO_TRY(check_choice(given));
    parsed_.given.push_back(std::move(given));
    return {};
  }

  Error unknown_long(const std::string& spelled, std::string_view name) const {
    std::vector<std::string> names;
    for (const Flag& flag : flags_) {
      if (flag.hidden) continue;
      names.push_back("--" + std::string(flag.name));
      if (!flag.negation.empty()) names.push_back("--" + std::string(flag.negation));
    }
    return usage_error("unknown option '" + spelled + "'" +
                       did_you_mean("--" + std::string(name), names));
  }

  static Error unknown_short(const std::string& word, std::size_t at) {
    std::string text = std::string("unknown option '-") + word[at] + "'";
    if (word.size() > 2) text += " in '" + word + "'";
    return usage_error(text + "; if '" + word + "' is meant as a file name, write '--' before it");
  }

  std::span<const Flag> flags_;
  std::span<const std::string> arguments_;
  std::size_t at_ = 0;
  Parsed parsed_;
};

}  // namespace

Result<Parsed> parse(std::span<const Flag> flags, std::span<const std::string> arguments) {
  return Lexer(flags, arguments).run();
}

Status add_environment(std::span<const Flag> flags, Parsed& parsed) {
  std::vector<Given> from_environment;
  for (const Flag& flag : flags) {
    if (flag.environment.empty()) continue;
    const std::string variable(flag.environment);
    const char* value = std::getenv(variable.c_str());
    if (value == nullptr || *value == '\0') continue;
    from_environment.push_back({&flag, false, value, variable});
    PRESSO_TRY(check_choice(from_environment.back()));
  }
  parsed.given.insert(parsed.given.begin(), std::make_move_iterator(from_environment.begin()),
                      std::make_move_iterator(from_environment.end()));
  return {};
}

Status apply(const Parsed& parsed) {
  for (const Given& given : parsed.given) {
    if (given.flag->apply) PRESSO_TRY(given.flag->apply(given));
  }
  return {};
}

}  // namespace presso::cli
