// SPDX-License-Identifier: MIT
// The rules for what is no character are those of the WHATWG's encoding standard, which ripgrep
// follows: a surrogate without its other half is one U+FFFD, and so is half a character at the end;
// "latin1" is Windows-1252, whose five free bytes are control characters. Tested by
// tests/cli/test_scan_encoding.py, against ripgrep where it is installed.
#include "tools/scan/scan_encoding.h"

#include <iconv.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

#include "decompress/utf16_mark.h"
#include "format/ascii.h"
#include "format/columns/text_encoding.h"

namespace presso::cli {
namespace {

constexpr std::size_t kPieceBytes = 64u << 10;
constexpr Byte kNoCharacter[] = {0xEF, 0xBF, 0xBD};  ///< U+FFFD as UTF-8

/// Converts a text piece by piece.
class TextDecoder {
 public:
  virtual ~TextDecoder() = default;
  /// Appends the characters of `text` and returns how many bytes that took: all of them if the text
  /// `ended`, otherwise as many as make whole characters.
  virtual std::size_t decode(Bytes text, bool ended, Buffer& to) = 0;
};

/// UTF-16, and encodings with a byte for each character.
class KnownDecoder final : public TextDecoder {
 public:
  explicit KnownDecoder(TextEncoding encoding) : encoding_(encoding) {}

  std::size_t decode(Bytes text, bool ended, Buffer& to) override {
    std::size_t at = 0;
    for (;;) {
      at += append_decoded(encoding_, text.subspan(at), to);
      const std::size_t left = text.size() - at;
      if (left == 0) return at;
      if (encoding_ == TextEncoding::kWindows1252) {
        at += append_control(text[at], to);
        continue;
      }
      // Four bytes would be a character if they were one; fewer may become one.
      if (left < 4 && !ended) return at;
      to.append(kNoCharacter);
      at += left < 4 && !is_second_half(text.subspan(at)) ? left : 2;
    }
  }

 private:
  /// A byte from 0x80 to 0x9F that has no character, as the control character of that number.
  static std::size_t append_control(Byte byte, Buffer& to) {
    const Byte utf8[] = {0xC2, byte};
    to.append(utf8);
    return 1;
  }

  /// Whether it begins with the second half of a surrogate pair, which is no character by itself.
  bool is_second_half(Bytes text) const {
    if (text.size() < 2) return false;
    const Byte high = text[encoding_ == TextEncoding::kUtf16Le ? 1 : 0];
    return (high & 0xFC) == 0xDC;
  }

  TextEncoding encoding_;
};

/// Whatever iconv(3) knows.
class IconvDecoder final : public TextDecoder {
 public:
  /// nullptr if it does not know the encoding.
  static std::unique_ptr<IconvDecoder> open(const std::string& name) {
    const iconv_t converter = iconv_open("UTF-8", name.c_str());
    if (reinterpret_cast<std::intptr_t>(converter) == -1) return nullptr;
    return std::unique_ptr<IconvDecoder>(new IconvDecoder(converter));
  }
  ~IconvDecoder() override { iconv_close(converter_); }
  IconvDecoder(const IconvDecoder&) = delete;
  IconvDecoder& operator=(const IconvDecoder&) = delete;

  std::size_t decode(Bytes text, bool ended, Buffer& to) override {
    std::size_t left = text.size();
    // iconv() does not write to its input, although its type says so.
    char* from = const_cast<char*>(reinterpret_cast<const char*>(text.data()));
    while (left > 0) {
      char piece[4096];
      char* into = piece;
      std::size_t room = sizeof piece;
      const std::size_t done = iconv(converter_, &from, &left, &into, &room);
      const int why = done == static_cast<std::size_t>(-1) ? errno : 0;
      to.append({reinterpret_cast<const Byte*>(piece), sizeof piece - room});
      if (why == EINVAL && !ended) break;
      if (why == EINVAL) left = 0;
      if (why == EILSEQ) {
        ++from;
        --left;
      }
      if (why == EINVAL || why == EILSEQ) to.append(kNoCharacter);
    }
    return text.size() - left;
  }

 private:
  explicit IconvDecoder(iconv_t converter) : converter_(converter) {}

  iconv_t converter_;
};

/// Which of the encodings that are converted here a name means; kUtf8: the text is taken as it is.
std::optional<TextEncoding> known_encoding(std::string_view name) {
  const std::optional<TextEncoding> found = encoding_of_name(name);
  if (!found) return std::nullopt;
  if (name == "ascii" || *found == TextEncoding::kLatin1) return TextEncoding::kWindows1252;
  return *found == TextEncoding::kUtf16 ? TextEncoding::kUtf16Le : *found;
}

/// The decoder of an encoding that parse_encoding() has accepted; nullptr: there is nothing to
/// convert.
std::unique_ptr<TextDecoder> make_decoder(const std::string& name) {
  if (name.empty()) return nullptr;
  const std::optional<TextEncoding> known = known_encoding(name);
  if (known) return std::make_unique<KnownDecoder>(*known);
  return IconvDecoder::open(name);
}

/// The text as it is or converted, which its first bytes decide.
class RecodedText final : public ByteSource {
 public:
  RecodedText(std::unique_ptr<ByteSource> text, ScanEncoding encoding)
      : text_(std::move(text)), encoding_(std::move(encoding)) {}

