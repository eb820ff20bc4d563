// SPDX-License-Identifier: MIT
// One block from plain bytes to stored form: header, payload, padding. Owns a parser; one per
// thread.
#pragma once

#include <memory>

#include "compress/encode/bit_encoder.h"
#include "compress/parse/parser.h"
#include "presso/byte_stream.h"
#include "presso/compress.h"

namespace presso {

struct EncoderParameters {
  ParserParameters parser;
  std::uint32_t bit_gain_percent = 0;     ///< as in CompressOptions
  std::uint32_t sub_block_sequences = 0;  ///< likewise
};

/// What level and favor mean. Window, lookahead, rule, group and staleness of `options` win over
/// it.
EncoderParameters parameters_of(const CompressOptions& options);

BitParameters bit_parameters_of(const EncoderParameters& parameters);

/// A dictionary as the encoder sees it: its index and the id that blocks name it by; 0: none.
struct DictionaryRef {
  const DictionaryIndex* index = nullptr;
  Byte id = 0;
};

class BlockEncoder {
 public:
  explicit BlockEncoder(const EncoderParameters& parameters);

  /// Appends the stored block to `to`. `plain`: 1 .. kMaxBlockBytes. Falls back to a raw block
  /// where the coding would not save anything, to a Byte block where that is smaller than a Bit
  /// block.
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

/// The same without coding: a raw block.
void append_raw_block(Bytes plain, std::uint32_t number, FrameKind kind, Buffer& to);

}  // namespace presso
