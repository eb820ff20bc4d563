// SPDX-License-Identifier: MIT
// Writes an answer as a table for people: columns of equal width, numbers to the right, a line
// under the names, and at the end how many rows there were. Widths are those of the first 1,000
// rows, which are held back for them; later rows are written as they come, and columns become wider
// where they need it. Where AlignedStyle::most_rows says so, only the first and last rows are
// shown, and nothing is written before the last row is known. Numbers are never cut, since a part
// of one is another number. Rows of more columns than fit the terminal are written vertically, a
// line for each value. Memory: the cells of 1,000 rows, whatever the length of the answer. Texts
// are made safe for the terminal (cli/terminal_text.h). Tested by tests/cli/test_select.py.
#include <algorithm>

#include "format/columns/value_text.h"
#include "tools/cli/terminal_text.h"
#include "tools/select/answer_sink.h"
#include "tools/select/gathered_sink.h"

namespace presso::cli {
namespace {

// The number of rows that settle the widths; more would delay the first line of a long answer.
constexpr std::size_t kMeasuredRows = 1000;
constexpr std::size_t kLeastWidth = 8;  ///< to which texts are cut so that a row fits on a line
constexpr std::string_view kGap = "  ";
constexpr std::string_view kLeftOut = "…";
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
    const std::uint64_t rows = batch.front().rows;
    for (std::uint64_t row = 0; row < rows; ++row) {
      if (is_laid_out_) {
        PRESSO_TRY(write_row(cells_of(views, row)));
        continue;
      }
      // Rows in the middle are not even made.
      const std::size_t half = style_.most_rows / 2;
      if (half > 0 && held_.size() >= half && rows - row > half) row = rows - half;
      hold(cells_of(views, row));
      if (half == 0 && held_.size() == kMeasuredRows) PRESSO_TRY(write_held(0));
    }
    // At a terminal a batch appears as soon as it is there, even if it is small.
    if (at_once_) PRESSO_TRY(to_.flush());
    return true;
  }

