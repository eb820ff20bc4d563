// SPDX-License-Identifier: MIT
// Implements string_facts.h, average length and number of different strings of a column, by one
// pass over the directories of its row groups.
#include "query/run/string_facts.h"

#include <algorithm>

#include "decompress/table/group_reader.h"
#include "query/plan/join_plan.h"

namespace presso::query {
namespace {

/// The facts about a column, numbered as in `tables`. If the largest dictionary repeats each string
/// four times or more, other row groups are assumed to repeat it too; otherwise the numbers of
/// different strings are added up.
Result<StringFacts> facts_in(const std::vector<Table>& tables, std::size_t column) {
  StringFacts facts;
  double rows = 0;
  double sum = 0;
  double most = 0;
  bool repeated = true;
  for (const Table& table : tables) {
    for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
      PRESSO_ASSIGN(const auto reader, GroupReader::open(table, group));
      const ColumnChunk& chunk = reader->chunk(column);
      // 0 stands for "not counted", and then every row may differ.
      const double distinct = chunk.distinct == 0 ? reader->rows() : chunk.distinct;
      rows += reader->rows();
      facts.bytes += static_cast<double>(chunk.value_bytes);
      sum += distinct;
      if (distinct > most) {
        most = distinct;
        repeated = distinct <= reader->rows() / 4.0;
      }
      facts.coded = facts.coded && (chunk.representation == Representation::kDictionary ||
                                    chunk.representation == Representation::kNull);
    }
  }
  facts.bytes /= std::max(rows, 1.0);
  facts.distinct = repeated ? most : sum;
  return facts;
}

}  // namespace

Result<StringFacts> string_facts(const RunInput& input, std::size_t column) {
  const BoundJoins* const joins = input.query.joins.get();
  if (joins == nullptr) return facts_in(input.tables, column);
  const std::size_t source = joins->source_of(column);
  return facts_in(input.sources[source], column - joins->sources[source].first_column);
}

}  // namespace presso::query
