// SPDX-License-Identifier: MIT
// Chooses a file's block size if the user named none, by trial where one is worth its time, and
// with it the dictionary, since the two depend on each other. It costs nothing where a size is
// given, and otherwise the encoding of a few MiB at a fast level and the training of dictionaries.
#pragma once

#include <optional>

#include "compress/choose/dictionary_choice.h"
#include "presso/byte_stream.h"
#include "presso/compress.h"

namespace presso {

/// The chosen size of blocks.
struct BlockSizeChoice {
  std::uint32_t block_bytes;
  /// The plan of choose_dictionary() for this block size, if it was made on the way.
  std::optional<DictionaryPlan> dictionary = std::nullopt;
};

/// Returns options.block_bytes if that is set. Otherwise, with the Bit coding and not favouring
/// decoding: 1 MiB, or from level 7 on 4 MiB where that makes an `input` of 32 MiB or more 3 %
/// smaller. Otherwise the size that suits `input`, and kDefaultBlockBytes for inputs below 8
/// MiB, for nullptr (a pipe) and at levels that are faster than the trial. `options`: as
/// with_goal() has filled them in. Errors: those of `input`.
Result<BlockSizeChoice> choose_block_size(const RandomAccess* input,
                                          const CompressOptions& options);

}  // namespace presso
