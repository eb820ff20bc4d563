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
  void fill_joint(const Byte* lengths, const bit::Shape* shapes);

  bool is_joint_ = false;
  std::array<ValueEntry, 1u << kMaxLiteralLimit> joint_;
  std::array<LiteralEntry, 1u << kMaxLiteralLimit> literals_;
  std::array<std::array<ValueEntry, 1u << kMaxSequenceLimit>, 3> values_;
  unsigned literal_bits_ = 0;
  unsigned value_bits_ = 0;
};

}  // namespace presso
