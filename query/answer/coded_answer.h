// SPDX-License-Identifier: MIT
// Columns of strings that a stream of Arrow's gives as dictionaries (QueryOptions::dictionaries):
// rows of a table that are not joined, grouped or sorted give codes as they are stored, and with
// them the dictionary of the row group, which all of its batches share.
// Tested by python/tests/test_dictionaries.py.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "query/run/execution.h"

namespace presso::query {

/// For each result the table's column whose codes it is, of those called `names`; nullopt: it is
/// none. Empty where the query gives no codes at all.
CodedResults coded_results(const BoundQuery& query, const std::vector<std::string>& names);

/// Whether each result is given as codes.
std::vector<bool> are_coded(const CodedResults& coded);

/// Those columns of strings that are called by their own names and that all row groups store as
/// dictionaries of at most half as many entries as a batch has rows. Reads directories.
Result<std::vector<std::string>> columns_in_dictionaries(const std::vector<Table>& tables);

/// The answer's columns with codes, integers of 32 bits, in place of those strings.
TableSchema schema_of_codes(const TableSchema& schema, const CodedResults& coded);
/// The results that are computed: all but the codes.
std::vector<NodeId> computed_results(const std::vector<NodeId>& results, const CodedResults& coded);
/// The results of `batch`, and between them the codes. Valid as what SliceReader::load_codes()
/// gives.
Result<std::vector<VectorView>> with_codes(const RowBatch& batch, const CodedResults& coded);
/// Adds the dictionaries to a batch of rows of the slice; `schema`: the answer's.
Status add_dictionaries(const TableSchema& schema, const CodedResults& coded, const Slice& slice,
                        ResultBatch& batch);

}  // namespace presso::query
