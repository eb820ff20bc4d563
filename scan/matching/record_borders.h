// SPDX-License-Identifier: MIT
// Finds where records begin (RecordRule in presso/lines.h): lines that belong together, such as a
// log message and its stack trace. Only lines near a match are asked whether they begin a record:
// from the match back to the record's first line, and on to the first line of the next one. An
// automaton, where the pattern has a small one, asks the nearest lines, most of which it decides by
// their first bytes. Further lines are found by the engines of scan/regex and scan/literal; looking
// back, they take stretches of text that grow by four times, so that it costs in proportion to the
// distance. Tested by tests/unit/scan/text/records_test.cpp
// and tests/cli/test_scan_records.py.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "presso/cpu.h"
#include "presso/line_time.h"
#include "scan/matching/matcher.h"

namespace presso::scan_detail {

/// One thread's search for the first lines of records, in one text after another.
class RecordBorders {
  using Kind = RecordRule::Kind;

 public:
  /// How the line at an offset of the plain text tells its time; nullptr: it does not.
  using TimeReaderAt = std::function<const TimeReader*(std::uint64_t offset)>;

  /// Records that are whole texts.
  RecordBorders() = default;
  /// RecordRule::Kind::kStart. `start` is kept by reference.
  RecordBorders(const Matcher& start, CpuLevel level);
  /// RecordRule::Kind::kTime.
  explicit RecordBorders(TimeReaderAt times) : kind_(Kind::kTime), times_(std::move(times)) {}
  /// The rules by a line's first byte: RecordRule::Kind::kIndent and RecordRule::Kind::kJson.
  explicit RecordBorders(RecordRule::Kind by_first_byte) : kind_(by_first_byte) {}

  /// `text`: whole lines, the last one with or without its line feed, kept by reference. `offset`:
  /// of its first byte in the plain text, a byte order mark counted.
  void start(Bytes text, std::uint64_t offset);
  /// The first line at `from` or later that begins a record, or the end of the text. A line begins
  /// at `from`, which never decreases between two start().
  std::size_t next(std::size_t from);
  /// The last line in [floor, end) that begins a record; `floor` where there is none. Lines begin
  /// at both.
  std::size_t last(std::size_t floor, std::size_t end);

 private:
  /// Whether a line does; for rules without a pattern, or with an automaton.
  bool begins_record(std::size_t begin, std::size_t end);
  static constexpr std::size_t kNearLines = 8;

  std::size_t last_by_pattern(std::size_t floor, std::size_t end);

  std::optional<Kind> kind_;  ///< nullopt: a record is the whole text
  TimeReaderAt times_;
  const TimeReader* last_reader_ = nullptr;
  TimeReader::Memo memo_;                     ///< of last_reader_, in text_
  const LineDfa* automaton_ = nullptr;        ///< with RecordRule::start, if there is one
  std::unique_ptr<Searcher> forward_;         ///< with RecordRule::start
  std::unique_ptr<Searcher> backward_;        ///< the same
  std::size_t near_lines_ = ~std::size_t{0};  ///< that begins_record() is asked about
  Bytes text_;
  std::uint64_t offset_ = 0;
  std::size_t asked_ = 0;  ///< next() has been asked from here
  std::size_t known_ = 0;  ///< and has answered this
};

/// A further pattern that some line of a record must match (`wanted`), or none.
struct RecordCondition {
  std::unique_ptr<Searcher> searcher;
  bool wanted = true;
};

}  // namespace presso::scan_detail
