// SPDX-License-Identifier: MIT
// Errors of expressions, with their place shown in the text that they come from.
#pragma once

#include <string>

#include "presso/expression.h"

namespace presso::query {

/// With the line of `text` and a caret, where the error has a place. Trees that were not parsed
/// have no text, and their places mean nothing.
inline Error shown(Error error, const std::string& text) {
  if (error.byte_offset == Error::kNone) return error;
  if (text.empty()) return make_error(error.code, std::move(error.what));
  return make_error(error.code, explain_expression_error(text, error));
}
template <class Value>
Result<Value> shown(Result<Value> result, const std::string& text) {
  if (result.ok()) return result;
  return shown(std::move(result.error()), text);
}

}  // namespace presso::query
