// SPDX-License-Identifier: MIT
// Prints batches of rows and compares them with the text: first all of a batch, and row by row only
// if it differs. It costs about as much as printing (format/columns/row_text.h).
#include "compress/table/text/exact_lines.h"

#include <algorithm>
#include <cstring>

#include "format/columns/row_text.h"

namespace presso {
namespace {

bool same(Bytes a, Bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

/// Compares printed rows with the text they came from and keeps the differing ones.
class Comparer {
 public:
  Comparer(Bytes text, const std::vector<std::uint32_t>& ends, ExactLines& exact)
      : text_(text), ends_(ends), exact_(exact) {}

  /// Compares batch by batch, and keeps the text after the last row.
  Status compare(const RowPrinter& printer) {
    Buffer printed;
    std::vector<std::uint64_t> ends;
    for (std::size_t row = 0; row < ends_.size(); row += kBatchRecords) {
      printed.clear();
      const std::size_t rows = std::min(kBatchRecords, ends_.size() - row);
      PRESSO_TRY(printer.print_rows(row, rows, printed, ends));
      if (!same(stood(row, row + rows), printed.bytes())) {
        compare_rows(row, printed.bytes(), ends);
      }
    }
    const std::size_t end = end_before(ends_.size());
    if (end < text_.size()) keep(ends_.size(), text_.subspan(end));
    return {};
  }

 private:
  /// Compares the rows of a batch that differs one by one.
  void compare_rows(std::size_t row, Bytes printed, const std::vector<std::uint64_t>& ends) {
    std::uint64_t begin = 0;
    for (const std::uint64_t end : ends) {
      const Bytes line = stood(row, row + 1);
      if (!same(line, printed.subspan(begin, end - begin))) keep(row, line);
      begin = end;
      ++row;
    }
  }

  /// Appends one row's text as it stood.
  void keep(std::size_t row, Bytes text) {
    if (exact_.offsets.empty()) exact_.offsets.push_back(0);
    exact_.rows.push_back(static_cast<std::uint32_t>(row));
    exact_.bytes.insert(exact_.bytes.end(), text.begin(), text.end());
    exact_.offsets.push_back(static_cast<std::int64_t>(exact_.bytes.size()));
  }

  /// Where the row before ends, so that blank lines and comments belong to the row after them.
  std::size_t end_before(std::size_t row) const { return row == 0 ? 0 : ends_[row - 1]; }
  Bytes stood(std::size_t row, std::size_t end) const {
    return text_.subspan(end_before(row), end_before(end) - end_before(row));
  }

  Bytes text_;
  const std::vector<std::uint32_t>& ends_;
  ExactLines& exact_;
};

}  // namespace

// Text after the last row is kept under the number of rows, as if it were one more row.
Result<LoadedRows> finish_rows(Bytes text, const TableSchema& schema,
                               const std::vector<std::uint32_t>& ends,
                               std::vector<ColumnBuilder>& builders) {
  LoadedRows loaded;
  loaded.rows = ends.size();
  ExactLines spellings;  // without lines, since they are what is found out
  for (std::size_t i = 0; i < builders.size(); ++i) {
    loaded.columns.push_back(builders[i].finish());
    if (schema.columns[i].spelled) spellings.spellings.push_back(builders[i].take_spellings());
  }
  if (!schema.exact) return loaded;
  std::vector<ColumnView> views;
  for (const ColumnData& column : loaded.columns) views.push_back(column.view());
  PRESSO_TRY(Comparer(text, ends, loaded.exact).compare(RowPrinter(schema, views, &spellings)));
  loaded.exact.spellings = std::move(spellings.spellings);
  return loaded;
}

}  // namespace presso
