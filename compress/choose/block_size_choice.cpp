// SPDX-License-Identifier: MIT
// Chooses the size of a file's blocks. With larger ones the file is smaller, but worse to read in
// part and to decode in parallel. So the choice depends on the goal: for storage 1 MiB, or 4 MiB
// where a trial shows a gain; for decoding 64 KiB, 256 KiB or 1 MiB, by trial. A trial encodes at
// most four pieces of the input at a fast level. Tested through tests/differential and tests/cli;
// figures in NOTES.md.
#include "compress/choose/block_size_choice.h"

#include <algorithm>

#include "compress/choose/dictionary_choice.h"
#include "compress/choose/size_trial.h"

namespace presso {
namespace {

constexpr std::uint32_t kSmallBytes = 64u << 10;
constexpr std::uint32_t kLargeBytes = 1u << 20;
// For decoding: inputs smaller than kSmallestInput and levels below kFirstLevel get
// kDefaultBlockBytes without a trial. Of others one piece in kPiecesAmong is tried, at least one
// and at most kMostPieces. A piece has the size of the largest block that is compared.
constexpr std::uint64_t kSmallestInput = 8u << 20;
constexpr std::uint64_t kMostPieces = 4;
constexpr std::uint64_t kPiecesAmong = 64;
constexpr int kFirstLevel = 4;

// For storage: from this level on, a file of this size or more may get blocks of 4 MiB, if a trial
// on one piece in kLargestAmong shows that they save enough to be worth reading four times as much
// for one line.
constexpr int kFirstLargestLevel = 7;
constexpr std::uint64_t kSmallestForLargest = 32u << 20;
constexpr std::uint64_t kLargestAmong = 16;
constexpr double kLargestMustSave = 0.03;

// For decoding: by what share the file may grow with blocks of 64 KiB (small), or must shrink with
// 1 MiB (large), compared with 256 KiB (usual). Decoding was measured on a GPU (NOTES.md): with a
// dictionary, small blocks are decoded a quarter to a half faster than usual ones, without one as
// fast to a seventh faster; large ones reach two fifths of the rate, since few are decoded at a
// time. Small blocks are also read four times as fast where only a range is needed, and large ones
// four times as slowly.
constexpr double kSmallMayCost = 0.01;
constexpr double kSmallWithDictionaryMayCost = 0.05;
constexpr double kLargeMustSave = 0.5;

/// The stored size of the pieces, cut into blocks of this size, without a dictionary.
Result<double> stored_bytes(const Samples& pieces, std::uint32_t block_bytes, SizeTrial& trial) {
  PRESSO_ASSIGN(const std::uint64_t bytes,
                trial.stored_bytes(cut_into_blocks(pieces.blocks(), block_bytes)));
  return static_cast<double>(bytes);
}

/// Compares 64 KiB, 256 KiB and 1 MiB on the pieces: the smaller size wins unless it costs too much
/// (kSmallMayCost, kLargeMustSave).
Result<BlockSizeChoice> try_without_dictionary(const RandomAccess& input,
                                               const CompressOptions& options) {
  const std::uint64_t pieces = input.size() / kLargeBytes;
  const std::uint64_t tried = std::clamp<std::uint64_t>(pieces / kPiecesAmong, 1, kMostPieces);
  PRESSO_ASSIGN(const Samples samples,
                Samples::read(input, kLargeBytes, choose_evenly(pieces, tried)));
  SizeTrial trial(options);
  PRESSO_ASSIGN(const double usual, stored_bytes(samples, kDefaultBlockBytes, trial));
  PRESSO_ASSIGN(const double small, stored_bytes(samples, kSmallBytes, trial));
  if (small <= usual * (1 + kSmallMayCost)) return BlockSizeChoice{kSmallBytes};
  PRESSO_ASSIGN(const double large, stored_bytes(samples, kLargeBytes, trial));
  return BlockSizeChoice{large <= usual * (1 - kLargeMustSave) ? kLargeBytes : kDefaultBlockBytes};
}

/// Whether blocks of 4 MiB pay: only for text that repeats further back than 1 MiB, which few
/// files do (NOTES.md).
Result<BlockSizeChoice> try_largest(const RandomAccess& input, const CompressOptions& options) {
  const std::uint64_t pieces = input.size() / kMaxBlockBytes;
  const std::uint64_t tried = std::clamp<std::uint64_t>(pieces / kLargestAmong, 1, kMostPieces);
  PRESSO_ASSIGN(const Samples samples,
                Samples::read(input, kMaxBlockBytes, choose_evenly(pieces, tried)));
  SizeTrial trial(options);
  PRESSO_ASSIGN(const double large, stored_bytes(samples, kLargeBytes, trial));
  PRESSO_ASSIGN(const double largest, stored_bytes(samples, kMaxBlockBytes, trial));
  return BlockSizeChoice{largest <= large * (1 - kLargestMustSave) ? kMaxBlockBytes : kLargeBytes};
}

/// Tries 64 and 256 KiB, each with the dictionary that suits it; if neither gains by one, tries the
/// sizes without.
Result<BlockSizeChoice> try_sizes(const RandomAccess& input, const CompressOptions& options) {
  const auto plan_for = [&](std::uint32_t block_bytes) {
    CompressOptions with = options;
    with.block_bytes = block_bytes;
    return choose_dictionary(input, input.size(), with);
  };
  if (options.dictionary.mode != DictionaryChoice::Mode::kAuto || !may_use_dictionary(options)) {
    return try_without_dictionary(input, options);
  }
  PRESSO_ASSIGN(DictionaryPlan small, plan_for(kSmallBytes));
  PRESSO_ASSIGN(DictionaryPlan usual, plan_for(kDefaultBlockBytes));
  usual.training_seconds += small.training_seconds;  // both were trained, whichever is taken
  small.training_seconds = usual.training_seconds;
  if (small.content.empty() && usual.content.empty()) {
    PRESSO_ASSIGN(BlockSizeChoice choice, try_without_dictionary(input, options));
    choice.dictionary = std::move(choice.block_bytes == kSmallBytes ? small : usual);
    return choice;
  }
  const double may_cost = small.content.empty() ? kSmallMayCost : kSmallWithDictionaryMayCost;
  if (small.predicted_bytes <= usual.predicted_bytes * (1 + may_cost)) {
    return BlockSizeChoice{kSmallBytes, std::move(small)};
  }
  return BlockSizeChoice{kDefaultBlockBytes, std::move(usual)};
}

}  // namespace

/// The rules come in the order of the header's comment.
Result<BlockSizeChoice> choose_block_size(const RandomAccess* input,
                                          const CompressOptions& options) {
  if (options.block_bytes != 0) return BlockSizeChoice{options.block_bytes};
  const bool for_storage = options.coding == Coding::kBit && options.favor != Favor::kDecode;
  if (for_storage) {
    const bool may_be_larger = input != nullptr && input->size() >= kSmallestForLargest &&
                               options.level >= kFirstLargestLevel;
    return may_be_larger ? try_largest(*input, options) : BlockSizeChoice{kLargeBytes};
  }
  const bool worth_a_trial =
      input != nullptr && input->size() >= kSmallestInput && options.level >= kFirstLevel;
  return worth_a_trial ? try_sizes(*input, options) : BlockSizeChoice{kDefaultBlockBytes};
}

}  // namespace presso
