// SPDX-License-Identifier: MIT
// The clauses of a SELECT except FROM. The table kFollowing says what may follow each clause;
// errors are made from it.
//
// Examples of errors: `selct a` gives "expected SELECT ... Did you mean 'select'?"; `select a form
// t` points at `form`; a WHERE after GROUP BY "must stand before GROUP BY"; a second one "stands
// here for the second time".
#include "presso/sql.h"

#include <algorithm>
#include <charconv>

#include "format/suggest.h"
#include "query/expression/list_items.h"
#include "query/expression/refused.h"
#include "query/expression/statement.h"
#include "scan/syntax/cursor.h"

namespace presso::expression_detail {

/// What may follow a part.
struct Statement::Following {
  Part part;
  std::string_view name;      ///< the clause's name
  std::string_view expected;  ///< in an error's text
  std::string_view words;     ///< keywords that a misspelt word may mean, separated by spaces
};

const Statement::Following Statement::kFollowing[] = {
    {Part::kSelect, "SELECT", "an operator, ',' or FROM", "from as"},
    {Part::kFrom, "FROM", "',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end",
     "join inner left right full semi anti as where group having order limit offset"},
    {Part::kOn, "ON", "an operator, ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end",
     "and or between like ilike matches is in not join inner left right full semi anti where group "
     "having order limit offset"},
    {Part::kWhere, "WHERE", "an operator, GROUP BY, ORDER BY, LIMIT or the end",
     "and or between like ilike matches is in not group having order limit offset"},
    {Part::kGroupBy, "GROUP BY", "an operator, ',', HAVING, ORDER BY, LIMIT or the end",
     "having order limit offset"},
    {Part::kHaving, "HAVING", "an operator, ORDER BY, LIMIT or the end",
     "and or between like ilike matches is in not order limit offset"},
    {Part::kWindow, "WINDOW", "',', QUALIFY, ORDER BY, LIMIT or the end",
     "qualify order limit offset"},
    {Part::kQualify, "QUALIFY", "an operator, ORDER BY, LIMIT or the end", "order limit offset"},
    {Part::kOrderBy, "ORDER BY", "an operator, ASC, DESC, NULLS, ',', LIMIT or the end",
     "asc desc nulls limit offset"},
    {Part::kLimit, "LIMIT", "OFFSET or the end", "offset"},
    {Part::kOffset, "OFFSET", "LIMIT or the end", "limit"},
};

namespace {

/// CUBE of n keys is 2^n groupings.
constexpr std::size_t kMostCubeKeys = 8;

/// Returns the word that is nearest to the token. At least one letter must be right: an alias `a`
/// is not a misspelt AS.
std::optional<Suggestion> keyword_near(const Token& token, std::string_view words) {
  std::vector<std::string> list;
  while (!words.empty()) {
    const std::size_t size = std::min(words.find(' '), words.size());
    list.emplace_back(words.substr(0, size));
    words.remove_prefix(std::min(size + 1, words.size()));
  }
  auto nearest = nearest_word(lower_case(token.text), list);
  if (nearest && nearest->distance >= token.text.size()) return std::nullopt;
  return nearest;
}

/// The question at the end of a message; empty without a suggestion.
std::string hint(const std::optional<Suggestion>& keyword) {
  return keyword ? ". Did you mean '" + keyword->word + "'?" : std::string();
}

}  // namespace

/// FROM may come first, and then SELECT may be absent.
Result<SqlStatement> Statement::select() {
  SqlStatement result;
  result.offset = parser_.here().offset;
  query_ = SqlQuery();
  behind_comma_ = false;
  part_ = Part::kSelect;
  const bool from_first = parser_.here().is_word("from");
  if (from_first) PRESSO_TRY(from());
  if (parser_.take_word("select")) {
    PRESSO_TRY(select_list());
  } else if (from_first) {
    query_.select.push_back({{}, "*"});
    Expression& star = query_.select[0].expression;
    star.kind = Expression::Kind::kStar;
    star.offset = result.offset;
    star.length = std::string_view("from").size();
  } else {
    return unexpected_token("SELECT", "select");
  }
  if (!from_first) PRESSO_TRY(from());
  PRESSO_TRY(clauses());
  result.select = std::move(query_);
  return result;
}

/// Fixed order; absent clauses are skipped.
Status Statement::clauses() {
  PRESSO_TRY(where());
  PRESSO_TRY(group_by());
  PRESSO_TRY(having());
  PRESSO_TRY(windows());
  return qualify();
}

/// Allows any number of ';' at the end, but no second statement.
Status Statement::end() {
  const bool ended = parser_.take_symbol(";");
  while (parser_.take_symbol(";")) {
  }
  if (parser_.done()) return {};
  if (!ended) return unexpected_here();
  return unexpected(parser_.here(), "one statement, which ends at ';'");
}

/// The part matters for errors only: it says what could have followed.
bool Statement::take_clause(std::string_view word, Part part) {
  if (!parser_.take_word(word)) return false;
  part_ = part;
  return true;
}

/// The word alone, without BY, is an error: it cannot be anything else here.
Result<bool> Statement::take_clause_by(std::string_view word, Part part) {
  if (!parser_.here().is_word(word)) return false;
  parser_.take();
  if (!parser_.take_word("by")) {
    return unexpected_token(part == Part::kGroupBy ? "BY after GROUP" : "BY after ORDER", "by");
  }
  part_ = part;
  return true;
}

Result<Expression> Statement::condition() {
  PRESSO_ASSIGN(Node parsed, parser_.expression());
  return std::move(parsed->tree);
}

/// Notes names that were given without AS, for better errors: in `select a form t` the name `form`
/// is probably FROM.
Status Statement::select_list() {
  PRESSO_TRY(distinct());
  const Token& first = parser_.here();
  if (first.is_word("top") && parser_.ahead().kind == Token::Kind::kNumber) {
    return error_at(first.offset, "TOP is not supported; write LIMIT " +
                                      std::string(parser_.ahead().text) + " at the end");
  }
  do {
    // A comma may follow the last item, as in DuckDB.
    if (!query_.select.empty() && parser_.here().is_word("from")) break;
    PRESSO_ASSIGN(NamedExpression item, named_expression(parser_));
    const bool named = item.expression.kind != Expression::Kind::kStar &&
                       parser_.last().offset >= item.expression.offset + item.expression.length;
    if (named && parser_.last().text == item.name && !parser_.last(1).is_word("as")) note_name();
    query_.select.push_back(std::move(item));
  } while (parser_.take_symbol(","));
  return {};
}

/// SELECT ALL, DISTINCT or DISTINCT ON (list).
Status Statement::distinct() {
  if (parser_.take_word("all")) return {};
  if (!parser_.take_word("distinct")) return {};
  query_.distinct = true;
  if (!parser_.take_word("on")) return {};
  const std::size_t open = parser_.here().offset;
  if (!parser_.take_symbol("(")) return unexpected(parser_.here(), "'(' after DISTINCT ON");
  do {
    PRESSO_ASSIGN(query_.distinct_on.emplace_back(), condition());
  } while (parser_.take_symbol(","));
  return parser_.close(open, "',' or ')' in DISTINCT ON");
}

Status Statement::where() {
  if (!take_clause("where", Part::kWhere)) return {};
  PRESSO_ASSIGN(query_.where, condition());
  return {};
}

/// A key may be a number, which is a position in the SELECT list; binding resolves it.
Status Statement::group_by() {
  PRESSO_ASSIGN(const bool present, take_clause_by("group", Part::kGroupBy));
  if (!present) return {};
  if (parser_.take_word("all")) {
    query_.groups_by_all = true;
    return {};
  }
  PRESSO_ASSIGN(const bool sets, grouping_sets());
  if (sets) return {};
  do {
    PRESSO_TRY(group_key());
  } while (parser_.take_symbol(","));
  return {};
}

Status Statement::group_key() {
  if (auto refused = refused_key(parser_.here(), parser_.ahead())) return *std::move(refused);
  PRESSO_ASSIGN(NamedExpression key, unnamed_expression(parser_));
  query_.group_by.push_back(std::move(key));
  return {};
}

/// ROLLUP (a, b), CUBE (a, b) and GROUPING SETS ((a, b), (a), ()) as the whole of GROUP BY.
Result<bool> Statement::grouping_sets() {
  const bool rollup = parser_.here().is_word("rollup") && parser_.ahead().is_symbol("(");
  const bool cube = parser_.here().is_word("cube") && parser_.ahead().is_symbol("(");
  if (parser_.here().is_word("grouping") && parser_.ahead().is_word("sets")) {
    parser_.take();
    parser_.take();
    PRESSO_TRY(grouping_set_list());
    return true;
  }
  if (!rollup && !cube) return false;
  parser_.take();
  const std::size_t place = parser_.here().offset;
  PRESSO_ASSIGN(const std::vector<std::size_t> keys, key_list());
  if (cube && keys.size() > kMostCubeKeys) {
    return error_at(place, "CUBE takes at most " + std::to_string(kMostCubeKeys) + " keys");
  }
  const std::size_t sets = cube ? std::size_t{1} << keys.size() : keys.size() + 1;
  for (std::size_t set = 0; set < sets; ++set) {
    std::vector<std::size_t>& own = query_.grouping_sets.emplace_back();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool kept = cube ? (set >> i & 1) == 0 : i + set < keys.size();
      if (kept) own.push_back(keys[i]);
    }
  }
  return true;
}

