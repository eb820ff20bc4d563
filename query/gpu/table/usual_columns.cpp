// SPDX-License-Identifier: MIT
// Implements usual_columns.h, column by column: measures how wide vectors are where their stored
// forms do not tell, chooses a width, finds the vectors that have it, and packs the others.
#include "query/gpu/table/usual_columns.h"

#include <algorithm>
#include <array>

#include "query/gpu/table/upload.h"

namespace presso::gpu {
namespace {

/// To decode a vector for a query costs about as much as reading so many bits of each row more.
constexpr std::uint64_t kDecodingBits = 512;

}  // namespace

Byte best_width(const std::vector<Byte>& widths) {
  constexpr std::size_t kWidths = 65;
  std::array<std::uint64_t, kWidths> vectors{};
  for (const Byte width : widths) {
    if (width < kWidths) ++vectors[width];
  }
  Byte best = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t width = 0; width < kWidths; ++width) {
    if (vectors[width] == 0) continue;
    std::uint64_t cost = 0;
    for (std::size_t i = 0; i < kWidths; ++i) {
      cost += vectors[i] * (i <= width ? width : i + kDecodingBits);
    }
    if (cost > least) continue;
    least = cost;
    best = static_cast<Byte>(width);
  }
  return best;
}

Status UsualColumns::make(const RunSpace& space, LoadedTable& table) {
  UsualColumns of(space, table);
  for (std::size_t column = 0; column < table.host_blocks_.size(); ++column) {
    Status made = of.has_doubles(column) ? of.make_plain(column) : of.make_column(column);
    if (!made.ok() && made.error().code != ErrorCode::kDeviceMemory) return made;
  }
  return {};
}

TableBlocks UsualColumns::blocks_of(std::size_t column) const {
  TableBlocks blocks = table_.blocks_;
  blocks.blocks += column * blocks.slice_count;
  return blocks;
}

/// Whether a column has integers.
bool UsualColumns::has_integers(std::size_t column) const {
  const std::vector<TableBlock>& blocks = table_.host_blocks_[column];
  return std::any_of(blocks.begin(), blocks.end(),
                     [](const TableBlock& block) { return block.words != nullptr; }) &&
         std::none_of(blocks.begin(), blocks.end(),
                      [](const TableBlock& block) { return block.floating || block.is_unread; });
}

bool UsualColumns::has_doubles(std::size_t column) const {
  const std::vector<TableBlock>& blocks = table_.host_blocks_[column];
  return std::any_of(blocks.begin(), blocks.end(), [](const TableBlock& block) {
    return block.floating && block.width_bytes == sizeof(double) && block.words != nullptr;
  });
}

