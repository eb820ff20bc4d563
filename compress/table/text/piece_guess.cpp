// SPDX-License-Identifier: MIT
// PieceGuesser: reads 192 KiB around the place where a piece of 32 MiB would end at most, and takes
// the last row end before it.
#include "compress/table/text/piece_guess.h"

#include <algorithm>

#include "compress/table/text/piece_reader.h"

namespace presso {
namespace {

constexpr std::size_t kPieceBytes = PieceReader::kPieceBytes;
/// How much text is read before and after the end of the longest possible piece.
constexpr std::size_t kBefore = 128u << 10;
constexpr std::size_t kAfter = 64u << 10;

}  // namespace

/// The size of the piece at at_, which is not the last one; 0 where it cannot be guessed.
Result<std::size_t> PieceGuesser::guess_size() {
  const std::uint64_t begin = at_ + kPieceBytes - kBefore;
  const std::uint64_t bytes = std::min<std::uint64_t>(kBefore + kAfter, file_.size() - begin);
  around_.resize_discarding(static_cast<std::size_t>(bytes));
  PRESSO_TRY(file_.read_at(begin, around_.mutable_bytes()));
  const Bytes before = around_.bytes().first(kBefore);
  const auto line_feed = std::find(before.begin(), before.end(), Byte{'\n'});
  if (line_feed == before.end()) return std::size_t{0};
  const auto line = static_cast<std::size_t>(line_feed + 1 - before.begin());
  const Result<std::size_t> rows_end = kind_.last_row_end(before.subspan(line));
  if (!rows_end.ok() || *rows_end == 0) return std::size_t{0};
  const std::size_t cut = line + *rows_end;
  // What stands after the last row of a text belongs to the piece that has this row.
  std::size_t rows = 0;
  const auto passed = kind_.pass_rows(around_.bytes().subspan(cut), 0, 1, false, rows);
  if (!passed.ok() || rows == 0) return std::size_t{0};
  return kPieceBytes - kBefore + cut;
}

Result<std::optional<PiecePlace>> PieceGuesser::next() {
  const std::uint64_t left = file_.size() - at_;
  PiecePlace place{at_, left};
  if (left >= kPieceBytes) {
    PRESSO_ASSIGN(place.bytes, guess_size());
  }
  if (place.bytes == 0) return std::optional<PiecePlace>();
  at_ += place.bytes;
  return std::optional(place);
}

Result<bool> PieceGuesser::read(const PiecePlace& place, Buffer& text) const {
  const bool is_last = file_.size() - place.begin < kPieceBytes;
  const std::size_t bytes = is_last ? static_cast<std::size_t>(place.bytes) : kPieceBytes;
  text.resize_discarding(bytes);
  PRESSO_TRY(file_.read_at(place.begin, text.mutable_bytes()));
  if (is_last) return true;
  const Result<std::size_t> end = kind_.last_row_end(text.bytes());
  text.grow(static_cast<std::size_t>(place.bytes));
  return end.ok() && *end == place.bytes;
}

}  // namespace presso
