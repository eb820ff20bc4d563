// SPDX-License-Identifier: MIT
// Implements coded_answer.h: which string columns of an answer are given as dictionaries with
// codes, and the dictionaries of row groups in Arrow's layout, which are made once for each row
// group and result and shared by its batches. Declines joined, grouped and sorted rows.
#include "query/answer/coded_answer.h"

#include <unordered_set>
#include <utility>

#include "decompress/arrow/arrow_rows.h"
#include "query/rows/batch_builder.h"

namespace presso::query {
namespace {

/// The dictionary of a row group's column in Arrow's layout. A column of NULLs alone has no
/// entries; it gets one empty entry, since the codes of NULLs are 0 and must point somewhere.
Result<std::shared_ptr<const void>> make_dictionary(const ColumnSchema& schema,
                                                    const GroupReader& group, std::size_t column) {
  auto made = std::make_shared<ColumnData>();
  made->type = schema.type;
  // One empty entry, which is replaced if the dictionary has entries.
  made->offsets = {0, 0};
  if (group.chunk(column).representation == Representation::kDictionary) {
    PRESSO_ASSIGN(const DictionaryEntries* entries, group.dictionary(column));
    made->values.append(entries->bytes.bytes());
    if (entries->size() > 0) made->offsets = entries->offsets;
  }
  made->rows = made->offsets.size() - 1;
  PRESSO_TRY(to_arrow_layout(schema, *made));
  return std::shared_ptr<const void>(std::move(made));
}

/// Whether the column's strings can be given as codes without enlarging batches: a dictionary with
/// at most half as many entries as a batch has rows, or NULLs alone.
bool is_in_dictionary(const ColumnChunk& chunk) {
  if (chunk.representation == Representation::kNull) return true;
  return chunk.representation == Representation::kDictionary && chunk.entries <= kMostBatchRows / 2;
}

}  // namespace

CodedResults coded_results(const BoundQuery& query, const std::vector<std::string>& names) {
  CodedResults coded;
  // Codes of different row groups cannot be compared, so rows must stay in the batches of their own
  // row group.
  const bool are_rows = !query.grouped() && query.joins == nullptr && query.sort_keys.empty();
  if (!are_rows) return coded;
  const std::unordered_set<std::string_view> named(names.begin(), names.end());
  bool any = false;
  for (const NodeId id : query.results) {
    coded.emplace_back();
    // A computed string is in no dictionary, even if its inputs are.
    if (!query.input->is_column(id)) continue;
    const std::size_t column = query.input->at(id).column;
    const ColumnSchema& schema = query.columns[column].schema;
    // Nested values of Arrow are strings here only.
    const bool is_nested = schema.text == ValueText::kRawJson && !schema.arrow_type.empty();
    if (!named.contains(schema.name) || !is_string(schema.type) || is_nested) continue;
    coded.back() = column;
    any = true;
  }
  if (!any) coded.clear();
  return coded;
}

std::vector<bool> are_coded(const CodedResults& coded) {
  std::vector<bool> are;
  for (const auto& column : coded) are.push_back(column.has_value());
  return are;
}

Result<std::vector<std::string>> columns_in_dictionaries(const std::vector<Table>& tables) {
  std::vector<std::string> names;
  if (tables.empty()) return names;
  const std::vector<ColumnSchema>& columns = tables.front().schema().columns;
  std::vector<bool> is_coded;
  for (const ColumnSchema& column : columns) is_coded.push_back(is_string(column.type));
  std::uint64_t groups = 0;
  for (const Table& table : tables) {
    for (std::uint64_t number = 0; number < table.row_groups(); ++number, ++groups) {
      PRESSO_ASSIGN(const auto group, GroupReader::open(table, number));
      for (std::size_t i = 0; i < columns.size(); ++i) {
        is_coded[i] = is_coded[i] && is_in_dictionary(group->chunk(i));
      }
    }
  }
  // Without row groups it is unknown how columns would be stored, so none is named.
  for (std::size_t i = 0; groups > 0 && i < columns.size(); ++i) {
    if (is_coded[i]) names.push_back(columns[i].name);
  }
  return names;
}

TableSchema schema_of_codes(const TableSchema& schema, const CodedResults& coded) {
  TableSchema with = schema;
  for (std::size_t i = 0; i < coded.size(); ++i) {
    if (coded[i]) with.columns[i].type = ColumnType::kInt32;
  }
  return with;
}

std::vector<NodeId> computed_results(const std::vector<NodeId>& results,
                                     const CodedResults& coded) {
  if (coded.empty()) return results;
  std::vector<NodeId> computed;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!coded[i]) computed.push_back(results[i]);
  }
  return computed;
}

Result<std::vector<VectorView>> with_codes(const RowBatch& batch, const CodedResults& coded) {
  std::vector<VectorView> views;
  std::size_t computed = 0;
  for (const auto& column : coded) {
    if (!column) {
      views.push_back(batch.results[computed++]);
      continue;
    }
    PRESSO_ASSIGN(const VectorView codes,
                  batch.reader->load_codes(*column, batch.vector, *batch.selection));
    views.push_back(codes);
  }
  return views;
}

Status add_dictionaries(const TableSchema& schema, const CodedResults& coded, const Slice& slice,
                        ResultBatch& batch) {
  for (std::size_t i = 0; i < coded.size(); ++i) {
    if (!coded[i]) continue;
    PRESSO_ASSIGN(const auto made, slice.group->shared(&coded[i], [&] {
      return make_dictionary(schema.columns[i], *slice.group->reader, *coded[i]);
    }));
    batch[i].dictionary = std::static_pointer_cast<const ColumnData>(made);
  }
  return {};
}

}  // namespace presso::query
