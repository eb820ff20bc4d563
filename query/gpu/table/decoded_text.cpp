// SPDX-License-Identifier: MIT
// Implements decoded_text.h: divides row groups into batches, and halves the batches until their
// memory suffices. Text of more than 4 GiB in a row group, and too little device memory for the
// smallest batch, give the error that the caller has named for this.
#include "query/gpu/table/decoded_text.h"

#include <algorithm>
#include <limits>

#include "query/gpu/table/upload.h"

namespace presso::gpu {
namespace {

/// Of text that is there at a time, and of what a limit leaves: decoding takes three times as much
/// beside it. The most is 2,000 blocks of random strings, which keep all of a GPU busy. Lengths and
/// counts may take as much.
constexpr std::uint64_t kMostText = std::uint64_t{256} << 20;
constexpr std::uint64_t kShareOfText = 8;
constexpr std::uint64_t kWord = sizeof(std::uint32_t);
constexpr std::uint64_t kLength = sizeof(std::uint64_t);
constexpr std::uint64_t kPiece = 16;  ///< what kernels read of text at a time

std::uint64_t bytes_of_text_row(const GroupReader& reader) {
  return reader.rows() * (kLength + kWord);
}

}  // namespace

void DecodedText::make_batches(std::uint64_t most) {
  batches_.clear();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    const std::uint64_t rows = bytes_of_text_row(*group.reader);
    const bool goes_on = !batches_.empty() && groups_[i - 1].column == group.column &&
                         batches_.back().text_bytes_ + group.bytes <= most &&
                         batches_.back().row_bytes_ + rows <= most;
    if (!goes_on) {
      batches_.emplace_back();
      batches_.back().first_group_ = i;
    }
    batches_.back().text_bytes_ += group.bytes;
    batches_.back().row_bytes_ += rows;
    batches_.back().end_group_ = i + 1;
  }
}

/// Where all that a batch needs is in the memory that it has; returns how large that must be.
std::uint64_t DecodedText::divide(Batch& batch) {
  MemoryParts parts;
  std::uint32_t blocks = 0;
  for (std::size_t i = batch.first_group_; i < batch.end_group_; ++i) {
    Group& group = groups_[i];
    const std::uint32_t rows = group.reader->rows();
    group.text_at = parts.add(group.bytes);
    group.lengths_at = parts.add(rows * kLength);
    group.counts_at = parts.add(rows * kWord);
    blocks += static_cast<std::uint32_t>(group.strings->text.size());
    batch.tiles_ += row_tiles(rows);
  }
  batch.tiles_at_ = parts.add(batch.tiles_ * kWord);
  batch.temporary_bytes_ = space_.strings.temporary_bytes(blocks, batch.text_bytes_);
  batch.temporary_at_ = parts.add(batch.temporary_bytes_);
  return parts.bytes();
}

void DecodedText::add_blocks(Batch& batch) {
  Byte* const work = work_.get();
  batch.text_.d_plain = work;
  batch.text_.d_temporary = work + batch.temporary_at_;
  batch.text_.temporary_bytes = static_cast<std::size_t>(batch.temporary_bytes_);
  for (std::size_t i = batch.first_group_; i < batch.end_group_; ++i) {
    for (const LoadedStrings::Text& text : groups_[i].strings->text) {
      const Byte*& base = batch.text_.d_stored;
      if (base == nullptr || text.stored < base) base = text.stored;
    }
  }
  batch.tiles_ = 0;
  for (std::size_t i = batch.first_group_; i < batch.end_group_; ++i) {
    add_group(batch, groups_[i]);
  }
}

void DecodedText::add_group(Batch& batch, Group& group) {
  Byte* const work = work_.get();
  Byte* const lengths = work + group.lengths_at;
  batch.verifies_lengths_ = batch.verifies_lengths_ || !group.strings->is_verified;
  group.first_length = lengths_.size();
  for (const LoadedStrings::Counts& one : group.strings->counts) {
    Byte* const to = lengths + one.first_row * kLength;
    if (one.is_plain) {
      batch.copies_.push_back({to, one.payload.bytes, one.payload.size});
      continue;
    }
    IntegerBlock block;
    block.payload = one.payload;
    block.parameters = one.parameters;
    block.out = to;
    lengths_.push_back(block);
    length_places_.emplace_back(group.reader, one.block);
    ++batch.lengths_.count;
  }
  group.first_text = spans_.size();
  std::uint64_t at = group.text_at;
  for (const LoadedStrings::Text& text : group.strings->text) {
    spans_.push_back({static_cast<std::uint64_t>(text.stored - batch.text_.d_stored), at,
                      text.stored_bytes, text.plain_bytes});
    text_places_.emplace_back(group.reader, text.block);
    ++batch.text_.blocks;
    batch.text_.largest_plain_bytes = std::max(batch.text_.largest_plain_bytes, text.plain_bytes);
    at += text.plain_bytes;
  }
  if (at % kPiece != 0) batch.tails_.push_back({work + at / kPiece * kPiece, kPiece});
  StringBlock block;
  block.payload.bytes = work + group.text_at;
  block.codes = static_cast<std::uint32_t>(group.bytes);
  block.rows = group.reader->rows();
  block.first_tile = batch.tiles_;
  block.counts = reinterpret_cast<const std::uint32_t*>(work + group.counts_at);
  block.tile_begins = reinterpret_cast<std::uint32_t*>(work + batch.tiles_at_) + batch.tiles_;
  batch.tiles_ += row_tiles(block.rows);
  blocks_.push_back(block);
  NumberedBlock& to = numbered_.emplace_back();
  to.numbers = group.numbers;
  to.text = work + group.text_at;
  to.lengths = reinterpret_cast<const std::uint64_t*>(lengths);
  to.counts = reinterpret_cast<std::uint32_t*>(work + group.counts_at);
}

