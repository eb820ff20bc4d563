// SPDX-License-Identifier: MIT
// The parser of expressions: a Pratt parser, where an operator is a row in a table with the power
// by which it binds. Conditions that are joined by AND or OR become one node with many operands,
// so that a condition of 100,000 parts is two levels deep. Whatever is deeper than
// kMaxExpressionDepth is an error, which also bounds the stack.
// Tested by tests/unit/scan/expression.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "presso/expression.h"
#include "scan/expression/power.h"
#include "scan/expression/token.h"

namespace presso::expression_detail {

/// A tree, and where it stands with its parentheses: `tree` has its place without them.
struct Parsed {
  Expression tree;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t depth = 1;  ///< levels of `tree`
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(tokens_of(text)) {}

  /// As much as belongs together by operators that bind at least so strongly.
  Result<Parsed> expression(Power least = Power::kOr);

  const Token& here() const { return tokens_[at_]; }
  const Token& ahead(std::size_t tokens = 1) const;
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
  Error does_not_chain(Power power) const;
  Result<Parsed> infix(const Infix& operation, Parsed left, bool same_as_before);
  Result<Parsed> junction(const Infix& operation, Parsed left, bool same_as_before);
  Result<Parsed> binary(const Infix& operation, Parsed left);
  Result<Parsed> test(Expression::Op op, bool negated, Parsed left);
  Result<Parsed> negated_test(Parsed left);
  Result<Parsed> between(Parsed node);
  Result<Parsed> in(Parsed node);
  Result<Parsed> pattern(Parsed node);
  Result<Parsed> is(Parsed left);
  Result<Parsed> is_truth(Parsed left, bool negated, const Token& word);
  Result<Parsed> double_colon(Parsed left);

  // parser_values.cpp: what an operand begins with.
  Result<Parsed> prefix(Power least);
  Result<Parsed> signed_operand();
  Result<Parsed> negation();
  Result<Parsed> parenthesised();
  Result<Parsed> literal(Expression::Kind kind, std::string text);
  Result<Parsed> word();
  Result<Parsed> name();
  Result<Parsed> function();
  Result<Parsed> extract();
  Result<Parsed> cast();
  Result<std::string> type();
  Result<Parsed> interval();
  Result<Parsed> case_of();
  Result<Parsed> equality(const Expression& subject, std::size_t depth, Parsed value);
  Status close(std::size_t open, std::string_view expected);

  static Parsed begin_node(Expression::Kind kind, std::size_t begin);
  static Parsed begin_operator(Expression::Op op, bool negated, Parsed left);
  static void adopt(Parsed& node, Parsed child);
  /// Ends `node` behind the last token that was taken.
  Result<Parsed> finish(Parsed node) const;

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t calls_ = 0;           ///< of expression(), within each other
  std::uint64_t copied_bytes_ = 0;  ///< of trees, by CASE x WHEN
};

}  // namespace presso::expression_detail
