// SPDX-License-Identifier: MIT
// BlockEncoder: one block from plain bytes to stored bytes, and the ladder of levels: which parser
// (compress/parse/parser.h) with which effort each level means. A block is parsed once; the coding
// is chosen by size afterwards, so no block is larger than its plain bytes and a header.
#include "compress/encode/block_encoder.h"

#include <algorithm>
#include <bit>

#include "compress/encode/byte_encoder.h"
#include "format/raw_block.h"

namespace presso {
namespace {

/// The tile of the tile rule (parse/dependency.h). This size costs at most about as much ratio as
/// the two-wave rule with groups of 128 sequences (NOTES.md).
constexpr std::uint32_t kDefaultTileBytes = 2048;

// From which level on rows are searched, in the Byte and in the Bit coding.
constexpr int kFirstRowLevel = 3;
constexpr int kFirstBitRowLevel = 4;
constexpr int kFirstChainLevel = 4;
constexpr int kFirstOptimalLevel = 10;

/// Levels 1 and 2 of the Byte coding.
void parse_fast(int level, ParserParameters& parameters) {
  parameters.kind = ParserKind::kFast;
  parameters.acceleration = level == 1 ? 4 : 6;
  parameters.min_match = 6;
  parameters.dense = level > 1;
}

/// Levels 1 to 3 of the Bit coding, which can use short matches: at repeated distances they are
/// cheap.
void parse_with_tables(int level, ParserParameters& parameters) {
  constexpr ParserKind kKinds[] = {ParserKind::kOneTable, ParserKind::kTwoTables,
                                   ParserKind::kFourPlaces};
  parameters.kind = kKinds[level - 1];
  parameters.acceleration = level == 1 ? 7 : 8;
  parameters.nice_length = 10;
}

/// Levels 3 (Bit coding: 4) to 9: how many places of a row are tried, how many positions further a
/// better match is looked for, and which length ends a search.
void parse_rows(int level, ParserParameters& parameters) {
  constexpr std::uint32_t kDepth[] = {12, 12, 12, 14, 28, 40, 60};  // levels 3..9
  constexpr std::uint32_t kLazy[] = {0, 1, 2, 2, 2, 2, 2};
  constexpr std::uint32_t kNice[] = {64, 64, 64, 256, 256, 512, 1024};
  const int i = level - kFirstRowLevel;
  parameters.kind = ParserKind::kRow;
  parameters.acceleration = 8;
  parameters.depth = kDepth[i];
  parameters.lazy = kLazy[i];
  parameters.nice_length = kNice[i];
  // In the Bit coding a far short match takes more bits than its literals.
  if (parameters.coding == Coding::kBit) parameters.row_key = 6;
}

/// Levels 4 to 9 under Favor::kDecode: this parser looks for the cheapest way through several
/// matches, so that it takes fewer, longer sequences when each has a cost of its own.
void parse_chains(int level, ParserParameters& parameters) {
  constexpr std::uint32_t kDepth[] = {3, 4, 6, 10, 16, 32};  // levels 4..9
  constexpr std::uint32_t kNice[] = {64, 64, 64, 96, 128, 256};
  const int i = level - kFirstChainLevel;
  parameters.kind = ParserKind::kChain;
  parameters.depth = kDepth[i];
  parameters.nice_length = kNice[i];
}

/// Levels 10 to 12 look for the fewest bits by dynamic programming.
void parse_optimally(int level, ParserParameters& parameters) {
  constexpr std::uint32_t kDepth[] = {16, 40, 128};  // levels 10..12
  constexpr std::uint32_t kNice[] = {320, 400, 512};
  constexpr std::uint32_t kPasses[] = {1, 1, 2};
  const int i = level - kFirstOptimalLevel;
  parameters.depth = kDepth[i];
  parameters.nice_length = kNice[i];
  parameters.kind = ParserKind::kOptimal;
  parameters.passes = kPasses[i];
}

/// Sets what a level means; NOTES.md has the measurements.
void set_level(int level, ParserParameters& parameters) {
  const bool bit = parameters.coding == Coding::kBit;
  if (bit && level < kFirstBitRowLevel) return parse_with_tables(level, parameters);
  if (level < kFirstRowLevel) return parse_fast(level, parameters);
  level < kFirstOptimalLevel ? parse_rows(level, parameters) : parse_optimally(level, parameters);
}

/// Changes a level for GPU decoders, whose time depends on the number of sequences and which keep a
/// short history (NOTES.md, tiles).
void favor_decode(int level, ParserParameters& parameters) {
  parameters.rule = DependencyRule::kTile;
  parameters.window = kFavorDecodeWindow;
  if (level < kFirstChainLevel) {
    parameters.min_match = 6;  // fewer sequences without weighing them
    return;
  }
  if (level < kFirstOptimalLevel) parse_chains(level, parameters);
  parameters.min_match = 5;
  const bool optimal = parameters.kind == ParserKind::kOptimal;
  parameters.sequence_cost = optimal && parameters.coding == Coding::kByte ? 16 : 8;
}

}  // namespace

/// The level comes first, then favor, then whatever the options set explicitly.
EncoderParameters parameters_of(const CompressOptions& given) {
  const CompressOptions options = with_goal(given);
  EncoderParameters encoder{{}, options.bit_gain_percent, options.sub_block_sequences};
  ParserParameters& parameters = encoder.parser;
  parameters.coding = *options.coding;
  if (options.block_bytes != 0) parameters.block_bytes = options.block_bytes;
  set_level(options.level, parameters);
  if (options.favor == Favor::kDecode) favor_decode(options.level, parameters);
  if (options.rule) parameters.rule = *options.rule;
  if (parameters.rule == DependencyRule::kTile) parameters.group = kDefaultTileBytes;
  if (options.group != 0) parameters.group = options.group;
  if (options.window != 0) parameters.window = options.window;
  if (options.lookahead != 0) parameters.lookahead = options.lookahead;
  if (options.staleness) parameters.staleness = *options.staleness;
  return encoder;
}

BitParameters bit_parameters_of(const EncoderParameters& parameters) {
  BitParameters bit;
  if (parameters.sub_block_sequences != 0) {
    bit.sub_block_log2 = static_cast<unsigned>(std::countr_zero(parameters.sub_block_sequences));
  }
  return bit;
}

BlockEncoder::BlockEncoder(const EncoderParameters& parameters)
    : parameters_(parameters),
      parser_(make_parser(parameters.parser)),
      bit_encoder_(bit_parameters_of(parameters)) {}

/// Returns `header` as it would be if the sequences were coded in the Byte coding.
BlockHeader BlockEncoder::planned_byte_header(const BlockHeader& header) const {
  const SequenceStatistics statistics = gather_statistics(sequences_, parameters_.parser.min_match);
  BlockHeader planned = header;
  plan_byte_payload(sequences_, statistics, choose_layout(statistics, parameters_.parser.min_match),
                    planned);
  planned.coding = Coding::kByte;
  return planned;
}

/// Appends the payload that `header` was planned for. Returns false, and does nothing, where
/// nothing is saved.
bool BlockEncoder::append_byte_coded(Bytes plain, const BlockHeader& header, Buffer& to) {
  if (header.payload_bytes >= header.plain_bytes) return false;
  write_byte_payload(plain, sequences_, header, scratch_, to);
  return true;
}

/// Codes the sequences in the Bit coding and completes the header; the payload stays in the
/// encoder. Where matches cover less than an eighth of the block, they often take as many bits as
/// the literals in their place, and longer to decode: if so, the block is coded without matches.
bool BlockEncoder::encode_bits(Bytes plain, BlockHeader& header) {
  header.layout.min_match = parameters_.parser.min_match;
  const bool fits = bit_encoder_.encode(plain, sequences_, header);
  const bool may_do_without = fits && !sequences_.empty() && !header.has_sub_blocks() &&
                              header.plain_bytes - header.literals < header.plain_bytes / 8;
  if (!may_do_without) return fits;
  const std::uint32_t with_matches = header.payload_bytes;
  if (bit_encoder_.encode(plain, {}, header) && header.payload_bytes <= with_matches) return true;
  return bit_encoder_.encode(plain, sequences_, header);
}

/// Appends the payload and completes the header, or returns false and does nothing where nothing is
/// saved. A block that is not bit_gain_percent smaller than in the Byte coding gets the Byte
/// coding, as that decodes faster.
bool BlockEncoder::append_bit_coded(Bytes plain, BlockHeader& header, Buffer& to) {
  BlockHeader bit = header;
  const bool fits = encode_bits(plain, bit);
  const auto saves_enough = [&](std::uint64_t otherwise) {
    return fits && std::uint64_t{100} * bit.payload_bytes <=
                       (100 - parameters_.bit_gain_percent) *
                           std::min<std::uint64_t>(otherwise, header.plain_bytes);
  };
  // The size in the Byte coding without escapes, which is less than its real one, mostly decides.
  if (!saves_enough(3 * std::uint64_t{bit.sequences} + bit.literals)) {
    const BlockHeader byte = planned_byte_header(header);
    if (!saves_enough(byte.payload_bytes)) {
      header = byte;
      return append_byte_coded(plain, header, to);
    }
  }
  if (bit.payload_bytes >= header.plain_bytes) return false;
  header = bit;
  to.append(bit_encoder_.payload());
  return true;
}

/// Parses once, chooses the coding, then writes header, payload and padding.
void BlockEncoder::encode(Bytes plain, std::uint32_t number, FrameKind kind,
                          DictionaryRef dictionary, Buffer& to) {
  const BlockHeader raw = raw_header(plain, number, kind);
  BlockHeader header = raw;
  header.rule = parameters_.parser.rule;
  header.group_log2 = static_cast<Byte>(std::countr_zero(parameters_.parser.group));
  header.dictionary_id = dictionary.id;
  parser_->parse(plain, dictionary.index, sequences_);
  const std::size_t start = to.size();
  to.grow(start + kBlockHeaderBytes);
  const bool bits = parameters_.parser.coding == Coding::kBit;
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
