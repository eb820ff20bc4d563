// SPDX-License-Identifier: MIT
// Chooses a file's block size by trial, where the user named none, and with it its dictionary.
#pragma once

#include <optional>

#include "compress/choose/dictionary_choice.h"
#include "presso/byte_stream.h"
#include "presso/compress.h"

namespace presso {

struct BlockSizeChoice {
  std::uint32_t block_bytes;
  /// What choose_dictionary() gives for this block size, where it was needed to choose it.
  std::optional<DictionaryPlan> dictionary = std::nullopt;
};

/// options.block_bytes; where that is 0, 1 MiB with the Bit coding, unless decoding is favoured;
/// from level 7 on 4 MiB where that makes an `input` of 32 MiB or more 3 % smaller. Else what
/// `input` suits: kDefaultBlockBytes for one of less than 8 MiB, for nullptr (a pipe), and at
/// levels that are faster than the trial. `options`: with_goal(). Errors: those of `input`.
Result<BlockSizeChoice> choose_block_size(const RandomAccess* input,
                                          const CompressOptions& options);

}  // namespace presso
