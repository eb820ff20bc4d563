// SPDX-License-Identifier: MIT
// Conditions on the fields of lines that have no schema, JSON objects and logfmt, in the language
// of expressions: level = 'error' and ms > 500. docs/logs.md says how lines are read and which
// types fields have. A condition is made once and then used like any other part of a pattern:
//
//   auto condition = presso::compile_field_condition("level = 'error' and ms > 500");
//   auto result = presso::scan(file, presso::Pattern::of_lines(condition->condition), {}, on_line);
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "presso/line_condition.h"

namespace presso {

struct FieldCondition {
  std::shared_ptr<const LineCondition> condition;
  std::vector<std::string> warnings;  ///< for people: what the condition may not have meant
};

/// Compiles a condition. A line passes if the condition is true for it; it does not if the
/// condition is false, null, or cannot be computed. Errors: kInvalidArgument with the place in
/// `text` as Error::byte_offset, which explain_expression_error() shows.
Result<FieldCondition> compile_field_condition(std::string_view text);

}  // namespace presso
