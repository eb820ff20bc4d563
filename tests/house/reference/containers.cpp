// SPDX-License-Identifier: MIT
// One of five files by whose compilation tests/house/build_time.py measures a machine. None
// changes.
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

using Value = std::variant<std::monostate, bool, long, double, std::string>;

std::optional<std::string> longest_text(const std::map<std::string, std::vector<Value>>& rows) {
  std::unordered_map<std::string, std::set<std::string>> texts;
  for (const auto& [name, values] : rows) {
    for (const Value& value : values) {
      if (const auto* text = std::get_if<std::string>(&value)) texts[name].insert(*text);
    }
  }
  std::shared_ptr<std::string> longest;
  for (const auto& [name, all] : texts) {
    for (const std::string& text : all) {
      if (!longest || longest->size() < text.size()) longest = std::make_shared<std::string>(text);
    }
  }
  if (!longest) return std::nullopt;
  return *longest;
}
