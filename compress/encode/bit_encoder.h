// SPDX-License-Identifier: MIT
// Writes the sequences of a block, runs of literals each followed by a match, in the Bit coding
// (FORMAT.md 13; sources: S7.3, S7.18): literals, commands, long lengths and offsets in five
// Huffman codes (format/bit_code.h), dealt out to lanes, each of which is a stream of bits of its
// own (sub-stream). Lanes decode independently, which is the parallelism of GPUs and of superscalar
// CPUs. A command is one symbol for what most sequences say in three, after Brotli's
// insert-and-copy lengths (Alakuijala and Szabadka, RFC 7932, 2016). With sub-blocks instead of
// lanes, runs of a few sequences can be decoded alone. It takes whatever sequences it is given:
// block_encoder.h decides whether another coding is smaller.
#pragma once

#include <array>
#include <vector>

#include "compress/encode/bit_writer.h"
#include "compress/parse/sequence.h"
#include "format/bit_code.h"
#include "presso/byte_stream.h"
#include "presso/wire.h"

namespace presso {

/// A symbol's code word, reversed as it is written, and its length in bits.
struct CodeWord {
  std::uint16_t word = 0;
  std::uint16_t length = 0;
};

/// A value for each symbol of every alphabet, in the order of the list (FORMAT.md 13.4).
template <class T>
using PerSymbol = std::array<T, bit::kListedSymbols>;

/// What the user or the level decides: lanes or sub-blocks, and the longest code words in bits.
struct BitParameters {
  unsigned sub_block_log2 = 0;  ///< sequences of a sub-block; 0: lanes instead
  Byte literal_limit = 10;
  Byte command_limit = 10;
  Byte sequence_limit = 9;
};

/// The encoder of one thread: it keeps its memory between blocks.
class BitEncoder {
 public:
  explicit BitEncoder(const BitParameters& parameters) : parameters_(parameters) {}

  /// Fills those fields of `header` that the coding has, payload_bytes included; plain_bytes
  /// and the layout's min_match must be set. payload() then has the payload, until the next
  /// call. Returns false where a sub-block is larger than the header's fields can tell.
  bool encode(Bytes plain, const Sequences& sequences, BlockHeader& header);

  Bytes payload() const { return payload_.bytes(); }

 private:
  void gather_literals(Bytes plain, const Sequences& sequences);
  void gather_offsets(const Sequences& sequences, std::uint32_t run);
  void count_literals();
  void count_commands(const Sequences& sequences, std::uint32_t min_match);
  void count_values(const Sequences& sequences, std::uint32_t min_match);
  void make_codes(const BitFields& fields);
  template <class Writer>
  void put_value(Writer& to, std::uint32_t alphabet, std::uint32_t value) const;
  void put_sequence(WideBitWriter& to, const Sequence& sequence, std::uint32_t offset,
                    std::uint32_t min_match) const;
  std::uint64_t coded_bits() const;
  void put_literals_of_lane(WideBitWriter& to, std::uint32_t lane, const BlockHeader& header) const;
  void write_lanes(const Sequences& sequences, const BlockHeader& header);
  void write_sub_blocks(const Sequences& sequences, const BlockHeader& header);
  bool write_head(BitFields& fields);

  BitParameters parameters_;
  Buffer literals_;
  std::vector<std::uint32_t> offsets_;          ///< offset value of each sequence
  std::vector<std::uint64_t> stream_bits_;      ///< size of each sub-stream
  std::vector<std::uint32_t> stream_literals_;  ///< sub-blocks: the literals of each sub-stream
  PerSymbol<std::uint32_t> counts_;
  PerSymbol<Byte> lengths_;
  PerSymbol<CodeWord> words_;
  Buffer streams_;
  Buffer payload_;
};

/// The words that follow from the lengths (FORMAT.md 13.4), reversed as they are written; a
/// single symbol's word has no bits. The lengths must be a complete code.
void assign_words(std::span<const Byte> lengths, std::span<CodeWord> words);

}  // namespace presso
