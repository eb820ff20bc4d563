// SPDX-License-Identifier: MIT
// Scalar functions of regular expressions. Patterns, options and replacements are literals and are
// compiled once. Whether a text matches at all is asked of a StringTest, which is fast; where in it
// and with which groups, of the Pike engine, which takes time in proportion to the text and the
// pattern and prefers matches as RE2 does, leftmost and first.
#include <optional>

#include "query/compute/characters.h"
#include "query/compute/functions.h"
#include "query/compute/list_elements.h"
#include "query/strings/string_automaton.h"
#include "scan/regex/pike.h"

namespace presso::query::pattern_functions {
namespace {

using scan_detail::PikeEngine;

/// A piece of a replacement: a text, or what a group has matched.
struct Piece {
  std::string text;
  std::optional<std::size_t> group;
};

/// A compiled pattern with what is wanted of its matches.
struct Pattern {
  scan_detail::Program program;
  StringTest test;
  std::size_t group = 0;           ///< regexp_extract
  std::vector<Piece> replacement;  ///< regexp_replace
  bool replaces_all = false;
};

/// What the letters of the last argument ask for.
struct Options {
  bool ignores_case = false;
  bool is_literal = false;
  bool dot_matches_line = false;
  bool replaces_all = false;
};

/// The text that a group of the last match spans; empty if it took no part.
std::string_view group_text(const PikeEngine& engine, std::string_view text, std::size_t group) {
  const auto& slots = engine.slots();
  if (2 * group + 1 >= slots.size() || slots[2 * group] == PikeEngine::kNowhere ||
      slots[2 * group + 1] == PikeEngine::kNowhere) {
    return {};
  }
  return text.substr(slots[2 * group], slots[2 * group + 1] - slots[2 * group]);
}

/// Calls `apply` with each text that matches; all others keep what `otherwise` makes of them.
template <class Apply, class Otherwise>
void for_matches(const StepContext& c, Apply apply, Otherwise otherwise) {
  const auto& pattern = *static_cast<const Pattern*>(c.node.prepared.get());
  PikeEngine engine(pattern.program, PikeEngine::Texts::kString);
  const StringRef* const texts = c.from[0]->as<StringRef>();
  StringRef* const to = c.to.make<StringRef>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    to[i] = {};
    if (c.to.is_null(i)) continue;
    const std::string_view text = query::view_of(texts[i].bytes());
    const std::string_view result = pattern.test.matches(texts[i].bytes())
                                        ? apply(pattern, engine, Row{c, i}, text)
                                        : otherwise(text);
    to[i] = {reinterpret_cast<const Byte*>(result.data()), result.size()};
  }
}

void extract(const StepContext& c) {
  for_matches(
      c,
      [](const Pattern& pattern, PikeEngine& engine, const Row&, std::string_view text) {
        return engine.find(bytes_of(text), 0, text.size()) ? group_text(engine, text, pattern.group)
                                                           : std::string_view();
      },
      [](std::string_view) { return std::string_view(); });
}

/// Replaces the first match, or all. An empty match where the last one ended does not count; the
/// search then goes on after the next character.
std::string replaced(const Pattern& pattern, PikeEngine& engine, std::string_view text) {
  std::string changed;
  std::size_t at = 0;
  std::optional<std::size_t> last_end;
  while (at <= text.size()) {
    const auto match = engine.find(bytes_of(text), at, text.size());
    if (!match) break;
    changed += text.substr(at, match->begin - at);
    at = match->begin;
    if (match->begin == match->end && last_end == match->begin) {
      if (at == text.size()) break;
      const std::size_t next = character_bytes(bytes_of(text.substr(at)));
      changed += text.substr(at, next);
      at += next;
      continue;
    }
    for (const Piece& piece : pattern.replacement) {
      changed += piece.group ? group_text(engine, text, *piece.group) : piece.text;
    }
    at = match->end;
    last_end = at;
    if (!pattern.replaces_all) break;
  }
  return changed.append(text.substr(at));
}

void replace(const StepContext& c) {
  for_matches(
      c,
      [](const Pattern& pattern, PikeEngine& engine, const Row& row, std::string_view text) {
        return row.keep(replaced(pattern, engine, text));
      },
      [](std::string_view text) { return text; });
}

/// Calls `visit` with each match, as replaced() finds them.
template <class Visit>
void for_each_match(PikeEngine& engine, std::string_view text, Visit visit) {
  std::size_t at = 0;
  std::optional<std::size_t> last_end;
  while (at <= text.size()) {
    const auto match = engine.find(bytes_of(text), at, text.size());
    if (!match) return;
    at = match->end;
    const bool is_empty = match->begin == match->end;
    if (!is_empty || last_end != match->begin) visit(match->begin, match->end);
    last_end = match->end;
    if (!is_empty) continue;
    if (at == text.size()) return;
    at += character_bytes(bytes_of(text.substr(at)));
  }
}

void append_element(std::string_view text, std::string& list) {
  if (list.size() > 1) list += ',';
  string_text::append_json_string(bytes_of(text), list);
}

void extract_all(const StepContext& c) {
  for_matches(
      c,
      [](const Pattern& pattern, PikeEngine& engine, const Row& row, std::string_view text) {
        std::string list = "[";
        for_each_match(engine, text, [&](std::size_t, std::size_t) {
          append_element(group_text(engine, text, pattern.group), list);
        });
        return row.keep(list + ']');
      },
      [](std::string_view) { return std::string_view("[]"); });
}

/// The parts between matches; an empty match stands between two characters only.
void split_at_matches(const StepContext& c) {
  const auto& pattern = *static_cast<const Pattern*>(c.node.prepared.get());
  PikeEngine engine(pattern.program, PikeEngine::Texts::kString);
  StringRef* const to = c.to.make<StringRef>();
  for (std::uint32_t i = 0; i < c.count; ++i) {
    to[i] = {};
    if (c.to.is_null(i)) continue;
    const std::string_view text = query::view_of(c.from[0]->as<StringRef>()[i].bytes());
    std::string list = "[";
    std::size_t from = 0;
    for_each_match(engine, text, [&](std::size_t begin, std::size_t end) {
      if (begin == end && (begin == 0 || begin == text.size())) return;
      append_element(text.substr(from, begin - from), list);
      from = end;
    });
    append_element(text.substr(from), list);
    to[i] = c.strings.add(bytes_of(list + ']'));
  }
}

constexpr Kernel kExtractAll{"regexp_extract_all", extract_all};
constexpr Kernel kSplit{"regexp_split_to_array", split_at_matches};
constexpr Kernel kExtract{"regexp_extract", extract};
constexpr Kernel kReplace{"regexp_replace", replace};

/// The literal string in argument `i`.
Result<std::string> literal(const Call& call, std::size_t i, const std::string& what) {
  if (call.is_constant(i) && call.at(i).family == Family::kString && !call.at(i).is_null) {
    return call.at(i).text;
  }
  return refused("the " + what + " of " + call.name + "() must be a string in single quotes");
}

Result<Options> options_of(const Call& call, std::size_t i) {
  Options options;
  if (call.arguments.size() <= i) return options;
  PRESSO_ASSIGN(const std::string letters, literal(call, i, "options"));
  for (const char letter : letters) {
    switch (letter) {
      case 'i':
        options.ignores_case = true;
        break;
      case 'c':
        options.ignores_case = false;
        break;
      case 'l':
        options.is_literal = true;
        break;
      case 's':
        options.dot_matches_line = true;
        break;
      case 'm':
      case 'n':
      case 'p':
        options.dot_matches_line = false;
        break;
      case 'g':
        options.replaces_all = true;
        if (call.name == "regexp_replace") break;
        [[fallthrough]];
      default:
        return refused((call.name + "() has no option '").append(1, letter) + "'");
    }
  }
  return options;
}

/// The pattern with its options as flags, as StringTest takes it.
std::string with_flags(const std::string& pattern, const Options& options) {
  std::string text = pattern;
  if (options.is_literal) {
    text.clear();
    for (const char c : pattern) {
      const bool is_mark = std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos;
      if (is_mark) text += '\\';
      text += c;
    }
  }
  std::string flags = options.ignores_case ? "i" : "";
  if (options.dot_matches_line) flags += 's';
  return flags.empty() ? text : "(?" + flags + ")" + text;
}

Result<StringTest> test_of(const std::string& pattern) {
  StringCondition condition;
  condition.kind = StringCondition::Kind::kMatches;
  condition.text = pattern;
  return StringTest::compile(condition);
}

/// regexp_matches(text, pattern [, options]): whether the pattern matches anywhere in the text, or
/// with `whole` the whole text.
Result<NodeId> matches(Call& call, bool whole) {
  PRESSO_ASSIGN(const NodeId text, string_argument(call, 0));
  if (call.at(1).family == Family::kNull) return call.build.to_bool(call.build.null());
  PRESSO_ASSIGN(const std::string pattern, literal(call, 1, "pattern"));
  PRESSO_ASSIGN(const Options options, options_of(call, 2));
  StringCondition condition;
  condition.kind = StringCondition::Kind::kMatches;
  condition.text = with_flags(pattern, options);
  if (whole) condition.text = "\\A(?:" + condition.text + ")\\z";
  return call.build.string_test(text, condition);
}

/// Compiles argument 1, a pattern.
Result<Pattern> pattern_of(const Call& call, const Options& options) {
  PRESSO_ASSIGN(const std::string written, literal(call, 1, "pattern"));
  const std::string text = with_flags(written, options);
  PRESSO_ASSIGN(StringTest test, test_of(text));
  PRESSO_ASSIGN(const auto parsed, scan_detail::parse_pattern(text, query_syntax()));
  scan_detail::ProgramOptions how;
  how.captures = true;
  PRESSO_ASSIGN(scan_detail::Program program, scan_detail::compile_program(parsed.root, how));
  return Pattern{std::move(program), std::move(test), 0, {}, options.replaces_all};
}

/// Splits a replacement: \1 to \9 are groups, \0 the match, \\ a backslash.
Result<std::vector<Piece>> pieces_of(const std::string& text, const Pattern& pattern) {
  std::vector<Piece> pieces(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      pieces.back().text += text[i];
      continue;
    }
    const char next = ++i < text.size() ? text[i] : '\0';
    if (next == '\\') {
      pieces.back().text += next;
    } else if (next >= '0' && next <= '9') {
      const auto group = static_cast<std::size_t>(next - '0');
      if (2 * group >= pattern.program.slots) {
        return refused("the replacement has \\" + std::to_string(group) +
                       ", but the pattern has fewer groups");
      }
      pieces.push_back({{}, group});
      pieces.emplace_back();
    } else {
      return refused("a '\\' in a replacement is followed by a digit or another '\\'");
    }
  }
  return pieces;
}

