// SPDX-License-Identifier: MIT
// The parser of expressions: a Pratt parser (top-down operator precedence, Pratt 1973). Each
// operator is a row of a table with its binding power, and one loop handles all of them. Conditions
// joined by AND, or by OR, become one node with many operands, so that a condition of 100,000 parts
// is only two levels deep.
//
// Anything deeper than kMaxExpressionDepth is an error, which also bounds the stack. Time is linear
// in the text, apart from CASE x WHEN, which copies x (and is limited). Names, types and functions
// are not looked up here; that is query/compute. Errors are kInvalidArgument with a place. Tested
// by tests/unit/query/expression (trees, errors, lists, random trees) and
// tests/fuzz/expression_fuzzer.cpp.
//
// The grammar, from the weakest operators to the strongest. Brackets are optional parts, braces may
// be repeated, words in capitals are keywords:
//
//   expression = conjunction { OR conjunction }
//   conjunction = negation { AND negation }
//   negation   = NOT negation | is
//   is         = comparison [ IS [NOT] ( NULL | UNKNOWN | TRUE | FALSE ) ]
//              | comparison IS [NOT] DISTINCT FROM comparison
//   comparison = test [ ( = == <> != < <= > >= ) test ]
//   test       = concat [ [NOT] BETWEEN concat AND concat ]
//              | concat [NOT] IN ( expression { , expression } ) | concat [NOT] IN ( statement )
//              | concat [NOT] ( LIKE | ILIKE | MATCHES ) string [ ESCAPE string ]
//              | concat ( ~ | !~ | ~~ | ~~* | !~~ | !~~* | GLOB | SIMILAR TO ) string
//   concat     = sum { ( || | -> | ->> ) sum }
//   sum        = product { ( + | - ) product }
//   product    = power { ( * | / | // | % ) power }
//   power      = signed { ( ^ | ** ) signed }
//   signed     = ( - | + ) signed | cast
//   cast       = inner { :: type }
//   inner      = value { [ expression ] | . name }     value: a name, a call or in parentheses
//   value      = ( statement ) | EXISTS ( statement ) | $1 | ?     (these in a statement only)
//              | number | 'string' | 1994-01-01 | NULL | TRUE | FALSE
//              | DATE 'string' | TIMESTAMP 'string' | INTERVAL ( 'string' | number ) unit
//              | [ name . ] name | name ( [ DISTINCT ] expression { , expression } ) | name ( * )
//                An argument may be LAMBDA name { , name } : expression, or name -> expression.
//                A call may end with [ FILTER ( WHERE expression ) ] [ IGNORE NULLS ] [ OVER window
//                ]
//              | CASE [ expression ] { WHEN expression THEN expression } [ ELSE expression ] END
//              | CAST ( expression AS type ) | EXTRACT ( unit FROM expression )
//              | ( expression )
//
// How the loop reads `a or b = 1 and c`: expression(kOr) reads `a`, sees OR and calls
// expression(kAnd) for its right side. That reads `b`, then `=`, whose right side expression(kTest)
// ends with `1`, because AND binds more weakly; the comparison becomes the left operand of AND; and
// so on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "presso/expression.h"
#include "presso/sql.h"
#include "query/expression/power.h"
#include "query/expression/token.h"

namespace presso::expression_detail {

/// A tree and where it stands in the text: [begin, end) includes its parentheses, whereas the place
/// in `tree` is without them.
struct Parsed {
  Expression tree;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t depth = 1;  ///< levels of `tree`
};
/// Held by pointer to keep the stack small: the parser calls itself up to 1,000 times, and each
/// call has several of these.
using Node = std::unique_ptr<Parsed>;

/// Parses one text. The text must outlive it; the trees do not refer to the text. Statement
/// (statement.h) uses the same parser for its clauses, and reads clause words with the functions
/// that take tokens.
class Parser {
 public:
  explicit Parser(std::string_view text, Grammar grammar = Grammar::kExpression)
      : text_(text), grammar_(grammar), tokens_(tokens_of(text, grammar)) {}

  /// Lets the pattern of LIKE, ILIKE and MATCHES stand in double quotes, too.
  void allow_quoted_patterns() { quoted_patterns_ = true; }

  /// Parses the longest expression that begins here and whose operators bind at least as strongly
  /// as `least`; stops in front of anything else, without an error.
  Result<Node> expression(Power least = Power::kOr);

