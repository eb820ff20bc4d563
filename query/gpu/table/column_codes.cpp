// SPDX-License-Identifier: MIT
// Implements column_codes.h. Where strings cannot be numbered on the device (kUnsupported), the
// reason is kept and the caller goes on without numbers; all other errors are returned.
#include "query/gpu/table/column_codes.h"

#include "query/plan/join_plan.h"
#include "query/rows/table_facts.h"
#include "query/run/query_device.h"

namespace presso::gpu {
namespace {

/// The most rows of tables whose strings the CPU numbers, row by row.
constexpr std::uint64_t kMostNumberedRows = 1'000'000;
/// A column may take this share of the memory that a query has.
constexpr std::uint64_t kMemoryShare = 16;

}  // namespace

std::uint64_t ColumnCodes::most_bytes() const {
  return execution_.memory_bytes / kMemoryShare;
}

ColumnCodes::Source ColumnCodes::source_of(std::size_t column) const {
  const query::BoundQuery& bound = execution_.query;
  if (bound.joins == nullptr) {
    return {execution_.tables, column, query::physical_of(bound.columns)};
  }
  const std::size_t number = bound.joins->source_of(column);
  const query::BoundSource& source = bound.joins->sources[number];
  return {execution_.sources[number], column - source.first_column,
          query::physical_of(source.scan.columns)};
}

Result<const query::KeyCodes*> ColumnCodes::of_dictionaries(std::size_t column) {
  const auto known = known_dictionaries_.find(column);
  if (known != known_dictionaries_.end()) return known->second;
  const Source source = source_of(column);
  std::unique_ptr<query::KeyCodes> codes;
  if (source.physical[source.column] == query::Physical::kString) {
    PRESSO_ASSIGN(codes, query::KeyCodes::make(source.tables, source.column, most_bytes(),
                                               query::group_opener(execution_)));
  }
  own_.push_back(std::move(codes));
  return known_dictionaries_[column] = own_.back().get();
}

Result<const query::KeyCodes*> ColumnCodes::of(std::size_t column) {
  const auto known = known_.find(column);
  if (known != known_.end()) return known->second;
  PRESSO_ASSIGN(const query::KeyCodes* codes, of_dictionaries(column));
  const Source source = source_of(column);
  if (codes == nullptr && source.physical[source.column] == query::Physical::kString) {
    PRESSO_ASSIGN(auto by_rows, query::KeyCodes::make_by_rows(source.tables, source.physical,
                                                              source.column, kMostNumberedRows,
                                                              most_bytes(), *execution_.counters));
    if (by_rows != nullptr) execution_.summary.bytes_stored += by_rows->stored_bytes();
    own_.push_back(std::move(by_rows));
    codes = own_.back().get();
  }
  return known_[column] = codes;
}

Result<KeyStrings*> ColumnCodes::strings_of(std::size_t column, KeyStrings::Numbering numbering) {
  const auto known = strings_.find(column);
  if (known != strings_.end()) return known->second.get();
  std::unique_ptr<KeyStrings> strings;
  const Source source = source_of(column);
  if (space_ != nullptr && source.physical[source.column] == query::Physical::kString) {
    const query::ReadState before(execution_);
    auto made = KeyStrings::make(*space_, execution_, {source.tables, source.column}, numbering);
    if (made.ok()) {
      strings = std::move(*made);
    } else if (made.error().code == ErrorCode::kUnsupported) {
      before.restore(execution_);
      why_no_strings_.emplace(column, std::move(made.error()));
    } else {
      return std::move(made.error());
    }
  }
  return (strings_[column] = std::move(strings)).get();
}

KeyStrings* ColumnCodes::known_strings(std::size_t column) const {
  const auto known = strings_.find(column);
  return known == strings_.end() ? nullptr : known->second.get();
}

Result<StringKeyNumbers> ColumnCodes::of_key(std::size_t column, bool on_device_first) {
  PRESSO_ASSIGN(const query::KeyCodes* codes, of_dictionaries(column));
  if (codes != nullptr) return StringKeyNumbers{codes, nullptr};
  if (!on_device_first && known_strings(column) == nullptr) {
    PRESSO_ASSIGN(codes, of(column));
    if (codes != nullptr) return StringKeyNumbers{codes, nullptr};
  }
  PRESSO_ASSIGN(KeyStrings* const strings, strings_of(column, KeyStrings::Numbering::kDense));
  if (strings != nullptr) return StringKeyNumbers{nullptr, strings};
  PRESSO_ASSIGN(codes, of(column));
  const auto why = why_no_strings_.find(column);
  if (codes == nullptr && why != why_no_strings_.end()) return why->second;
  return StringKeyNumbers{codes, nullptr};
}

Result<RowArray> ColumnCodes::numbers_of(std::size_t column, KeyStrings& strings) {
  const auto own = strings_.find(column);
  if (own != strings_.end() && own->second.get() == &strings) return strings.own_rows().array();
  const auto known = numbers_.find({column, &strings});
  if (known != numbers_.end()) return known->second.array();
  const Source source = source_of(column);
  PRESSO_ASSIGN(RowNumbers made, strings.rows_of({source.tables, source.column}));
  return (numbers_[{column, &strings}] = std::move(made)).array();
}

}  // namespace presso::gpu
