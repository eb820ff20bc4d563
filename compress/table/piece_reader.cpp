// SPDX-License-Identifier: MIT
#include "compress/table/piece_reader.h"

#include <algorithm>

namespace presso {
namespace {

constexpr std::size_t kLookAhead = 64u << 10;

}  // namespace

/// Reads on until there are `size` bytes or the source ends.
Status PieceReader::fill(std::size_t size) {
  const std::size_t before = text_.size();
  if (ended_ || before >= size) return {};
  text_.grow(size);
  PRESSO_ASSIGN(const std::size_t got,
                read_fully(source_, MutableBytes(text_.data() + before, size - before)));
  ended_ = got < size - before;
  text_.grow(before + got);
  return {};
}

/// Where the piece ends, which begins at text_.
Result<std::size_t> PieceReader::find_cut() {
  for (std::size_t size = kPieceBytes;; size = std::min(2 * size, kMaxCsvText)) {
    PRESSO_TRY(fill(size));
    if (ended_) return text_.size();
    PRESSO_ASSIGN(const std::size_t cut, last_record_end(dialect_, text_.bytes()));
    if (cut > 0) return cut;
    if (size == kMaxCsvText) {
      return error_in_line(line_,
                           "a record that begins here is longer than 2 GiB; is a quote "
                           "never closed?");
    }
  }
}

/// `cut`, or where most_rows_ records end before it.
Result<std::size_t> PieceReader::limit_rows(std::size_t cut) const {
  RecordBatch batch;
  std::size_t at = 0;
  for (std::uint64_t rows = 0; rows < most_rows_ && at < cut; rows += batch.records()) {
    const std::size_t wanted = std::min<std::size_t>(most_rows_ - rows, kBatchRecords);
    PRESSO_ASSIGN(at, tokenize(dialect_, text_.bytes().first(cut), at, wanted, true, batch, line_));
  }
  return at;
}

/// `cut`, or the text's end where no record follows: what stands behind the last record belongs to
/// the piece that has it.
Result<std::size_t> PieceReader::take_tail(std::size_t cut) {
  RecordBatch batch;
  for (std::size_t size = cut + kLookAhead;; size += size - cut) {
    PRESSO_TRY(fill(std::min(size, kMaxCsvText)));
    const Bytes rest = text_.bytes().subspan(cut);
    const auto seen = tokenize(dialect_, rest, 0, 1, ended_, batch, line_);
    if (!seen.ok() || batch.records() > 0) return cut;  // an error is met again with its own piece
    if (ended_) return text_.size();
    if (size >= kMaxCsvText) return cut;
  }
}

TextPiece PieceReader::take(std::size_t cut) {
  TextPiece piece;
  piece.first_line = line_;
  Buffer rest;
  rest.append(text_.bytes().subspan(cut));
  piece.text = std::move(text_);
  piece.text.grow(cut);
  text_ = std::move(rest);
  line_ += count_lines(piece.text.bytes());
  return piece;
}

Result<std::optional<TextPiece>> PieceReader::next() {
  PRESSO_ASSIGN(std::size_t cut, find_cut());
  if (cut == 0) return std::optional<TextPiece>();
  if (most_rows_ > 0) {
    PRESSO_ASSIGN(cut, limit_rows(cut));
  }
  if (cut < text_.size() || !ended_) {
    PRESSO_ASSIGN(cut, take_tail(cut));
  }
  return std::optional(take(cut));
}

}  // namespace presso
