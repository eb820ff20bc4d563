// SPDX-License-Identifier: MIT
#include "compress/table/piece_reader.h"

#include <algorithm>
#include <cstring>

#include "format/columns/row_group.h"

namespace presso {
namespace {

constexpr std::size_t kLookAhead = 64u << 10;

}  // namespace

/// Reads on until `size` bytes are there that were not given out, or the source ends.
Status PieceReader::fill(std::size_t size) {
  if (ended_ || left().size() >= size) return {};
  const Bytes rest = left();
  if (!rest.empty()) std::memmove(text_.data(), rest.data(), rest.size());
  const std::size_t before = rest.size();
  begin_ = 0;
  text_.grow(before);
  text_.grow(size);
  PRESSO_ASSIGN(const std::size_t got,
                read_fully(source_, MutableBytes(text_.data() + before, size - before)));
  ended_ = got < size - before;
  text_.grow(before + got);
  return {};
}

/// Where the piece ends that is left.
Result<std::size_t> PieceReader::find_cut() {
  for (std::size_t size = kPieceBytes;; size = std::min(2 * size, kMaxCsvText)) {
    PRESSO_TRY(fill(size));
    if (ended_) return limit_rows(left().size());
    PRESSO_ASSIGN(const std::size_t cut, last_record_end(dialect_, left()));
    if (cut > kPieceBytes) return limit_rows(cut);
    if (cut > 0) return cut;
    if (size == kMaxCsvText) {
      return error_in_line(line_,
                           "a record that begins here is longer than 2 GiB; is a quote "
                           "never closed?");
    }
  }
}

/// `cut`, or where so many records end before it as a row group may have.
Result<std::size_t> PieceReader::limit_rows(std::size_t cut) const {
  if (cut <= kPieceBytes) return cut;
  RecordBatch batch;
  std::size_t at = 0;
  for (std::uint64_t rows = 0; rows < kMaxGroupRows && at < cut; rows += batch.records()) {
    const std::size_t wanted = std::min<std::size_t>(kMaxGroupRows - rows, kBatchRecords);
    PRESSO_ASSIGN(at, tokenize(dialect_, left().first(cut), at, wanted, true, batch, line_));
    if (batch.records() == 0) return cut;
  }
  return at;
}

/// Where most_rows_ records end, if they are in memory.
Result<std::optional<std::size_t>> PieceReader::find_rows() {
  if (left().size() < kPieceBytes / 4) PRESSO_TRY(fill(kPieceBytes));
  RecordBatch batch;
  std::size_t at = 0;
  for (std::uint64_t rows = 0; rows < most_rows_; rows += batch.records()) {
    const std::size_t wanted = std::min<std::size_t>(most_rows_ - rows, kBatchRecords);
    const auto next = tokenize(dialect_, left(), at, wanted, ended_, batch, line_);
    // An error is met again with the piece that has it.
    if (!next.ok()) return std::optional<std::size_t>();
    if (batch.records() == 0) {
      if (ended_ || left().size() >= kPieceBytes) return std::optional<std::size_t>();
      PRESSO_TRY(fill(kPieceBytes));
    }
    at = *next;
  }
  return std::optional(at);
}

/// `cut`, or the text's end where no record follows: what stands behind the last record belongs to
/// the piece that has it.
Result<std::size_t> PieceReader::take_tail(std::size_t cut) {
  RecordBatch batch;
  for (std::size_t size = cut + kLookAhead;; size += size - cut) {
    PRESSO_TRY(fill(std::min(size, kMaxCsvText)));
    const Bytes rest = left().subspan(cut);
    const auto seen = tokenize(dialect_, rest, 0, 1, ended_, batch, line_);
    if (!seen.ok() || batch.records() > 0) return cut;  // an error is met again with its own piece
    if (ended_) return left().size();
    if (size >= kMaxCsvText) return cut;
  }
}

TextPiece PieceReader::take(std::size_t cut) {
  TextPiece piece;
  piece.first_line = line_;
  piece.text.append(left().first(cut));
  begin_ += cut;
  line_ += count_lines(piece.text.bytes());
  return piece;
}

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
