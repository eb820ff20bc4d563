// SPDX-License-Identifier: MIT
// The encoders of bytes that a table uses for its strings, and for integers that are stored as
// bytes. Tested through tests/unit/decompress/table/row_group_test.cpp.
#pragma once

#include "compress/encode/block_encoder.h"

namespace presso {

/// How the blocks of bytes are coded.
struct TableParameters {
  EncoderParameters strings;
  EncoderParameters integers;
  bool quick = false;  ///< TableOptions::quick
};

/// The parameters for a table. Where the user has given no level it is 6 (12 under
/// Favor::kArchive): most of a table are integers and codes, so this takes only a few percent more
/// time than level 3. Blocks of strings have 1 MiB, from level 7 on 4 MiB. Integers are coded at
/// level 4 if strings are at 5 to 9: those levels prefer long matches far away, which cost up to a
/// third in arrays of numbers (a table of sensors' readings, 2026).
TableParameters table_parameters(const CompressOptions& options, bool quick = false);

/// The encoders of one thread.
struct TableEncoders {
  explicit TableEncoders(const TableParameters& parameters)
      : strings(parameters.strings),
        integers(parameters.integers),
        block_bytes(parameters.strings.parser.block_bytes),
        quick(parameters.quick) {}
  /// Coders of bytes, with the block size for strings.
  BlockEncoder strings;
  BlockEncoder integers;
  std::uint32_t block_bytes;
  bool quick;
};

}  // namespace presso