  /// The next token, which has not been taken.
  const Token& here() const { return tokens_[at_]; }
  /// The token after it, or further ahead; the last token where the text ends before.
  const Token& ahead(std::size_t tokens = 1) const;
  /// The token that was taken last, or `before` tokens earlier. It must exist.
  const Token& last(std::size_t before = 0) const { return tokens_[at_ - 1 - before]; }
  /// How many tokens have been taken.
  std::size_t taken() const { return at_; }
  /// Whether the text is used up. False if it goes on with something that is no token.
  bool done() const;
  /// Takes the next token if it is this word or symbol, and returns whether it was.
  bool take_word(std::string_view word);
  bool take_symbol(std::string_view symbol);
  /// Takes any token and returns it; the last one stays.
  const Token& take();
  /// The offset at which the last token that was taken ends.
  std::size_t end_of_last() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end(); }
  std::string_view text() const { return text_; }
  Grammar grammar() const { return grammar_; }
  /// Returns the text of the tokens since taken() was `first`, with one space for each gap. It
  /// names results that have no name of their own.
  std::string written_since(std::size_t first) const;
  /// Continues with the token that begins at `offset` or after it, which is not before here(). Used
  /// where the text between is no sequence of tokens (file names). If `offset` lies within a token,
  /// the rest of the text is split into tokens again.
  void continue_at(std::size_t offset);
  /// Takes the ')' of the parenthesis that was opened at `open`; says so if it is never closed.
  Status close(std::size_t open, std::string_view expected);
  /// Parses `( statement )`; here() is the '('.
  Result<std::shared_ptr<const SqlStatement>> statement_in_parentheses();
  /// Parses a window's name, or its definition in parentheses.
  Result<Window> window();
  /// Returns the error for a token that cannot follow a complete expression; `expected` says what
  /// could.
  Error no_operator(std::string_view expected) const;

 private:
  /// An operator that stands after its left operand.
  struct Infix {
    std::string_view spelling;
    Expression::Op op;  ///< kNone for the cast `::`, and for `->` and `->>`, which are calls
    Power power;
    bool negated = false;
  };
  static const Infix kInfixes[];

  // In parser.cpp: operators that follow an operand. Functions that take a node return it extended.
  const Infix* infix_here() const;
  Status may_follow(Power before, Power power) const;
  Result<Node> infix(const Infix& operation, Node left, bool same_as_before);
  Result<Node> junction(const Infix& operation, Node left, bool same_as_before);
  Result<Node> binary(const Infix& operation, Node left);
  Result<Node> among(const Infix& operation, Node left);
  Result<Node> test(Expression::Op op, bool negated, Node left);
  Result<Node> negated_test(Node left);
  Result<Node> between(Node node);
  Result<Node> in(Node node);
  Result<Node> pattern(Node node);
  Result<Node> is(Node left);
  Result<Node> is_truth(Node left, bool negated, const Token& word);
  Result<Node> double_colon(Node left);
  Result<Node> at_time_zone(Node left);
  bool take_time_zone();
  Result<Node> arrow(const Infix& operation, Node left);
  Result<Node> power(Node left);
  Result<Node> whole_pattern(Node node, std::string_view word);

  // In parser_values.cpp: what an operand can begin with.
  Result<Node> prefix(Power least);
  Result<Node> inner_values(Result<Node> value);
  Status brackets(Node& node);
  Result<Node> signed_operand();
  Result<Node> negation();
  Result<Node> parenthesised();
  Result<Node> literal(Expression::Kind kind, std::string text);
  Result<Node> word();
  Error no_value() const;
  Result<Node> name();
  Result<Node> function();
  Status arguments(Node& call, std::size_t open, CallDetails& details);
  bool begins_part_of_substring(const Expression& call);
  Result<Node> extract();
  Result<Node> cast();
  Result<std::string> type();
  Result<Node> interval();
  Result<Node> computed_interval();
  Result<Node> case_of();
  Result<Node> equality(const Expression& subject, std::size_t depth, Node value);

  // In parser_calls.cpp: what stands after a call's arguments, and statements as values.
  bool begins_statement() const;
  Result<Node> subquery(Expression::Op op, Node node);
  Result<Node> exists();
  Result<Node> parameter();
  Result<Node> list();
  Result<Node> comprehension(Node value, std::size_t open);
  bool begins_lambda(const Expression& call) const;
  Result<Node> lambda();
  Result<Node> object();
  Result<Node> argument(Node& call);
  Result<Node> trimmed(Node& call);
  Status details(Node& call, CallDetails details);
  Status nulls_of(CallDetails& details);
  Status within_group(CallDetails& details);
  Status filter(CallDetails& details);
  Result<std::vector<SortExpression>> sort_keys();
  Status frame(Window& window);
  Result<FrameBound> frame_bound(bool is_begin);
  Status exclude(WindowFrame& frame);

  // Building nodes. adopt() moves a child in and tracks the depth; finish() sets the place.
  static Node begin_node(Expression::Kind kind, std::size_t begin);
  static Node begin_operator(Expression::Op op, bool negated, Node left);
  static void adopt(Node& node, Node child);
  /// Ends `node` after the last token that was taken; an error if it is too deep.
  Result<Node> finish(Node node) const;

  std::string_view text_;
  Grammar grammar_;
  std::vector<Token> tokens_;
  bool quoted_patterns_ = false;
  std::size_t at_ = 0;
  std::size_t statements_ = 0;      ///< that are being parsed, within each other
  std::size_t parameters_ = 0;      ///< `?` that were taken
  std::size_t calls_ = 0;           ///< of expression() that are active, within each other
  std::uint64_t copied_bytes_ = 0;  ///< bytes of trees that CASE x WHEN has copied so far
};

}  // namespace presso::expression_detail
