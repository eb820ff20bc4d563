// SPDX-License-Identifier: MIT
#include "scan/gpu/table/text_rows.h"

#include <algorithm>
#include <limits>

#include "scan/gpu/table/upload.h"

namespace presso::gpu {
namespace {

/// Of text that is there at a time, and of what a limit leaves: decoding takes three times as much
/// beside it. The most is 2,000 blocks of random strings, which keep all of a GPU busy.
constexpr std::uint64_t kMostText = std::uint64_t{256} << 20;
constexpr std::uint64_t kShareOfText = 8;
constexpr std::uint64_t kWord = sizeof(std::uint32_t);
constexpr std::uint64_t kLength = sizeof(std::uint64_t);

}  // namespace

Status TextRows::find_groups() {
  for (const LoadedStrings& strings : table_.strings()) {
    if (!strings.has_bytes) continue;
    Group group;
    group.strings = &strings;
    group.reader = table_.groups()[strings.group].reader.get();
    for (const LoadedStrings::Text& text : strings.text) group.bytes += text.plain_bytes;
    // Rows begin and end at places of 32 bits.
    if (group.bytes > std::numeric_limits<std::uint32_t>::max()) return no_room_for_strings();
    groups_.push_back(group);
  }
  return {};
}

void TextRows::make_batches(std::uint64_t most) {
  batches_.clear();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (batches_.empty() || batches_.back().text_bytes + groups_[i].bytes > most) {
      batches_.emplace_back();
      batches_.back().first_group = i;
    }
    batches_.back().text_bytes += groups_[i].bytes;
    batches_.back().end_group = i + 1;
  }
}

/// Where all that a batch needs is in the memory that it has; returns how large that must be.
std::uint64_t TextRows::divide(Batch& batch) {
  MemoryParts parts;
  std::uint32_t blocks = 0;
  for (std::size_t i = batch.first_group; i < batch.end_group; ++i) {
    Group& group = groups_[i];
    const std::uint32_t rows = group.reader->rows();
    group.text_at = parts.add(group.bytes);
    group.lengths_at = parts.add(rows * kLength);
    group.counts_at = parts.add(rows * kWord);
    blocks += static_cast<std::uint32_t>(group.strings->text.size());
    batch.tiles += row_tiles(rows);
  }
  batch.tiles_at = parts.add(batch.tiles * kWord);
  batch.temporary_bytes = space_.strings.temporary_bytes(blocks, batch.text_bytes);
  batch.temporary_at = parts.add(batch.temporary_bytes);
  return parts.bytes();
}

void TextRows::add_blocks(Batch& batch) {
  Byte* const work = work_.get();
  auto* const tile_begins = reinterpret_cast<std::uint32_t*>(work + batch.tiles_at);
  batch.text.d_plain = work;
  batch.text.d_temporary = work + batch.temporary_at;
  batch.text.temporary_bytes = static_cast<std::size_t>(batch.temporary_bytes);
  for (std::size_t i = batch.first_group; i < batch.end_group; ++i) {
    for (const LoadedStrings::Text& text : groups_[i].strings->text) {
      const Byte*& base = batch.text.d_stored;
      if (base == nullptr || text.stored < base) base = text.stored;
    }
  }
  std::uint32_t tiles = 0;
  for (std::size_t i = batch.first_group; i < batch.end_group; ++i) {
    const Group& group = groups_[i];
    Byte* const lengths = work + group.lengths_at;
    for (const LoadedStrings::Counts& one : group.strings->counts) {
      Byte* const to = lengths + one.first_row * kLength;
      if (one.is_plain) {
        batch.copies.push_back({to, one.payload.bytes, one.payload.size});
        continue;
      }
      IntegerBlock block;
      block.payload = one.payload;
      block.parameters = one.parameters;
      block.out = to;
      lengths_.push_back(block);
      length_places_.emplace_back(group.reader, one.block);
      ++batch.lengths.count;
    }
    std::uint64_t at = group.text_at;
    for (const LoadedStrings::Text& text : group.strings->text) {
      spans_.push_back({static_cast<std::uint64_t>(text.stored - batch.text.d_stored), at,
                        text.stored_bytes, text.plain_bytes});
      text_places_.emplace_back(group.reader, text.block);
      ++batch.text.blocks;
      batch.text.largest_plain_bytes = std::max(batch.text.largest_plain_bytes, text.plain_bytes);
      at += text.plain_bytes;
    }
    if (at % kLength != 0) batch.tails.push_back({work + at / kLength * kLength, kLength});
    StringBlock block;
    block.codes = static_cast<std::uint32_t>(group.bytes);
    block.rows = group.reader->rows();
    block.first_tile = tiles;
    block.counts = reinterpret_cast<const std::uint32_t*>(work + group.counts_at);
    block.tile_begins = tile_begins + tiles;
    blocks_.push_back(block);
    tiles += row_tiles(block.rows);
    NumberedBlock& to = numbered_.emplace_back();
    to.numbers = to_.rows + table_.groups()[group.strings->group].first_row;
    to.text = work + group.text_at;
    to.lengths = reinterpret_cast<const std::uint64_t*>(lengths);
    to.counts = reinterpret_cast<std::uint32_t*>(work + group.counts_at);
  }
}

