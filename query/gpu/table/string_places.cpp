// SPDX-License-Identifier: MIT
// Implements string_places.h: decodes the counts of some row groups at a time, and adds them up. A
// kDeviceMemory ends it without an error.
#include "query/gpu/table/string_places.h"

#include <algorithm>

#include "format/columns/token_dictionary.h"

namespace presso::gpu {
namespace {

/// Counts that are decoded at a time.
constexpr std::uint64_t kMostPlacedRows = std::uint64_t{1} << 24;
constexpr std::uint32_t kStepRows = kLanes;

std::uint32_t steps_of_rows(std::uint32_t rows) {
  return (rows + kStepRows - 1) / kStepRows;
}

}  // namespace

std::uint32_t StringPlaces::rows_of(const LoadedStrings& strings) const {
  return table_.groups_[strings.group].reader->rows();
}

/// Whether the blocks have all of the row group, one after another, and have the sizes that are
/// asked of them.
bool StringPlaces::is_whole(const LoadedStrings& strings) const {
  std::uint64_t row = 0;
  for (const LoadedStrings::Counts& counts : strings.counts) {
    if (counts.first_row != row || row % kMaxIntegerRows != 0) return false;
    row += counts.parameters.rows;
  }
  if (row != rows_of(strings)) return false;
  row = 0;
  std::uint64_t codes = 0;
  for (const LoadedStrings::Codes& block : strings.codes) {
    const bool has_right_size = block.payload.size == token_payload_bytes(block.codes);
    if (block.first_row != row || !has_right_size) return false;
    row += block.rows;
    codes += block.codes;
  }
  return row == rows_of(strings) && codes <= kMostStepCodes;
}

Status StringPlaces::make(const RunSpace& space, LoadedTable& table) {
  StringPlaces places(space, table);
  const auto make = [&places](const std::vector<LoadedStrings*>& some) -> Status {
    Status made = places.make_some(some);
    return !made.ok() && made.error().code != ErrorCode::kDeviceMemory ? made : Status();
  };
  std::vector<LoadedStrings*> some;
  std::uint64_t rows = 0;
  for (LoadedStrings& strings : table.strings_) {
    if (strings.has_bytes || !places.is_whole(strings)) continue;
    if (rows + places.rows_of(strings) > kMostPlacedRows && !some.empty()) {
      PRESSO_TRY(make(some));
      some.clear();
      rows = 0;
    }
    some.push_back(&strings);
    rows += places.rows_of(strings);
  }
  return some.empty() ? Status() : make(some);
}

Status StringPlaces::make_some(const std::vector<LoadedStrings*>& some) {
  constexpr std::uint64_t kPlaceBytes = sizeof(std::uint32_t);
  MemoryParts kept, work;
  std::vector<std::uint64_t> begins_at, counts_at;
  std::size_t decoded = 0;
  for (const LoadedStrings* const strings : some) {
    begins_at.push_back(kept.add(steps_of_rows(rows_of(*strings)) * kPlaceBytes));
    counts_at.push_back(work.add(rows_of(*strings) * kPlaceBytes));
    decoded += strings->counts.size();
  }
  const std::uint64_t status_at = work.add((decoded + 1) * kPlaceBytes);
  if (kept.bytes() + work.bytes() > space_.memory.device_bytes_left() / 4) {
    return make_error(ErrorCode::kDeviceMemory);
  }
  PRESSO_ASSIGN(DeviceMemory memory, space_.memory.allocate(kept.bytes()));
  PRESSO_ASSIGN(const DeviceMemory decoding, space_.memory.allocate(work.bytes()));
  std::vector<IntegerBlock> counts;
  std::vector<StepGroup> groups;
  std::vector<StepBlock> blocks;
  for (std::size_t i = 0; i < some.size(); ++i) {
    Byte* const to = decoding.get() + counts_at[i];
    for (const LoadedStrings::Counts& one : some[i]->counts) {
      Byte* const out = to + one.first_row * kPlaceBytes;
      if (one.is_plain) {
        PRESSO_TRY(
            space_.device().copy_within(out, one.payload.bytes, one.payload.size, space_.stream));
        continue;
      }
      IntegerBlock& block = counts.emplace_back();
      block.payload = one.payload;
      block.parameters = one.parameters;
      block.out = out;
    }
    StepGroup& group = groups.emplace_back();
    group.counts = reinterpret_cast<const std::uint32_t*>(to);
    group.begins = reinterpret_cast<std::uint32_t*>(memory.get() + begins_at[i]);
    group.rows = rows_of(*some[i]);
    group.first_block = static_cast<std::uint32_t>(blocks.size());
    for (LoadedStrings::Codes& block : some[i]->codes) {
      block.first_code = group.codes;
      blocks.push_back({block.first_row, block.first_code});
      group.codes += block.codes;
    }
    group.end_block = static_cast<std::uint32_t>(blocks.size());
  }
  Upload upload;
  const std::size_t counts_piece = upload.add(counts);
  const std::size_t groups_piece = upload.add(groups);
  const std::size_t blocks_piece = upload.add(blocks);
  PRESSO_ASSIGN(const DeviceMemory input, space_.memory.allocate(upload.bytes()));
  PRESSO_TRY(space_.copy_there(input.get(), upload));
  auto* const status = reinterpret_cast<std::uint32_t*>(decoding.get() + status_at);
  PRESSO_TRY(
      space_.kernels.clear(decoding.get() + status_at, (decoded + 1) * kPlaceBytes, space_.stream));
  if (!counts.empty()) {
    const IntegerBatch batch{upload.at<IntegerBlock>(input.get(), counts_piece), status,
                             static_cast<std::uint32_t>(counts.size())};
    PRESSO_TRY(space_.strings.decode_counts(batch, false, space_.stream));
  }
  StepBatch steps;
  steps.groups = upload.at<StepGroup>(input.get(), groups_piece);
  steps.blocks = upload.at<StepBlock>(input.get(), blocks_piece);
  steps.count = static_cast<std::uint32_t>(groups.size());
  steps.fault = status + decoded;
  PRESSO_TRY(space_.strings.place_steps(steps, space_.stream));
  std::vector<std::uint32_t> found(decoded + 1);
  PRESSO_TRY(space_.copy_back(found.data(), status, found.size() * kPlaceBytes));
  if (std::any_of(found.begin(), found.end(), [](std::uint32_t word) { return word != 0; })) {
    return {};
  }
  for (std::size_t i = 0; i < some.size(); ++i) some[i]->step_begins = groups[i].begins;
  table_.memory_.push_back(std::move(memory));
  return {};
}

}  // namespace presso::gpu