NodeId pattern_call(const Call& call, const Kernel& kernel, NodeId text, Pattern pattern,
                    const ColumnSchema& type = schema_of(Family::kString)) {
  std::string key;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const Node& node = call.at(i);
    const std::string part = node.family == Family::kString
                                 ? "s" + node.text
                                 : "i" + std::to_string(static_cast<std::int64_t>(node.integer));
    key += std::to_string(part.size()) + ':' + part;
  }
  return call.build.call(kernel, type, {text}, std::make_shared<const Pattern>(std::move(pattern)),
                         std::move(key));
}

/// regexp_extract(text, pattern [, group] [, options]).
Result<NodeId> bind_extract(Call& call) {
  PRESSO_ASSIGN(const NodeId text, string_argument(call, 0));
  if (call.at(1).family == Family::kNull) return call.build.to_string(call.build.null());
  const bool has_group = call.arguments.size() > 2 && call.at(2).family == Family::kInteger;
  PRESSO_ASSIGN(const Options options, options_of(call, has_group ? 3 : 2));
  PRESSO_ASSIGN(Pattern pattern, pattern_of(call, options));
  if (has_group) {
    const Node& group = call.at(2);
    if (!call.is_constant(2) || group.integer < 0 || group.integer > 9) {
      return refused(call.name + "() takes a literal number of a group from 0 to 9");
    }
    pattern.group = static_cast<std::size_t>(group.integer);
  }
  if (call.name == "regexp_extract") {
    return pattern_call(call, kExtract, text, std::move(pattern));
  }
  return pattern_call(call, kExtractAll, text, std::move(pattern), json_schema());
}

