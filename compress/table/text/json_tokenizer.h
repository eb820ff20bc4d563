// SPDX-License-Identifier: MIT
// Cuts JSON lines into rows and their top-level members, batch by batch, without copying a byte.
//
// - A line ends with LF or with the text; a CR before it is white space.
// - A row is a line that is one JSON object. Keys, strings and numbers are checked as RFC 8259
//   defines them; of nested values only that strings are sound and that brackets are closed as
//   often as opened.
// - All other lines are no rows; they belong to the text before the next row. Those that are
//   not blank are counted as stray.
// Strings are looked through 16 bytes at a time.
// Tested by tests/unit/compress/table/json_tokenizer_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/bytes.h"

namespace presso {

/// The kind of a member's value, by its first byte; objects and arrays are kNested.
enum class JsonKind : Byte { kNull, kBool, kNumber, kString, kNested };

/// A top-level member. A string's text is between its quotes, with escapes if `escaped` is set.
struct JsonMember {
  std::uint32_t key_begin = 0;
  std::uint32_t key_length = 0;
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
  JsonKind kind = JsonKind::kNull;
  bool escaped = false;
  bool non_ascii = false;  ///< strings: whether a byte is not ASCII
  bool key_escaped = false;
};

/// Rows of a text. Row r has the members [first_member[r], first_member[r + 1]) and its '{' at
/// object[r]. With its line end, and the lines before it that are no rows, it has the bytes
/// [begin[r], begin[r + 1]).
struct JsonBatch {
  std::vector<JsonMember> members;
  std::vector<std::uint32_t> first_member;
  std::vector<std::uint32_t> object;
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> stray;  ///< where lines begin that are neither rows nor blank

  std::size_t rows() const { return object.size(); }
};

/// The longest text; longer ones must be cut at a line's end.
constexpr std::size_t kMaxJsonText = std::size_t{1} << 31;

/// Replaces `batch` by at most `most_rows` rows of `text`, which must have whole lines, from
/// `at`. Returns where the next row's bytes begin; the text's size if there is no further row,
/// so that whatever follows the last one is skipped.
std::size_t tokenize_json(Bytes text, std::size_t at, std::size_t most_rows, JsonBatch& batch);

/// Writes the string's text to `to`, which must have room for as many bytes, and returns its
/// length. Surrogates that are not part of a pair become U+FFFD.
std::size_t unescape_json(Bytes string, Byte* to);

}  // namespace presso
