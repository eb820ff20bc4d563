// SPDX-License-Identifier: MIT
#include "compress/block_encoder.h"

#include <algorithm>
#include <bit>

#include "compress/byte_encoder.h"
#include "presso/checksum.h"

namespace presso {
namespace {

/// Costs at most about as much ratio as two-wave groups of 128 (NOTES.md).
constexpr std::uint32_t kDefaultTileBytes = 2048;

constexpr int kFirstOptimalLevel = 10;

/// The ladder. Levels between the landmarks trade depth for speed; NOTES.md has the measurements.
ParserParameters level_parameters(int level) {
  ParserParameters parameters;
  if (level <= 3) {
    parameters.chains = false;
    constexpr std::uint32_t kAcceleration[] = {3, 5, 8};  // levels 1..3
    parameters.acceleration = kAcceleration[level - 1];
    parameters.min_match = 6;
    return parameters;
  }
  constexpr std::uint32_t kDepth[] = {3, 4, 6, 10, 16, 32, 64, 128, 256};  // levels 4..12
  constexpr std::uint32_t kNice[] = {64, 64, 64, 96, 128, 256, 512, 512, 512};
  parameters.depth = kDepth[level - 4];
  parameters.nice_length = kNice[level - 4];
  return parameters;
}

/// The higher levels look for the fewest bits.
void parse_optimally(int level, ParserParameters& parameters) {
  if (level < kFirstOptimalLevel) return;
  constexpr std::uint32_t kDepth[] = {16, 40, 128};  // levels 10..12
  constexpr std::uint32_t kNice[] = {96, 160, 256};
  constexpr std::uint32_t kPasses[] = {1, 1, 2};
  const int i = level - kFirstOptimalLevel;
  parameters.depth = kDepth[i];
  parameters.nice_length = kNice[i];
  parameters.passes = kPasses[i];
}

/// For GPU decoders, which pay by sequences and keep a short history (NOTES.md, tiles).
void favor_decode(ParserParameters& parameters) {
  parameters.rule = DependencyRule::kTile;
  parameters.window = kFavorDecodeWindow;
  if (!parameters.chains) return;  // the fast parser's minimum match is 6, and it weighs no costs
  parameters.min_match = 5;
  const bool optimal_bytes = parameters.passes > 0 && parameters.coding == Coding::kByte;
  parameters.sequence_cost = optimal_bytes ? 16 : 8;
}

}  // namespace

ParserParameters parameters_of(const CompressOptions& options) {
  ParserParameters parameters = level_parameters(options.level);
  parameters.coding = options.coding;
  parameters.bit_gain = options.bit_gain;
  parameters.sub_block = options.sub_block;
  parse_optimally(options.level, parameters);
  if (options.favor == Favor::kDecode) favor_decode(parameters);
  if (options.rule) parameters.rule = *options.rule;
  if (parameters.rule == DependencyRule::kTile) parameters.group = kDefaultTileBytes;
  if (options.group != 0) parameters.group = options.group;
  if (options.window != 0) parameters.window = options.window;
  if (options.lookahead != 0) parameters.lookahead = options.lookahead;
  if (options.staleness) parameters.staleness = *options.staleness;
  return parameters;
}

BitParameters bit_parameters_of(const ParserParameters& parameters) {
  BitParameters bit;
  if (parameters.sub_block != 0) {
    bit.sub_block_log2 = static_cast<unsigned>(std::countr_zero(parameters.sub_block));
  }
  return bit;
}

/// `header` as it is if the block is Byte-coded.
BlockHeader BlockEncoder::planned_byte_header(const BlockHeader& header) const {
  const SequenceStatistics statistics = gather_statistics(sequences_, parameters_.min_match);
  BlockHeader planned = header;
  plan_byte_payload(sequences_, statistics, choose_layout(statistics, parameters_.min_match),
                    planned);
  planned.coding = Coding::kByte;
  return planned;
}

/// Appends the payload that `header` was planned for; false, with nothing done, where nothing is
/// saved.
bool BlockEncoder::append_byte_coded(Bytes plain, const BlockHeader& header, Buffer& to) {
  if (header.payload_bytes >= header.plain_bytes) return false;
  write_byte_payload(plain, sequences_, header, scratch_, to);
  return true;
}

/// Appends the payload and completes the header, or does nothing and says false, likewise. A block
/// whose codes save too little is Byte-coded.
bool BlockEncoder::append_bit_coded(Bytes plain, BlockHeader& header, Buffer& to) {
  BlockHeader bit = header;
  bit.layout.min_match = parameters_.min_match;
  bit_encoder_.encode(plain, sequences_, bit);
  const BlockHeader byte = planned_byte_header(header);
  const std::uint64_t otherwise = std::min(byte.payload_bytes, header.plain_bytes);
  if (std::uint64_t{100} * bit.payload_bytes > (100 - parameters_.bit_gain) * otherwise) {
    header = byte;
    return append_byte_coded(plain, header, to);
  }
  if (bit.payload_bytes >= header.plain_bytes) return false;
  header = bit;
  to.append(bit_encoder_.payload());
  return true;
}

void BlockEncoder::encode(Bytes plain, std::uint32_t number, FrameKind kind,
                          DictionaryRef dictionary, Buffer& to) {
  parser_->parse(plain, dictionary.index, sequences_);
  BlockHeader raw;
  raw.kind = kind;
  raw.number = number;
  raw.plain_bytes = static_cast<std::uint32_t>(plain.size());
  raw.payload_bytes = raw.plain_bytes;
  raw.content_checksum = content_checksum(plain);
  BlockHeader header = raw;
  header.rule = parameters_.rule;
  header.group_log2 = static_cast<Byte>(std::countr_zero(parameters_.group));
  header.dictionary_id = dictionary.id;
  const std::size_t start = to.size();
  to.grow(start + kBlockHeaderBytes);
  const bool bits = parameters_.coding == Coding::kBit;
  if (!bits) header = planned_byte_header(header);
  const bool coded =
      bits ? append_bit_coded(plain, header, to) : append_byte_coded(plain, header, to);
  if (!coded) {
    header = raw;
    to.append(plain);
  }
  write_block_header(header, to.data() + start);
  const std::size_t used = to.size();
  to.grow(start + header.stored_bytes());
  std::fill(to.data() + used, to.data() + to.size(), Byte{0});
}

}  // namespace presso
