// SPDX-License-Identifier: MIT
// Converts a piece of the text at a time. A character that a piece cuts in two waits for the next.
#include "compress/table/text/recoded_source.h"

#include <algorithm>
#include <string>

#include "format/columns/text_encoding.h"
#include "format/line_facts.h"

namespace presso {
namespace {

constexpr std::size_t kRecodedBytes = 64u << 10;

}  // namespace

Result<TextEncoding> encoding_of_text(Bytes begun, std::optional<TextEncoding> asked) {
  const TextEncoding found = find_encoding(begun);
  const auto is_utf16 = [](TextEncoding encoding) { return encoding >= TextEncoding::kUtf16Le; };
  if (!asked || is_utf16(*asked)) {
    if (begins_utf32(begun)) {
      return make_error(ErrorCode::kUnsupported,
                        "text in UTF-32: `iconv -f UTF-32 -t UTF-8` makes UTF-8 of it");
    }
    const bool has_mark = begun.size() >= 2 && std::min(begun[0], begun[1]) == 0xFE &&
                          std::max(begun[0], begun[1]) == 0xFF;
    if (!asked || has_mark) return found;
    if (*asked == TextEncoding::kUtf16) {
      return is_utf16(found) ? found : TextEncoding::kUtf16Le;
    }
  }
  return *asked;
}

Result<std::size_t> RecodedSource::read(MutableBytes into) {
  while (at_ == plain_.size()) {
    if (ended_) return std::size_t{0};
    PRESSO_TRY(fill());
  }
  const std::size_t count = std::min(into.size(), plain_.size() - at_);
  std::copy_n(plain_.data() + at_, count, into.data());
  at_ += count;
  return count;
}

/// Reads and converts a piece. Fewer bytes than a character may have are left for the next one.
Status RecodedSource::fill() {
  lines_ += line_feeds_in(plain_.bytes());
  plain_.clear();
  at_ = 0;
  const std::size_t left = stored_.size();
  stored_.grow(left + kRecodedBytes);
  PRESSO_ASSIGN(const std::size_t got, read_fully(text_, stored_.mutable_bytes().subspan(left)));
  stored_.grow(left + got);
  ended_ = got < kRecodedBytes;
  const std::size_t used = append_decoded(encoding_, stored_.bytes(), plain_);
  const Bytes rest = stored_.bytes().subspan(used);
  if (rest.size() > 3 || (ended_ && !rest.empty())) return not_valid(rest);
  Buffer next;
  next.append(rest);
  offset_ += used;
  stored_ = std::move(next);
  return {};
}

Error RecodedSource::not_valid(Bytes rest) const {
  const bool units = encoding_ >= TextEncoding::kUtf16Le;
  const std::uint64_t place = offset_ + stored_.size() - rest.size() + 1;
  const std::uint64_t line = lines_ + line_feeds_in(plain_.bytes()) + 1;
  const std::string name(encoding_name(encoding_));
  char digits[8];
  std::snprintf(digits, sizeof digits, "0x%02X", static_cast<unsigned>(rest[0]));
  return make_error(
      ErrorCode::kInvalidArgument,
      "line " + grouped(line) + ": byte " + grouped(place) +
          (units ? " begins no character of " + name + "; --encoding names another encoding"
                 : ", " + std::string(digits) + ", is no character of " + name +
                       "; --encoding latin-1 takes all bytes"));
}

}  // namespace presso
