// SPDX-License-Identifier: MIT
// The command line of a program of the laboratory, as one table from which it is read and from
// which its help is made:
//
//   int runs = 9;
//   CommandLine line("FILE.presso PATTERN...", "Searches a compressed file.");
//   line.add("--runs N", "timed runs", runs, 1);
//   const std::vector<std::string> operands = line.parse(argc, argv, 2);
//
// getopt_long() reads it, so that options and operands may be mixed and --runs=9 is --runs 9. A
// mistake ends the process with exit status 2 and the help. Tested by lab/tests/harness_test.cpp.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "presso/error.h"

namespace presso::harness {

/// Takes the value of an option; returns false if it cannot be used.
using Take = std::function<bool(const std::string& value)>;

/// A number such as 12, 1.5e6 or 64M; K, M and G are powers of 1024.
std::optional<double> number_of(const std::string& text);

class CommandLine {
 public:
  /// `operands`: as the help names them. `about`: sentences that the help begins with.
  CommandLine(std::string operands, std::string about);

  /// `spelling` is the option with a name for its value, as in "--runs N", or without one, where
  /// `take` gets an empty value.
  void add(std::string spelling, std::string help, Take take);
  void add(std::string spelling, std::string help, bool& to);
  void add(std::string spelling, std::string help, std::string& to);
  /// Each use adds a value.
  void add(std::string spelling, std::string help, std::vector<std::string>& to);
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  void add(std::string spelling, std::string help, Number& to, double least = 0) {
    add(std::move(spelling), std::move(help), [&to, least](const std::string& text) {
      const std::optional<double> value = number_of(text);
      if (!value || *value < least) return false;
      if (*value > static_cast<double>(std::numeric_limits<Number>::max())) return false;
      to = static_cast<Number>(*value);
      return true;
    });
  }

  /// Reads the options and returns the operands, of which there must be `least` to `most`.
  std::vector<std::string> parse(int count, char** arguments, std::size_t least = 0,
                                 std::size_t most = ~std::size_t{0}) const;

  /// Ends the process with this complaint, the help and exit status 2.
  [[noreturn]] void refuse(const std::string& complaint) const;

 private:
  struct Option {
    std::string name;   ///< without dashes
    std::string value;  ///< empty: there is none
    std::string help;
    Take take;
  };

  std::string help() const;

  std::string operands_;
  std::string about_;
  std::vector<Option> options_;
};

/// Takes names with commas between them and passes the place of each among `names` on, which must
/// stay where they are.
template <class Names, class TakePlace>
Take names_among(const Names& names, TakePlace take) {
  return [&names, take](const std::string& list) {
    std::stringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
      const auto found = std::find(std::begin(names), std::end(names), word);
      if (found == std::end(names)) return false;
      take(static_cast<std::size_t>(found - std::begin(names)));
    }
    return !list.empty();
  };
}

/// The exit status of a program: 0, 1 where a result was wrong, 2 where something failed, which is
/// printed.
int exit_status(const Result<bool>& all_right);
inline int exit_status(const Status& done) {
  return exit_status(done.ok() ? Result<bool>(true) : Result<bool>(done.error()));
}

/// Prints what failed and ends the process with exit status 2.
[[noreturn]] void give_up(const Error& error);

template <class T>
T value_or_exit(Result<T> result) {
  if (!result.ok()) give_up(result.error());
  return std::move(*result);
}

}  // namespace presso::harness
