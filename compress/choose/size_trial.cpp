// SPDX-License-Identifier: MIT
// Samples and trial encodings, by which dictionary_choice.cpp and block_size_choice.cpp decide.
// Tested through tests/unit/compress/dictionary_test.cpp.
#include "compress/choose/size_trial.h"

#include <algorithm>

#include "presso/ordered_pipeline.h"

namespace presso {
namespace {

/// A faster level stands in for the chosen one: stored sizes differ, but which candidate is smaller
/// rarely does.
EncoderParameters trial_parameters(const CompressOptions& options) {
  // From level 10 on dictionaries are searched further: more of a large one is found.
  constexpr int kTrialLevels[] = {1, 2, 2, 4, 4, 4, 4, 4, 4, 9, 9, 9};  // of levels 1..12
  CompressOptions faster = options;
  faster.level = kTrialLevels[options.level - 1];
  return parameters_of(faster);
}

}  // namespace

std::vector<std::uint64_t> choose_evenly(std::uint64_t end, std::uint64_t count) {
  count = std::min(count, end);
  std::vector<std::uint64_t> chosen;
  for (std::uint64_t i = 0; i < count; ++i) chosen.push_back((2 * i + 1) * end / (2 * count));
  return chosen;
}

/// A binary search counts the numbers of `without` that come before the answer: those that are at
/// most `index` once the ones before them are taken out.
std::uint64_t number_without(std::span<const std::uint64_t> without, std::uint64_t index) {
  std::size_t before = 0;
  for (std::size_t behind = without.size(); before < behind;) {
    const std::size_t middle = before + (behind - before) / 2;
    without[middle] - middle <= index ? before = middle + 1 : behind = middle;
  }
  return index + before;
}

Result<Samples> Samples::read(const RandomAccess& input, std::uint32_t block_bytes,
                              std::span<const std::uint64_t> numbers) {
  Samples samples;
  for (const std::uint64_t number : numbers) {
    const std::uint64_t at = number * block_bytes;
    Buffer block;
    block.resize_discarding(
        static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, input.size() - at)));
    PRESSO_TRY(input.read_at(at, block.mutable_bytes()));
    samples.views_.push_back(block.bytes());
    samples.blocks_.push_back(std::move(block));
  }
  return samples;
}

std::uint64_t total_bytes(std::span<const Bytes> blocks) {
  std::uint64_t total = 0;
  for (const Bytes block : blocks) total += block.size();
  return total;
}

std::vector<Bytes> cut_into_blocks(std::span<const Bytes> pieces, std::uint32_t block_bytes) {
  std::vector<Bytes> blocks;
  for (Bytes piece : pieces) {
    for (; piece.size() > block_bytes; piece = piece.subspan(block_bytes)) {
      blocks.push_back(piece.first(block_bytes));
    }
    if (!piece.empty()) blocks.push_back(piece);
  }
  return blocks;
}

SizeTrial::SizeTrial(const CompressOptions& options)
    : parameters_(trial_parameters(options)), encoders_(threads_or_all(options.threads)) {}

Result<std::uint64_t> SizeTrial::stored_bytes(std::span<const Bytes> blocks, Bytes dictionary) {
  DictionaryIndex index;
  if (!dictionary.empty()) index = index_dictionary(dictionary, parameters_.parser);
  const DictionaryRef with{dictionary.empty() ? nullptr : &index, Byte{1}};
  std::size_t next = 0;
  std::uint64_t total = 0;
  PRESSO_TRY((run_ordered<Bytes, std::uint64_t>(
      {static_cast<unsigned>(encoders_.size()), 0},
      [&]() -> Result<std::optional<Bytes>> {
        return next < blocks.size() ? std::optional(blocks[next++]) : std::nullopt;
      },
      [&](Bytes block, unsigned worker) { return encode(block, with, encoders_[worker]); },
      [&](std::uint64_t stored) -> Result<bool> {
        total += stored;
        return true;
      })));
  return total;
}

std::uint64_t SizeTrial::encode(Bytes block, const DictionaryRef& with, Encoder& own) {
  if (own.encoder == nullptr) own.encoder = std::make_unique<BlockEncoder>(parameters_);
  own.stored.clear();
  own.encoder->encode(block, 0, FrameKind::kBlock, with, own.stored);
  return own.stored.size();
}

}  // namespace presso
