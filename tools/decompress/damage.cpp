// SPDX-License-Identifier: MIT
// A message names offsets in the compressed file and in the plain content, so that what is missing
// can be found in a backup. The index is opened only if a damaged header makes that necessary.
// Tested by tests/cli/test_decompress.py.
#include "tools/decompress/damage.h"

#include "format/container_rules.h"
#include "tools/cli/message.h"

namespace presso::cli {

/// Damage to an index or a trailer loses nothing.
bool loses_plain_content(const Error& error, std::uint64_t lost_blocks) {
  return lost_blocks != 0 || (error.code == ErrorCode::kTruncated && !ends_after_content(error));
}

/// Describes damage with the place and length of what is missing of the plain content, as far as
/// known. `consequence`: what has happened to it, such as "lost".
std::string damage_text(const Error& error, const MissingPlain& missing,
                        std::string_view consequence) {
  std::string text = error.message() + std::string(advice_for(error));
  if (!missing.offset) return text;
  const std::string result(consequence);
  const std::string at = "plain offset " + grouped(*missing.offset);
  if (missing.bytes != 0) {
    return text + "; " + grouped(missing.bytes) + " bytes at " + at + " " + result;
  }
  text += "; " + result + " from " + at;
  return text + (error.code == ErrorCode::kTruncated ? " on" : " to the next intact block");
}

bool BlocksWithoutDictionary::take(const Error& error, std::uint64_t plain_bytes) {
  if (error.code != ErrorCode::kMissingDictionary || error.block == Error::kNone) return false;
  ++blocks;
  bytes += plain_bytes;
  return true;
}

std::string BlocksWithoutDictionary::text(std::string_view consequence) const {
  return grouped(blocks) + (blocks == 1 ? " block needs" : " blocks need") +
         " the damaged dictionary; " + grouped(bytes) + " bytes " + std::string(consequence);
}

/// Reports a damaged block with the plain bytes that are lost. If the block's header could not be
/// read, the file's own index is asked where the block began.
void DamageReporter::report(const DecodedBlock& block) {
  const Error& problem = block.status.error();
  is_in_column_ |= problem.what.starts_with("in column '");
  has_lost_content_ |= loses_plain_content(problem, block.lost_blocks);
  if (lacking_.take(problem, block.plain_bytes)) return fail_silently();
  if (problem.code == ErrorCode::kNotPresso) {
    return error(name_, "the first bytes of the file are damaged");
  }
  MissingPlain missing{block.plain_offset, block.plain_bytes};
  if (!loses_plain_content(problem, block.lost_blocks)) {
    missing.offset.reset();
  } else if (block.plain_bytes == 0) {
    missing.offset = plain_offset_of(problem.block);
  }
  error(name_, damage_text(problem, missing, "lost"));
}

DamageReporter::~DamageReporter() {
  if (lacking_.blocks != 0) error(name_, lacking_.text("lost"));
}

/// Where the block begins by the file's index, which is opened on the first question; nothing where
/// that had to be rebuilt itself.
std::optional<std::uint64_t> DamageReporter::plain_offset_of(std::uint64_t number) {
  if (number == Error::kNone || !input_.is_regular()) return std::nullopt;
  if (!index_) index_ = ArchiveIndex::open(file_);
  const bool usable = index_->ok() && !(*index_)->rebuilt() && number < (*index_)->block_count();
  if (!usable) return std::nullopt;
  return (*index_)->block_plain_offset(number);
}

}  // namespace presso::cli
