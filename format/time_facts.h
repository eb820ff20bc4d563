// SPDX-License-Identifier: MIT
// The times section (FORMAT.md 7.5): how the lines of a member tell their time, and for each block
// the least and the greatest time of its lines. With it a search for lines of some time leaves out
// blocks without decoding them. Encoders read the lines of each block on any thread (read_times())
// and join what blocks' borders cut, in order (TimeFactsBuilder). Sixteen bytes a block in the
// file. Safe on any input: sizes are checked before anything is allocated.
// Tested by tests/unit/format/time_facts_test.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "presso/archive_reader.h"
#include "presso/byte_stream.h"
#include "presso/line_time.h"

namespace presso {

constexpr std::uint32_t kTimeFactsLayout = 1;  ///< the section's parameter; others are passed over

constexpr std::size_t kMostTimeText = 255;  ///< bytes of the form's key, or of its format

/// The times of a block's lines, those that it only ends among them; a line without a time has that
/// of the line before it.
struct BlockTimes {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = std::numeric_limits<std::int64_t>::min();

  /// The times of a block that has lines of unknown time.
  static BlockTimes unknown() {
    return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  }
  void add(std::int64_t time) {
    if (time < least) least = time;
    if (time > greatest) greatest = time;
  }
  bool empty() const { return least > greatest; }
  friend bool operator==(const BlockTimes&, const BlockTimes&) = default;
};

/// What the section says.
struct TimeFacts {
  TimeForm form;
  std::int64_t latest = 0;        ///< by which years were inferred (TimeReader::make)
  std::uint64_t timed_lines = 0;  ///< lines that have a time of their own
  std::vector<BlockTimes> blocks;

  friend bool operator==(const TimeFacts&, const TimeFacts&) = default;
};

/// What a block by itself tells of its times.
struct ReadTimes {
  BlockTimes times;                  ///< of the lines that begin and end in it
  std::optional<std::int64_t> last;  ///< of the last of these that has one
  std::uint64_t timed_lines = 0;     ///< those of these that have one
  bool begins_without = false;       ///< before the first of these with a time come others
  bool has_newline = false;
  // The lines that its borders cut, up to 4 KiB of each:
  std::vector<Byte> head;  ///< up to the first '\n', which is included; all of it if there is none
  std::vector<Byte> tail;  ///< after the last
};
/// Reads the lines of a block. Thread-safe; some 30 ns a line.
ReadTimes read_times(const TimeReader& reader, Bytes plain);

/// Joins the blocks of one text, in order.
class TimeFactsBuilder {
 public:
  explicit TimeFactsBuilder(TimeReader reader) : reader_(std::move(reader)) {}

  const TimeReader& reader() const { return reader_; }
  void add(ReadTimes block);
  /// Ends a member: the facts of the blocks since the last one ended. `more`: the text goes on.
  TimeFacts finish(bool more);

 private:
  void close_line(bool is_whole);

  TimeReader reader_;
  std::vector<BlockTimes> blocks_;
  std::uint64_t timed_lines_ = 0;
  std::optional<std::int64_t> last_;  ///< of the last line with a time; nullopt: not known
  std::vector<Byte> line_;            ///< that began before
  std::size_t line_blocks_ = 0;       ///< blocks that it has touched
  bool lacks_begin_ = false;          ///< it began in the member before
};

std::vector<Byte> serialise_time_facts(const TimeFacts& facts);
/// Error: kBadHeader with the reason.
Result<TimeFacts> parse_time_facts(Bytes payload, std::uint64_t blocks);
/// nullopt where the member has no such section, or one of a layout that this version does not
/// know. Errors: those of the sections after the blocks, kSectionChecksum, kBadHeader.
Result<std::optional<TimeFacts>> read_time_facts(const RandomAccess& file,
                                                 const ArchiveMember& member);

}  // namespace presso
