// SPDX-License-Identifier: MIT
// PieceReader: reads ahead until a piece can be cut. Pieces are moved out of the buffer, and only
// the short rest is copied. A row longer than a piece makes the buffer grow to twice its size, up
// to kMaxRowBytes; text after a last row, which belongs to its piece, up to kMaxCsvText.
#include "compress/table/text/piece_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace presso {
namespace {

constexpr std::size_t kLookAhead = 64u << 10;   ///< read after a cut, to see whether a row follows
constexpr std::size_t kSmallText = 256u << 10;  ///< read first, before memory for more is taken

}  // namespace

/// Reads until `size` bytes are available that were not given out, or the source ends. The end
/// of a small text is found before memory for a large one is taken.
Status PieceReader::fill(std::size_t size) {
  if (ended_ || left().size() >= size) return {};
  const Bytes rest = left();
  if (!rest.empty()) std::memmove(text_.data(), rest.data(), rest.size());
  std::size_t filled = rest.size();
  begin_ = 0;
  text_.grow(filled);
  for (const std::size_t step : {std::min(filled + kSmallText, size), size}) {
    text_.grow(step);
    PRESSO_ASSIGN(const std::size_t got,
                  read_fully(source_, MutableBytes(text_.data() + filled, step - filled)));
    filled += got;
    text_.grow(filled);
    ended_ = filled < step;
    if (ended_) break;
  }
  return {};
}

/// Where the next piece ends, by its bytes: after the last row that ends within kPieceBytes, or
/// after a longer row.
Result<std::size_t> PieceReader::find_cut() {
  for (std::size_t size = kPieceBytes;; size = std::min(2 * size, kMaxRowBytes)) {
    PRESSO_TRY(fill(size));
    if (ended_) return limit_rows(left().size());
    PRESSO_ASSIGN(const std::size_t cut, kind_.last_row_end(left()));
    if (cut > 0) return limit_rows(cut);
    if (size == kMaxRowBytes) {
      return error_in_line(
          line_, "a row that begins here is longer than 256 MiB; is a quote never closed?");
    }
  }
}

/// Returns `cut`, or an earlier place if there are more rows before it than a row group may
/// have.
Result<std::size_t> PieceReader::limit_rows(std::size_t cut) const {
  const Bytes text = left().first(cut);
  if (kind_.most_rows(text, count_lines(text)) < row_limit_) return cut;
  std::size_t rows = 0;
  const auto end = kind_.pass_rows(text, 0, row_limit_, true, rows);
  return end.ok() ? *end : cut;  // an error is met again with the piece
}

/// Where most_rows_ rows end; nullopt if that is not within the bytes of a piece.
Result<std::optional<std::size_t>> PieceReader::find_rows() {
  for (const std::size_t size : {kPieceBytes / 4, kPieceBytes}) {
    if (left().size() < size) PRESSO_TRY(fill(kPieceBytes));
    std::size_t rows = 0;
    const auto end = kind_.pass_rows(left(), 0, most_rows_, ended_, rows);
    // An error is met again with the piece that has it.
    if (!end.ok()) break;
    if (rows == most_rows_) return std::optional(*end);
    if (ended_) break;
  }
  return std::optional<std::size_t>();
}

/// Returns `cut`, or the text's end if no row follows: text after the last row belongs to the
/// piece that has that row.
Result<std::size_t> PieceReader::take_tail(std::size_t cut) {
  std::size_t rows = 0;
  for (std::size_t size = cut + kLookAhead;; size += size - cut) {
    PRESSO_TRY(fill(std::min(size, kMaxCsvText)));
    const Bytes rest = left().subspan(cut);
    const auto seen = kind_.pass_rows(rest, 0, 1, ended_, rows);
    if (!seen.ok() || rows > 0) return cut;  // an error is met again with its own piece
    if (ended_) return left().size();
    if (size >= kMaxCsvText) return cut;
  }
}

// Moves the piece out and counts its lines, so that later messages have the right line.
TextPiece PieceReader::take(std::size_t cut) {
  TextPiece piece;
  piece.first_line = line_;
  if (begin_ == 0 && text_.size() - cut < cut / 16) {  // nearly always
    Buffer rest;
    rest.append(text_.bytes().subspan(cut));
    text_.grow(cut);
    piece.text = std::exchange(text_, std::move(rest));
  } else {
    piece.text.append(left().first(cut));
    begin_ += cut;
  }
  line_ += count_lines(piece.text.bytes());
  return piece;
}

/// Cuts by rows if most_rows_ is set and these rows take no more than a piece, otherwise by bytes.
Result<std::optional<TextPiece>> PieceReader::next() {
  std::optional<std::size_t> cut;
  if (most_rows_ > 0) {
    PRESSO_ASSIGN(cut, find_rows());
  }
  if (!cut) {
    PRESSO_ASSIGN(cut, find_cut());
  }
  if (*cut == 0) return std::optional<TextPiece>();
  if (*cut < left().size() || !ended_) {
    PRESSO_ASSIGN(cut, take_tail(*cut));
  }
  return std::optional(take(*cut));
}

}  // namespace presso