/// Decodes a column of doubles of which too few vectors have the same form.
Status UsualColumns::make_plain(std::size_t column) {
  std::vector<TableBlock>& blocks = table_.host_blocks_[column];
  const std::uint64_t most = table_.vector_forms_[column].most().vectors;
  std::uint64_t plain = 0;
  std::vector<std::uint32_t> list;
  for (std::size_t slice = 0; slice < blocks.size(); ++slice) {
    if (blocks[slice].words == nullptr) continue;
    const std::uint32_t count = vectors_of(blocks[slice].rows);
    if (blocks[slice].is_plain) plain += count;
    for (std::uint32_t vector = 0; vector < count; ++vector) {
      list.push_back(static_cast<std::uint32_t>(slice * kSliceVectors + vector));
    }
  }
  constexpr std::uint64_t kPlainBits = 64;
  const std::uint64_t others = list.size() - std::min(list.size(), std::max(most, plain));
  if (others * kDecodingBits <= list.size() * kPlainBits) return {};
  const std::uint64_t vector_bytes = kVectorRows * sizeof(double);
  PRESSO_ASSIGN(DeviceMemory kept, allocate(list.size() * vector_bytes + kReadBehind));
  const std::vector<std::uint32_t> count = {static_cast<std::uint32_t>(list.size())};
  Upload upload;
  const std::size_t list_at = upload.add(list);
  const std::size_t count_at = upload.add(count);
  PRESSO_ASSIGN(const PinnedMemory pinned, space_.memory.allocate_pinned(upload.bytes()));
  PRESSO_ASSIGN(const DeviceMemory there, allocate(upload.bytes()));
  upload.write(pinned.get());
  PRESSO_TRY(space_.device().copy_in(there.get(), pinned.get(),
                                     static_cast<std::size_t>(upload.bytes()), space_.stream));
  QueryArguments q;
  q.table = blocks_of(column);
  q.column_count = 1;
  q.columns[0].is_read = true;
  q.others = const_cast<std::uint32_t*>(upload.at<std::uint32_t>(there.get(), list_at));
  q.other_count = const_cast<std::uint32_t*>(upload.at<std::uint32_t>(there.get(), count_at));
  q.decoded = reinterpret_cast<std::uint64_t*>(kept.get());
  q.most_others = q.end_other = count[0];
  PRESSO_TRY(space_.kernels.decode_others(q, count[0], space_.stream));
  PRESSO_TRY(space_.device().wait(space_.stream));
  const Byte* at = kept.get();
  for (TableBlock& block : blocks) {
    if (block.words == nullptr) continue;
    block.words = reinterpret_cast<const std::uint32_t*>(at);
    block.is_plain = true;
    at += vectors_of(block.rows) * vector_bytes;
  }
  bytes_left_ -= std::min(bytes_left_, kept.bytes());
  table_.memory_.push_back(std::move(kept));
  return {};
}

/// No more than a part of what there was, since queries need memory, too.
Result<DeviceMemory> UsualColumns::allocate(std::uint64_t bytes) const {
  if (bytes > bytes_left_) return make_error(ErrorCode::kDeviceMemory);
  return space_.memory.allocate(bytes);
}

Status UsualColumns::make_column(std::size_t column) {
  if (!has_integers(column)) return {};
  column_ = column;
  memory_.clear();
  form_ = {};
  form_.is_read = true;
  const ColumnForms& forms = table_.vector_forms_[column];
  const ColumnForms::Form most = forms.most();
  form_.width = most.width;
  form_.divisor = most.divisor;
  bool has_plain = false;
  for (const TableBlock& block : table_.host_blocks_[column]) {
    if (block.validity != nullptr || block.words == nullptr) form_.reads_nulls = true;
    if (block.words == nullptr) continue;
    form_.is_signed = block.is_signed;
    has_plain = has_plain || block.is_plain;
  }
  std::vector<Byte> widths;
  if (most.vectors != forms.vectors()) {
    form_.divisor = has_plain ? 1 : forms.common_divisor();
    PRESSO_ASSIGN(widths, measure());
    form_.width = best_width(widths);
  }
  PRESSO_TRY(find_places());
  UsualForm made{form_.width, form_.divisor, odd_.listed};
  const Status packed = odd_.listed != 0 ? pack() : Status();
  if (packed.ok()) {
    made.others = static_cast<std::uint64_t>(std::count_if(
        widths.begin(), widths.end(), [&made](Byte width) { return width > made.width; }));
  } else if (packed.error().code != ErrorCode::kDeviceMemory) {
    return packed;
  }
  table_.forms_[column] = made;
  std::vector<TableBlock>& blocks = table_.host_blocks_[column];
  for (std::size_t slice = 0; slice < blocks.size(); ++slice) {
    blocks[slice].places = packing_.places + slice * kSliceVectors;
    if (form_.reads_nulls) blocks[slice].valid_places = packing_.valid + slice * kSliceVectors;
  }
  for (DeviceMemory& memory : memory_) {
    bytes_left_ -= std::min(bytes_left_, memory.bytes());
    table_.memory_.push_back(std::move(memory));
  }
  return {};
}