/// regexp_split_to_array(text, pattern [, options]).
Result<NodeId> bind_split(Call& call) {
  PRESSO_ASSIGN(const NodeId text, string_argument(call, 0));
  if (call.at(1).family == Family::kNull) return call.build.to_string(call.build.null());
  PRESSO_ASSIGN(const Options options, options_of(call, 2));
  PRESSO_ASSIGN(Pattern pattern, pattern_of(call, options));
  return pattern_call(call, kSplit, text, std::move(pattern), json_schema());
}

/// regexp_replace(text, pattern, replacement [, options]).
Result<NodeId> bind_replace(Call& call) {
  PRESSO_ASSIGN(const NodeId text, string_argument(call, 0));
  if (call.at(1).family == Family::kNull || call.at(2).family == Family::kNull) {
    return call.build.to_string(call.build.null());
  }
  PRESSO_ASSIGN(const Options options, options_of(call, 3));
  PRESSO_ASSIGN(Pattern pattern, pattern_of(call, options));
  PRESSO_ASSIGN(const std::string replacement, literal(call, 2, "replacement"));
  PRESSO_ASSIGN(pattern.replacement, pieces_of(replacement, pattern));
  return pattern_call(call, kReplace, text, std::move(pattern));
}

}  // namespace

void add(Functions& functions) {
  functions["regexp_matches"] = {2, 3, [](Call& call) { return matches(call, false); }};
  functions["regexp_full_match"] = {2, 3, [](Call& call) { return matches(call, true); }};
  functions["regexp_extract"] = functions["regexp_extract_all"] = {2, 4, bind_extract};
  for (const char* name : {"regexp_split_to_array", "string_split_regex", "str_split_regex"}) {
    functions[name] = {2, 3, bind_split};
  }
  functions["regexp_replace"] = {3, 4, bind_replace};
}

}  // namespace presso::query::pattern_functions
