// SPDX-License-Identifier: MIT
// Guesses where PieceReader (piece_reader.h) would cut a file into pieces, so that threads can read
// the pieces themselves. PieceReader has to read all text before a cut, because a line feed in
// quotes ends no row; here only the text around the cut is read, as if no quotation were open
// there. The thread that reads the piece finds out whether that was right, at the cost of a search
// for quotes and line ends. From a wrong guess on the caller goes on with PieceReader. Nothing is
// guessed where rows are longer than a hundred kilobytes, or where blank lines or comments of that
// size follow a cut. Tested by tests/unit/compress/table/piece_guess_test.cpp.
#pragma once

#include <optional>

#include "compress/table/text/row_text_kind.h"
#include "presso/byte_stream.h"

namespace presso {

/// Where a piece stands in its file.
struct PiecePlace {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

/// Goes through a file from piece to piece. next() is for one thread at a time.
class PieceGuesser {
 public:
  /// `file` and `kind` are kept by reference; a row begins at `begin`.
  PieceGuesser(const RandomAccess& file, std::uint64_t begin, const RowTextKind& kind)
      : file_(file), kind_(kind), at_(begin) {}

  /// The place of the next piece; nullopt at the end of the file, and where nothing can be guessed.
  Result<std::optional<PiecePlace>> next();
  /// Reads a piece that next() gave. Returns whether PieceReader would have cut it at its end, if
  /// no limit of rows had made it shorter. May be called by several threads at once.
  Result<bool> read(const PiecePlace& place, Buffer& text) const;

 private:
  Result<std::size_t> guess_size();

  const RandomAccess& file_;
  const RowTextKind& kind_;
  std::uint64_t at_;
  Buffer around_;  ///< text before and after a cut
};

}  // namespace presso