Status TextRows::upload() {
  Upload upload;
  const std::size_t lengths_piece = upload.add(lengths_);
  const std::size_t spans_piece = upload.add(spans_);
  const std::size_t blocks_piece = upload.add(blocks_);
  const std::size_t numbered_piece = upload.add(numbered_);
  PRESSO_ASSIGN(input_, space_.memory.allocate(upload.bytes()));
  // Words for lengths_, spans_ and groups, and, what nobody asks for, one more for each of these.
  const std::uint64_t words = lengths_.size() + spans_.size() + 2 * groups_.size();
  PRESSO_ASSIGN(statuses_, space_.memory.allocate(words * kWord));
  const Byte* const there = input_.get();
  auto* lengths_status = reinterpret_cast<std::uint32_t*>(statuses_.get());
  std::uint32_t* text_status = lengths_status + lengths_.size();
  std::uint32_t* group_status = text_status + spans_.size();
  const auto* lengths = upload.at<IntegerBlock>(there, lengths_piece);
  const auto* spans = upload.at<BlockSpan>(there, spans_piece);
  for (Batch& batch : batches_) {
    batch.lengths.blocks = lengths;
    batch.lengths.status = lengths_status;
    lengths += batch.lengths.count;
    lengths_status += batch.lengths.count;
    batch.text.d_spans = spans;
    batch.text.d_status = text_status;
    spans += batch.text.blocks;
    text_status += batch.text.blocks;
    const auto count = static_cast<std::uint32_t>(batch.end_group - batch.first_group);
    batch.rows.strings = {upload.at<StringBlock>(there, blocks_piece) + batch.first_group,
                          group_status + batch.first_group,
                          group_status + groups_.size() + batch.first_group,
                          count,
                          batch.tiles,
                          0};
    batch.rows.blocks = upload.at<NumberedBlock>(there, numbered_piece) + batch.first_group;
    batch.rows.none = to_.none;
    batch.rows.adds = to_.adds;
    batch.rows.has_text = true;
  }
  std::vector<Byte> image(static_cast<std::size_t>(upload.bytes()));
  upload.write(image.data());
  return space_.copy_there(input_.get(), image.data(), image.size());
}

Status TextRows::prepare() {
  PRESSO_TRY(find_groups());
  if (groups_.empty()) return {};
  PRESSO_TRY(allocate());
  for (Batch& batch : batches_) add_blocks(batch);
  return upload();
}

/// As much as there is: with less there are more batches.
Status TextRows::allocate() {
  std::uint64_t most = std::min(kMostText, space_.memory.device_bytes_left() / kShareOfText);
  for (;; most /= 2) {
    make_batches(most);
    std::uint64_t largest = 0;
    for (Batch& batch : batches_) largest = std::max(largest, divide(batch));
    auto work = memory_for_strings(space_, largest);
    if (work.ok()) {
      work_ = std::move(*work);
      return {};
    }
    const bool may_be_smaller = most > 0 && batches_.size() < groups_.size();
    if (work.error().code != ErrorCode::kUnsupported || !may_be_smaller) return work.error();
  }
}

Status TextRows::enqueue(const StringIndex& index) const {
  for (const Batch& batch : batches_) {
    for (const Copy& copy : batch.copies) {
      PRESSO_TRY(space_.device().copy_within(copy.to, copy.from,
                                             static_cast<std::size_t>(copy.bytes), space_.stream));
    }
    for (const MutableBytes tail : batch.tails) {
      PRESSO_TRY(space_.kernels.clear(tail.data(), tail.size(), space_.stream));
    }
    if (batch.lengths.count != 0) {
      PRESSO_TRY(space_.strings.decode_lengths(batch.lengths, true, space_.stream));
    }
    if (batch.text.blocks != 0) PRESSO_TRY(space_.strings.decode_text(batch.text, space_.stream));
    NumberBatch rows = batch.rows;
    rows.index = index;
    PRESSO_TRY(space_.strings.number_rows(rows, false, space_.stream));
  }
  return {};
}

Status TextRows::check() const {
  if (groups_.empty()) return {};
  std::vector<std::uint32_t> statuses(lengths_.size() + spans_.size() + groups_.size());
  PRESSO_TRY(space_.copy_back(statuses.data(), statuses_.get(), statuses.size() * kWord));
  const auto check_blocks = [](const std::uint32_t* from,
                               const std::vector<BlockOfGroup>& blocks) -> Status {
    for (const BlockOfGroup& block : blocks) PRESSO_TRY(error_of(*from++, block));
    return {};
  };
  const std::uint32_t* const of_text = statuses.data() + lengths_.size();
  PRESSO_TRY(check_blocks(statuses.data(), length_places_));
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const auto code = static_cast<ErrorCode>(of_text[spans_.size() + i]);
    if (code == ErrorCode::kOk) continue;
    // The CPU says which it is.
    PRESSO_TRY(groups_[i].reader->string_offsets(column_));
    return make_error(code, "lengths of strings");
  }
  return check_blocks(of_text, text_places_);
}

}  // namespace presso::gpu
