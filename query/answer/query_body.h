// SPDX-License-Identifier: MIT
// What a query was asked, before anything was looked up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presso/query.h"
#include "query/plan/query_spec.h"
#include "query/run/execution.h"

namespace presso {

struct Query::Body {
  query::Sources sources;
  std::vector<std::vector<std::string>> names;  ///< of each source's files
  std::vector<std::string> aliases;             ///< of the sources; may be empty
  std::string text;                             ///< of trees that are given
  query::QuerySpec spec;
  std::optional<Error> error;  ///< the first text that does not parse

  /// Looks up names and types. `tables`: the sources, or copies of them. `options`: by which the
  /// order of joins is chosen; nullptr: nobody asks for the best order. Errors: kInvalidArgument
  /// with the place in the text.
  Result<query::BoundQuery> bind(const query::Sources& tables, const QueryOptions* options) const;
};

}  // namespace presso
