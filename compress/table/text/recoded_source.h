// SPDX-License-Identifier: MIT
// Reads text of another encoding as UTF-8 (format/columns/text_encoding.h), and finds out which one
// it is. Memory: 64 KiB of the text and what becomes of them. Tested by
// tests/unit/compress/table/recoded_source_test.cpp and tests/cli/test_encodings.py.
#pragma once

#include <optional>

#include "presso/byte_stream.h"
#include "presso/table_schema.h"

namespace presso {

/// So much of a text is looked at for its encoding.
constexpr std::size_t kEncodingBytes = 4096;

/// The encoding of a text that begins so; never kUtf16. `asked` is what the caller has said, of
/// which a byte order mark decides only whether UTF-16 is LE or BE. kUnsupported: UTF-32.
Result<TextEncoding> encoding_of_text(Bytes begun, std::optional<TextEncoding> asked);

/// A text as UTF-8. kInvalidArgument, with the place, where a character is not valid.
class RecodedSource final : public ByteSource {
 public:
  /// `text` is kept by reference. `encoding` is not kUtf8.
  RecodedSource(ByteSource& text, TextEncoding encoding) : text_(text), encoding_(encoding) {}
  Result<std::size_t> read(MutableBytes into) override;

 private:
  Status fill();
  Error not_valid(Bytes rest) const;

  ByteSource& text_;
  TextEncoding encoding_;
  Buffer stored_;             ///< what was read and not converted yet
  Buffer plain_;              ///< what was converted
  std::size_t at_ = 0;        ///< in plain_
  std::uint64_t offset_ = 0;  ///< in the text, of stored_
  std::uint64_t lines_ = 0;   ///< line feeds before plain_
  bool ended_ = false;
};

}  // namespace presso
