// SPDX-License-Identifier: MIT
// Reads some fields of a line without a schema: of a JSON object, or of logfmt, which is
// `level=error ms=512 msg="read timeout"`. Each line is one or the other: JSON if its first byte
// that is no white space is '{'. A line is read once, from left to right; nothing is built of the
// fields that nobody asked for, and nothing is allocated once buffers have grown.
//
// JSON. Values that are not asked for are only looked through for their end: strings by their
// quotes, numbers and words by what follows them, nested values by their brackets. A line that is
// not one object to its end, white space aside, has no fields. Bytes that are no UTF-8 and control
// characters in strings are taken as they are, as logs have them.
//
// logfmt. Words of a line are separated by spaces or tabs. `key=value` is a field, and so is
// `key="a value"`, in which the escapes of JSON count and other backslashes stand for themselves. A
// quote that is never closed is a byte like any other. A word without '=' is a field that is empty
// as text and true as a truth value. A line without any '=' after a key has no fields.
//
// If a field occurs twice, the last one counts, as in tables that presso makes of JSON lines, in jq
// and in Python. A path of several keys, a.b.c, also means the single key "a.b.c", which goes first
// where a line has it. Tested by tests/unit/query/fields/field_reader_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/columns/json_path.h"
#include "presso/bytes.h"

namespace presso::query {

/// Where a field is.
struct FieldPath {
  JsonPath steps;           ///< keys and places from 0 on, or from the end where they are negative
  std::string joined = {};  ///< the single key that it means too, or empty
  friend bool operator==(const FieldPath&, const FieldPath&) = default;
};

/// A value as it stands in the line.
struct FieldValue {
  enum class Kind : Byte {
    kAbsent,  ///< not in the line
    kNull,    ///< JSON's null
    kTrue,
    kFalse,
    kNumber,  ///< JSON's, as it is written
    kText,    ///< a string of JSON, or a value of logfmt; `text` is without quotes
    kNested,  ///< an object or an array, as it is written
    kAlone,   ///< a key of logfmt without a value
  };
  Kind kind = Kind::kAbsent;
  bool escaped = false;  ///< kText: `text` has backslashes that unescape_field() reads
  Bytes text;            ///< within the line

  bool is_null() const { return kind == Kind::kAbsent || kind == Kind::kNull; }
};

/// Writes what a text with escapes stands for to `to`, which has room for as many bytes, and
/// returns its length. A backslash that begins no escape of JSON stands for itself; a surrogate
/// without its other half becomes U+FFFD.
std::size_t unescape_field(Bytes text, Byte* to);

/// Reads lines for one thread.
class FieldReader {
 public:
  explicit FieldReader(const std::vector<FieldPath>& fields);

  /// Reads a line. values() are those of its fields, in the order of the paths, until the next
  /// call; they point into `line`.
  void read(Bytes line);
  const std::vector<FieldValue>& values() const { return values_; }

 private:
  /// What is wanted of a value: the value itself, its members, its elements.
  struct Node {
    std::vector<std::pair<std::string, std::uint32_t>> keys;  ///< and their nodes
    std::vector<std::pair<std::int64_t, std::uint32_t>> places;
    std::vector<std::uint32_t> slots;  ///< in found_
    std::uint64_t key_lengths = 0;     ///< a bit for the length of each key, the last one for more
    bool wants_parts() const { return !keys.empty() || !places.empty(); }
  };

  std::uint32_t add_slot(const JsonPath& steps);
  const Node* wanted(const Node& node, Bytes key, bool escaped);
  void set(const Node& node, const FieldValue& value);
  void forget(const Node& node);
  void clear();

  // Functions that pass something return the place after it, or nullptr where the line is no JSON.
  const Byte* read_object(const Node& node, const Byte* at);
  const Byte* read_array(const Node& node, const Byte* at);
  const Byte* read_value(const Node& node, const Byte* at);
  const Byte* pass_value(const Byte* at, FieldValue& value);
  const Byte* pass_string(const Byte* at, bool& escaped) const;
  const Byte* pass_nested(const Byte* at) const;
  const Byte* pass_word(const Byte* at, FieldValue& value) const;
  const Byte* pass_space(const Byte* at) const;
  bool read_json(const Byte* at);
  bool read_logfmt(const Byte* at);
  const Byte* read_logfmt_value(const Byte* at, FieldValue& value) const;

  std::vector<Node> nodes_;  ///< the first one is the line's
  /// For each field its slot, and that of its joined key, or kNone.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> slots_;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<FieldValue> found_;  ///< one for each slot
  std::vector<FieldValue> values_;
  const Byte* end_ = nullptr;          ///< of the line
  std::vector<Byte> key_;              ///< scratch
  std::vector<const Byte*> elements_;  ///< of the arrays that are being read, within each other
};

}  // namespace presso::query
