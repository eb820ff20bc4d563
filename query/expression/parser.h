// SPDX-License-Identifier: MIT
// The parser of expressions: a Pratt parser, where an operator is a row in a table with the power
// by which it binds. Conditions that are joined by AND or OR become one node with many operands,
// so that a condition of 100,000 parts is two levels deep. Whatever is deeper than
// kMaxExpressionDepth is an error, which also bounds the stack.
// Tested by tests/unit/query/expression.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "presso/expression.h"
#include "query/expression/power.h"
#include "query/expression/token.h"

namespace presso::expression_detail {

/// A tree, and where it stands with its parentheses: `tree` has its place without them.
struct Parsed {
  Expression tree;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t depth = 1;  ///< levels of `tree`
};
/// Small, for the stack's sake: the parser calls itself up to 1,000 times, with a few of these each
/// time.
using Node = std::unique_ptr<Parsed>;

class Parser {
 public:
  explicit Parser(std::string_view text, Grammar grammar = Grammar::kExpression)
      : text_(text), grammar_(grammar), tokens_(tokens_of(text, grammar)) {}

  /// As much as belongs together by operators that bind at least so strongly.
  Result<Node> expression(Power least = Power::kOr);

  const Token& here() const { return tokens_[at_]; }
  const Token& ahead(std::size_t tokens = 1) const;
  /// The token that was taken last, or so many before. There must be one.
  const Token& last(std::size_t before = 0) const { return tokens_[at_ - 1 - before]; }
  /// How many tokens were taken.
  std::size_t taken() const { return at_; }
  /// Whether nothing is left; not where something is that is no token.
  bool done() const;
  /// Steps over what comes if it is this one.
  bool take_word(std::string_view word);
  bool take_symbol(std::string_view symbol);
  /// Steps over any token and returns it.
  const Token& take();
  /// Behind the last token that was taken.
  std::size_t end_of_last() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end(); }
  std::string_view text() const { return text_; }
  Grammar grammar() const { return grammar_; }
  /// What was taken since taken() was `first`, as written, but with one space for each gap.
  std::string written_since(std::size_t first) const;
  /// Goes on with the token that begins at `offset` or behind it, which is not before here; what
  /// lies between is no token. Costs as much as the rest of the text where it lies within a token.
  void continue_at(std::size_t offset);
  /// The error of a token that cannot follow a whole expression; `expected` without operators.
  Error no_operator(std::string_view expected) const;

 private:
  struct Infix {
    std::string_view spelling;
    Expression::Op op;  ///< kNone for a cast
    Power power;
    bool negated = false;
  };
  static const Infix kInfixes[];

  // parser.cpp: operators behind an operand.
  const Infix* infix_here() const;
  Status may_follow(Power before, Power power) const;
  Result<Node> infix(const Infix& operation, Node left, bool same_as_before);
  Result<Node> junction(const Infix& operation, Node left, bool same_as_before);
  Result<Node> binary(const Infix& operation, Node left);
  Result<Node> test(Expression::Op op, bool negated, Node left);
  Result<Node> negated_test(Node left);
  Result<Node> between(Node node);
  Result<Node> in(Node node);
  Result<Node> pattern(Node node);
  Result<Node> is(Node left);
  Result<Node> is_truth(Node left, bool negated, const Token& word);
  Result<Node> double_colon(Node left);

  // parser_values.cpp: what an operand begins with.
  Result<Node> prefix(Power least);
  Result<Node> signed_operand();
  Result<Node> negation();
  Result<Node> parenthesised();
  Result<Node> literal(Expression::Kind kind, std::string text);
  Result<Node> word();
  Error no_value() const;
  Result<Node> name();
  Result<Node> function();
  Status arguments(Node& call, std::size_t open);
  Result<Node> extract();
  Result<Node> cast();
  Result<std::string> type();
  Result<Node> interval();
  Result<Node> case_of();
  Result<Node> equality(const Expression& subject, std::size_t depth, Node value);
  Status close(std::size_t open, std::string_view expected);

  static Node begin_node(Expression::Kind kind, std::size_t begin);
  static Node begin_operator(Expression::Op op, bool negated, Node left);
  static void adopt(Node& node, Node child);
  /// Ends `node` behind the last token that was taken.
  Result<Node> finish(Node node) const;

  std::string_view text_;
  Grammar grammar_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t calls_ = 0;           ///< of expression(), within each other
  std::uint64_t copied_bytes_ = 0;  ///< of trees, by CASE x WHEN
};

}  // namespace presso::expression_detail