  /// Writes what is held back, and the number of rows.
  Status finish(std::uint64_t rows) override {
    const std::uint64_t left_out = is_laid_out_ ? 0 : rows - held_.size();
    if (!is_laid_out_) PRESSO_TRY(write_held(left_out));
    if (header_) {
      std::string line = grouped(rows) + (rows == 1 ? " row" : " rows");
      if (left_out > 0) {
        line += " (the first and last " + std::to_string(style_.most_rows / 2) + " are shown; " +
                std::string(style_.shows_more) + " shows more)";
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

  /// Holds a row back. If only some rows are shown, one from the middle makes room for it.
  void hold(std::vector<Cell> cells) {
    if (style_.most_rows > 0 && held_.size() == style_.most_rows) {
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(style_.most_rows / 2));
    }
    held_.push_back(std::move(cells));
  }

  /// The width of the column if texts and names are cut to `most`.
  static std::size_t width_of(const Column& column, std::size_t most) {
    const std::size_t name = std::min(column.name.width, most);
    const std::size_t cells = column.can_be_cut ? std::min(column.widest, most) : column.widest;
    return std::max({name, cells, std::size_t{1}});
  }

  /// The width of a line if texts and names are cut to `most`.
  std::size_t line_width(std::size_t most) const {
    std::size_t width = 0;
    for (const Column& column : columns_) width += kGap.size() + width_of(column, most);
    return width - kGap.size();
  }

  /// Settles the widths from the rows that were held back: texts are cut until a line fits, down to
  /// eight columns. If that is not enough, rows are written vertically.
  void lay_out() {
    is_laid_out_ = true;
    for (const std::vector<Cell>& row : held_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        columns_[i].widest = std::max(columns_[i].widest, row[i].shown.width);
      }
    }
    std::size_t most = most_width();
    if (style_.width > 0) {
      is_vertical_ = columns_.size() > 1 && line_width(kLeastWidth) > style_.width;
      while (most > kLeastWidth && line_width(most) > style_.width) --most;
    }
    for (Column& column : columns_) {
      column.width = width_of(column, most);
      // Half of the terminal is left for the values.
      names_width_ = std::max(names_width_, std::min(column.name.width, most_width() / 2));
    }
    line_width_ = line_width(most);
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

  /// Settles the widths and writes the rows that were held back. `left_out`: how many rows stand
  /// between the first half of them and the second.
  Status write_held(std::uint64_t left_out) {
    lay_out();
    if (header_ && !is_vertical_) PRESSO_TRY(write_names());
    for (std::size_t i = 0; i < held_.size(); ++i) {
      if (left_out > 0 && i == style_.most_rows / 2) PRESSO_TRY(write_left_out(left_out));
      PRESSO_TRY(write_row(held_[i]));
    }
    // The rows are not needed any more; assigning an empty vector also gives the memory back.
    held_ = {};
    return {};
  }

  /// A line in place of rows that are not shown.
  Status write_left_out(std::uint64_t rows) {
    row_number_ += rows;
    if (is_vertical_) return write_text(std::string(kLeftOut) + "\n");
    return write_line(std::vector<Cell>(columns_.size(), {{std::string(kLeftOut), 1}}), kDim);
  }

  /// The names, and a line of hyphens under them.
  Status write_names() {
    std::vector<Cell> names;
    std::string rule;
    for (const Column& column : columns_) {
      names.push_back({column.name});
      rule += std::string(rule.empty() ? "" : kGap) + std::string(column.width, '-');
    }
    PRESSO_TRY(write_line(names, kBold));
    return write_text(rule + "\n");
  }

  /// A row in either form.
  Status write_row(const std::vector<Cell>& cells) {
    ++row_number_;
    if (is_vertical_) return write_lines(cells);
    for (std::size_t i = 0; i < cells.size(); ++i) widen(columns_[i], cells[i].shown.width);
    return write_line(cells);
  }

  /// A text in a colour, where there are colours.
  std::string colored(const std::string& text, std::string_view color) const {
    if (!style_.colors || color.empty()) return text;
    return std::string(color) + text + std::string(kPlain);
  }

  /// A row as a line for each of its values, with the column's name before it.
  Status write_lines(const std::vector<Cell>& cells) {
    std::string text = colored("row " + grouped(row_number_), kBold) + "\n";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const TerminalText name = terminal_text(columns_[i].name.text, names_width_);
      const std::size_t before = 2 * kGap.size() + names_width_;
      TerminalText value = cells[i].shown;
      if (columns_[i].can_be_cut && before + value.width > style_.width) {
        value = terminal_text(value.text, style_.width - std::min(style_.width, before));
      }
      text += std::string(kGap) + name.text + std::string(names_width_ - name.width, ' ');
      text += std::string(kGap) + colored(value.text, cells[i].is_null ? kDim : "") + "\n";
    }
    return write_text(text);
  }

  /// Cells on one line, padded to the columns' widths; numbers stand to the right.
  Status write_line(const std::vector<Cell>& cells, std::string_view color = {}) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const Column& column = columns_[i];
      TerminalText shown = cells[i].shown;
      // Nothing is cut where the answer goes to a file or pipe, and numbers never are.
      const bool cut = style_.width > 0 && shown.width > column.width;
      if (cut && (column.can_be_cut || !color.empty())) {
        shown = terminal_text(shown.text, column.width);
      }
      // A cell that is wider than its column pushes the rest of the line to the right.
      const std::string padding(column.width - std::min(column.width, shown.width), ' ');
      line += i == 0 ? "" : kGap;
      if (column.to_the_right) line += padding;
      line += colored(shown.text, cells[i].is_null ? kDim : color);
      // The last column is not padded, so that no line ends in blanks.
      if (!column.to_the_right && i + 1 < cells.size()) line += padding;
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
  bool is_laid_out_ = false;
  bool is_vertical_ = false;
  std::size_t line_width_ = 0;
  std::size_t names_width_ = 0;  ///< if rows are vertical
  std::uint64_t row_number_ = 0;
};

}  // namespace

std::unique_ptr<AnswerSink> make_aligned_answer(const AnswerOptions& options, ByteSink& to) {
  return std::make_unique<AlignedAnswer>(options, to);
}

}  // namespace presso::cli
