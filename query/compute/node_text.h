// SPDX-License-Identifier: MIT
// Nodes as text for --explain: what is computed after binding, not what the user wrote. Conversions
// that binding inserted are left out, so that `a + 1.5` reads as it was meant. The text is for
// people and is not parsed by anything. Tested through tests/cli/test_select.py.
#pragma once

#include <string>
#include <vector>

#include "query/compute/graph.h"

namespace presso::query {

/// Returns the node `id` as an expression; `names` are the names of the graph's columns, by
/// Node::column.
std::string node_text(const Graph& graph, NodeId id, const std::vector<std::string>& names);

}  // namespace presso::query
