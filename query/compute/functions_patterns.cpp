// SPDX-License-Identifier: MIT
// Scalar functions of regular expressions.
#include "query/compute/functions.h"

namespace presso::query::pattern_functions {
namespace {

/// regexp_matches(text, pattern): true if the pattern, a literal, matches anywhere in the text.
Result<NodeId> matches(Call& call) {
  PRESSO_ASSIGN(const NodeId text, string_argument(call, 0));
  const Node& pattern = call.build.at(call.arguments[1]);
  if (pattern.kind != Node::Kind::kConstant || pattern.family != Family::kString) {
    return refused("the pattern must be a string in single quotes");
  }
  StringCondition condition;
  condition.kind = StringCondition::Kind::kMatches;
  condition.text = pattern.text;
  return call.build.string_test(text, condition);
}

}  // namespace

void add(Functions& functions) {
  functions["regexp_matches"] = {2, 2, matches};
}

}  // namespace presso::query::pattern_functions
