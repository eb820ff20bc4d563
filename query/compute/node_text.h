// SPDX-License-Identifier: MIT
// A node as text for people (--explain): what is computed, not how it was written.
#pragma once

#include <string>
#include <vector>

#include "query/compute/graph.h"

namespace presso::query {

/// `names`: of the columns.
std::string node_text(const Graph& graph, NodeId id, const std::vector<std::string>& names);

}  // namespace presso::query
