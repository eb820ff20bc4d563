// SPDX-License-Identifier: MIT
// KeptDirectories and keep_directories(). Where the budget has no room for a directory, it is
// simply not kept.
#include "decompress/table/kept_directories.h"

#include <array>

#include "decompress/table/group_reader.h"

namespace presso {
namespace {

std::vector<std::uint64_t> begins_of(const RowGroup& group) {
  std::vector<std::uint64_t> begins(group.blocks.size());
  for (const ColumnChunk& chunk : group.columns) {
    std::array<std::uint64_t, kLastStream + 1> at{};
    for (std::uint32_t i = 0; i < chunk.blocks; ++i) {
      const ColumnBlock& block = group.blocks[chunk.first_block + i];
      std::uint64_t& begin = at[static_cast<std::size_t>(block.stream)];
      begins[chunk.first_block + i] = begin;
      begin += block.stream == ColumnStream::kBytes ? block.plain_bytes : block.rows;
    }
  }
  return begins;
}

}  // namespace

GroupDirectory::GroupDirectory(RowGroup from, Buffer blocks_in_memory)
    : row_group(std::move(from)),
      blocks(std::move(blocks_in_memory)),
      memory(blocks.bytes()),
      begins(begins_of(row_group)) {}

std::uint64_t GroupDirectory::bytes() const {
  return sizeof *this + row_group.columns.capacity() * sizeof(ColumnChunk) +
         row_group.blocks.capacity() * sizeof(ColumnBlock) + begins.capacity() * sizeof begins[0] +
         blocks.size();
}

std::shared_ptr<const GroupDirectory> KeptDirectories::find(std::uint64_t group) const {
  const std::lock_guard lock(mutex_);
  return directories_[static_cast<std::size_t>(group)];
}

void KeptDirectories::keep(std::uint64_t group, std::shared_ptr<const GroupDirectory> directory) {
  const std::lock_guard lock(mutex_);
  auto& kept = directories_[static_cast<std::size_t>(group)];
  if (kept == nullptr && budget_->take(directory->bytes()).ok()) kept = std::move(directory);
}

void keep_directories(std::vector<Table>& tables, const std::shared_ptr<MemoryBudget>& budget) {
  for (Table& table : tables) {
    TableAccess::directories(table) = std::make_shared<KeptDirectories>(table.row_groups(), budget);
  }
}

}  // namespace presso
