// SPDX-License-Identifier: MIT
// Finds out, from all rows of JSON, which columns there are, which type each has, and how
// the text is written. The values of a column tell its type by the rules of type_inference.h:
//
//   numbers            int64, uint64, decimal or double, if every one prints back
//   true, false        bool
//   strings            date or timestamp if all have one pattern, otherwise utf8, with escapes
//                      replaced
//   otherwise          utf8 of kRawJson, the values' own text: numbers that are not all written
//                      in one way (1.0 and 1, or 1e5), values of several kinds, objects, arrays;
//                      what stands within these may have types as well (json_fields.h)
//
// A missing key and null are both null. Columns stand in the order in which most rows have
// their keys (json_key_order.h). Whether there are spaces, what is escaped and how lines end is
// decided by majority. One inference for each thread; merge() joins them in the text's order.
// Tested by tests/unit/compress/table/json_inference_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compress/table/text/json_fields.h"
#include "compress/table/text/json_key_order.h"
#include "compress/table/text/json_keys.h"
#include "compress/table/text/json_spacing.h"
#include "compress/table/text/type_inference.h"

namespace presso {

/// How a text of JSON is written, as far as its beginning tells.
struct JsonText {
  TextForm form;  ///< kind and head: a byte order mark, and an array's '['; nothing else is set
  JsonLayout layout = JsonLayout::kLines;
  ReadingRules rules = {};  ///< of which JSON has the formats of dates
};

/// How a text is written that begins with an object, or with an array that does. A mistake after
/// the first bytes becomes an error of the loader, which names its place. A text that begins in
/// another way gives nullopt, or JSON lines if it is `surely` JSON.
std::optional<JsonText> sniff_json(Bytes head, bool surely = false);

/// The findings of one thread.
class JsonInference {
 public:
  explicit JsonInference(const JsonText& text);

  /// Adds whole lines, at most kMaxJsonText bytes; the first byte is in line `first_line`.
  void add(Bytes text, std::uint64_t first_line);
  /// Adds `lines` to every line that was noted.
  void move_lines(std::uint64_t lines);
  /// Merges the findings of a later part of the text into these.
  void merge(const JsonInference& later);

  /// The schema; all columns may be null. kInvalidArgument: no row has a key; there are more
  /// keys than a table can have columns; or the rows have so few of the keys each that a
  /// table would mostly be nulls.
  Result<TableSchema> finish() const;
  /// Reports in the order of finish()'s columns.
  std::vector<ColumnReport> report() const;
  /// Lines that are neither blank nor objects.
  const RaggedRecords& ragged() const { return ragged_; }
  /// Whether the ']' of an array was met.
  bool closed() const { return closed_; }
  std::uint64_t rows() const { return rows_; }

 private:
  /// How often something is written in one way and in the other.
  struct Votes {
    std::uint64_t yes = 0;
    std::uint64_t no = 0;
    void add(bool vote) { ++(vote ? yes : no); }
    void merge(const Votes& later) {
      yes += later.yes;
      no += later.no;
    }
    bool won() const { return yes > no; }
  };
  /// Set when keys are too many for their rows; nothing more is looked at then.
  struct SparseKeys {
    std::size_t keys = 0;
    std::uint64_t rows = 0;
  };
  void add_batch(const JsonBatch& batch, Bytes text, std::uint64_t first_line);
  void add_row(const JsonBatch& batch, Bytes text, std::size_t row);
  void add_string(const JsonMember& member, Bytes text);
  void add_faults(const JsonBatch& batch, Bytes text, std::uint64_t first_line);
  void extend_columns();
  bool note_sparse(std::uint64_t rows);
  const JsonKeyOrder::Choice& choice() const;
  ColumnSchema column(std::size_t index, const ColumnSchema& inferred) const;

  TextForm form_;
  JsonLayout layout_;
  JsonKeys keys_;
  TypeInference types_;
  JsonFields fields_;
  std::vector<Byte> kinds_;  ///< for each column, a bit for each JsonKind that it had
  JsonKeyOrder order_;
  JsonSpacingVotes spacing_;
  Votes ascii_;
  Votes slashes_;
  RaggedRecords ragged_;
  std::string first_fault_;  ///< a message without its line
  bool closed_ = false;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;  ///< of text that was added
  bool too_many_ = false;
  std::optional<SparseKeys> sparse_;
  mutable std::optional<JsonKeyOrder::Choice> choice_;  ///< for everything added so far
  // Scratch for the batch that is being added.
  std::vector<std::uint32_t> columns_;  ///< the column of each member
  std::vector<std::uint64_t> seen_;     ///< for each column, the number of the row that had it last
  std::vector<bool> raw_;  ///< false for each column: inference sees strings without quotes
  JsonOrder shape_;        ///< the keys of the row that is being added
  RecordBatch records_;
};

}  // namespace presso
