// SPDX-License-Identifier: MIT
// FROM and its joins. A bare file name is read from the characters of the text, since `2024-01.csv`
// or `a/b` are no tokens of expressions; the tokens are made anew after it.
//
// Examples: `from logs/2024-01.presso as l, file('b.csv') r` has the sources `logs/2024-01.presso`
// (alias l) and `b.csv` (alias r), and one join of kind kComma. Paths are only names here: whether
// such a file exists, and what kind it is, is found out by whoever runs the statement.
#include <algorithm>
#include <array>

#include "format/suggest.h"
#include "query/expression/list_items.h"
#include "query/expression/refused.h"
#include "query/expression/statement.h"
#include "scan/syntax/cursor.h"

namespace presso::expression_detail {
namespace {

using JoinKind = SqlJoin::Kind;
using TokenKind = Token::Kind;

/// A word before JOIN, the kind that it means, and whether OUTER may follow.
struct JoinWord {
  std::string_view word;
  JoinKind kind;
  bool outer;  ///< OUTER may follow
};

constexpr std::array<JoinWord, 6> kJoinWords = {{{"inner", JoinKind::kInner, false},
                                                 {"left", JoinKind::kLeft, true},
                                                 {"right", JoinKind::kRight, true},
                                                 {"full", JoinKind::kFull, true},
                                                 {"semi", JoinKind::kSemi, false},
                                                 {"anti", JoinKind::kAnti, false}}};

/// Words that, in addition to the reserved ones, cannot name a table without AS, because they may
/// begin a join or a clause.
constexpr std::array<std::string_view, 19> kNoAliases = {
    "anti",    "asof", "cross",       "fetch",   "for",    "full",  "inner",
    "lateral", "left", "minus",       "natural", "outer",  "pivot", "positional",
    "right",   "semi", "tablesample", "to",      "unpivot"};

/// Functions that stand for the files that they are given.
constexpr std::array<std::string_view, 8> kReaders = {
    "read_csv",    "read_csv_auto",    "read_json",    "read_json_auto",
    "read_ndjson", "read_ndjson_auto", "read_parquet", "read_presso"};

/// Whether a token can name a table without AS.
bool may_be_alias(const Token& token) {
  if (token.kind == TokenKind::kQuoted) return true;
  if (token.kind != TokenKind::kWord || token.reserved) return false;
  return std::none_of(kNoAliases.begin(), kNoAliases.end(),
                      [&token](std::string_view word) { return token.is_word(word); });
}

/// Letters, digits, other alphabets and `._-/+@=%~:`; other names need quotes.
bool is_path_character(char letter) {
  const bool alphabetic = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  const bool digit = letter >= '0' && letter <= '9';
  return alphabetic || digit || static_cast<Byte>(letter) >= 0x80 ||
         std::string_view("._-/+@=%~:").find(letter) != std::string_view::npos;
}

/// Returns the bytes of the bare file name at the beginning of the text; a comment ends it.
std::size_t path_size(std::string_view text) {
  std::size_t size = 0;
  while (size < text.size() && is_path_character(text[size])) {
    const std::string_view rest = text.substr(size);
    if (rest.starts_with("--") || rest.starts_with("/*")) break;
    ++size;
  }
  return size;
}

}  // namespace

/// Sources separated by commas or joins, from left to right.
Status Statement::from() {
  if (!take_clause("from", Part::kFrom)) {
    query_.has_from = false;
    return ends_select() ? Status() : Status(unexpected_here());
  }
  PRESSO_ASSIGN(query_.from, source());
  bool more = true;
  while (more) {
    PRESSO_ASSIGN(more, comma_join());
    if (!more) {
      PRESSO_ASSIGN(more, join());
    }
  }
  return {};
}

/// A file and its optional alias.
Result<SqlSource> Statement::source() {
  SqlSource source;
  source.offset = parser_.here().offset;
  parser_.take_word("lateral");
  const Token& token = parser_.here();
  const Token& after = parser_.ahead();
  const bool describes =
      token.is_symbol("(") && (after.is_word("describe") || after.is_word("summarize"));
  if (describes) {
    const std::size_t open = parser_.take().offset;
    PRESSO_ASSIGN(SqlStatement inner, Statement(parser_).described());
    source.statement = std::make_shared<const SqlStatement>(std::move(inner));
    PRESSO_TRY(parser_.close(open, "')' after the statement"));
    source.length = parser_.end_of_last() - source.offset;
  } else if (token.is_symbol("(") && (begins_with(after) || after.is_symbol("("))) {
    PRESSO_ASSIGN(source.statement, parser_.statement_in_parentheses());
    source.length = parser_.end_of_last() - source.offset;
  } else if (token.kind == TokenKind::kWord && !token.reserved && after.is_symbol("(") &&
             !token.is_word("file") && after.offset == token.end()) {
    PRESSO_TRY(function_source(source));
  } else {
    PRESSO_TRY(path_of(source));
    if (source.path.empty()) return error_at(source.offset, "a file's name must not be empty");
  }
  PRESSO_TRY(alias_of(source));
  return changed_source(std::move(source));
}

/// PIVOT (...), UNPIVOT (...) or TABLESAMPLE after a source, which becomes a statement over it.
Result<SqlSource> Statement::changed_source(SqlSource source) {
  const Token word = parser_.here();
  const bool pivots = word.is_word("pivot") || word.is_word("unpivot");
  const bool samples = word.is_word("tablesample");
  if (!samples && !(pivots && parser_.ahead().is_symbol("("))) return source;
  SqlSource result;
  result.offset = source.offset;
  SqlStatement statement = select_of(nullptr);
  if (samples) {
    parser_.take();
    result.alias = source.alias;
    if (result.alias.empty() && source.bare) result.alias = source.path;
    statement.select.from = std::move(source);
    PRESSO_TRY(sample_size(statement.select, "TABLESAMPLE"));
  } else {
    PRESSO_ASSIGN(statement, word.is_word("pivot") ? pivoted(std::move(source))
                                                   : unpivoted(std::move(source)));
  }
  result.statement = std::make_shared<const SqlStatement>(std::move(statement));
  result.length = parser_.end_of_last() - result.offset;
  if (!samples) PRESSO_TRY(alias_of(result));
  return result;
}

/// PIVOT (aggregates FOR column IN (values) GROUP BY keys) after a source.
Result<SqlStatement> Statement::pivoted(SqlSource source) {
  SqlStatement result;
  result.kind = SqlStatement::Kind::kPivot;
  result.offset = parser_.take().offset;
  const std::size_t open = parser_.take().offset;
  SqlPivot& pivot = result.pivot;
  pivot.source = std::move(source);
  do {
    PRESSO_ASSIGN(NamedExpression item, unnamed_expression(parser_));
    if (parser_.take_word("as")) item.name = name_of(parser_.take());
    pivot.items.push_back(std::move(item));
  } while (parser_.take_symbol(","));
  if (!parser_.take_word("for")) return unexpected(parser_.here(), "FOR and a column");
  PRESSO_ASSIGN(Node column, parser_.expression(Power::kConcat));
  pivot.on.push_back({column->tree, to_text(column->tree)});
  PRESSO_TRY(pivot_values(pivot));
  PRESSO_ASSIGN(const bool grouped, take_clause_by("group", Part::kGroupBy));
  if (grouped) {
    PRESSO_ASSIGN(pivot.group_by, items());
  }
  part_ = Part::kFrom;
  PRESSO_TRY(parser_.close(open, "GROUP BY or ')'"));
  return result;
}

/// UNPIVOT (value FOR name IN (columns)) after a source.
Result<SqlStatement> Statement::unpivoted(SqlSource source) {
  SqlStatement result;
  result.kind = SqlStatement::Kind::kUnpivot;
  result.offset = parser_.take().offset;
  const std::size_t open = parser_.take().offset;
  SqlPivot& pivot = result.pivot;
  pivot.source = std::move(source);
  pivot.value = name_of(parser_.take());
  if (!parser_.take_word("for")) return unexpected(parser_.here(), "FOR and a column's name");
  pivot.name = name_of(parser_.take());
  if (!parser_.take_word("in")) return unexpected(parser_.here(), "IN and columns");
  PRESSO_ASSIGN(const std::vector<Expression> columns, column_list());
  for (const Expression& each : columns) pivot.on.push_back({each, each.text});
  PRESSO_TRY(parser_.close(open, "')'"));
  return result;
}

/// A table function, such as generate_series(1, 10). read_csv('a.csv') and the like are files.
Status Statement::function_source(SqlSource& source) {
  source.path = lower_case(parser_.take().text);
  const bool reads = std::find(kReaders.begin(), kReaders.end(), source.path) != kReaders.end();
  if (reads) return reader_source(source);
  source.is_function = true;
  const std::size_t open = parser_.take().offset;
  while (!parser_.here().is_symbol(")")) {
    PRESSO_ASSIGN(source.arguments.emplace_back(), condition());
    if (!parser_.take_symbol(",")) break;
  }
  PRESSO_TRY(parser_.close(open, "',' or ')' after the arguments"));
  source.length = parser_.end_of_last() - source.offset;
  return {};
}

/// The arguments of read_csv() and the like: a file's name or a list of them, then options. What
/// the options mean is known to whoever opens the files.
Status Statement::reader_source(SqlSource& source) {
  source.reader = std::move(source.path);
  const std::size_t open = parser_.take().offset;
  const Token& first = parser_.here();
  if (first.kind != TokenKind::kString && !first.is_symbol("[")) {
    return unexpected(first, "a file's name in quotes, or a list: ['a.csv', 'b.csv']");
  }
  const bool is_list = first.is_symbol("[");
  PRESSO_ASSIGN(std::vector<std::string> paths, option_values());
  source.path = paths.front();
  if (is_list) source.paths = std::move(paths);
  while (parser_.take_symbol(",")) {
    SqlSourceOption& option = source.options.emplace_back();
    const Token& name = parser_.here();
    if (name.kind != TokenKind::kWord) return unexpected(name, "an option, such as header = true");
    option.offset = name.offset;
    option.name = lower_case(parser_.take().text);
    if (!parser_.take_symbol("=")) return unexpected(parser_.here(), "'=' and the option's value");
    PRESSO_ASSIGN(option.values, option_values());
  }
  PRESSO_TRY(parser_.close(open, "',' or ')' after the arguments"));
  source.length = parser_.end_of_last() - source.offset;
  return {};
}

/// A string, a number, or a word such as true.
Result<std::string> Statement::option_value() {
  const bool negative = parser_.take_symbol("-");
  const Token& value = parser_.here();
  if (value.kind == TokenKind::kString && !negative) return unquoted(parser_.take().text);
  if (value.kind == TokenKind::kNumber) {
    return std::string(negative ? "-" : "") + std::string(parser_.take().text);
  }
  if (value.kind != TokenKind::kWord || negative) return unexpected(value, "a literal");
  return lower_case(parser_.take().text);
}

/// One literal, or a list of them in brackets.
Result<std::vector<std::string>> Statement::option_values() {
  std::vector<std::string> values;
  const bool is_list = parser_.take_symbol("[");
  do {
    PRESSO_ASSIGN(values.emplace_back(), option_value());
  } while (is_list && parser_.take_symbol(","));
  if (is_list && !parser_.take_symbol("]")) return unexpected(parser_.here(), "',' or ']'");
  return values;
}

/// file('...'), a name in quotes of either kind, or a bare name.
Status Statement::path_of(SqlSource& source) {
  const bool call = parser_.here().is_word("file") && parser_.ahead().is_symbol("(");
  if (call) {
    parser_.take();
    parser_.take();
    const TokenKind kind = parser_.here().kind;
    if (kind != TokenKind::kString && kind != TokenKind::kQuoted) {
      return unexpected(parser_.here(), "a file's name in quotes");
    }
    source.path = unquoted(parser_.take().text);
    if (!parser_.take_symbol(")")) return unexpected(parser_.here(), "')' after the file's name");
  } else if (const TokenKind kind = parser_.here().kind;
             kind == TokenKind::kString || kind == TokenKind::kQuoted) {
    source.path = unquoted(parser_.take().text);
  } else {
    return bare_path(source);
  }
  source.length = parser_.end_of_last() - source.offset;
  return {};
}

/// Sources that are no files are refused by name first.
Status Statement::bare_path(SqlSource& source) {
  const Token token = parser_.here();
  if (auto refused = refused_source(token)) return *std::move(refused);
  source.length = path_size(parser_.text().substr(source.offset));
  source.path = parser_.text().substr(source.offset, source.length);
  const bool keyword = token.reserved && source.path == token.text;
  if (keyword || source.path.empty()) {
    return unexpected(token, "a file's name, such as 'orders.csv'");
  }
  source.bare = true;
  parser_.continue_at(source.offset + source.length);
  return {};
}

/// An alias may be followed by names of columns in parentheses.
Status Statement::alias_of(SqlSource& source) {
  const bool as = parser_.take_word("as");
  const Token alias = parser_.here();
  if (as && alias.kind != TokenKind::kQuoted && alias.kind != TokenKind::kWord) {
    return unexpected(alias, "a name after AS");
  }
  if (!as && !may_be_alias(alias)) return {};
  source.alias = name_of(parser_.take());
  if (!as && alias.kind == TokenKind::kWord) {
    PRESSO_TRY(check_alias(alias));
    note_name();
  }
  if (!parser_.here().is_symbol("(")) return {};
  PRESSO_ASSIGN(source.columns, name_list());
  return {};
}

/// Names in parentheses.
Result<std::vector<std::string>> Statement::name_list() {
  PRESSO_ASSIGN(const std::vector<Expression> columns, column_list());
  std::vector<std::string> names;
  for (const Expression& each : columns) names.push_back(each.text);
  return names;
}

/// `FROM 'a' lfet JOIN 'b'` would be an inner join with an alias, whose answer silently lacks rows;
/// an alias that looks like a word of a join is therefore refused without AS.
Status Statement::check_alias(const Token& alias) const {
  const bool join_follows = parser_.here().is_word("join") || parser_.here().is_word("outer");
  if (!join_follows) return {};
  std::vector<std::string> words;
  for (const JoinWord& row : kJoinWords) words.emplace_back(row.word);
  const std::string hint = did_you_mean(lower_case(alias.text), words);
  if (hint.empty()) return {};
  return error_at(alias.offset, "expected JOIN, found " + scan_detail::quoted(alias.text) + hint +
                                    " AS stands before a table's name that looks like it");
}

/// Returns false if no comma follows.
Result<bool> Statement::comma_join() {
  SqlJoin join;
  join.kind = JoinKind::kComma;
  join.offset = parser_.here().offset;
  if (!parser_.take_symbol(",")) return false;
  PRESSO_ASSIGN(join.source, this->source());
  behind_comma_ = true;
  part_ = Part::kFrom;
  PRESSO_TRY(add(std::move(join)));
  return true;
}

/// [INNER] JOIN, LEFT [OUTER] JOIN and so on, SEMI JOIN, and LEFT SEMI JOIN as other systems write
/// it. Sets the kind; returns false if no join follows.
Result<bool> Statement::take_join_words(SqlJoin& join) {
  join.offset = parser_.here().offset;
  if (parser_.here().is_word("cross") && parser_.ahead().is_word("join")) {
    parser_.take();
    parser_.take();
    join.kind = JoinKind::kCross;
    return true;
  }
  if (parser_.take_word("asof")) {
    join.kind = parser_.take_word("left") ? JoinKind::kAsofLeft : JoinKind::kAsof;
    if (!parser_.take_word("join")) return unexpected_token("JOIN", "join");
    return true;
  }
  join.natural = parser_.take_word("natural");
  if (parser_.take_word("join")) return true;
  const auto here = [this](const JoinWord& row) { return parser_.here().is_word(row.word); };
  const auto* row = std::find_if(kJoinWords.begin(), kJoinWords.end(), here);
  if (row == kJoinWords.end()) {
    return join.natural ? Result<bool>(unexpected_token("JOIN", "join")) : Result<bool>(false);
  }
  parser_.take();
  const bool half = parser_.here().is_word("semi") || parser_.here().is_word("anti");
  if (half && row->kind == JoinKind::kRight) {
    return error_at(join.offset,
                    "RIGHT SEMI JOIN and RIGHT ANTI JOIN are not supported; exchange the tables");
  }
  if (half && row->kind == JoinKind::kLeft) {
    row = std::find_if(kJoinWords.begin(), kJoinWords.end(), here);
    parser_.take();
  }
  join.kind = row->kind;
  if (row->outer) parser_.take_word("outer");
  if (!parser_.take_word("join")) return unexpected_token("JOIN", "join outer");
  return true;
}

/// RIGHT and FULL JOIN are refused once FROM has had a comma; advice is given.
Result<bool> Statement::join() {
  SqlJoin join;
  PRESSO_ASSIGN(const bool present, take_join_words(join));
  if (!present) return false;
  const bool keeps_right = join.kind == JoinKind::kRight || join.kind == JoinKind::kFull;
  if (keeps_right && behind_comma_) {
    return error_at(join.offset,
                    "RIGHT and FULL JOIN are not supported after a comma; write JOIN ... ON "
                    "instead of the comma");
  }
  PRESSO_ASSIGN(join.source, this->source());
  PRESSO_TRY(condition_of(join));
  part_ = Part::kOn;
  PRESSO_TRY(add(std::move(join)));
  return true;
}

/// ON with a condition, or USING with columns.
Status Statement::condition_of(SqlJoin& join) {
  if (join.kind == JoinKind::kCross || join.natural) return {};
  if (parser_.take_word("on")) {
    PRESSO_ASSIGN(join.on, condition());
    return {};
  }
  if (parser_.take_word("using")) {
    PRESSO_ASSIGN(join.using_columns, column_list());
    return {};
  }
  return unexpected_token("ON and a condition, or USING and columns, after JOIN", "on using as");
}

/// Names of columns in parentheses, without qualifiers: those of USING, or after an alias.
Result<std::vector<Expression>> Statement::column_list() {
  std::vector<Expression> columns;
  if (!parser_.take_symbol("(")) return unexpected(parser_.here(), "'(' after USING");
  do {
    const Token& token = parser_.here();
    const bool word = token.kind == TokenKind::kWord && !token.reserved;
    if (!word && token.kind != TokenKind::kQuoted) return unexpected(token, "a column's name");
    Expression named = column(name_of(parser_.take()));
    named.offset = token.offset;
    named.length = token.text.size();
    columns.push_back(std::move(named));
  } while (parser_.take_symbol(","));
  if (!parser_.take_symbol(")")) return unexpected(parser_.here(), "',' or ')' after a column");
  return columns;
}

/// Refuses more than kMaxSqlSources files.
Status Statement::add(SqlJoin join) {
  if (query_.joins.size() + 1 == kMaxSqlSources) {
    return error_at(join.source.offset,
                    "more than " + std::to_string(kMaxSqlSources) + " files in one statement");
  }
  query_.joins.push_back(std::move(join));
  return {};
}

}  // namespace presso::expression_detail
