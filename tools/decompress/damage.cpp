// SPDX-License-Identifier: MIT
#include "tools/decompress/damage.h"

#include "tools/cli/bind.h"
#include "tools/cli/message.h"

namespace presso::cli {

void DamageReporter::report(const DecodedBlock& block) {
  const Error& problem = block.status.error();
  std::string text = problem.message();
  if (block.plain_bytes != 0) {
    text += "; " + grouped(block.plain_bytes) + " bytes at plain offset " +
            grouped(block.plain_offset) + " lost";
  } else if (const auto offset = plain_offset_of(problem.block)) {
    text += "; lost from plain offset " + grouped(*offset) + " to the next intact block";
  }
  error(name_, text);
}

std::optional<std::uint64_t> DamageReporter::plain_offset_of(std::uint64_t number) {
  if (number == Error::kNone || !input_.is_regular()) return std::nullopt;
  if (!index_) index_ = ArchiveIndex::open(file_);
  const bool usable = index_->ok() && !(*index_)->rebuilt() && number < (*index_)->block_count();
  if (!usable) return std::nullopt;
  return (*index_)->block_plain_offset(number);
}

}  // namespace presso::cli