/// The lists of GROUPING SETS; a key without parentheses is a list of one.
Status Statement::grouping_set_list() {
  const std::size_t open = parser_.here().offset;
  if (!parser_.take_symbol("(")) return unexpected(parser_.here(), "'(' after GROUPING SETS");
  do {
    if (parser_.here().is_symbol("(")) {
      PRESSO_ASSIGN(query_.grouping_sets.emplace_back(), key_list());
    } else {
      PRESSO_TRY(group_key());
      query_.grouping_sets.push_back({query_.group_by.size() - 1});
    }
  } while (parser_.take_symbol(","));
  return parser_.close(open, "',' or ')' in GROUPING SETS");
}

/// Keys in parentheses, by their numbers in `group_by`; equal keys have one number.
Result<std::vector<std::size_t>> Statement::key_list() {
  std::vector<std::size_t> keys;
  const std::size_t open = parser_.here().offset;
  if (!parser_.take_symbol("(")) return unexpected(parser_.here(), "'('");
  if (parser_.take_symbol(")")) return keys;
  do {
    PRESSO_ASSIGN(NamedExpression key, unnamed_expression(parser_));
    const auto known = std::find_if(
        query_.group_by.begin(), query_.group_by.end(),
        [&key](const NamedExpression& each) { return each.expression == key.expression; });
    keys.push_back(static_cast<std::size_t>(known - query_.group_by.begin()));
    if (known == query_.group_by.end()) query_.group_by.push_back(std::move(key));
  } while (parser_.take_symbol(","));
  PRESSO_TRY(parser_.close(open, "',' or ')' in the list of keys"));
  return keys;
}

