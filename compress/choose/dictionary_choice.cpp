// SPDX-License-Identifier: MIT
// Chooses a dictionary by trials on a few blocks. A dictionary pays where blocks are small against
// the distances at which the file repeats itself. Its own bytes count, so each candidate is judged
// by the predicted size of the whole file: the dictionary, plus the stored share of the tried
// blocks times the input. Fast levels take pieces of the input at even distances as content, higher
// ones train (dictionary_trainer.h) and, from level 10 on, try several sizes. Tested by
// tests/unit/compress/dictionary_test.cpp; figures in NOTES.md.
#include "compress/choose/dictionary_choice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "compress/choose/dictionary_trainer.h"
#include "compress/choose/size_trial.h"
#include "presso/ordered_pipeline.h"
#include "presso/stopwatch.h"

namespace presso {
namespace {

constexpr std::uint32_t kTrialSizes[] = {64u << 10, 128u << 10, 256u << 10, 512u << 10,
                                         1u << 20,  2u << 20,   4u << 20};
constexpr std::uint32_t kDictionaryBlockBytes = 1u << 20;
constexpr std::uint64_t kSmallestTrainingInput = 1u << 20;  ///< below, a dictionary cannot pay
// How much of the input training looks at.
constexpr std::uint64_t kLeastSampled = 4u << 20;
constexpr std::uint64_t kMostSampled = 16u << 20;
constexpr std::uint64_t kMostTried = 4u << 20;   ///< the most that is encoded with each candidate
constexpr std::uint32_t kPieceBytes = 8u << 10;  ///< a piece of content that is not trained
// The largest dictionary without training, and with training where only one size is tried.
constexpr std::uint32_t kLargestEven = 1u << 20;
constexpr std::uint32_t kLargestUntried = 2u << 20;
/// Below this level the trial takes long compared with compressing: then the Byte coding does
/// without a dictionary, and so does the Bit coding for inputs smaller than kSmallestFast.
constexpr int kFirstSlowLevel = 3;
constexpr std::uint64_t kSmallestFast = 32u << 20;
constexpr int kFirstTrainedLevel = 7;    ///< Bit coding: below, training does not pay
constexpr int kFirstTrainedByte = 5;     ///< Byte coding: the level from which training pays
constexpr int kFirstThoroughLevel = 10;  ///< from here on several sizes are tried

/// Blocks are tried in parts of at most this, so that more places of the input are seen.
constexpr std::uint32_t kLargestTried = 512u << 10;
/// The least share that a dictionary must save, because decoding with one is slower on a CPU. (It
/// is faster on a GPU, see NOTES.md.)
constexpr double kNeededGain = 0.02;
/// When another dictionary is looked for: with one, after kLostGain of its gain is lost; without
/// one, when the stored share of blocks has changed by more than kOtherSize of itself.
constexpr double kLostGain = 0.25;
constexpr double kOtherSize = 0.1;

/// How much of the input is looked at, and how closely. It grows with the time that compressing
/// takes at the level, and with the gain of dictionaries, which is larger for small blocks
/// (NOTES.md).
struct Effort {
  std::uint64_t sample_bytes;  ///< to train on; 0: the content is pieces at even distances
  TrainingEffort training;
  std::uint64_t tried_bytes;  ///< what is encoded with each candidate
  std::uint32_t largest;      ///< the largest dictionary
};

/// One `part`-th of the input, within limits.
std::uint64_t part_of(std::uint64_t bytes, unsigned part, std::uint64_t least, std::uint64_t most) {
  return std::clamp(bytes / part, least, most);
}

/// `input_bytes` is a guess for pipes.
Effort effort_of(const CompressOptions& options, std::uint64_t input_bytes) {
  const int level = options.level;
  const int first_trained = options.coding == Coding::kBit ? kFirstTrainedLevel : kFirstTrainedByte;
  constexpr std::uint64_t kMiB = 1u << 20;
  const auto largest = [&](unsigned part, std::uint32_t most) {
    const std::uint64_t bytes = part_of(input_bytes, part, kTrialSizes[0], most);
    return static_cast<std::uint32_t>(std::bit_floor(bytes));
  };
  if (level < first_trained) {
    return {0,
            {},
            part_of(input_bytes, 128, kMiB, kMostTried),
            largest(level < 5 ? 16 : 8, kLargestEven)};
  }
  if (level < kFirstThoroughLevel) {
    return {part_of(input_bytes, 4, kLeastSampled, kMostSampled),
            {kMiB, 16},
            part_of(input_bytes, 32, kMiB, kMostTried),
            largest(8, kLargestUntried)};
  }
  return {kMostSampled,
          {2 * kMiB, 64},
          part_of(input_bytes, 16, kMiB, kMostTried),
          largest(options.block_bytes <= kLargestTried ? 4 : 8, kMaxDictionaryBytes)};
}

/// Numbers of the blocks to train on and of those to try the result on. The tried blocks
/// contain trained ones in the proportion that the whole input does: blocks that were trained
/// on gain more, so other shares would mislead.
struct Split {
  std::vector<std::uint64_t> trained;
  std::vector<std::uint64_t> tried;
};

Split split_blocks(std::uint64_t blocks, std::uint64_t trained, std::uint64_t tried) {
  Split split;
  split.trained = choose_evenly(blocks, trained);
  const std::uint64_t others = blocks - split.trained.size();
  tried = std::min(tried, blocks);
  const std::uint64_t new_ones = (tried * others + blocks - 1) / blocks;
  for (const std::uint64_t index : choose_evenly(others, new_ones)) {
    split.tried.push_back(number_without(split.trained, index));
  }
  for (const std::uint64_t index : choose_evenly(split.trained.size(), tried - new_ones)) {
    split.tried.push_back(split.trained[index]);
  }
  return split;
}

/// A dictionary is stored in blocks of 1 MiB, whatever the file's block size is.
std::vector<Bytes> dictionary_blocks(Bytes content) {
  return cut_into_blocks({&content, 1}, kDictionaryBlockBytes);
}

/// The share that the dictionary saves.
double gain_of(const TriedParts& parts) {
  return 1 - parts.with / parts.without;
}

/// Whether the input has changed enough to look for another dictionary.
bool has_drifted(const TriedParts& then, const TriedParts& now, bool has_dictionary) {
  if (has_dictionary) return gain_of(now) < gain_of(then) * (1 - kLostGain);
  return std::abs(now.without - then.without) > kOtherSize * then.without;
}

/// Tries content and sizes on blocks of one input. `input_bytes` is the size that is expected
/// of it.
class Chooser {
 public:
  Chooser(std::uint64_t input_bytes, const CompressOptions& options)
      : input_bytes_(input_bytes),
        options_(options),
        tried_block_bytes_(std::min(options.block_bytes, kLargestTried)),
        effort_(effort_of(options, input_bytes)),
        trial_(options) {}

