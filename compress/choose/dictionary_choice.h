// SPDX-License-Identifier: MIT
// Chooses a file dictionary (FORMAT.md 7.1): content by an even sample of the input or by training
// on a bounded one, size by level or by trial, and whether it pays at all by a trial.
#pragma once

#include <optional>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/compress.h"

namespace presso {

struct EncoderParameters;

/// What the blocks tried take, as parts of their plain sizes; 0: nothing was tried.
struct TriedParts {
  double without = 0;
  double with = 0;  ///< the dictionary, or also without
};

struct DictionaryPlan {
  std::vector<Byte> content;   ///< empty: none
  double predicted_bytes = 0;  ///< of all blocks, and the dictionary; 0: nothing was tried
  TriedParts parts;
  double training_seconds = 0;  ///< of the time that choosing it took
};

/// Whether choose_dictionary may choose one: else a pipe need not be held back for sampling.
bool may_use_dictionary(const CompressOptions& options);

/// The dictionary to use for an input of `input_bytes`, of which `input` is the beginning or all,
/// under `options`; empty for none. With Mode::kAuto sizes are tried on a few blocks, and one is
/// kept only if it saves enough beyond what it takes itself. Memory: about four times the sample,
/// at most 16 MiB. Errors: those of `input`.
Result<DictionaryPlan> choose_dictionary(const RandomAccess& input, std::uint64_t input_bytes,
                                         const CompressOptions& options);

/// Whether `current`, chosen by choose_dictionary() of Mode::kAuto, still gains most of what it
/// gained, now on the input that begins with `next` and is expected to have `expected_bytes` more.
/// Else another plan that saves enough against it, if there is one; `current` learns what it gains
/// now. Cheap where nothing has changed: a few blocks are encoded twice. Errors: those of `next`.
Result<std::optional<DictionaryPlan>> choose_dictionary_again(const RandomAccess& next,
                                                              std::uint64_t expected_bytes,
                                                              const CompressOptions& options,
                                                              DictionaryPlan& current);

/// A dictionary's content as stored blocks, themselves without dictionary.
Buffer encode_dictionary(Bytes content, const EncoderParameters& parameters);

}  // namespace presso
