// SPDX-License-Identifier: MIT
// Encodes one block from plain bytes to its stored form: header, payload, padding. A parser finds
// sequences (literals and a match each); one of the codings Byte and Bit writes them. Tested by
// tests/differential/round_trip_test.cpp.
#pragma once

#include <memory>

#include "compress/encode/bit_encoder.h"
#include "compress/parse/parser.h"
#include "presso/byte_stream.h"
#include "presso/compress.h"

namespace presso {

/// What a BlockEncoder does, after level and goal were taken into account.
struct EncoderParameters {
  ParserParameters parser;
  std::uint32_t bit_gain_percent = 0;     ///< as in CompressOptions
  std::uint32_t sub_block_sequences = 0;  ///< as in CompressOptions
};

/// The parameters that level and favor stand for. Window, lookahead, rule, group and staleness
/// of `options` take precedence.
EncoderParameters parameters_of(const CompressOptions& options);

/// The part of the parameters that concerns the Bit coding.
BitParameters bit_parameters_of(const EncoderParameters& parameters);

/// A dictionary as the encoder sees it: its index, and the id that blocks name it by; id 0
/// means none.
struct DictionaryRef {
  const DictionaryIndex* index = nullptr;
  Byte id = 0;
};

/// Owns a parser and keeps memory between blocks; each thread needs one of its own.
class BlockEncoder {
 public:
  explicit BlockEncoder(const EncoderParameters& parameters);

  /// Appends the stored block to `to`. `plain`: 1 to kMaxBlockBytes bytes. Falls back to a raw
  /// block where coding would save nothing, and to a Byte block where that is smaller than a
  /// Bit block.
  void encode(Bytes plain, std::uint32_t number, FrameKind kind, DictionaryRef dictionary,
              Buffer& to);

 private:
  BlockHeader planned_byte_header(const BlockHeader& header) const;
  bool append_byte_coded(Bytes plain, const BlockHeader& header, Buffer& to);
  bool encode_bits(Bytes plain, BlockHeader& header);
  bool append_bit_coded(Bytes plain, BlockHeader& header, Buffer& to);

  EncoderParameters parameters_;
  std::unique_ptr<Parser> parser_;
  Sequences sequences_;
  Buffer scratch_;
  BitEncoder bit_encoder_;
};

}  // namespace presso
