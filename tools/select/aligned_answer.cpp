// SPDX-License-Identifier: MIT
// Writes an answer as a table for people: columns of equal width, numbers to the right, a line
// under the names, and at the end how many rows there were. Widths are those of the first 1,000
// rows, which are held back for them; later rows are written as they come, and columns become wider
// where they need it. Numbers are never cut, since a part of one is another number; columns that do
// not fit the terminal are left out, and the last line says so. Tested by tests/cli/test_select.py.
// Memory: the cells of 1,000 rows, whatever the length of the answer. Texts are made safe for the
// terminal (cli/terminal_text.h).
#include <algorithm>

#include "format/columns/value_text.h"
#include "tools/cli/terminal_text.h"
#include "tools/select/answer_sink.h"
#include "tools/select/gathered_sink.h"

namespace presso::cli {
namespace {

// The number of rows that settle the widths; more would delay the first line of a long answer.
constexpr std::size_t kMeasuredRows = 1000;
constexpr std::size_t kLeastWidth = 8;  ///< to which texts are cut before columns are left out
constexpr std::string_view kGap = "  ";
constexpr std::string_view kNull = "null";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kPlain = "\x1b[0m";

/// A value as it is shown.
struct Cell {
  TerminalText shown;
  bool is_null = false;
};

/// A column of the table.
struct Column {
  ColumnSchema schema;
  PrintValue print = nullptr;
  TerminalText name;
  bool to_the_right = false;
  bool can_be_cut = false;
  std::size_t widest = 0;  ///< of the cells that were measured
  std::size_t width = 0;   ///< at which it is written
};

// Numbers stand to the right so that their digits are below each other.
bool is_number(ColumnType type) {
  return (type >= ColumnType::kInt8 && type <= ColumnType::kDouble) ||
         type == ColumnType::kDecimal64 || type == ColumnType::kDecimal128;
}

/// Writes one answer; rows come in order, on one thread.
class AlignedAnswer final : public AnswerSink {
 public:
  /// `to` is kept by reference and has to outlive this.
  AlignedAnswer(const AnswerOptions& options, ByteSink& to)
      : style_(options.aligned), header_(options.header), at_once_(options.at_once), to_(to) {}

  /// Chooses for each column how its values are shown; widths are measured later.
  Status begin(const TableSchema& schema) override {
    for (const ColumnSchema& column : schema.columns) {
      columns_.push_back({.schema = column,
                          .print = value_printer(column),
                          .name = terminal_text(column.name, most_width()),
                          .to_the_right = is_number(column.type),
                          .can_be_cut = is_string(column.type)});
    }
    return {};
  }

  /// Holds back the first rows to measure the columns' widths, and then writes each row at once;
  /// later values that are wider widen their column, or are cut.
  Result<bool> write(ResultBatch batch, Buffer) override {
    std::vector<ColumnView> views;
    for (const ColumnData& column : batch) views.push_back(column.view());
    // Rows after the first 1,000 are written as they come; those before wait for the layout.
    for (std::uint64_t row = 0; row < batch.front().rows; ++row) {
      if (shown_columns_ > 0) {
        const std::vector<Cell> cells = cells_of(views, row);
        for (std::size_t i = 0; i < shown_columns_; ++i) widen(columns_[i], cells[i].shown.width);
        PRESSO_TRY(write_row(cells));
        continue;
      }
      held_.push_back(cells_of(views, row));
      if (held_.size() == kMeasuredRows) PRESSO_TRY(write_held());
    }
    // At a terminal a batch appears as soon as it is there, even if it is small.
    if (at_once_) PRESSO_TRY(to_.flush());
    return true;
  }

  /// Writes what is held back, and the number of rows.
  Status finish(std::uint64_t rows) override {
    if (shown_columns_ == 0) PRESSO_TRY(write_held());
    if (header_) {
      std::string line = grouped(rows) + (rows == 1 ? " row" : " rows");
      if (shown_columns_ < columns_.size()) {
        line += " (" + std::to_string(shown_columns_) + " of " + std::to_string(columns_.size()) +
                " columns fit)";
      }
      PRESSO_TRY(write_text(line + "\n"));
    }
    return to_.flush();
  }

 private:
  /// The most that a cell may take; without a terminal there is no limit.
  std::size_t most_width() const { return style_.width == 0 ? SIZE_MAX : style_.width; }

  /// A value as it is shown: NULL, text made harmless for a terminal, or what the column's printer
  /// makes.
  Cell cell_of(const Column& column, const ColumnView& values, std::uint64_t row) const {
    if (values.is_null(row)) return {{std::string(kNull), kNull.size()}, true};
    if (is_string(column.schema.type)) return {terminal_text(values.string(row), most_width())};
    char text[kMaxValueText];
    // Bools are stored as bits and all other types as whole bytes, so a bit is taken out first.
    const auto bit = static_cast<Byte>(values.values[row / 8] >> (row % 8) & 1);
    const Byte* value = column.schema.type == ColumnType::kBool
                            ? &bit
                            : values.values + row * value_bytes(column.schema.type);
    const std::size_t length = column.print(column.schema, value, text);
    return {{std::string(text, length), length}};
  }

