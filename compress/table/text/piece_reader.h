// SPDX-License-Identifier: MIT
// Cuts a stream of text into pieces of whole rows, about 32 MiB each; a piece becomes a row group
// (or, where rows are sorted, a run of row_sorter.h). Where pieces end depends on the text only, so
// the file does not depend on the number of threads. Memory: about two pieces.
// Tested by tests/unit/compress/table/piece_reader_test.cpp.
#pragma once

#include <algorithm>
#include <optional>

#include "compress/table/text/row_text_kind.h"
#include "presso/byte_stream.h"

namespace presso {

/// Some rows, and the line of the first byte, for messages.
struct TextPiece {
  Buffer text;
  std::uint64_t first_line = 1;
};

/// A longer row is an error: in text without line ends, or with a quote that is never closed, all
/// that follows would be held in memory.
constexpr std::size_t kMaxRowBytes = std::size_t{1} << 28;

/// For one thread at a time.
class PieceReader {
 public:
  /// The most bytes of a piece, unless a row, or text after the last row, is longer.
  static constexpr std::size_t kPieceBytes = std::size_t{32} << 20;

  /// Keeps `source` and `kind` by reference. `source` must stand at a row's beginning, in line
  /// `first_line`. `most_rows`: a piece ends after this number of rows if they take no more than
  /// kPieceBytes, else at kPieceBytes; 0: always at kPieceBytes. `row_limit`: what a row group may
  /// have; no piece has more rows, however short they are.
  PieceReader(ByteSource& source, const RowTextKind& kind, std::uint64_t first_line,
              std::uint32_t most_rows, std::uint32_t row_limit)
      : source_(source),
        kind_(kind),
        line_(first_line),
        most_rows_(std::min(most_rows, row_limit)),
        row_limit_(row_limit) {}

  /// The next piece; nullopt at the end. kInvalidArgument: a row of more than kMaxRowBytes, which
  /// mostly is a quote that is never closed.
  Result<std::optional<TextPiece>> next();

 private:
  Status fill(std::size_t size);
  Result<std::size_t> find_cut();
  Result<std::size_t> limit_rows(std::size_t cut) const;
  Result<std::optional<std::size_t>> find_rows();
  Result<std::size_t> take_tail(std::size_t cut);
  TextPiece take(std::size_t cut);

  ByteSource& source_;
  const RowTextKind& kind_;
  std::uint64_t line_;
  std::uint32_t most_rows_;
  std::uint32_t row_limit_;
  Bytes left() const { return text_.bytes().subspan(begin_); }

  Buffer text_;            ///< bytes that were read
  std::size_t begin_ = 0;  ///< the first byte that was not given out
  bool ended_ = false;
};

}  // namespace presso
