// SPDX-License-Identifier: MIT
// Finds out, from all rows of JSON lines, which columns there are, which type each has, and how the
// text is written. A column's values tell its type as type_inference.h has it:
//
//   numbers            int64, uint64, decimal or double, where every one prints back
//   true, false        bool
//   strings            date or timestamp where all have one pattern, else utf8, escapes replaced
//   else               utf8 of kRawJson, the values' own text: numbers in no one writing (1.0 and
//                      1, 1e5), values of several kinds, objects and arrays
//
// null and a key that is not there are null. Columns stand in the order that most rows have their
// keys in (json_key_order.h). Whether there are spaces, what is escaped and how lines end is
// decided by how most is written. Cost: json_rate in lab/programs/columns.
// Tested by tests/unit/compress/table/json_inference_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compress/table/text/json_key_order.h"
#include "compress/table/text/json_keys.h"
#include "compress/table/text/type_inference.h"

namespace presso {

/// How JSON lines begin: the form has a byte order mark as its head, and nothing else set. Empty
/// where the first line that is not blank is no object; of one that does not end in `head`, only
/// its begin is looked at.
std::optional<TextForm> sniff_json(Bytes head);

class JsonInference {
 public:
  /// `form`: as sniff_json() gives it.
  explicit JsonInference(const TextForm& form);

  /// Whole lines, at most kMaxJsonText bytes; the first byte is in line `first_line`.
  void add(Bytes text, std::uint64_t first_line);
  /// Adds `lines` to every line that was noted.
  void move_lines(std::uint64_t lines);
  /// What was seen of a later part of the text.
  void merge(const JsonInference& later);

  /// All columns may be null. kInvalidArgument: no row has a key; there are more keys than a table
  /// can have columns, or so many of which rows have so few that a table would mostly be nulls.
  Result<TableSchema> finish() const;
  /// In the order of finish()'s columns.
  std::vector<ColumnReport> report() const;
  /// Lines that are neither blank nor an object.
  const RaggedRecords& ragged() const { return ragged_; }
  std::uint64_t rows() const { return rows_; }

 private:
  /// How often something is written in one way, and how often in the other.
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
  /// So many keys for so many rows that nothing more is looked at.
  struct SparseKeys {
    std::size_t keys = 0;
    std::uint64_t rows = 0;
  };
  void add_batch(const JsonBatch& batch, Bytes text, std::uint64_t first_line);
  void add_row(const JsonBatch& batch, Bytes text, std::size_t row);
  void add_string(const JsonMember& member, Bytes text);
  void add_stray(const JsonBatch& batch, Bytes text, std::uint64_t first_line);
  void extend_columns();
  bool note_sparse(std::uint64_t rows);
  const JsonKeyOrder::Choice& choice() const;
  ColumnSchema column(std::size_t index, const ColumnSchema& inferred) const;

  TextForm form_;
  JsonKeys keys_;
  TypeInference types_;
  std::vector<Byte> kinds_;  ///< of each column, a bit a JsonKind
  JsonKeyOrder order_;
  Votes spaces_;
  Votes ascii_;
  Votes slashes_;
  Votes carriage_return_;
  RaggedRecords ragged_;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;  ///< of text
  bool too_many_ = false;
  std::optional<SparseKeys> sparse_;
  mutable std::optional<JsonKeyOrder::Choice> choice_;  ///< of all that was added so far
  // Of the batch being added.
  std::vector<std::uint32_t> columns_;  ///< of its members
  std::vector<std::uint64_t> seen_;     ///< by column: the row that had it last, plus 1
  std::vector<bool> raw_;
  JsonOrder shape_;
  RecordBatch records_;
};

}  // namespace presso
