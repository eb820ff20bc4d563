// SPDX-License-Identifier: MIT
// Intervals: months, days and microseconds, which do not convert into each other, as in DuckDB. No
// column holds intervals. An interval is a node that prints as text and has its three parts as
// arguments: arithmetic, comparisons, parts and the order of rows take these, and everything else
// refuses an interval. Tested by tests/unit/query/compute/functions_test.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "query/compute/builder.h"

namespace presso::query {

/// The parts of an interval as nodes of whole numbers.
struct IntervalParts {
  NodeId months = 0;
  NodeId days = 0;
  NodeId micros = 0;
};

/// Reads "1 year 2 months -3.5 days 04:05:06.789 ago".
struct WrittenInterval {
  std::int64_t months = 0;
  std::int64_t days = 0;
  std::int64_t micros = 0;
};
std::optional<WrittenInterval> read_interval(std::string_view text);

/// The node of an interval, and the parts of such a node; nullopt for other nodes.
NodeId interval_node(const Builder& build, const IntervalParts& interval);
NodeId interval_node(const Builder& build, const WrittenInterval& interval);
std::optional<IntervalParts> interval_of(const Builder& build, NodeId id);
/// As text that is no interval any more.
NodeId interval_text(const Builder& build, const IntervalParts& interval);

/// The length in microseconds, for comparisons and sorting; a month counts as 30 days.
Result<NodeId> interval_length(const Builder& build, const IntervalParts& interval);
/// An interval of days and microseconds that has this length.
Result<NodeId> interval_of_length(const Builder& build, NodeId micros);

/// `a step b`, where one operand is an interval, or both are moments, one of them a timestamp:
/// sums, differences and products. nullopt for other operands.
Result<std::optional<NodeId>> interval_arithmetic(const Builder& build, Step step, NodeId a,
                                                  NodeId b);
/// Both operands by their lengths where one is an interval; a string literal is read as one.
Status compare_intervals(const Builder& build, NodeId& a, NodeId& b);

/// The error for an interval where it has no meaning.
Error interval_refused();

}  // namespace presso::query
