// SPDX-License-Identifier: MIT
// Which encoders of bytes a table uses for its strings, and for integers that are stored as bytes.
// Tested through tests/unit/decompress/table/row_group_test.cpp.
#pragma once

#include "compress/encode/block_encoder.h"

namespace presso {

/// How blocks of bytes are coded.
struct TableParameters {
  EncoderParameters strings;
  EncoderParameters integers;
  bool quick = false;  ///< TableOptions::quick
};

/// Without a level it is 6: most of a table are integers and codes, so that this takes a few
/// percent more time than level 3. From level 7 on blocks have 4 MiB. Integers are coded at level 4
/// where strings are at 5 to 9: these prefer long matches far away, which in arrays of numbers cost
/// up to a third (a table of sensors' readings, 2026).
TableParameters table_parameters(const CompressOptions& options, bool quick = false);

/// Of one thread.
struct TableEncoders {
  explicit TableEncoders(const TableParameters& parameters)
      : strings(parameters.strings),
        integers(parameters.integers),
        block_bytes(parameters.strings.parser.block_bytes),
        quick(parameters.quick) {}
  BlockEncoder strings;
  BlockEncoder integers;
  std::uint32_t block_bytes;
  bool quick;
};

}  // namespace presso