  Result<DictionaryPlan> choose(const RandomAccess& input) {
    if (options_.dictionary.mode == DictionaryChoice::Mode::kSize) return train_fixed(input);
    return effort_.sample_bytes == 0 ? choose_even(input) : choose_trained(input);
  }

  Result<std::optional<DictionaryPlan>> choose_again(const RandomAccess& next,
                                                     DictionaryPlan& current) {
    PRESSO_ASSIGN(const TriedParts now, try_on(next, current.content));
    const TriedParts then = std::exchange(current.parts, now);
    if (!has_drifted(then, now, !current.content.empty())) return std::optional<DictionaryPlan>{};
    PRESSO_ASSIGN(DictionaryPlan other, choose(next));
    const double kept = now.with * static_cast<double>(input_bytes_);
    if (other.predicted_bytes > kept * (1 - kNeededGain)) return std::optional<DictionaryPlan>{};
    return std::optional(std::move(other));
  }

 private:
  /// The user has asked for this size: as much is sampled as training at its best would sample.
  Result<DictionaryPlan> train_fixed(const RandomAccess& input) {
    constexpr std::uint64_t kSampled = 8;  ///< times the dictionary
    constexpr std::uint64_t kLeastForFixed = 8u << 20;
    const std::uint32_t bytes = options_.dictionary.bytes;
    const std::uint64_t sampled = std::min<std::uint64_t>(
        std::max<std::uint64_t>(kSampled * bytes, kLeastForFixed), kMostSampled);
    const std::uint64_t count = std::max<std::uint64_t>(sampled / tried_block_bytes_, 1);
    PRESSO_ASSIGN(const Samples samples,
                  Samples::read(input, tried_block_bytes_, choose_evenly(blocks_of(input), count)));
    const TrainingEffort training{std::max<std::uint64_t>(effort_.training.strings, 1u << 20),
                                  std::max(effort_.training.segments, 16u)};
    DictionaryPlan plan;
    const Stopwatch time;
    PRESSO_ASSIGN(const auto segments, select_segments(samples.blocks(), bytes, training,
                                                       threads_or_all(options_.threads)));
    plan.content = assemble_dictionary(samples.blocks(), segments, bytes);
    plan.training_seconds = time.seconds();
    return plan;
  }

