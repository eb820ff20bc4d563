// SPDX-License-Identifier: MIT
#include "compress/table/write/table_encoders.h"

namespace presso {
namespace {

constexpr int kFirstLevelOfLargeBlocks = 7;
constexpr int kLevelOfIntegers = 4;
constexpr int kFirstLevelOfTrees = 10;
constexpr std::uint32_t kBytesBlock = 1u << 20;

}  // namespace

TableParameters table_parameters(const CompressOptions& options, bool quick) {
  CompressOptions chosen = options;
  if (quick) chosen.level = kMinLevel;  // nothing is coded; its encoders take the least memory
  if (chosen.level == 0 && chosen.favor != Favor::kArchive) chosen.level = kDefaultTableLevel;
  chosen = with_goal(chosen);
  chosen.block_bytes = chosen.level >= kFirstLevelOfLargeBlocks ? kMaxBlockBytes : kBytesBlock;
  TableParameters parameters{parameters_of(chosen), {}};
  chosen.block_bytes = kBytesBlock;
  if (chosen.level > kLevelOfIntegers && chosen.level < kFirstLevelOfTrees) {
    chosen.level = kLevelOfIntegers;
  }
  parameters.integers = parameters_of(chosen);
  parameters.quick = quick;
  return parameters;
}

}  // namespace presso
