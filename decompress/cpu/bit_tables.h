// SPDX-License-Identifier: MIT
// The look-up tables of the fast Bit decoders (bit_decoder.h), made from the Huffman codes in the
// payload's head (FORMAT.md 13.4): for every string of as many bits as the longest code word has,
// the symbol that it begins with. Made anew for each block; about 40 KiB.
#pragma once

#include <array>
#include <vector>

#include "decompress/cpu/bit_decoder.h"
#include "format/bit_code.h"
#include "presso/error.h"

namespace presso {

/// The tables of one block at a time: read(), then use(), again for the next block. The job points
/// into this object, which must stay where it is until the block is decoded.
class BitTables {
 public:
  /// Reads the codes in the payload's head; kBadTree if they are not valid.
  Status read(const BlockHeader& header, const Byte* payload);

  /// Points `job` to the tables.
  void use(BitBlockJob& job) const;

 private:
  /// Lets entries of commands include the long lengths after them, as far as the table's index
  /// reaches.
  void extend_commands();
  void extend(CommandEntry& to, std::uint32_t bits) const;
  /// Makes the joint table of literals and match lengths, for a block in the layout of sub-blocks.
  void fill_joint(const Byte* lengths, const bit::Shape* shapes);

  bool is_joint_ = false;
  std::array<ValueEntry, 1u << kMaxLiteralLimit> joint_;
  std::array<LiteralEntry, 1u << kMaxLiteralLimit> literals_;
  std::array<CommandEntry, 1u << kMaxCommandIndex> commands_;
  /// The entry for index kNoTable (-1) comes first.
  using ValueTable = std::array<ValueEntry, 1 + (1u << kMaxSequenceLimit)>;
  ValueTable literal_lengths_, match_lengths_, offsets_;
  /// Bits by which each table is indexed.
  unsigned literal_bits_ = 0;
  unsigned command_bits_ = 0;
  unsigned value_bits_ = 0;
};

}  // namespace presso
