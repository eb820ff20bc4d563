// SPDX-License-Identifier: MIT
// Values of an Arrow array of any type that can be stored, as JSON text (FORMAT.md 15.9). Arrays
// come from other programs: numbers of buffers and children are checked for each array, and
// offsets, sizes and codes for each value. Tested by tests/unit/compress/arrow/nested_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "format/columns/arrow_type.h"
#include "format/columns/leaf_text.h"
#include "presso/arrow_abi.h"

namespace presso {

/// Reads arrays of one type, one after another. Not for several threads.
class NestedValues {
 public:
  NestedValues() = default;
  /// `type` is arrow_type_of(schema), so that both have the same shape.
  NestedValues(const ArrowType& type, const ArrowSchema& schema);

  /// Must be called before the values of an array are read, which must live as long. Returns what
  /// is wrong with it, or nullptr.
  const char* begin(const ArrowArray& array);
  /// Puts the values of the dictionaries of the array, for which begin() was called, into its type,
  /// where they are few. An order of values that are not kept is none.
  void keep_entries(ArrowType& type);
  /// Whether a value is null; rows count with the array's offset.
  bool is_null(std::uint64_t row) const;
  /// Appends a value as JSON. False where the array contradicts itself; problem() says how.
  bool append(std::uint64_t row, std::string& to);
  const char* problem() const;

 private:
  /// A range of another array's rows.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };

  bool fail(const char* problem) const;
  const char* check_buffers(const ArrowArray& array) const;
  std::uint64_t rows() const { return static_cast<std::uint64_t>(array_->length); }
  std::uint64_t first_row() const { return static_cast<std::uint64_t>(array_->offset); }
  std::int64_t index_at(std::int64_t buffer, std::uint64_t row) const;
  bool elements(std::uint64_t row, Range& range) const;
  bool run_of(std::uint64_t row, std::uint64_t& run) const;
  bool code_of(std::uint64_t row, std::uint64_t& code) const;
  bool bytes_of(std::uint64_t row, Bytes& bytes) const;
  bool append_leaf(std::uint64_t row, bool as_key, std::string& to) const;
  bool leaf_at(std::uint64_t row, Byte* made, const Byte*& value) const;
  bool append_string(std::uint64_t row, std::string& to) const;
  bool append_list(std::uint64_t row, std::string& to);
  bool append_struct(std::uint64_t row, std::string& to);
  bool append_map(std::uint64_t row, std::string& to);
  bool append_key(std::uint64_t row, std::string& to);

  ArrowType type_;  ///< without what is in it
  ArrowKind kind_ = ArrowKind::kNull;
  ColumnSchema leaf_;
  LeafText text_;
  std::uint64_t width_ = 0;          ///< bytes of a value, an offset, a code or the end of a run
  bool is_signed_ = true;            ///< codes
  bool is_view_ = false;             ///< strings
  bool text_keys_ = false;           ///< maps
  std::vector<std::string> keys_;    ///< structs: the members' names as JSON, with the colon
  std::vector<NestedValues> inner_;  ///< children, or the values of a dictionary
  const ArrowArray* array_ = nullptr;
  const Byte* validity_ = nullptr;
  mutable const char* problem_ = nullptr;
};

}  // namespace presso
