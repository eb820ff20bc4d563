// SPDX-License-Identifier: MIT
// One pass over the pattern with a stack of open groups in place of recursion, so that neither time
// nor stack depends on how a pattern is nested; only classes within classes recurse, to a limit.
// The syntax is that of Rust's regex, which ripgrep uses, and of RE2 where that has more: \Q..\E,
// \C, octal escapes. A '{' that begins no repetition is an error here, whereas RE2 takes it
// literally.
#include <algorithm>
#include <set>

#include "scan/syntax/classes.h"
#include "scan/syntax/flags.h"
#include "scan/syntax/tree_builder.h"

namespace presso::scan_detail {
namespace {

/// Counts above this are read as this value: the tree is too large with either (tree_builder.h).
constexpr std::uint32_t kMaxCount = 2 * kMaxExpandedSize;

/// Whether the set is a single character in all spellings that differ in case only.
bool is_one_letter(const CodeSet& set) {
  constexpr std::size_t kMostSpellings = 4;
  const std::vector<CodeRange>& ranges = set.ranges();
  if (ranges.empty() || ranges.size() > kMostSpellings) return false;
  CodeSet spellings(ranges[0].low, ranges[0].low);
  spellings.fold_unicode();
  return spellings.ranges() == ranges;
}

/// Parses one pattern and is used up by that. `flags_` are those that hold at the cursor.
class PatternParser {
 public:
  PatternParser(std::string_view pattern, const SyntaxOptions& options)
      : cursor_(pattern), flags_(options), options_(options), tree_(pattern.size()) {}

  Result<ParsedPattern> parse();

 private:
  /// An open group, with the flags that hold again after its end.
  struct OpenGroup {
    std::size_t at = 0;
    SyntaxOptions outer;
  };
  /// The bounds of a repetition; max may be Node::kUnlimited.
  struct Count {
    std::uint32_t min = 0;
    std::uint32_t max = 0;
  };

  Status parse_next();
  Status parse_operator();
  Status parse_count();
  Result<Count> parse_bounds(std::size_t start);
  Result<std::uint32_t> parse_number(std::size_t start);
  Status repeat(Count count, std::size_t at);
  Status open_group();
  Status open_named_group(std::size_t start);
  Result<std::string> parse_group_name();
  Status open_with_flags(std::size_t start);
  Status open(std::uint32_t capture, std::string name, std::size_t at);
  Status close_group();
  Status parse_escape();
  Status add_escape(const Escape& escape, std::size_t at);
  Status parse_quote();
  Status parse_class();
  Status add_dot(std::size_t at);
  Status add_line_place(bool end, std::size_t at);
  Status add_character(Character character, std::size_t at);
  Letters letters() const;
  Status add_set(CodeSet set, std::size_t at);

