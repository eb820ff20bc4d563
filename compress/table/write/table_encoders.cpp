// SPDX-License-Identifier: MIT
// Which levels and block sizes a table's encoders of bytes get.
#include "compress/table/write/table_encoders.h"

#include <algorithm>

namespace presso {
namespace {

// Levels at which the choice changes. From 10 on matches are found by trees, which find near
// ones too, so integers need no level of their own there.
constexpr int kFirstLevelOfLargeBlocks = 7;
constexpr int kLevelOfIntegers = 4;
constexpr int kFirstLevelOfTrees = 10;
constexpr int kLastFastLevel = 2;
constexpr int kFirstSlowLevel = 9;
constexpr std::uint32_t kPlansOfSlowLevels = 6;
constexpr std::uint32_t kBytesBlock = 1u << 20;

}  // namespace

TableParameters table_parameters(const CompressOptions& options, bool quick) {
  CompressOptions chosen = options;
  if (quick) chosen.level = kMinLevel;  // nothing is coded; its encoders take the least memory
  // The user's level goes before the table's own default.
  if (chosen.level == 0 && chosen.favor != Favor::kArchive) chosen.level = kDefaultTableLevel;
  chosen = with_goal(chosen);
  chosen.block_bytes = chosen.level >= kFirstLevelOfLargeBlocks ? kMaxBlockBytes : kBytesBlock;
  const int level = chosen.level;
  TableParameters parameters{parameters_of(chosen), {}, {}, {}, {}};
  chosen.block_bytes = kMaxBlockBytes;
  if (level >= kFirstSlowLevel) chosen.level = std::max(level, kFirstLevelOfTrees);
  parameters.packed = parameters_of(chosen);
  chosen.block_bytes = kBytesBlock;
  chosen.level = level >= kFirstSlowLevel ? level : kMinLevel;
  parameters.sample = parameters_of(chosen);
  chosen.level = level;
  // Integers as bytes are rare, and their blocks are small anyway.
  chosen.block_bytes = kBytesBlock;
  if (chosen.level > kLevelOfIntegers && chosen.level < kFirstLevelOfTrees) {
    chosen.level = kLevelOfIntegers;
  }
  parameters.integers = parameters_of(chosen);
  parameters.quick = quick;
  if (level <= kLastFastLevel) parameters.must_save.few_rows = parameters.must_save.values;
  if (level >= kFirstSlowLevel) {
    parameters.must_save.values = parameters.must_save.codes = parameters.must_save.few_rows;
    parameters.tried_plans = kPlansOfSlowLevels;
    parameters.prefers_fast = false;
  }
  return parameters;
}

}  // namespace presso
