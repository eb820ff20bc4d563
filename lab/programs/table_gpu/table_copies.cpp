// SPDX-License-Identifier: MIT
#include "lab/programs/table_gpu/table_copies.h"

#include "presso/ordered_pipeline.h"
#include "query/gpu/table/string_places.h"
#include "query/gpu/table/usual_columns.h"

namespace presso {
namespace {

template <class T>
std::uint64_t bytes_of(const std::vector<T>& values) {
  return values.size() * sizeof(T);
}

}  // namespace

Status TableCopies::load_stored(const gpu::RunSpace& space, const std::vector<Table>& tables,
                                const gpu::PipelineBuilder& builder) {
  const std::uint64_t read_before = counters_.bytes;
  const auto all = [](const GroupReader&, std::uint32_t, std::uint32_t) -> Result<bool> {
    return true;
  };
  gpu::TableLoader loader(space, tables, builder.columns(), counters_, default_thread_count(), all,
                          {builder.string_columns(), false, true});
  PRESSO_ASSIGN(auto table, loader.load_all());
  if (!table) return make_error(ErrorCode::kInvalidArgument, "the table is empty");
  PRESSO_TRY(gpu::UsualColumns::make(space, *table));
  PRESSO_TRY(gpu::StringPlaces::make(space, *table));
  slices_.clear();
  for (const gpu::LoadedSlice& slice : table->slices()) {
    slices_.push_back({slice.first_row, slice.rows, slice.group});
  }
  auto& blocks = blocks_of_.emplace_back();
  for (std::size_t column = 0; column < builder.columns().size(); ++column) {
    const std::vector<gpu::TableBlock>& of = table->blocks_of(column);
    blocks.insert(blocks.end(), of.begin(), of.end());
  }
  bytes_ += counters_.bytes - read_before;
  tables_.push_back(std::move(*table));
  return {};
}

/// The first copy is decoded, and gives way to so many of what becomes of it.
Status TableCopies::load_plain(const gpu::RunSpace& space, const std::vector<std::size_t>& columns,
                               ColumnLayout layout) {
  PRESSO_ASSIGN(const PlainColumns made, PlainColumns::make(first(), columns, layout));
  const std::size_t bytes = made.image().size();
  blocks_of_.clear();
  for (unsigned i = 0; i < copies_; ++i) {
    PRESSO_ASSIGN(gpu::DeviceMemory copy, space.memory.allocate(bytes));
    if (i == 0) {
      PRESSO_TRY(space.copy_there(copy.get(), made.image().data(), bytes));
    } else {
      PRESSO_TRY(space.device().copy_within(copy.get(), plain_[0].get(), bytes, space.stream));
    }
    blocks_of_.push_back(made.blocks_at(copy.get()));
    plain_.push_back(std::move(copy));
  }
  PRESSO_TRY(space.device().wait(space.stream));
  tables_[0].set_vector_forms(made.vector_forms());
  bytes_ = made.bytes() * copies_;
  return {};
}

/// Blocks of the same column come together, those of each copy behind those of the one before.
Status TableCopies::join_blocks(const gpu::RunSpace& space) {
  std::vector<gpu::TableSlice> slices;
  std::vector<gpu::TableBlock> blocks;
  for (std::size_t i = 0; i < blocks_of_.size(); ++i) {
    slices.insert(slices.end(), slices_.begin(), slices_.end());
  }
  for (std::size_t at = 0; at < blocks_of_[0].size(); at += slices_.size()) {
    for (const auto& of_copy : blocks_of_) {
      const auto begin = of_copy.begin() + static_cast<std::ptrdiff_t>(at);
      blocks.insert(blocks.end(), begin, begin + static_cast<std::ptrdiff_t>(slices_.size()));
    }
  }
  const std::uint64_t blocks_at = (bytes_of(slices) + 255) / 256 * 256;
  PRESSO_ASSIGN(memory_, space.memory.allocate(blocks_at + bytes_of(blocks)));
  PRESSO_TRY(space.copy_there(memory_.get(), slices.data(), bytes_of(slices)));
  PRESSO_TRY(space.copy_there(memory_.get() + blocks_at, blocks.data(), bytes_of(blocks)));
  blocks_ = {reinterpret_cast<const gpu::TableSlice*>(memory_.get()),
             reinterpret_cast<const gpu::TableBlock*>(memory_.get() + blocks_at),
             static_cast<std::uint32_t>(slices.size())};
  return {};
}

Status TableCopies::load_first(const gpu::RunSpace& space, const std::vector<Table>& tables,
                               const gpu::PipelineBuilder& builder) {
  PRESSO_TRY(load_stored(space, tables, builder));
  return join_blocks(space);
}

Status TableCopies::load_all(const gpu::RunSpace& space, const std::vector<Table>& tables,
                             const gpu::PipelineBuilder& builder, unsigned copies,
                             ColumnLayout layout) {
  copies_ = copies;
  const unsigned stored = layout == ColumnLayout::kStored ? copies : 1;
  for (unsigned i = 0; i < stored; ++i) PRESSO_TRY(load_stored(space, tables, builder));
  if (layout != ColumnLayout::kStored) PRESSO_TRY(load_plain(space, builder.columns(), layout));
  return join_blocks(space);
}

std::vector<const gpu::LoadedTable*> TableCopies::stored() const {
  std::vector<const gpu::LoadedTable*> tables;
  for (const gpu::LoadedTable& table : tables_) tables.push_back(&table);
  return tables;
}

}  // namespace presso