/// The condition may use aggregates; binding checks what they are of.
Status Statement::having() {
  if (!take_clause("having", Part::kHaving)) return {};
  PRESSO_ASSIGN(query_.having, condition());
  return {};
}

Status Statement::windows() {
  if (!take_clause("window", Part::kWindow)) return {};
  do {
    const Token& name = parser_.here();
    const bool word = name.kind == Token::Kind::kWord && !name.reserved;
    if (!word && name.kind != Token::Kind::kQuoted) return unexpected(name, "a window's name");
    std::string text = name_of(parser_.take());
    if (!parser_.take_word("as")) return unexpected(parser_.here(), "AS");
    PRESSO_ASSIGN(Window window, parser_.window());
    query_.windows.emplace_back(std::move(text), std::move(window));
  } while (parser_.take_symbol(","));
  return {};
}

/// A condition on the answer's rows after window functions.
Status Statement::qualify() {
  if (!take_clause("qualify", Part::kQualify)) return {};
  PRESSO_ASSIGN(query_.qualify, condition());
  return {};
}

/// ORDER BY ALL sorts by all columns of the answer from left to right.
Status Statement::order_by(std::vector<SortExpression>& keys, bool& all) {
  PRESSO_ASSIGN(const bool present, take_clause_by("order", Part::kOrderBy));
  if (!present) return {};
  if (parser_.here().is_word("all")) {
    all = true;
    parser_.take();
    SortExpression direction;
    PRESSO_TRY(sort_direction(parser_, direction));
    keys.push_back(std::move(direction));
    return {};
  }
  do {
    PRESSO_ASSIGN(SortExpression key, sort_expression(parser_));
    keys.push_back(std::move(key));
  } while (parser_.take_symbol(","));
  return {};
}

