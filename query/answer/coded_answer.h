// SPDX-License-Identifier: MIT
// String columns that an Arrow stream gives as dictionaries (QueryOptions::dictionaries). If rows
// are neither joined, grouped nor sorted, stored codes go into the answer without decoding a
// string, and all batches of a row group share its dictionary. Other queries give plain strings.
// Saves decoding strings row by row; costs one copy of each dictionary. Declines joined,
// grouped and sorted rows, since codes of different row groups cannot be compared.
//
// Tested by python/tests/test_dictionaries.py.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/run/execution.h"

namespace presso::query {

/// For each result the column of the table whose codes it is given as, among the columns called
/// `names`; nullopt for results that are computed. Empty if the query gives no codes at all.
CodedResults coded_results(const BoundQuery& query, const std::vector<std::string>& names);

/// Whether each result is given as codes.
std::vector<bool> are_coded(const CodedResults& coded);

/// The names of string columns that all row groups store as dictionaries with at most half as many
/// entries as a batch has rows. Reads directories only. Errors: those of reading them.
Result<std::vector<std::string>> columns_in_dictionaries(const std::vector<Table>& tables);

/// The answer's schema with 32-bit integers in place of the coded columns.
TableSchema schema_of_codes(const TableSchema& schema, const CodedResults& coded);
/// The results that a program must compute: all except the coded ones.
std::vector<NodeId> computed_results(const std::vector<NodeId>& results, const CodedResults& coded);
/// The results of `batch` with the codes in between, in the order of the answer. Valid as long as
/// what SliceReader::load_codes() returns.
Result<std::vector<VectorView>> with_codes(const RowBatch& batch, const CodedResults& coded);
/// Attaches the slice's dictionaries to a batch of its rows. `schema` is that of the answer.
Status add_dictionaries(const TableSchema& schema, const CodedResults& coded, const Slice& slice,
                        ResultBatch& batch);

}  // namespace presso::query