Status DecodedText::upload() {
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
    batch.lengths_.blocks = lengths;
    batch.lengths_.status = lengths_status;
    lengths += batch.lengths_.count;
    lengths_status += batch.lengths_.count;
    batch.text_.d_spans = spans;
    batch.text_.d_status = text_status;
    spans += batch.text_.blocks;
    text_status += batch.text_.blocks;
    const auto count = static_cast<std::uint32_t>(batch.end_group_ - batch.first_group_);
    batch.rows_.strings = {upload.at<StringBlock>(there, blocks_piece) + batch.first_group_,
                           group_status + batch.first_group_,
                           group_status + groups_.size() + batch.first_group_,
                           count,
                           batch.tiles_,
                           0};
    batch.rows_.blocks = upload.at<NumberedBlock>(there, numbered_piece) + batch.first_group_;
    batch.rows_.has_text = true;
  }
  return space_.copy_there(input_.get(), upload);
}

Status DecodedText::prepare(const std::vector<StoredText>& groups) {
  for (const StoredText& stored : groups) {
    Group& group = groups_.emplace_back();
    static_cast<StoredText&>(group) = stored;
    for (const LoadedStrings::Text& text : stored.strings->text) group.bytes += text.plain_bytes;
    // Rows begin and end at places of 32 bits.
    if (group.bytes > std::numeric_limits<std::uint32_t>::max()) return no_room_;
  }
  if (groups_.empty()) return {};
  PRESSO_TRY(allocate());
  for (Batch& batch : batches_) add_blocks(batch);
  return upload();
}

/// Up to half of what a limit leaves; where there is no limit the device says what it has.
Result<DeviceMemory> DecodedText::work_memory(std::uint64_t bytes) const {
  if (bytes > space_.memory.device_bytes_left() / 2) return no_room_;
  auto memory = space_.memory.allocate(bytes);
  if (!memory.ok() && memory.error().code == ErrorCode::kDeviceMemory) return no_room_;
  return memory;
}

/// As much as there is: with less there are more batches.
Status DecodedText::allocate() {
  std::uint64_t most = std::min(kMostText, space_.memory.device_bytes_left() / kShareOfText);
  for (;; most /= 2) {
    make_batches(most);
    std::uint64_t largest = 0;
    for (Batch& batch : batches_) largest = std::max(largest, divide(batch));
    auto work = work_memory(largest);
    if (work.ok()) {
      work_ = std::move(*work);
      return {};
    }
    const bool may_be_smaller = most > 0 && batches_.size() < groups_.size();
    if (work.error().code != no_room_.code || !may_be_smaller) return work.error();
  }
}

Status DecodedText::decode(const Batch& batch) const {
  for (const Batch::Copy& copy : batch.copies_) {
    PRESSO_TRY(space_.device().copy_within(copy.to, copy.from, static_cast<std::size_t>(copy.bytes),
                                           space_.stream));
  }
  for (const MutableBytes tail : batch.tails_) {
    PRESSO_TRY(space_.kernels.clear(tail.data(), tail.size(), space_.stream));
  }
  if (batch.lengths_.count != 0) {
    PRESSO_TRY(
        space_.strings.decode_lengths(batch.lengths_, batch.verifies_lengths_, space_.stream));
  }
  if (batch.text_.blocks == 0) return {};
  return space_.strings.decode_text(batch.text_, space_.stream);
}

Status DecodedText::check() const {
  if (groups_.empty()) return {};
  std::vector<std::uint32_t> statuses(lengths_.size() + spans_.size() + groups_.size());
  PRESSO_TRY(space_.copy_back(statuses.data(), statuses_.get(), statuses.size() * kWord));
  const std::uint32_t* const of_text = statuses.data() + lengths_.size();
  const std::uint32_t* const of_groups = of_text + spans_.size();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    const bool is_last = i + 1 == groups_.size();
    const std::size_t end_length = is_last ? lengths_.size() : groups_[i + 1].first_length;
    const std::size_t end_text = is_last ? spans_.size() : groups_[i + 1].first_text;
    for (std::size_t block = group.first_length; block < end_length; ++block) {
      PRESSO_TRY(error_of(statuses[block], length_places_[block]));
    }
    const auto code = static_cast<ErrorCode>(of_groups[i]);
    if (code != ErrorCode::kOk) {
      // The CPU says which it is.
      PRESSO_TRY(group.reader->string_offsets(group.column));
      return make_error(code, "lengths of strings");
    }
    for (std::size_t block = group.first_text; block < end_text; ++block) {
      PRESSO_TRY(error_of(of_text[block], text_places_[block]));
    }
  }
  return {};
}

}  // namespace presso::gpu