  /// For fast levels: a single candidate is compared with no dictionary.
  Result<DictionaryPlan> choose_even(const RandomAccess& input) {
    PRESSO_ASSIGN(const Samples tried, blocks_to_try(input));
    PRESSO_ASSIGN(DictionaryPlan without, plan_with({}, tried.blocks()));
    PRESSO_ASSIGN(DictionaryPlan with, plan_even(input, without, tried.blocks()));
    return pays(with, without) ? std::move(with) : std::move(without);
  }

  /// A plan with pieces at even distances as content; it is cheap because nothing is trained.
  Result<DictionaryPlan> plan_even(const RandomAccess& input, const DictionaryPlan& without,
                                   std::span<const Bytes> tried) {
    const std::uint64_t pieces = input.size() / kPieceBytes;
    PRESSO_ASSIGN(
        const Samples taken,
        Samples::read(input, kPieceBytes, choose_evenly(pieces, effort_.largest / kPieceBytes)));
    std::vector<Byte> content;
    for (const Bytes piece : taken.blocks()) {
      content.insert(content.end(), piece.begin(), piece.end());
    }
    // They are as compressible as all of the input, of which they are a sample.
    const double own = without.parts.without * static_cast<double>(content.size());
    PRESSO_ASSIGN(DictionaryPlan with, plan_with(std::move(content), own, tried));
    with.parts.without = without.parts.without;
    return with;
  }

  /// A trained plan, or an even one where that is better.
  Result<DictionaryPlan> choose_trained(const RandomAccess& input) {
    const std::uint64_t trained =
        std::max<std::uint64_t>(effort_.sample_bytes / tried_block_bytes_, 1);
    const Split split = split_blocks(blocks_of(input), trained, tried_blocks());
    PRESSO_ASSIGN(const Samples samples, Samples::read(input, tried_block_bytes_, split.trained));
    const Stopwatch time;
    PRESSO_ASSIGN(const auto segments,
                  select_segments(samples.blocks(), effort_.largest, effort_.training,
                                  threads_or_all(options_.threads)));
    const double training_seconds = time.seconds();
    PRESSO_ASSIGN(const Samples tried, Samples::read(input, tried_block_bytes_, split.tried));
    PRESSO_ASSIGN(DictionaryPlan without, plan_with({}, tried.blocks()));
    PRESSO_ASSIGN(DictionaryPlan best, best_size(samples, segments, without, tried));
    if (options_.level < kFirstThoroughLevel) {
      PRESSO_ASSIGN(DictionaryPlan even, plan_even(input, without, tried.blocks()));
      if (even.predicted_bytes < best.predicted_bytes) best = std::move(even);
    }
    DictionaryPlan& chosen = pays(best, without) ? best : without;
    chosen.training_seconds = training_seconds;
    return std::move(chosen);
  }

  std::uint64_t blocks_of(const RandomAccess& input) const {
    return (input.size() + tried_block_bytes_ - 1) / tried_block_bytes_;
  }
  std::uint64_t tried_blocks() const {
    return std::max<std::uint64_t>(effort_.tried_bytes / tried_block_bytes_, 1);
  }
  Result<Samples> blocks_to_try(const RandomAccess& input) const {
    return Samples::read(input, tried_block_bytes_,
                         choose_evenly(blocks_of(input), tried_blocks()));
  }

