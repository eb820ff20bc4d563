// SPDX-License-Identifier: MIT
// Adds the place of an error to its message, as the line of the query's text with a caret under it.
// Used wherever names and types are looked up. Tested through
// tests/unit/query/answer/query_test.cpp (ErrorsShowThePlaceAndNameTheRow).
#pragma once

#include <string>

#include "presso/expression.h"

namespace presso::query {

/// Returns the error with the line of `text` and a caret if it has a place (Error::byte_offset).
/// Trees that were built by code have no text; the places of their errors are dropped.
inline Error shown(Error error, const std::string& text) {
  if (error.byte_offset == Error::kNone) return error;
  if (text.empty()) return make_error(error.code, std::move(error.what));
  return make_error(error.code, explain_expression_error(text, error));
}
/// Passes a value through, and an error as above.
template <class Value>
Result<Value> shown(Result<Value> result, const std::string& text) {
  if (result.ok()) return result;
  return shown(std::move(result.error()), text);
}

}  // namespace presso::query
