// SPDX-License-Identifier: MIT
#include "scan/gpu/table/column_codes.h"

#include "scan/query/join_plan.h"
#include "scan/query/query_device.h"
#include "scan/query/table_facts.h"

namespace presso::gpu {
namespace {

/// Of tables whose strings are numbered row by row, which the CPU does.
constexpr std::uint64_t kMostNumberedRows = 1'000'000;
/// A column may take this share of the memory that a query has.
constexpr std::uint64_t kMemoryShare = 16;

}  // namespace

Result<const query::KeyCodes*> ColumnCodes::of(std::size_t column) {
  const auto known = known_.find(column);
  if (known != known_.end()) return known->second;
  PRESSO_ASSIGN(std::unique_ptr<query::KeyCodes> codes, make(column));
  own_.push_back(std::move(codes));
  return known_[column] = own_.back().get();
}

Result<std::unique_ptr<query::KeyCodes>> ColumnCodes::make(std::size_t column) const {
  const query::BoundQuery& bound = execution_.query;
  const query::BoundQuery* scan = &bound;
  const std::vector<Table>* tables = &execution_.tables;
  if (bound.joins != nullptr) {
    const std::size_t number = bound.joins->source_of(column);
    const query::BoundSource& source = bound.joins->sources[number];
    scan = &source.scan;
    tables = &(*execution_.sources)[number];
    column -= source.first_column;
  }
  const std::vector<query::Physical> physical = query::physical_of(scan->columns);
  if (physical[column] != query::Physical::kString) return std::unique_ptr<query::KeyCodes>();
  const std::uint64_t most_bytes = execution_.memory_bytes / kMemoryShare;
  PRESSO_ASSIGN(auto codes, query::KeyCodes::make(*tables, column, most_bytes,
                                                  query::group_opener(execution_)));
  if (codes != nullptr) return codes;
  PRESSO_ASSIGN(codes, query::KeyCodes::make_by_rows(*tables, physical, column, kMostNumberedRows,
                                                     most_bytes, *execution_.counters));
  if (codes != nullptr) execution_.summary.bytes_stored += codes->stored_bytes();
  return codes;
}

}  // namespace presso::gpu
