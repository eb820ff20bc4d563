// SPDX-License-Identifier: MIT
// The fast Bit decoders' tables: every string of as many bits as the longest word has, with what it
// begins with.
#pragma once

#include <array>
#include <vector>

#include "decompress/cpu/bit_decoder.h"
#include "format/bit_code.h"
#include "presso/error.h"

namespace presso {

class BitTables {
 public:
  /// kBadTree where the head's codes are not right.
  Status read(const BlockHeader& header, const Byte* payload);

  /// Points `job` to the tables.
  void use(BitBlockJob& job) const;

 private:
  void extend_commands();
  void extend(CommandEntry& to, std::uint32_t bits) const;
  void fill_joint(const Byte* lengths, const bit::Shape* shapes);

  bool is_joint_ = false;
  std::array<ValueEntry, 1u << kMaxLiteralLimit> joint_;
  std::array<LiteralEntry, 1u << kMaxLiteralLimit> literals_;
  std::array<CommandEntry, 1u << kMaxCommandIndex> commands_;
  /// kNoTable's entry first.
  using ValueTable = std::array<ValueEntry, 1 + (1u << kMaxSequenceLimit)>;
  ValueTable literal_lengths_, match_lengths_, offsets_;
  unsigned literal_bits_ = 0;
  unsigned command_bits_ = 0;
  unsigned value_bits_ = 0;
};

}  // namespace presso
