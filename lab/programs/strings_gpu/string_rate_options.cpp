// SPDX-License-Identifier: MIT
#include "lab/programs/strings_gpu/string_rate_options.h"

#include <algorithm>

namespace presso::gpu::bench {
namespace {

using Kind = query::StringCondition::Kind;

constexpr std::pair<const char*, Kind> kKinds[] = {{"equal", Kind::kEqual},
                                                   {"less", Kind::kLess},
                                                   {"like", Kind::kLike},
                                                   {"ilike", Kind::kIlike},
                                                   {"matches", Kind::kMatches}};

bool add_condition(const std::string& kind, const char* text, StringRateOptions& options) {
  for (const auto& [name, value] : kKinds) {
    if (kind != name) continue;
    options.conditions.emplace_back();
    options.conditions.back().kind = value;
    options.conditions.back().text = text;
    return true;
  }
  return false;
}

}  // namespace

const char* name_of(Kind kind) {
  for (const auto& [name, value] : kKinds) {
    if (value == kind) return name;
  }
  return "";
}

bool parse_string_rate(std::span<char* const> arguments,
                       std::span<const std::pair<Kind, const char*>> usual,
                       StringRateOptions& options) {
  const std::size_t count = arguments.size();
  std::size_t at = 0;
  for (; at + 1 < count && std::string(arguments[at]).starts_with("--"); at += 2) {
    const std::string name = arguments[at];
    if (name == "--bytes") {
      options.bytes = std::stoull(arguments[at + 1]);
    } else if (name == "--runs") {
      options.runs = std::max(1, std::stoi(arguments[at + 1]));
    } else if (name == "--only") {
      options.only.emplace_back(arguments[at + 1]);
    } else {
      return false;
    }
  }
  if (count - at < 2 || (count - at) % 2 != 0) return false;
  options.path = arguments[at];
  options.column = arguments[at + 1];
  for (at += 2; at < count; at += 2) {
    if (!add_condition(arguments[at], arguments[at + 1], options)) return false;
  }
  if (!options.conditions.empty()) return true;
  for (const auto& [kind, text] : usual) add_condition(name_of(kind), text, options);
  return true;
}

}  // namespace presso::gpu::bench
