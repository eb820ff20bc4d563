// SPDX-License-Identifier: MIT
// Chooses a file dictionary's content (FORMAT.md 7.1): evenly spaced pieces of the input. Training
// by the gain of segments is a later step; this is its baseline.
#pragma once

#include <vector>

#include "presso/byte_stream.h"
#include "presso/compress.h"

namespace presso {

/// Pieces of kSamplePieceBytes, evenly spaced over `input`, `dictionary_bytes` in all (less where
/// the input is smaller), in file order.
constexpr std::uint32_t kSamplePieceBytes = 2048;
Result<std::vector<Byte>> sample_evenly(const RandomAccess& input, std::uint32_t dictionary_bytes);

/// Whether choose_dictionary may choose one: else a pipe need not be held back for sampling.
bool may_use_dictionary(const CompressOptions& options);

/// The dictionary to use for `input` under `options`, empty for none: with Mode::kAuto sizes are
/// tried on a few blocks, and one is kept only if it saves more than it takes over the whole input.
Result<std::vector<Byte>> choose_dictionary(const RandomAccess& input,
                                            const CompressOptions& options);

}  // namespace presso
