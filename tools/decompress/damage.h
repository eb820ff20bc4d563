// SPDX-License-Identifier: MIT
// One line for each damaged place of a file, as decompress --salvage, test and scan print it. The
// words for each kind of damage are those of kMeanings in format/error.cpp, to which damage_text()
// adds what is lost. Tested by tests/cli/test_decompress.py. A report costs a reading of the index
// at most once a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "presso/decompress.h"
#include "tools/io/input_file.h"

namespace presso::cli {

/// Plain content that is missing because something is wrong with the file.
struct MissingPlain {
  /// Where it begins in the plain content; nullopt where that is not known or nothing is missing.
  std::optional<std::uint64_t> offset;
  std::uint64_t bytes = 0;  ///< 0: unknown
};

/// Whether plain content is missing after a damage that costs `lost_blocks` blocks
/// (DecodedBlock::lost_blocks). After the end of a file that was cut off, content may be missing.
bool loses_plain_content(const Error& error, std::uint64_t lost_blocks);

/// The line for one place: "block 131 (compressed offset 8,653,211): checksum mismatch; 262,144
/// bytes at plain offset 17,170,432 lost". `consequence` is its last word: "lost" or "not
/// searched".
std::string damage_text(const Error& error, const MissingPlain& missing,
                        std::string_view consequence);

/// The blocks whose dictionary is in the file and cannot be read: they are one line, not one each.
struct BlocksWithoutDictionary {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;  ///< of plain content

  /// Counts the block if its error is this one.
  bool take(const Error& error, std::uint64_t plain_bytes);
  /// The line about all that were counted. `consequence` as for damage_text().
  std::string text(std::string_view consequence) const;
};

/// Prints damage_text() for each damaged place of one file, which also sets the exit status. One
/// thread calls it, in the order of the blocks.
class DamageReporter {
 public:
  /// Keeps `input` by reference. If even the header of a block is lost, the block's place in the
  /// plain content is looked up in the index of a regular file.
  DamageReporter(std::string name, const InputFile& input)
      : name_(std::move(name)), input_(input), file_(input.fd(), input.size()) {}

  /// Says at the end how many blocks lack a dictionary that is damaged itself.
  ~DamageReporter();
  DamageReporter(const DamageReporter&) = delete;
  DamageReporter& operator=(const DamageReporter&) = delete;

  void report(const DecodedBlock& block);
  /// Whether plain content is missing, or may be.
  bool has_lost_content() const { return has_lost_content_; }
  /// Whether a damage is one of a single column of a table.
  bool is_in_column() const { return is_in_column_; }

 private:
  /// The plain offset of block `number`, from an index that is itself undamaged; nullopt if there
  /// is none.
  std::optional<std::uint64_t> plain_offset_of(std::uint64_t number);

  std::string name_;
  const InputFile& input_;
  FdRandomAccess file_;
  std::optional<Result<ArchiveIndex>> index_;
  bool has_lost_content_ = false;
  bool is_in_column_ = false;
  BlocksWithoutDictionary lacking_;
};

}  // namespace presso::cli
