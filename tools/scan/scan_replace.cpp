// SPDX-License-Identifier: MIT
// The template is split once; a line costs a copy and, if a group is named, one more match with an
// engine that knows groups. Tested by tests/cli/test_scan_output.py and
// tests/cli/scan_against_rg.py.
#include "tools/scan/scan_replace.h"
#include "scan/pattern/pattern_access.h"

#include <algorithm>
#include <charconv>

namespace presso::cli {
namespace {

/// The characters of a group's name, as ripgrep takes them: "$1a" is the group "1a".
bool is_name_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// A name of digits as a number. Everything else is a name, also "1a" and numbers beyond 32 bits.
std::optional<std::size_t> as_number(std::string_view name) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return value;
}

}  // namespace

/// Splits the replacement at its references, $1 or ${name}, once for all lines.
Replacement::Replacement(std::string_view text) {
  while (!text.empty()) {
    const std::size_t dollar = std::min(text.find('$'), text.size());
    add_text(text.substr(0, dollar));
    text.remove_prefix(dollar);
    if (!text.empty()) text.remove_prefix(take_reference(text));
  }
}

/// Adds literal text. Pieces of text are joined, so that expand() has as few parts as possible.
void Replacement::add_text(std::string_view text) {
  if (text.empty()) return;
  if (parts_.empty() || parts_.back().kind != Part::Kind::kText) parts_.push_back({});
  parts_.back().text += text;
}

/// Takes a reference off `rest`, which begins with '$', and returns how much of it was understood.
/// A '$' that begins no reference stands for itself.
std::size_t Replacement::take_reference(std::string_view rest) {
  if (rest.substr(0, 2) == "$$") {
    add_text("$");
    return 2;
  }
  const bool braced = rest.substr(0, 2) == "${";
  const std::size_t begin = braced ? 2 : 1;
  std::size_t end = begin;
  while (end < rest.size() && is_name_character(rest[end])) ++end;
  const bool closed = !braced || (end < rest.size() && rest[end] == '}');
  if (end == begin || !closed) {
    add_text("$");
    return 1;
  }
  const std::string_view name = rest.substr(begin, end - begin);
  const std::optional<std::size_t> number = as_number(name);
  parts_.push_back(
      {number ? Part::Kind::kNumber : Part::Kind::kName, std::string(name), number.value_or(0)});
  names_groups_ = names_groups_ || number != std::size_t{0};
  return end + (braced ? 1 : 0);
}

/// nullptr for a pattern without groups.
scan_detail::GroupFinder* PatternGroups::finder() {
  if (!finder_) finder_ = scan_detail::matcher_of(pattern_).group_finder();
  return finder_->get();
}

/// The first group of that name, or nullopt.
std::optional<std::size_t> PatternGroups::number_of(std::string_view name) {
  return finder() == nullptr ? std::nullopt : finder()->number_of(name);
}

/// The groups of a match, by running the pattern on it again; none where the pattern has no groups.
std::span<const std::optional<MatchSpan>> PatternGroups::of(std::string_view line,
                                                            const MatchSpan& match) {
  if (finder() == nullptr) return {};
  const Bytes bytes{reinterpret_cast<const Byte*>(line.data()), line.size()};
  return finder()->groups(bytes, match);
}

/// Appends the replacement of one match. Groups are only looked for if it refers to any. A group
/// that does not exist or took no part is replaced by nothing, as in ripgrep.
void Replacement::expand(std::string_view line, const MatchSpan& match, PatternGroups& groups,
                         std::string& into) const {
  std::span<const std::optional<MatchSpan>> found;
  if (names_groups_) found = groups.of(line, match);
  for (const Part& part : parts_) {
    if (part.kind == Part::Kind::kText) {
      into += part.text;
      continue;
    }
    std::optional<std::size_t> number = part.number;
    if (part.kind == Part::Kind::kName) number = groups.number_of(part.text);
    std::optional<MatchSpan> span;
    if (number == std::size_t{0}) span = match;
    if (number && *number > 0 && *number < found.size()) span = found[*number];
    if (span) into += line.substr(span->begin, span->end - span->begin);
  }
}

std::string Replacement::of_match(std::string_view line, const MatchSpan& match,
                                  PatternGroups& groups) const {
  std::string text;
  expand(line, match, groups, text);
  return text;
}

/// Replaces all matches of a line; `spans` gets where the replacements lie, for colouring.
/// `matches` are in ascending order and do not overlap.
std::string Replacement::apply(std::string_view line, std::span<const MatchSpan> matches,
                               PatternGroups& groups, std::vector<MatchSpan>& spans) const {
  std::string result;
  spans.clear();
  std::size_t at = 0;
  for (const MatchSpan& match : matches) {
    result += line.substr(at, match.begin - at);
    const std::size_t begin = result.size();
    expand(line, match, groups, result);
    spans.push_back({begin, result.size()});
    at = match.end;
  }
  result += line.substr(at);
  return result;
}

}  // namespace presso::cli
