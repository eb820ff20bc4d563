// SPDX-License-Identifier: MIT
// The encoders of bytes that a table uses for its strings, and for integers that are stored as
// bytes. Tested through tests/unit/decompress/table/row_group_test.cpp.
#pragma once

#include <optional>

#include "compress/columns/plane_encoder.h"
#include "compress/encode/block_encoder.h"

namespace presso {

/// The share that numbers must save in planes or as bytes, in which they decode more slowly than
/// packed ones.
struct MustSave {
  double few_rows = 0.03;  ///< in row groups that are small, which decode in no time in any form
  double values = 0.3;
  double codes = 0.5;  ///< codes of a dictionary are searched without decoding while packed
};

/// How the blocks of bytes are coded, and which numbers are.
struct TableParameters {
  EncoderParameters strings;
  EncoderParameters integers;
  EncoderParameters packed;  ///< packed rows, in blocks of 4 MiB at every level
  EncoderParameters sample;  ///< what only a size is wanted of: the fastest level, but from 9 on
  MustSave must_save;
  std::uint32_t tried_plans = 2;  ///< as in PlaneEncoder::encode()
  bool prefers_fast = true;       ///< strings, as in choose_strings()
  bool quick = false;             ///< TableOptions::quick
  bool packs = false;             ///< TableOptions::packs
};

/// The parameters for a table. Where the user has given no level it is 6 (12 under
/// Favor::kArchive): most of a table are integers and codes, so this takes only a few percent more
/// time than level 3. Blocks of strings have 1 MiB, from level 7 on 4 MiB. Integers are coded at
/// level 4 if strings are at 5 to 9: those levels prefer long matches far away, which cost up to a
/// third in arrays of numbers (a table of sensors' readings, 2026). Levels 1 and 2 leave numbers
/// packed unless much is saved, those from 9 on take what is smaller, and pack rows at level 10 at
/// least.
TableParameters table_parameters(const CompressOptions& options, bool quick = false);

/// The encoders of one thread.
struct TableEncoders {
  explicit TableEncoders(const TableParameters& parameters)
      : strings(parameters.strings),
        integers(parameters.integers),
        packed_parameters(parameters.packed),
        sample(parameters.sample),
        must_save(parameters.must_save),
        tried_plans(parameters.tried_plans),
        prefers_fast(parameters.prefers_fast),
        block_bytes(parameters.strings.parser.block_bytes),
        quick(parameters.quick),
        packs(parameters.packs) {}
  /// Coders of bytes, with the block size for strings.
  BlockEncoder strings;
  BlockEncoder integers;
  EncoderParameters packed_parameters;
  std::optional<BlockEncoder> packed;  ///< made when rows are packed
  BlockEncoder sample;
  PlaneEncoder planes;
  MustSave must_save;
  std::uint32_t tried_plans;
  bool prefers_fast;
  std::uint32_t block_bytes;
  bool quick;
  bool packs;
};

}  // namespace presso
