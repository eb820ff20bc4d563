// SPDX-License-Identifier: MIT
// One line for each damaged place of a file: used by decompress --salvage, test and scan.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "presso/decompress.h"
#include "tools/io/input_file.h"

namespace presso::cli {

/// Plain content that is missing since `error` is wrong with the file.
struct MissingPlain {
  /// Where it begins in the plain content; nullopt where that is not known or nothing is missing.
  std::optional<std::uint64_t> offset;
  std::uint64_t bytes = 0;  ///< 0: unknown
};

/// Whether plain content is missing after a damage that costs `lost_blocks`
/// (DecodedBlock::lost_blocks). After the end of a cut-off file it may be.
bool loses_plain_content(const Error& error, std::uint64_t lost_blocks);

/// "block 131 (compressed offset 8,653,211): checksum mismatch; 262,144 bytes at plain offset
/// 17,170,432 lost". `consequence`: "lost", "not searched".
std::string damage_text(const Error& error, const MissingPlain& missing,
                        std::string_view consequence);

/// Prints damage_text() of each damaged place. Sets the exit status.
class DamageReporter {
 public:
  /// `input` is kept by reference. If a block's header is lost too, its place in the plain
  /// content is looked up in the index of a regular file.
  DamageReporter(std::string name, const InputFile& input)
      : name_(std::move(name)), input_(input), file_(input.fd(), input.size()) {}

  void report(const DecodedBlock& block);

 private:
  /// The plain offset of block `number` by an index that is itself undamaged.
  std::optional<std::uint64_t> plain_offset_of(std::uint64_t number);

  std::string name_;
  const InputFile& input_;
  FdRandomAccess file_;
  std::optional<Result<ArchiveIndex>> index_;
};

}  // namespace presso::cli