  Result<std::size_t> read(MutableBytes into) override {
    if (!begun_) PRESSO_TRY(begin());
    while (at_ == plain_.size()) {
      if (!decoder_ && stored_.empty()) return text_->read(into);
      if (ended_) return std::size_t{0};
      PRESSO_TRY(fill());
    }
    const std::size_t count = std::min(into.size(), plain_.size() - at_);
    std::copy_n(plain_.data() + at_, count, into.data());
    at_ += count;
    return count;
  }

 private:
  /// Reads the first bytes and chooses the decoder. A mark is no part of the text; that of UTF-8
  /// outweighs nothing, as in ripgrep, and is left to the search if nothing is converted.
  Status begin() {
    begun_ = true;
    Byte first[3];
    PRESSO_ASSIGN(const std::size_t got, read_fully(*text_, first));
    const Bytes begin(first, got);
    const bool has_utf8_mark = got == 3 && first[0] == 0xEF && first[1] == 0xBB && first[2] == 0xBF;
    if (begins_with_utf16_mark(begin)) {
      decoder_ = std::make_unique<KnownDecoder>(first[0] == 0xFF ? TextEncoding::kUtf16Le
                                                                 : TextEncoding::kUtf16Be);
      stored_.append(begin.subspan(2));
    } else if ((decoder_ = make_decoder(encoding_.name)) == nullptr) {
      plain_.append(begin);
    } else if (!has_utf8_mark) {
      stored_.append(begin);
    }
    return {};
  }

  /// Converts what is there and another piece. What makes no whole character yet is kept.
  Status fill() {
    plain_.clear();
    at_ = 0;
    const std::size_t left = stored_.size();
    stored_.grow(left + kPieceBytes);
    PRESSO_ASSIGN(const std::size_t got,
                  text_->read(stored_.mutable_bytes().subspan(left, kPieceBytes)));
    stored_.grow(left + got);
    ended_ = got == 0;
    const std::size_t used = decoder_->decode(stored_.bytes(), ended_, plain_);
    Buffer rest;
    rest.append(stored_.bytes().subspan(used));
    stored_ = std::move(rest);
    return {};
  }

  std::unique_ptr<ByteSource> text_;
  ScanEncoding encoding_;
  std::unique_ptr<TextDecoder> decoder_;
  Buffer stored_;       ///< read and not converted yet
  Buffer plain_;        ///< converted
  std::size_t at_ = 0;  ///< in plain_
  bool begun_ = false;
  bool ended_ = false;
};

/// The blocks of a presso file one after another.
class DecodedText final : public ByteSource {
 public:
  DecodedText(ByteSource& file, const DecodeOptions& options)
      : blocks_(file, {.decode = options}) {}

  Result<std::size_t> read(MutableBytes into) override {
    while (at_ == plain_.size()) {
      PRESSO_ASSIGN(std::optional<BlockItem> item, blocks_.next());
      if (!item) return std::size_t{0};
      DecodedBlock block = blocks_.decode(std::move(*item));
      if (!block.status.ok()) return block.status.error();
      blocks_.recycle(std::exchange(plain_, std::move(block.plain)));
      at_ = 0;
    }
    const std::size_t count = std::min(into.size(), plain_.size() - at_);
    std::copy_n(plain_.data() + at_, count, into.data());
    at_ += count;
    return count;
  }

 private:
  BlockStream blocks_;
  Buffer plain_;
  std::size_t at_ = 0;
};

}  // namespace

Result<ScanEncoding> parse_encoding(const std::string& name) {
  std::string small = ascii::lower(name);
  if (small == "auto") return ScanEncoding{};
  if (small == "none") return ScanEncoding{.looks_for_mark = false, .name = {}};
  if (known_encoding(small) == TextEncoding::kUtf8) return ScanEncoding{};
  if (small.empty() || make_decoder(small) == nullptr) {
    return make_error(ErrorCode::kInvalidArgument,
                      "'" + name +
                          "' is no encoding that this system knows; 'iconv -l' lists them, and "
                          "'none' searches the bytes as they are");
  }
  return ScanEncoding{.looks_for_mark = true, .name = std::move(small)};
}

bool needs_recoding(Bytes begun, const ScanEncoding& encoding) {
  return encoding.looks_for_mark && (!encoding.name.empty() || begins_with_utf16_mark(begun));
}

std::unique_ptr<ByteSource> recoded_text(std::unique_ptr<ByteSource> text,
                                         const ScanEncoding& encoding) {
  return std::make_unique<RecodedText>(std::move(text), encoding);
}

std::unique_ptr<ByteSource> decoded_text(ByteSource& file, const DecodeOptions& options) {
  return std::make_unique<DecodedText>(file, options);
}

}  // namespace presso::cli