  /// The best of the sizes that the effort allows, from small to large; it stops at the first
  /// that loses.
  Result<DictionaryPlan> best_size(const Samples& samples,
                                   std::span<const DictionarySegment> segments,
                                   const DictionaryPlan& without, const Samples& tried) {
    DictionaryPlan best = without;
    std::size_t tried_bytes = 0;
    const bool thorough = options_.level >= kFirstThoroughLevel;
    for (const std::uint32_t bytes : kTrialSizes) {
      if (bytes > input_bytes_ / 4 || bytes > effort_.largest) break;
      if (bytes < (thorough ? effort_.largest / 4 : effort_.largest)) continue;
      std::vector<Byte> content = assemble_dictionary(samples.blocks(), segments, bytes);
      if (content.size() <= tried_bytes + tried_bytes / 8) break;  // nothing more is repeated
      tried_bytes = content.size();
      PRESSO_ASSIGN(DictionaryPlan with, plan_with(std::move(content), tried.blocks()));
      if (with.predicted_bytes < best.predicted_bytes) {
        best = std::move(with);
        best.parts.without = without.parts.without;
      } else if (!best.content.empty()) {
        break;  // larger ones cost more than they gain
      }
    }
    return best;
  }

  /// Whether a dictionary saves at least kNeededGain of the whole file.
  bool pays(const DictionaryPlan& with, const DictionaryPlan& without) const {
    return with.predicted_bytes <= without.predicted_bytes * (1 - kNeededGain);
  }

  /// The plan for this content; parts.without is the same as parts.with until the caller knows
  /// better.
  Result<DictionaryPlan> plan_with(std::vector<Byte> content, std::span<const Bytes> tried) {
    PRESSO_ASSIGN(const std::uint64_t own, trial_.stored_bytes(dictionary_blocks(content)));
    return plan_with(std::move(content), static_cast<double>(own), tried);
  }

  /// Like the above, for callers that know how many bytes the dictionary itself takes.
  Result<DictionaryPlan> plan_with(std::vector<Byte> content, double own,
                                   std::span<const Bytes> tried) {
    PRESSO_ASSIGN(const double part, stored_part(tried, content));
    const double all = own + part * static_cast<double>(input_bytes_);
    return DictionaryPlan{std::move(content), all, {part, part}};
  }

  /// For choose_again(): the stored shares of the blocks that follow, without and with `content`.
  Result<TriedParts> try_on(const RandomAccess& input, Bytes content) {
    PRESSO_ASSIGN(const Samples tried, blocks_to_try(input));
    TriedParts parts;
    PRESSO_ASSIGN(parts.without, stored_part(tried.blocks(), {}));
    PRESSO_ASSIGN(parts.with, stored_part(tried.blocks(), content));
    return parts;
  }

  Result<double> stored_part(std::span<const Bytes> blocks, Bytes content) {
    PRESSO_ASSIGN(const std::uint64_t stored, trial_.stored_bytes(blocks, content));
    return static_cast<double>(stored) / static_cast<double>(total_bytes(blocks));
  }

  const std::uint64_t input_bytes_;
  const CompressOptions& options_;
  const std::uint32_t tried_block_bytes_;  ///< what is called a block here
  const Effort effort_;
  SizeTrial trial_;
};

}  // namespace

bool may_use_dictionary(const CompressOptions& options) {
  using Mode = DictionaryChoice::Mode;
  if (options.dictionary.mode == Mode::kAuto) {
    return options.favor != Favor::kDecode &&
           (options.level >= kFirstSlowLevel || options.coding == Coding::kBit);
  }
  return options.dictionary.mode == Mode::kSize;
}

Result<DictionaryPlan> choose_dictionary(const RandomAccess& input, std::uint64_t input_bytes,
                                         const CompressOptions& options) {
  const bool automatic = options.dictionary.mode == DictionaryChoice::Mode::kAuto;
  const std::uint64_t smallest = !automatic                        ? 1
                                 : options.level < kFirstSlowLevel ? kSmallestFast
                                                                   : kSmallestTrainingInput;
  const bool small = input.size() < smallest;
  if (!may_use_dictionary(options) || small) return DictionaryPlan{};
  return Chooser(input_bytes, options).choose(input);
}

Result<std::optional<DictionaryPlan>> choose_dictionary_again(const RandomAccess& next,
                                                              std::uint64_t expected_bytes,
                                                              const CompressOptions& options,
                                                              DictionaryPlan& current) {
  return Chooser(expected_bytes, options).choose_again(next, current);
}

Buffer encode_dictionary(Bytes content, const EncoderParameters& parameters) {
  BlockEncoder encoder(parameters);
  Buffer stored;
  std::uint32_t number = 0;
  for (const Bytes block : dictionary_blocks(content)) {
    encoder.encode(block, number++, FrameKind::kDictionaryBlock, {}, stored);
  }
  return stored;
}

}  // namespace presso
