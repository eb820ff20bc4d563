// SPDX-License-Identifier: MIT
// Implements group_lists.h: groups are listed in pieces of at most 64 MiB of device memory. Errors:
// those of the device.
#include "query/gpu/table/group_lists.h"

#include <algorithm>

#include "decompress/gpu/runtime/memory_parts.h"

namespace presso::gpu {
namespace {

/// Many groups are listed in pieces of so many bytes of device memory.
constexpr std::uint64_t kMostListedBytes = std::uint64_t{64} << 20;

}  // namespace

Status list_groups(const RunSpace& space, const Pipeline& pipeline, const TakeGroups& take) {
  const std::uint64_t record_bytes = record_words(pipeline) * sizeof(std::uint64_t);
  const std::uint64_t most = std::min(pipeline.groups, kMostListedBytes / record_bytes);
  PRESSO_ASSIGN(const DeviceMemory memory,
                space.memory.allocate(MemoryParts::kAlignment + most * record_bytes));
  GroupList list;
  list.count = reinterpret_cast<std::uint64_t*>(memory.get());
  list.records = reinterpret_cast<std::uint64_t*>(memory.get() + MemoryParts::kAlignment);
  while (list.end < pipeline.groups) {
    list.begin = list.end;
    list.end = std::min(pipeline.groups, list.begin + most);
    PRESSO_TRY(space.kernels.clear(memory.get(), MemoryParts::kAlignment, space.stream));
    PRESSO_TRY(space.kernels.list_groups(pipeline, list, space.stream));
    std::uint64_t count = 0;
    PRESSO_TRY(space.copy_back(&count, list.count, sizeof count));
    PRESSO_TRY(take(list.records, count));
  }
  return space.device().wait(space.stream);
}

Status copy_groups(const RunSpace& space, const std::uint64_t* records, std::uint64_t count,
                   GroupRecords& to) {
  auto& piece = to.pieces.emplace_back();
  piece.extend_unset(static_cast<std::size_t>(count) * to.words);
  return space.copy_back(piece.data(), records, count * to.words * sizeof(std::uint64_t));
}

Result<GroupRecords> groups_of(const RunSpace& space, const Pipeline& pipeline) {
  GroupRecords found;
  found.words = record_words(pipeline);
  if (pipeline.has_groups) {
    PRESSO_TRY(list_groups(space, pipeline,
                           [&](const std::uint64_t* records, std::uint64_t count) -> Status {
                             return copy_groups(space, records, count, found);
                           }));
    return found;
  }
  auto& piece = found.pieces.emplace_back();
  piece.extend(found.words);
  PRESSO_TRY(
      space.copy_back(piece.data(), pipeline.cells_out, (found.words - 1) * sizeof(std::uint64_t)));
  return found;
}

}  // namespace presso::gpu