  Cursor cursor_;
  SyntaxOptions flags_;
  const SyntaxOptions options_;
  TreeBuilder tree_;
  EscapeParser escapes_;
  std::vector<OpenGroup> groups_;
  std::set<std::string> names_;
  std::uint32_t captures_ = 0;
};

/// Parses the whole pattern. Errors: kInvalidArgument with an offset.
Result<ParsedPattern> PatternParser::parse() {
  PRESSO_TRY(check_utf8(cursor_.text()));
  while (true) {
    if (flags_.verbose) cursor_.skip_space();
    if (cursor_.done()) break;
    PRESSO_TRY(parse_next());
  }
  if (!groups_.empty()) return pattern_error(groups_.back().at, "unclosed group");
  return ParsedPattern{tree_.finish(), captures_, cursor_.named()};
}

/// Parses one construct at the cursor and adds it to the tree.
Status PatternParser::parse_next() {
  const std::size_t at = cursor_.at();
  switch (cursor_.peek()) {
    case '(':
      return open_group();
    case ')':
      return close_group();
    case '[':
      return parse_class();
    case '\\':
      return parse_escape();
    case '*':
    case '+':
    case '?':
    case '{':
      return parse_operator();
    default:
      break;
  }
  const CodePoint code = cursor_.next();
  switch (code) {
    case '|':
      tree_.alternate();
      return {};
    case '.':
      return add_dot(at);
    case '^':
    case '$':
      return add_line_place(code == '$', at);
    default:
      return add_character({code, false}, at);
  }
}

/// Parses *, +, ? or {n,m} and repeats the expression before it.
Status PatternParser::parse_operator() {
  const std::size_t at = cursor_.at();
  if (!tree_.can_repeat()) return pattern_error(at, "repetition operator without expression");
  if (cursor_.peek() == '{') return parse_count();
  switch (cursor_.next()) {
    case '*':
      return repeat({0, Node::kUnlimited}, at);
    case '+':
      return repeat({1, Node::kUnlimited}, at);
    default:
      return repeat({0, 1}, at);
  }
}

/// Reads {n}, {n,} or {n,m}.
Status PatternParser::parse_count() {
  const std::size_t start = cursor_.at();
  cursor_.next();
  PRESSO_ASSIGN(const Count count, parse_bounds(start));
  if (!cursor_.take("}")) return pattern_error(start, "unclosed counted repetition");
  if (count.max < count.min) {
    return pattern_error(start, "the repetition's maximum is below its minimum");
  }
  return repeat(count, start);
}

/// Parses n, n, or n,m within braces.
Result<PatternParser::Count> PatternParser::parse_bounds(std::size_t start) {
  Count count;
  PRESSO_ASSIGN(count.min, parse_number(start));
  count.max = count.min;
  if (!cursor_.take(",")) return count;
  while (cursor_.take(" ")) continue;
  count.max = Node::kUnlimited;
  if (cursor_.peek() == '}') return count;
  PRESSO_ASSIGN(count.max, parse_number(start));
  return count;
}

/// Reads a number with spaces around it; large ones are clipped to kMaxCount.
Result<std::uint32_t> PatternParser::parse_number(std::size_t start) {
  while (cursor_.take(" ")) continue;
  const std::size_t begin = cursor_.at();
  std::uint32_t number = 0;
  while (cursor_.peek() >= '0' && cursor_.peek() <= '9') {
    const auto digit = static_cast<std::uint32_t>(cursor_.next() - '0');
    number = std::min(number * 10 + digit, kMaxCount);
  }
  if (cursor_.done()) return pattern_error(start, "unclosed counted repetition");
  if (cursor_.at() == begin) {
    return pattern_error(begin, "a repetition's count must be a number; a literal '{' is \\{");
  }
  while (cursor_.take(" ")) continue;
  return number;
}

/// Repeats the last item; a '?' after the operator makes it lazy, or greedy under (?U).
Status PatternParser::repeat(Count count, std::size_t at) {
  const bool lazy = cursor_.take("?");
  return tree_.repeat(count.min, count.max, lazy == flags_.ungreedy, at);
}

/// Parses what follows a '('. What this syntax leaves out (look-around, backreferences) is named in
/// its error.
Status PatternParser::open_group() {
  const std::size_t start = cursor_.at();
  cursor_.next();
  if (flags_.verbose) cursor_.skip_space();
  for (const std::string_view around : {"?=", "?!", "?<=", "?<!"}) {
    if (cursor_.looking_at(around)) {
      return pattern_error(start, "look-around (look-ahead and look-behind) is not supported");
    }
  }
  if (cursor_.looking_at("?P=")) return pattern_error(start, "backreferences are not supported");
  if (cursor_.take("?P<") || cursor_.take("?<")) return open_named_group(start);
  if (cursor_.peek() == '?') return open_with_flags(start);
  return open(++captures_, {}, start);
}

/// Parses the name after "(?<". A name may occur once.
Status PatternParser::open_named_group(std::size_t start) {
  const std::size_t name_at = cursor_.at();
  PRESSO_ASSIGN(std::string name, parse_group_name());
  if (!names_.insert(name).second) {
    return pattern_error(name_at, "two groups have the name " + quoted(name));
  }
  return open(++captures_, std::move(name), start);
}

/// Reads a group's name up to the '>' and steps over that.
Result<std::string> PatternParser::parse_group_name() {
  const std::size_t begin = cursor_.at();
  while (!cursor_.done() && cursor_.peek() != '>') {
    const std::size_t at = cursor_.at();
    const CodePoint code = cursor_.next();
    const bool digit = code >= '0' && code <= '9';
    const bool inner = digit || code == '.' || code == '[' || code == ']';
    if (at == begin ? digit || !is_word(code) : !inner && !is_word(code)) {
      return pattern_error(at, "invalid character in a group's name");
    }
  }
  const std::size_t end = cursor_.at();
  if (!cursor_.take(">")) return pattern_error(begin, "unclosed name of a group");
  if (end == begin) return pattern_error(begin, "empty name of a group");
  return std::string(cursor_.text().substr(begin, end - begin));
}

/// Reads (?flags) or (?flags:...), at its '?'. The first form changes the flags for the rest of the
/// enclosing group.
Status PatternParser::open_with_flags(std::size_t start) {
  const std::size_t question = cursor_.at();
  cursor_.next();
  if (cursor_.peek() == ')') {
    return pattern_error(question, "repetition operator without expression");
  }
  PRESSO_ASSIGN(const SyntaxOptions flags, parse_flags(cursor_, flags_, start));
  if (cursor_.take(":")) {
    PRESSO_TRY(open(0, {}, start));
  } else {
    cursor_.take(")");
    tree_.end_item();
  }
  flags_ = flags;
  return {};
}

Status PatternParser::open(std::uint32_t capture, std::string name, std::size_t at) {
  groups_.push_back({at, flags_});
  return tree_.open(capture, std::move(name), at);
}

/// Ends the innermost group; flags that were set within it end with it.
Status PatternParser::close_group() {
  const std::size_t at = cursor_.at();
  if (groups_.empty()) return pattern_error(at, "unopened group");
  cursor_.next();
  flags_ = groups_.back().outer;
  groups_.pop_back();
  return tree_.close(at);
}

/// Parses an escape outside of classes, or a quotation \Q...\E.
Status PatternParser::parse_escape() {
  const std::size_t at = cursor_.at();
  if (cursor_.take("\\Q")) return parse_quote();
  PRESSO_ASSIGN(const Escape escape, escapes_.parse(cursor_, flags_));
  return add_escape(escape, at);
}

/// Adds what an escape stands for. \C, any byte, leaves out '\n' where lines are searched.
Status PatternParser::add_escape(const Escape& escape, std::size_t at) {
  switch (escape.kind) {
    case Escape::Kind::kCharacter:
      return add_character(escape.character, at);
    case Escape::Kind::kSet:
      return add_set(escape.set, at);
    case Escape::Kind::kLook:
      return tree_.add_looks(escape.looks, at);
    case Escape::Kind::kAnyByte:
      break;
  }
  CodeSet bytes(0, kLastByte);
  if (options_.line_terminated) bytes.subtract(CodeSet('\n', '\n'));
  return tree_.add_set(std::move(bytes), true, at);
}

/// Reads what follows \Q: everything is literal up to \E or the end of the pattern.
Status PatternParser::parse_quote() {
  while (!cursor_.done() && !cursor_.take("\\E")) {
    const std::size_t at = cursor_.at();
    PRESSO_TRY(add_character({cursor_.next(), false}, at));
  }
  return {};
}

Status PatternParser::parse_class() {
  const std::size_t at = cursor_.at();
  PRESSO_ASSIGN(CodeSet set, scan_detail::parse_class(cursor_, escapes_, flags_, tree_.depth()));
  return add_set(std::move(set), at);
}

/// Adds '.': any character but a line's end, or with (?s) any at all.
Status PatternParser::add_dot(std::size_t at) {
  CodeSet set(0, flags_.unicode ? kLastCodePoint : kLastByte);
  if (!flags_.dot_matches_line) {
    set.subtract(CodeSet('\n', '\n'));
    if (flags_.crlf) set.subtract(CodeSet('\r', '\r'));
  }
  return add_set(std::move(set), at);
}

/// Adds '^' or '$'. The engines know of '\r' at a line's end only for the whole pattern, so (?R)
/// cannot change that for a part.
Status PatternParser::add_line_place(bool end, std::size_t at) {
  if (!flags_.multi_line) return tree_.add_looks({end ? Look::kTextEnd : Look::kTextStart}, at);
  if (end && flags_.crlf != options_.crlf) {
    return pattern_error(at, "'$' with (?R) needs CRLF mode for the whole search (--crlf)");
  }
  return tree_.add_looks({end ? Look::kLineEnd : Look::kLineStart}, at);
}

/// Adds a character with the flags for case. '\n' is an error where matches lie within lines.
Status PatternParser::add_character(Character character, std::size_t at) {
  const CodePoint code = character.code;
  cursor_.name(code);
  if (code == '\n' && options_.line_terminated) return line_feed_error(at);
  if (character.is_byte) {
    return tree_.add_literal(std::string(1, static_cast<char>(code)), letters(), at);
  }
  return tree_.add_literal(encoded(code), letters(), at);
}

/// How literals are compared under the current flags.
Letters PatternParser::letters() const {
  if (!flags_.ignore_case) return Letters::kExact;
  return flags_.unicode ? Letters::kUnicode : Letters::kAscii;
}

/// Adds a set, without the bytes that end a line if something else is left. With crlf, a '\r' alone
/// may be asked for. With case ignored, [a] is the literal a.
Status PatternParser::add_set(CodeSet set, std::size_t at) {
  if (options_.line_terminated && set.contains('\n')) {
    set.subtract(CodeSet('\n', '\n'));
    if (set.empty()) return line_feed_error(at);
  }
  if (options_.line_terminated && flags_.crlf) {
    CodeSet rest = set;
    rest.subtract(CodeSet('\r', '\r'));
    if (!rest.empty()) set = std::move(rest);
  }
  if (letters() == Letters::kUnicode && is_one_letter(set)) {
    return tree_.add_literal(encoded(set.ranges()[0].low), letters(), at);
  }
  return tree_.add_set(std::move(set), !flags_.unicode, at);
}

}  // namespace

Result<ParsedPattern> parse_keeping_letters(std::string_view pattern,
                                            const SyntaxOptions& options) {
  return without_bad_alloc([&] { return PatternParser(pattern, options).parse(); });
}

/// Parses a whole pattern. Errors: kInvalidArgument with the place in byte_offset; kOutOfMemory.
Result<ParsedPattern> parse_pattern(std::string_view pattern, const SyntaxOptions& options) {
  return without_bad_alloc([&]() -> Result<ParsedPattern> {
    PRESSO_ASSIGN(ParsedPattern parsed, PatternParser(pattern, options).parse());
    spell_out_letters(parsed.root);
    return parsed;
  });
}

}  // namespace presso::scan_detail