/// LIMIT and OFFSET in either order, as in PostgreSQL, each at most once.
Status Statement::limits(std::uint64_t& limit, bool& percent, std::uint64_t& offset) {
  bool has_limit = false;
  bool has_offset = false;
  while (true) {
    if (!has_limit && take_clause("limit", Part::kLimit)) {
      has_limit = true;
      if (parser_.take_word("all")) continue;
      PRESSO_ASSIGN(limit, row_number("LIMIT"));
      percent = parser_.take_symbol("%") || parser_.take_word("percent");
      const Token& after = parser_.here();
      if (!after.is_symbol(",")) continue;
      return error_at(after.offset, "LIMIT a, b is not supported; write LIMIT b OFFSET a");
    } else if (!has_limit && parser_.here().is_word("fetch")) {
      has_limit = true;
      PRESSO_TRY(fetch(limit));
    } else if (!has_offset && take_clause("offset", Part::kOffset)) {
      PRESSO_ASSIGN(offset, row_number("OFFSET"));
      if (!parser_.take_word("rows")) parser_.take_word("row");
      has_offset = true;
    } else {
      return {};
    }
  }
}

/// FETCH FIRST n ROWS ONLY.
Status Statement::fetch(std::uint64_t& limit) {
  take_clause("fetch", Part::kLimit);
  if (!parser_.take_word("first") && !parser_.take_word("next")) {
    return unexpected(parser_.here(), "FIRST after FETCH");
  }
  limit = 1;
  if (parser_.here().kind == Token::Kind::kNumber) {
    PRESSO_ASSIGN(limit, row_number("FETCH FIRST"));
  }
  if (!parser_.take_word("rows")) parser_.take_word("row");
  if (!parser_.take_word("only")) return unexpected(parser_.here(), "ROWS ONLY");
  return {};
}

Result<std::uint64_t> Statement::row_number(std::string_view clause) {
  const Token& token = parser_.here();
  std::string digits(token.text);
  std::erase(digits, '_');
  std::uint64_t rows = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, rows);
  const bool number = token.kind == Token::Kind::kNumber && rest == end;
  if (!number) return unexpected(token, "a whole number of rows after " + std::string(clause));
  if (error != std::errc()) return error_at(token.offset, "the number of rows is too large");
  parser_.take();
  return rows;
}

/// The word belongs to a clause that should have come earlier, or was there already.
std::optional<Error> Statement::too_late() const {
  const bool joins = parser_.here().is_word("join") || parser_.ahead().is_word("join");
  if (joins && part_ > Part::kOn) {
    return error_at(parser_.here().offset, "JOIN must stand before WHERE and what follows it");
  }
  for (const Following& clause : kFollowing) {
    const std::string name = lower_case(clause.name);
    const Token& token = parser_.here();
    if (clause.part > part_ || !token.is_word(name.substr(0, name.find(' ')))) continue;
    if (clause.part == Part::kOn || clause.part == Part::kSelect) continue;
    const bool again = clause.part == part_ || clause.part >= Part::kLimit;
    const std::string other(kFollowing[static_cast<std::size_t>(part_)].name);
    return error_at(token.offset,
                    std::string(clause.name) + (again ? " stands here for the second time"
                                                      : " must stand before " + other));
  }
  return std::nullopt;
}

/// A clause in the wrong place is the likelier mistake, so it is looked for first.
Error Statement::unexpected_here() const {
  if (auto refused = too_late()) return *std::move(refused);
  const Following& following = kFollowing[static_cast<std::size_t>(part_)];
  return unexpected_token(following.expected, following.words);
}

/// If a name without AS came just before, that one may be the misspelt keyword rather than this
/// token; the one with fewer wrong letters in proportion is reported.
Error Statement::unexpected_token(std::string_view expected, std::string_view words) const {
  const Token& token = parser_.here();
  const bool is_name = token.kind == Token::Kind::kWord && !token.reserved;
  const auto meant = is_name ? keyword_near(token, words) : std::nullopt;
  if (behind_name_ != 0 && behind_name_ == parser_.taken()) {
    const Token& name = parser_.last();
    const auto name_meant = keyword_near(name, words);
    // Compare wrong letters in proportion: `lines l jion` has one mistake, `lines lfet jion` two.
    const bool nearer = name_meant && (!meant || name_meant->distance * token.text.size() <=
                                                     meant->distance * name.text.size());
    if (nearer) {
      Error error = unexpected(name, expected);
      error.what += hint(name_meant);
      return error;
    }
    if (auto refused = refused_word(name)) return *std::move(refused);
  }
  if (auto refused = refused_word(token)) return *std::move(refused);
  Error error = token.is_symbol(")") ? parser_.no_operator(expected) : unexpected(token, expected);
  error.what += hint(meant);
  return error;
}

}  // namespace presso::expression_detail
