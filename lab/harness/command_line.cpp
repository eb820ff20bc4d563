// SPDX-License-Identifier: MIT
#include "lab/harness/command_line.h"

#include <getopt.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace presso::harness {
namespace {

/// What getopt_long() returns for the first long option; those of one letter are below.
constexpr int kFirstLong = 256;

}  // namespace

std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  if (end == text.c_str() || unit.size() > 1) return std::nullopt;
  if (unit.empty()) return value;
  const std::size_t power = std::string("KMG").find(unit[0]);
  if (power == std::string::npos) return std::nullopt;
  return value * static_cast<double>(std::uint64_t{1024} << (10 * power));
}

CommandLine::CommandLine(std::string operands, std::string about)
    : operands_(std::move(operands)), about_(std::move(about)) {}

void CommandLine::add(std::string spelling, std::string help, Take take) {
  const std::size_t dashes = spelling.find_first_not_of('-');
  const std::size_t space = spelling.find(' ');
  options_.push_back({spelling.substr(dashes, space - dashes),
                      space == std::string::npos ? "" : spelling.substr(space + 1), std::move(help),
                      std::move(take)});
}

void CommandLine::add(std::string spelling, std::string help, bool& to) {
  add(std::move(spelling), std::move(help), [&to](const std::string&) { return to = true; });
}

void CommandLine::add(std::string spelling, std::string help, std::string& to) {
  add(std::move(spelling), std::move(help), [&to](const std::string& value) {
    to = value;
    return true;
  });
}

void CommandLine::add(std::string spelling, std::string help, std::vector<std::string>& to) {
  add(std::move(spelling), std::move(help), [&to](const std::string& value) {
    to.push_back(value);
    return true;
  });
}

std::string CommandLine::help() const {
  std::string text = "usage: ";
  text += program_invocation_short_name;
  text += options_.empty() ? " " : " [OPTION]... ";
  text += operands_ + "\n" + about_ + "\n";
  for (const Option& option : options_) {
    std::string name = option.name.size() == 1 ? "  -" : "  --";
    name += option.name + " " + option.value;
    name.resize(std::max<std::size_t>(name.size() + 1, 24), ' ');
    text += name + option.help + "\n";
  }
  return text;
}

void CommandLine::refuse(const std::string& complaint) const {
  std::fprintf(stderr, "%s: %s\n%s", program_invocation_short_name, complaint.c_str(),
               help().c_str());
  std::exit(2);
}

std::vector<std::string> CommandLine::parse(int count, char** arguments, std::size_t least,
                                            std::size_t most) const {
  std::string letters;
  std::vector<option> longs = {{"help", no_argument, nullptr, 'h'}};
  for (std::size_t i = 0; i < options_.size(); ++i) {
    const Option& one = options_[i];
    const int argument = one.value.empty() ? no_argument : required_argument;
    if (one.name.size() > 1) {
      longs.push_back({one.name.c_str(), argument, nullptr, kFirstLong + static_cast<int>(i)});
    } else {
      letters += one.name;
      if (!one.value.empty()) letters += ':';
    }
  }
  longs.push_back({});
  optind = 0;  // as where the process has read no command line yet
  for (int found = 0;
       (found = getopt_long(count, arguments, letters.c_str(), longs.data(), nullptr)) != -1;) {
    if (found == 'h') {
      std::fputs(help().c_str(), stdout);
      std::exit(0);
    }
    if (found == '?') refuse("the options are these:");
    const auto is_it = [&](const Option& one) {
      return found >= kFirstLong ? &one == &options_[static_cast<std::size_t>(found - kFirstLong)]
                                 : one.name == std::string(1, static_cast<char>(found));
    };
    const Option& one = *std::find_if(options_.begin(), options_.end(), is_it);
    const std::string value = one.value.empty() ? "" : optarg;
    if (!one.take(value)) refuse("'" + value + "' is no " + one.value + " of option " + one.name);
  }
  std::vector<std::string> operands(arguments + optind, arguments + count);
  if (operands.size() < least || operands.size() > most) refuse("the operands are not complete");
  return operands;
}

int exit_status(const Result<bool>& all_right) {
  if (all_right.ok()) return *all_right ? 0 : 1;
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name,
               all_right.error().message().c_str());
  return 2;
}

void give_up(const Error& error) {
  std::exit(exit_status(Result<bool>(error)));
}

}  // namespace presso::harness