  /// One row, cell by cell.
  std::vector<Cell> cells_of(const std::vector<ColumnView>& views, std::uint64_t row) const {
    std::vector<Cell> cells;
    cells.reserve(views.size());
    for (std::size_t i = 0; i < views.size(); ++i) {
      cells.push_back(cell_of(columns_[i], views[i], row));
    }
    return cells;
  }

  /// The width of the column if texts and names are cut to `most`.
  static std::size_t width_of(const Column& column, std::size_t most) {
    const std::size_t name = std::min(column.name.width, most);
    const std::size_t cells = column.can_be_cut ? std::min(column.widest, most) : column.widest;
    return std::max({name, cells, std::size_t{1}});
  }

  /// The width of a line of the first `columns` columns if texts and names are cut to `most`.
  std::size_t line_width(std::size_t most, std::size_t columns) const {
    std::size_t width = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      width += (i == 0 ? 0 : kGap.size()) + width_of(columns_[i], most);
    }
    return width;
  }

  /// Settles the widths from the rows that were held back: texts are cut until a line fits, down to
  /// eight columns, and then columns are left out.
  void lay_out() {
    for (const std::vector<Cell>& row : held_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        columns_[i].widest = std::max(columns_[i].widest, row[i].shown.width);
      }
    }
    shown_columns_ = columns_.size();
    std::size_t most = most_width();
    if (style_.width > 0) {
      // Columns are left out from the right while even texts of eight columns do not fit; only then
      // are texts cut, by one column at a time, until a line does.
      while (shown_columns_ > 1 && line_width(kLeastWidth, shown_columns_) > style_.width) {
        --shown_columns_;
      }
      while (most > kLeastWidth && line_width(most, shown_columns_) > style_.width) --most;
    }
    for (Column& column : columns_) column.width = width_of(column, most);
    line_width_ = line_width(most, shown_columns_);
  }

  /// Makes the column as wide as the cell; a column of texts only as far as the terminal has room.
  void widen(Column& column, std::size_t width) {
    if (width <= column.width) return;
    // The room that is left on the line, which columns of texts share in the order of their need.
    const std::size_t room = most_width() - std::min(most_width(), line_width_);
    std::size_t more = width - column.width;
    if (column.can_be_cut) more = std::min(more, room);
    column.width += more;
    line_width_ += more;
  }

  /// Settles the widths and writes the rows that were held back.
  Status write_held() {
    lay_out();
    if (header_) PRESSO_TRY(write_names());
    for (const std::vector<Cell>& row : held_) PRESSO_TRY(write_row(row));
    // The rows are not needed any more; assigning an empty vector also gives the memory back.
    held_ = {};
    return {};
  }

  /// The names, and a line of hyphens under them. Columns that do not fit the terminal are left
  /// out.
  Status write_names() {
    std::vector<Cell> names;
    std::string rule;
    for (std::size_t i = 0; i < shown_columns_; ++i) {
      names.push_back({columns_[i].name});
      rule += std::string(i == 0 ? "" : kGap) + std::string(columns_[i].width, '-');
    }
    PRESSO_TRY(write_row(names, kBold));
    return write_text(rule + "\n");
  }

  /// One row of cells, padded to the columns' widths; numbers stand to the right.
  Status write_row(const std::vector<Cell>& cells, std::string_view color = {}) {
    std::string line;
    for (std::size_t i = 0; i < shown_columns_; ++i) {
      const Column& column = columns_[i];
      TerminalText shown = cells[i].shown;
      // Nothing is cut where the answer goes to a file or pipe, and numbers never are.
      const bool cut = style_.width > 0 && shown.width > column.width;
      if (cut && (column.can_be_cut || !color.empty())) {
        shown = terminal_text(shown.text, column.width);
      }
      // A cell that is wider than its column pushes the rest of the line to the right.
      const std::string padding(column.width - std::min(column.width, shown.width), ' ');
      const std::string_view look = cells[i].is_null ? kDim : color;
      line += i == 0 ? "" : kGap;
      if (column.to_the_right) line += padding;
      line += style_.colors && !look.empty() ? std::string(look) + shown.text + std::string(kPlain)
                                             : shown.text;
      // The last column is not padded, so that no line ends in blanks.
      if (!column.to_the_right && i + 1 < shown_columns_) line += padding;
    }
    return write_text(line + "\n");
  }

  Status write_text(const std::string& text) {
    return to_.write({reinterpret_cast<const Byte*>(text.data()), text.size()});
  }

  AlignedStyle style_;
  bool header_;
  bool at_once_;
  GatheredSink to_;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> held_;
  std::size_t shown_columns_ = 0;  ///< 0: not yet laid out
  std::size_t line_width_ = 0;
};

}  // namespace

std::unique_ptr<AnswerSink> make_aligned_answer(const AnswerOptions& options, ByteSink& to) {
  return std::make_unique<AlignedAnswer>(options, to);
}

}  // namespace presso::cli
