// SPDX-License-Identifier: MIT
// The state of the public class Query: what was asked, before anything is looked up. Plain data
// that its builder functions fill (query.cpp); not thread-safe while it is being filled. Tested by
// tests/unit/query/answer/query_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presso/query.h"
#include "query/plan/query_spec.h"
#include "query/run/execution.h"

namespace presso {

/// Sources, names and aliases have one element for each table, in the order in which they were
/// added.
struct Query::Body {
  query::Sources sources;
  /// For each source the names of its files.
  std::vector<std::vector<std::string>> names;
  /// By source; empty texts if there is no alias.
  std::vector<std::string> aliases;
  /// The text of trees that are given in place of text, for errors.
  std::string text;
  query::QuerySpec spec;
  /// The first text that did not parse.
  std::optional<Error> error;

  /// Looks up names and types. `tables` are the sources or copies of them. With `options`,
  /// conditions are planned and joins ordered by what they leave; nullptr means that the best order
  /// does not matter, such as for a schema. Errors: kInvalidArgument with the place in the text.
  Result<query::BoundQuery> bind(const query::Sources& tables, const QueryOptions* options) const;
};

}  // namespace presso
