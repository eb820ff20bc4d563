// SPDX-License-Identifier: MIT
#include "compress/dictionary_sampler.h"

#include <algorithm>

#include "compress/block_encoder.h"

namespace presso {
namespace {

constexpr std::uint32_t kTrialSizes[] = {64u << 10, 256u << 10, 1u << 20};
constexpr std::uint64_t kTrialBlocks = 8;
constexpr std::uint64_t kSmallestInput = 1u << 20;  ///< below, a dictionary cannot pay
constexpr double kNeededGain = 0.08;  ///< of the compressed size; NOTES.md says what it costs
constexpr int kFirstAutoLevel = 4;    ///< faster levels do not pay for the trial

/// Trial blocks lie between the sampled pieces as far as possible: off their grid.
std::uint64_t trial_offset(std::uint64_t input_bytes, std::uint64_t trial,
                           std::uint32_t block_bytes) {
  const std::uint64_t room = input_bytes > block_bytes ? input_bytes - block_bytes : 0;
  return room * (2 * trial + 1) / (2 * kTrialBlocks) / block_bytes * block_bytes;
}

Result<std::vector<Buffer>> read_trial_blocks(const RandomAccess& input,
                                              std::uint32_t block_bytes) {
  std::vector<Buffer> blocks;
  for (std::uint64_t trial = 0; trial < kTrialBlocks; ++trial) {
    const std::uint64_t at = trial_offset(input.size(), trial, block_bytes);
    Buffer block;
    block.resize_discarding(
        static_cast<std::size_t>(std::min<std::uint64_t>(block_bytes, input.size() - at)));
    PRESSO_TRY(input.read_at(at, block.mutable_bytes()));
    blocks.push_back(std::move(block));
  }
  return blocks;
}

struct TrialSize {
  std::uint64_t plain = 0;
  std::uint64_t stored = 0;
};

TrialSize encode_all(const std::vector<Buffer>& blocks, const ParserParameters& parameters,
                     Bytes dictionary) {
  BlockEncoder encoder(parameters);
  DictionaryIndex index;
  if (!dictionary.empty()) index = index_dictionary(dictionary, parameters);
  TrialSize size;
  Buffer stored;
  for (const Buffer& block : blocks) {
    stored.clear();
    encoder.encode(block.bytes(), 0, FrameKind::kBlock,
                   {dictionary.empty() ? nullptr : &index, Byte{1}}, stored);
    size.plain += block.size();
    size.stored += stored.size();
  }
  return size;
}

/// Compressed size of the whole input as the trial blocks predict it.
double predict(const TrialSize& trial, std::uint64_t input_bytes) {
  return static_cast<double>(trial.stored) / static_cast<double>(trial.plain) *
         static_cast<double>(input_bytes);
}

}  // namespace

Result<std::vector<Byte>> sample_evenly(const RandomAccess& input, std::uint32_t dictionary_bytes) {
  const std::uint64_t pieces = dictionary_bytes / kSamplePieceBytes;
  std::vector<Byte> content;
  if (pieces == 0) return content;
  const std::uint64_t stride = input.size() / pieces;
  if (stride <= kSamplePieceBytes) {
    content.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), dictionary_bytes)));
    PRESSO_TRY(input.read_at(0, content));
    return content;
  }
  content.resize(pieces * kSamplePieceBytes);
  for (std::uint64_t piece = 0; piece < pieces; ++piece) {
    const std::uint64_t at = piece * stride + (stride - kSamplePieceBytes) / 2;
    PRESSO_TRY(input.read_at(
        at, MutableBytes(content).subspan(piece * kSamplePieceBytes, kSamplePieceBytes)));
  }
  return content;
}

bool may_use_dictionary(const CompressOptions& options) {
  using Mode = DictionaryChoice::Mode;
  if (options.dictionary.mode == Mode::kAuto) {
    return options.level >= kFirstAutoLevel && options.favor == Favor::kRatio;
  }
  return options.dictionary.mode == Mode::kSize;
}

Result<std::vector<Byte>> choose_dictionary(const RandomAccess& input,
                                            const CompressOptions& options) {
  using Mode = DictionaryChoice::Mode;
  if (!may_use_dictionary(options)) return std::vector<Byte>{};
  if (options.dictionary.mode == Mode::kSize) {
    return sample_evenly(input, options.dictionary.bytes);
  }
  if (input.size() < kSmallestInput) return std::vector<Byte>{};

  const ParserParameters parameters = parameters_of(options);
  PRESSO_ASSIGN(const std::vector<Buffer> blocks, read_trial_blocks(input, options.block_bytes));
  std::vector<Byte> best;
  double fewest = predict(encode_all(blocks, parameters, {}), input.size());
  const double plain_cost = fewest;
  for (const std::uint32_t bytes : kTrialSizes) {
    if (bytes > input.size() / 8) break;
    PRESSO_ASSIGN(std::vector<Byte> content, sample_evenly(input, bytes));
    std::vector<Buffer> itself(1);
    itself[0].append(content);
    const double own = static_cast<double>(encode_all(itself, parameters, {}).stored);
    const double cost = own + predict(encode_all(blocks, parameters, content), input.size());
    if (cost < fewest && cost < plain_cost * (1 - kNeededGain)) {
      fewest = cost;
      best = std::move(content);
    }
  }
  return best;
}

}  // namespace presso
