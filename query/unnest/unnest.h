// SPDX-License-Identifier: MIT
// UNNEST: each row comes once for every element of a JSON array that it holds, with the element as
// a further column. All columns of the row are copied for each element, the array among them, so
// whoever does not need it should leave it out of the rows first. Rows are read twice unless the
// type of the elements is known already. Tested by tests/unit/query/unnest/unnest_test.cpp.
#pragma once

#include <string>

#include "query/kept/kept_rows.h"

namespace presso::query {

/// Appends a column called `name` with the elements of the arrays in `column`, which is text. A row
/// whose array is empty or null is left out, or with `keep_empty` stays once with a null. The new
/// column has the type that all elements have: truth values, int64 or else double, dates or
/// timestamps; otherwise it is text, with strings as they are and other elements as JSON. Elements
/// that are all objects or arrays make a column of JSON, whose fields are those of the elements.
///
/// Error: kInvalidArgument where the column is no text, and with the row for a text that is no JSON
/// and for a value that is no array.
Result<KeptRows> with_unnested(const KeptRows& rows, std::size_t column, bool keep_empty,
                               std::string name, const QueryOptions& options);

}  // namespace presso::query