/// Bits that the numbers of each vector need.
Result<std::vector<Byte>> UsualColumns::measure() {
  PRESSO_ASSIGN(widths_, allocate(vectors()));
  VectorPacking packing;
  packing.table = blocks_of(column_);
  packing.form = form_;
  packing.widths = widths_.get();
  PRESSO_TRY(space_.kernels.clear(widths_.get(), vectors(), space_.stream));
  PRESSO_TRY(space_.kernels.measure_vectors(packing, space_.stream));
  std::vector<Byte> all(vectors());
  PRESSO_TRY(space_.copy_back(all.data(), widths_.get(), all.size()));
  std::vector<Byte> widths;
  auto of_slice = all.begin();
  for (const TableBlock& block : table_.host_blocks_[column_]) {
    widths.insert(widths.end(), of_slice, of_slice + vectors_of(block.rows));
    of_slice += kSliceVectors;
  }
  return widths;
}

/// Finds the vectors that have the form, and lists the others.
Status UsualColumns::find_places() {
  MemoryParts parts;
  const std::uint64_t places = parts.add(vectors() * sizeof(PackedPlace));
  const std::uint64_t valid = parts.add(form_.reads_nulls ? vectors() * sizeof(void*) : 0);
  const std::uint64_t same = parts.add(SameRows::kWords * sizeof(std::uint32_t));
  PRESSO_ASSIGN(DeviceMemory kept, allocate(parts.bytes()));
  PRESSO_ASSIGN(list_, allocate(MemoryParts::kAlignment + vectors() * sizeof(std::uint32_t)));
  VectorFinding finding;
  finding.table = blocks_of(column_);
  finding.column_count = 1;
  finding.columns[0] = form_;
  finding.same.zeros = reinterpret_cast<std::uint32_t*>(kept.get() + same);
  finding.places = reinterpret_cast<PackedPlace*>(kept.get() + places);
  if (form_.reads_nulls) {
    finding.valid = reinterpret_cast<const std::uint32_t**>(kept.get() + valid);
  }
  finding.odd = reinterpret_cast<OddVectors*>(list_.get());
  finding.listed = reinterpret_cast<std::uint32_t*>(list_.get() + MemoryParts::kAlignment);
  PRESSO_TRY(space_.kernels.clear(list_.get(), MemoryParts::kAlignment, space_.stream));
  PRESSO_TRY(
      space_.kernels.clear(kept.get(), places + vectors() * sizeof(PackedPlace), space_.stream));
  PRESSO_TRY(space_.kernels.find_vectors(finding, space_.stream));
  PRESSO_TRY(space_.copy_back(&odd_, finding.odd, sizeof odd_));
  packing_ = {};
  packing_.table = finding.table;
  packing_.form = form_;
  packing_.same = finding.same;
  packing_.listed = finding.listed;
  packing_.count = odd_.listed;
  packing_.places = finding.places;
  packing_.valid = finding.valid;
  memory_.push_back(std::move(kept));
  return {};
}

/// Packs the listed vectors, those that fit into the form.
Status UsualColumns::pack() {
  MemoryParts parts;
  const std::uint64_t room =
      parts.add(std::uint64_t{odd_.of_values} * packing_.vector_words() * sizeof(std::uint32_t));
  const std::uint64_t bit_room =
      parts.add(std::uint64_t{odd_.of_bits} * kLanes * sizeof(std::uint32_t));
  parts.add(kReadBehind);
  PRESSO_ASSIGN(DeviceMemory kept, allocate(parts.bytes()));
  packing_.room = reinterpret_cast<std::uint32_t*>(kept.get() + room);
  packing_.bit_room = reinterpret_cast<std::uint32_t*>(kept.get() + bit_room);
  packing_.taken = reinterpret_cast<OddVectors*>(list_.get());
  packing_.widths = widths_.get();
  PRESSO_TRY(space_.kernels.clear(list_.get(), MemoryParts::kAlignment, space_.stream));
  PRESSO_TRY(space_.kernels.pack_vectors(packing_, space_.stream));
  PRESSO_TRY(space_.device().wait(space_.stream));
  memory_.push_back(std::move(kept));
  return {};
}

}  // namespace presso::gpu
