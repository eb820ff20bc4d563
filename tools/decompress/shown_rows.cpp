// SPDX-License-Identifier: MIT
// Reads the rows that shown_rows.h shows, 65,536 at a time on one thread, because people read few.
#include "tools/decompress/shown_rows.h"

#include <algorithm>
#include <numeric>

#include "presso/byte_stream.h"

namespace presso::cli {
namespace {

constexpr std::uint64_t kRowsAtOnce = 65536;
constexpr std::size_t kTextAtOnce = 16u << 10;

/// Gives rows [first, end) of the table to the sink.
Status pass_rows(const presso::Table& table, const std::vector<std::size_t>& columns,
                 std::uint64_t first, std::uint64_t end, ResultSink& sink) {
  for (std::uint64_t group = 0; group < table.row_groups() && first < end; ++group) {
    const RowGroupSummary place = table.row_group(group);
    while (first < std::min(end, place.first_row + place.rows)) {
      const std::uint64_t rest = std::min(end, place.first_row + place.rows) - first;
      const auto rows = static_cast<std::uint32_t>(std::min(rest, kRowsAtOnce));
      const auto begin = static_cast<std::uint32_t>(first - place.first_row);
      PRESSO_ASSIGN(std::vector<ColumnData> batch, table.read(group, columns, begin, rows));
      PRESSO_TRY(sink.write(std::move(batch), {}));
      first += rows;
    }
  }
  return {};
}

}  // namespace

Status write_aligned_rows(const presso::Table& table, const RowsOptions& rows,
                          const AlignedStyle& style, ByteSink& sink) {
  std::vector<std::size_t> columns = rows.columns;
  if (columns.empty()) {
    columns.resize(table.schema().columns.size());
    std::iota(columns.begin(), columns.end(), std::size_t{0});
  }
  TableSchema schema;
  for (const std::size_t column : columns) {
    schema.columns.push_back(table.schema().columns[column]);
  }
  const auto answer = make_aligned_answer({.aligned = style}, sink);
  PRESSO_TRY(answer->begin(schema));
  const std::uint64_t first = std::min(rows.first_row, table.rows());
  const std::uint64_t end = first + std::min(rows.rows, table.rows() - first);
  const std::uint64_t half = style.most_rows / 2;
  const bool shows_ends = half > 0 && end - first > 2 * half;
  PRESSO_TRY(pass_rows(table, columns, first, shows_ends ? first + half : end, *answer));
  if (shows_ends) PRESSO_TRY(pass_rows(table, columns, end - half, end, *answer));
  return answer->finish(end - first);
}

Status write_first_lines(const presso::Table& table, const RandomAccess& file, std::uint64_t lines,
                         ByteSink& sink) {
  RangeSource stored(file, 0, file.size());
  const std::unique_ptr<ByteSource> text = table_text(stored);
  std::uint64_t head = table.schema().text.head.size();
  std::vector<Byte> piece(kTextAtOnce);
  for (;;) {
    PRESSO_ASSIGN(const std::size_t got, read_fully(*text, piece));
    auto at = static_cast<std::size_t>(std::min<std::uint64_t>(head, got));
    head -= at;
    for (; at < got && lines > 0; ++at) lines -= piece[at] == '\n' ? 1 : 0;
    PRESSO_TRY(sink.write(Bytes(piece).first(at)));
    if (got < piece.size() || (lines == 0 && head == 0)) return {};
  }
}

}  // namespace presso::cli
