// SPDX-License-Identifier: MIT
// Chooses a file's dictionary (FORMAT.md 7.1), bytes that stand logically before every block: its
// content is pieces of the input at even distances or what training on a sample of bounded size
// finds, its size follows from the level or from trials, and a trial decides whether one pays at
// all.
#pragma once

#include <optional>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/compress.h"

namespace presso {

struct EncoderParameters;

/// Stored sizes of the tried blocks as shares of their plain sizes; 0: nothing was tried.
struct TriedParts {
  double without = 0;
  double with = 0;  ///< with the dictionary; without one the same as `without`
};

/// A chosen dictionary and what the trial has found.
struct DictionaryPlan {
  std::vector<Byte> content;  ///< empty: use no dictionary
  // The predicted size of all blocks and the dictionary together; 0: nothing was tried.
  double predicted_bytes = 0;
  TriedParts parts;
  double training_seconds = 0;  ///< the part of choosing that was training
};

/// Whether choose_dictionary() may choose one under these options. If not, a pipe need not be
/// held back for sampling.
bool may_use_dictionary(const CompressOptions& options);

/// The dictionary to use for an input of `input_bytes` bytes, of which `input` is the beginning
/// or all; empty for none. With Mode::kAuto sizes are tried on a few blocks, and a dictionary
/// is kept only if it saves more than it takes itself, by a margin. Memory: about four times
/// the sample, which is at most 16 MiB. Errors: those of `input`.
Result<DictionaryPlan> choose_dictionary(const RandomAccess& input, std::uint64_t input_bytes,
                                         const CompressOptions& options);

/// Judges `current`, which choose_dictionary() of Mode::kAuto has chosen, on the input that
/// begins with `next` and is expected to have `expected_bytes` more. Returns nullopt while it
/// still gains most of what it gained, or where nothing better is found; otherwise another
/// plan. `current` is updated with its present gain. Cheap where nothing has changed: a few
/// blocks are encoded twice. Errors: those of `next`.
Result<std::optional<DictionaryPlan>> choose_dictionary_again(const RandomAccess& next,
                                                              std::uint64_t expected_bytes,
                                                              const CompressOptions& options,
                                                              DictionaryPlan& current);

/// A dictionary's content as stored blocks, which use no dictionary themselves.
Buffer encode_dictionary(Bytes content, const EncoderParameters& parameters);

}  // namespace presso
