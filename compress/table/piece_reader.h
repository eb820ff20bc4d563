// SPDX-License-Identifier: MIT
// Cuts a stream of delimited text into pieces of whole records: what becomes a row group each.
// Tested by tests/unit/compress/table/piece_reader_test.cpp.
#pragma once

#include <optional>

#include "compress/table/csv_tokenizer.h"
#include "presso/byte_stream.h"

namespace presso {

struct TextPiece {
  Buffer text;
  std::uint64_t first_line = 1;
};

class PieceReader {
 public:
  /// Text that a piece has, but for longer records. So a piece of the shortest rows, of two bytes,
  /// has no more than a row group may have.
  static constexpr std::size_t kPieceBytes = std::size_t{32} << 20;

  /// `source` is kept by reference and stands at a record's begin, in line `first_line`.
  /// `most_rows`: of a piece; 0: no limit.
  PieceReader(ByteSource& source, const Dialect& dialect, std::uint64_t first_line,
              std::uint32_t most_rows)
      : source_(source), dialect_(dialect), line_(first_line), most_rows_(most_rows) {}

  /// nullopt at the end. kInvalidArgument: a record of 2 GiB, which mostly is a quote that is never
  /// closed.
  Result<std::optional<TextPiece>> next();

 private:
  Status fill(std::size_t size);
  Result<std::size_t> find_cut();
  Result<std::size_t> limit_rows(std::size_t cut) const;
  Result<std::optional<std::size_t>> find_rows();
  Result<std::size_t> take_tail(std::size_t cut);
  TextPiece take(std::size_t cut);

  ByteSource& source_;
  Dialect dialect_;
  std::uint64_t line_;
  std::uint32_t most_rows_;
  Bytes left() const { return text_.bytes().subspan(begin_); }

  Buffer text_;            ///< what was read
  std::size_t begin_ = 0;  ///< of what was not given out
  bool ended_ = false;
};

}  // namespace presso
