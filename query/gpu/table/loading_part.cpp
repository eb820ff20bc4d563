// SPDX-License-Identifier: MIT
// Implements loading_part.h: threads read blocks into pinned memory, from where they are sent;
// kernels then compare checksums and validate. The first damaged block becomes an error with its
// place.
#include "query/gpu/table/loading_part.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "decompress/columns/cpu/token_decoder.h"
#include "decompress/gpu/runtime/memory_parts.h"
#include "format/columns/column_block.h"
#include "presso/stopwatch.h"

namespace presso::gpu {
namespace {

constexpr std::size_t kNoJob = ~std::size_t{0};

/// In eighths of a power of two, so that memory that comes back serves what comes next.
std::uint64_t rounded_up(std::uint64_t bytes) {
  constexpr std::uint64_t kLeast = 256;
  const std::uint64_t step =
      std::max(std::bit_floor(std::max<std::uint64_t>(bytes, 1)) / 8, kLeast);
  return (bytes + step - 1) / step * step;
}

/// Codes of the rows whose counts the sample has, from its first block of codes.
void sample_codes(StringSample& sample, const TokenDictionary& tokens, Bytes payload,
                  std::uint32_t codes_in_block, std::uint32_t rows) {
  sample.counts.resize(std::min<std::size_t>(sample.counts.size(), rows));
  std::uint64_t codes = 0;
  for (const std::uint32_t count : sample.counts) codes += count;
  if (codes <= codes_in_block) {
    sample.codes.resize(static_cast<std::size_t>(codes) + 2 * kVectorRows);
    const Status unpacked = unpack_token_part(
        tokens, payload, codes_in_block, 0, static_cast<std::uint32_t>(codes), sample.codes.data());
    sample.codes.resize(static_cast<std::size_t>(codes));
    if (unpacked.ok()) return;
  }
  sample = {};  // damaged, which is found out on the device
}

}  // namespace

LoadingPart::LoadingPart(const LoadingSpace& space, const std::vector<std::size_t>& columns)
    : space_(space), columns_(columns), is_sampled_(columns.size()), failed_(kNoJob) {
  table_.vector_forms_.resize(columns.size());
  table_.forms_.resize(columns.size());
  table_.host_blocks_.resize(columns.size());
}

LoadingPart::~LoadingPart() {
  if (!is_under_way_) return;
  space_.queue.drop(*tasks_);
  for (PinnedRing::Piece& piece : pieces_) space_.ring.give_up(piece);
  // Memory that comes back is given to others.
  static_cast<void>(space_.space.device().wait(space_.copies));
  static_cast<void>(space_.space.device().wait(space_.checks));
}

void LoadingPart::add(OpenedGroup group) {
  const auto number = static_cast<std::uint32_t>(table_.groups_.size());
  const auto first_slice = static_cast<std::uint32_t>(table_.slices_.size());
  const auto first_strings = static_cast<std::uint32_t>(table_.strings_.size());
  const std::vector<bool> was_sampled = is_sampled_;
  for (LoadedSlice& slice : group.slices) {
    slice.group = number;
    table_.slices_.push_back(slice);
  }
  for (LoadedStrings& strings : group.strings) {
    strings.group = number;
    if (!strings.has_bytes) is_sampled_[strings.column] = true;
    table_.strings_.push_back(std::move(strings));
  }
  for (BlockJob& job : group.jobs) {
    job.is_sampled = job.is_sampled && !was_sampled[job.column];
    job.group = number;
    job.strings += first_strings;
    if (!job.is_of_strings()) job.number += first_slice;
    job.offset = block_bytes_;
    const std::uint64_t room = block_room(job.stored_bytes());
    block_bytes_ += room;
    largest_block_ = std::max(largest_block_, room);
    jobs_.push_back(std::move(job));
  }
  for (std::size_t column = 0; column < group.blocks.size(); ++column) {
    auto& all = table_.host_blocks_[column];
    all.insert(all.end(), group.blocks[column].begin(), group.blocks[column].end());
  }
  table_.rows_ += group.rows;
  table_.groups_.push_back(std::move(group.group));
}

LoadingPart::Image LoadingPart::image() const {
  const std::size_t slices = table_.slices_.size();
  MemoryParts parts;
  // The values of columns of strings, which nobody asks for, are here where there is no block.
  parts.add(std::max<std::uint64_t>(block_bytes_, 1));
  Image image;
  image.slices = parts.add(slices * sizeof(TableSlice));
  image.blocks = parts.add(table_.host_blocks_.size() * slices * sizeof(TableBlock));
  image.batch = parts.add(jobs_.size() * sizeof(IntegerBlock));
  image.entries = parts.add(jobs_.size() * sizeof(std::uint32_t));
  image.status = parts.add(jobs_.size() * sizeof(std::uint32_t));
  parts.add(kReadBehind);
  image.bytes = parts.bytes() - image.slices;
  return image;
}

std::uint64_t LoadingPart::bytes() const {
  const Image all = image();
  return rounded_up(all.slices + all.bytes);
}

void LoadingPart::make_batches() {
  constexpr std::uint64_t kBatchBytes = std::uint64_t{512} << 10;
  constexpr std::size_t kForThread = 8;
  const std::size_t most_jobs =
      std::max<std::size_t>(jobs_.size() / (kForThread * space_.queue.threads()), 1);
  batches_.clear();
  pieces_.clear();
  std::uint64_t piece_begin = 0;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const std::uint64_t end = jobs_[i].offset + block_room(jobs_[i].stored_bytes());
    const bool begins_piece = pieces_.empty() || end - piece_begin > space_.ring.slot_bytes();
    if (begins_piece) {
      piece_begin = jobs_[i].offset;
      pieces_.emplace_back();
    }
    pieces_.back().bytes = end - piece_begin;
    const bool is_full =
        !batches_.empty() && (i - batches_.back().first >= most_jobs ||
                              end - jobs_[batches_.back().first].offset > kBatchBytes);
    if (begins_piece || is_full) {
      batches_.push_back({i, i, pieces_.size() - 1});
      ++pieces_.back().batches;
    }
    batches_.back().end = i + 1;
  }
}

Status LoadingPart::allocate(bool is_kept) {
  const RunSpace& space = space_.space;
  const Image image = this->image();
  const std::uint64_t bytes = image.slices + image.bytes;
  PRESSO_ASSIGN(memory_, space.memory.allocate(is_kept ? bytes : rounded_up(bytes)));
  // There are several parts, and what is pinned must do for all of them.
  if (image.bytes <= space.pinned.usual_bytes() / 4) {
    PRESSO_ASSIGN(pinned_, space.memory.allocate_pinned(rounded_up(image.bytes)));
  }
  PRESSO_ASSIGN(copied_, make_event(space.device()));
  PRESSO_ASSIGN(checked_, make_event(space.device()));
  PRESSO_TRY(space_.ring.reserve(pieces_.size()));
  std::uint64_t at = 0;
  for (PinnedRing::Piece& piece : pieces_) {
    piece.there = memory_.get() + at;
    at += piece.bytes;
  }
  return {};
}

Status LoadingPart::begin(bool is_kept) {
  make_batches();
  Status allocated = allocate(is_kept);
  if (!allocated.ok()) {
    pieces_.clear();
    copied_.reset();
    checked_.reset();
    pinned_ = {};
    memory_ = {};
    return allocated;
  }
  batches_left_ = batches_.size();
  tasks_.emplace(batches_.size(), [this](std::size_t batch) { run(batch); });
  space_.queue.add(*tasks_);
  is_under_way_ = true;
  return {};
}

/// Jobs behind one that has failed are not done. The thread that ends the last batch also starts
/// the check at once: other threads go on with the next part, and the check would wait for its
/// copies.
void LoadingPart::run(std::size_t number) {
  const Batch& batch = batches_[number];
  PinnedRing::Piece& piece = pieces_[batch.piece];
  std::size_t at = batch.first;
  Status done = without_bad_alloc([&]() -> Status {
    PRESSO_ASSIGN(Byte* const to, space_.ring.begin(piece));
    const Stopwatch time;
    for (; at < batch.end && at < failed_; ++at) {
      PRESSO_TRY(read_block(jobs_[at], to + (there(jobs_[at]) - piece.there)));
    }
    space_.reading_ns += static_cast<std::uint64_t>(time.seconds() * 1e9);
    return {};
  });
  if (!done.ok()) fail(at, std::move(done.error()));
  Status sent = space_.ring.end(piece);
  if (!sent.ok()) fail(batch.first, std::move(sent.error()));
  if (--batches_left_ == 0) ended_ = without_bad_alloc([this] { return end_reading(); });
}

void LoadingPart::fail(std::size_t job, Error error) {
  const std::lock_guard lock(failing_);
  if (job >= failed_) return;
  failed_ = job;
  error_ = std::move(error);
}

const Byte* LoadingPart::payload(const BlockJob& job) const {
  return there(job) + kBlockHeaderBytes;
}

void LoadingPart::settle_values(const BlockJob& job) {
  const bool is_validity = job.kind == BlockJob::Kind::kValidity;
  TableBlock& block = table_.host_blocks_[job.column][job.number];
  (is_validity ? block.is_plain_validity : block.is_plain) = job.is_plain;
  if (job.is_plain) {
    if (!is_validity) table_.vector_forms_[job.column].count_others(vectors_of(block.rows));
    return;
  }
  (is_validity ? block.validity : block.words) =
      reinterpret_cast<const std::uint32_t*>(payload(job));
  if (is_validity) {
    table_.vector_forms_[job.column].count_odd_validity(job.forms.odd_validity());
    return;
  }
  block.divisor = job.parameters.divisor;
  block.is_signed = job.parameters.is_signed;
  block.floating = job.parameters.floating;
  table_.vector_forms_[job.column].add(job.forms);
}

void LoadingPart::settle_counts(BlockJob& job) {
  LoadedStrings& strings = table_.strings_[job.strings];
  LoadedStrings::Counts& counts = strings.counts[job.number];
  if (job.is_sampled) strings.sample.counts = std::move(job.sample);
  counts.is_plain = job.is_plain;
  if (job.is_plain) {
    counts.parameters.rows = job.reader->directory().blocks[job.block].rows;
    return;
  }
  counts.parameters = job.parameters;
  counts.payload = {payload(job), job.bytes, job.checksum};
}

/// A sample's counts are those of a job before this one.
Status LoadingPart::settle_codes(const BlockJob& job) {
  LoadedStrings& tokens = table_.strings_[job.strings];
  LoadedStrings::Codes& codes = tokens.codes[job.number];
  codes.codes = job.codes;
  codes.payload = {payload(job), job.bytes, job.checksum};
  if (!job.is_sampled) return {};
  PRESSO_ASSIGN(const TokenDictionary* const dictionary, job.reader->tokens(columns_[job.column]));
  sample_codes(tokens.sample, *dictionary, job.kept->bytes(), job.codes, codes.rows);
  return {};
}

void LoadingPart::settle_text(const BlockJob& job) {
  LoadedStrings::Text& text = table_.strings_[job.strings].text[job.number];
  text.stored = there(job);
  text.stored_bytes = job.stored_bytes();
  text.plain_bytes = job.bytes;
}

/// Writes down what has become of a block.
Status LoadingPart::settle(BlockJob& job) {
  switch (job.kind) {
    case BlockJob::Kind::kValues:
    case BlockJob::Kind::kValidity:
      settle_values(job);
      break;
    case BlockJob::Kind::kCounts:
      settle_counts(job);
      break;
    case BlockJob::Kind::kCodes:
      return settle_codes(job);
    case BlockJob::Kind::kText:
      settle_text(job);
      break;
  }
  return {};
}

void LoadingPart::settle_all() {
  for (std::size_t i = 0; i < jobs_.size() && i < failed_; ++i) {
    BlockJob& job = jobs_[i];
    Status settled = settle(job);
    if (!settled.ok()) return fail(i, std::move(settled.error()));
    if (job.is_plain) {
      plain_.push_back(i);
    } else if (job.kind == BlockJob::Kind::kValues || job.kind == BlockJob::Kind::kValidity) {
      arrived_.push_back(i);
    }
  }
}

/// Values that were decoded here have no room where their blocks would be.
Status LoadingPart::place_plain() {
  if (plain_.empty()) return {};
  std::vector<std::uint64_t> places;
  std::uint64_t bytes = 0;
  for (const std::size_t i : plain_) {
    places.push_back(bytes);
    bytes += block_room(jobs_[i].bytes);
  }
  PRESSO_ASSIGN(plain_memory_, space_.space.memory.allocate(bytes + kReadBehind));
  std::vector<Bytes> pieces;
  for (std::size_t i = 0; i < plain_.size(); ++i) {
    const BlockJob& job = jobs_[plain_[i]];
    pieces.emplace_back(job.kept->data(), job.bytes);
    const Byte* const at = plain_memory_.get() + places[i];
    if (job.kind == BlockJob::Kind::kCounts) {
      table_.strings_[job.strings].counts[job.number].payload = {at, job.bytes, 0};
      continue;
    }
    TableBlock& block = table_.host_blocks_[job.column][job.number];
    (job.kind == BlockJob::Kind::kValidity ? block.validity : block.words) =
        reinterpret_cast<const std::uint32_t*>(at);
  }
  return space_.space.copy_there(plain_memory_.get(), pieces, kBlockAlignment);
}

/// Blocks of columns of strings have values, which nobody asks for.
void LoadingPart::place_unread_values() {
  for (std::vector<TableBlock>& blocks : table_.host_blocks_) {
    for (TableBlock& block : blocks) {
      if (!block.is_plain || block.words != nullptr) continue;
      block.words = reinterpret_cast<const std::uint32_t*>(memory_.get());
      block.is_unread = true;
    }
  }
}

/// `to`: room for the image.
void LoadingPart::write_image(Byte* to) const {
  const Image image = this->image();
  Byte* const begin = to - image.slices;
  const std::size_t slices = table_.slices_.size();
  for (std::size_t i = 0; i < slices; ++i) {
    const LoadedSlice& slice = table_.slices_[i];
    const TableSlice one{slice.first_row, slice.rows, slice.group};
    std::memcpy(begin + image.slices + i * sizeof one, &one, sizeof one);
  }
  for (std::size_t column = 0; column < table_.host_blocks_.size(); ++column) {
    const std::size_t bytes = slices * sizeof(TableBlock);
    std::memcpy(begin + image.blocks + column * bytes, table_.host_blocks_[column].data(), bytes);
  }
  for (std::size_t i = 0; i < arrived_.size(); ++i) {
    const BlockJob& job = jobs_[arrived_[i]];
    IntegerBlock one;
    one.payload = {payload(job), job.bytes, job.checksum};
    one.parameters = job.parameters;
    std::memcpy(begin + image.batch + i * sizeof one, &one, sizeof one);
    store(begin + image.entries + 4 * i, job.entries);
  }
}

/// Sends the image after the blocks, on the same stream. The check begins when both have arrived.
Status LoadingPart::enqueue_check() {
  const RunSpace& space = space_.space;
  const Image image = this->image();
  const auto bytes = static_cast<std::size_t>(image.bytes);
  Byte* const there = memory_.get();
  const bool is_pinned = pinned_.get() != nullptr;
  if (is_pinned) {
    write_image(pinned_.get());
    PRESSO_TRY(space.device().copy_in(there + image.slices, pinned_.get(), bytes, space_.copies));
  } else {
    std::vector<Byte> here(bytes);
    write_image(here.data());
    PRESSO_TRY(space.copy_there(there + image.slices, here.data(), bytes));
  }
  PRESSO_TRY(space.device().record(copied_.get(), space_.copies));
  PRESSO_TRY(space.device().stream_wait(space_.checks, copied_.get()));
  auto* const status = reinterpret_cast<std::uint32_t*>(there + image.status);
  PRESSO_TRY(space.kernels.check({reinterpret_cast<const IntegerBlock*>(there + image.batch),
                                  status, static_cast<std::uint32_t>(arrived_.size())},
                                 reinterpret_cast<const std::uint32_t*>(there + image.entries),
                                 space_.checks));
  if (is_pinned) {
    PRESSO_TRY(space.device().copy_out(pinned_.get(), there + image.status, 4 * arrived_.size(),
                                       space_.checks));
  }
  return space.device().record(checked_.get(), space_.checks);
}

/// Called by the thread that ends the last batch. It leaves the check to finish_reading() if values
/// were decoded on the host, or if the image is not pinned: their copies use the caller's stream.
Status LoadingPart::end_reading() {
  settle_all();
  if (!plain_.empty() || pinned_.get() == nullptr) return {};
  place_unread_values();
  is_checking_ = true;
  return enqueue_check();
}

Status LoadingPart::finish_reading() {
  space_.queue.finish(*tasks_);
  PRESSO_TRY(std::move(ended_));
  if (is_checking_) return {};
  if (failed_ == kNoJob) PRESSO_TRY(place_plain());
  place_unread_values();
  return enqueue_check();
}

/// The first fault of the blocks that were compared with their checksums; nullopt if there is none.
Result<std::optional<Error>> LoadingPart::first_fault() const {
  std::vector<std::uint32_t> codes(arrived_.size());
  const std::size_t bytes = 4 * codes.size();
  if (pinned_.get() != nullptr) {
    if (bytes != 0) std::memcpy(codes.data(), pinned_.get(), bytes);
  } else {
    PRESSO_TRY(space_.space.copy_back(codes.data(), memory_.get() + image().status, bytes));
  }
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto code = static_cast<ErrorCode>(codes[i]);
    if (code == ErrorCode::kOk) continue;
    const BlockJob& job = jobs_[arrived_[i]];
    Error error = code == ErrorCode::kBadRowGroup ? make_error(code, "a code beyond the dictionary")
                                                  : make_error(code);
    return std::optional(job.reader->blocks().at_block(std::move(error), job.block));
  }
  return std::optional<Error>();
}

Result<LoadedTable> LoadingPart::take() {
  PRESSO_TRY(space_.space.device().wait(checked_.get()));
  PRESSO_ASSIGN(std::optional<Error> fault, first_fault());
  if (fault) return std::move(*fault);
  if (error_) return std::move(*error_);
  const Image image = this->image();
  const Byte* const there = memory_.get();
  table_.blocks_ = {reinterpret_cast<const TableSlice*>(there + image.slices),
                    reinterpret_cast<const TableBlock*>(there + image.blocks),
                    static_cast<std::uint32_t>(table_.slices_.size())};
  table_.memory_.push_back(std::move(memory_));
  if (plain_memory_.get() != nullptr) table_.memory_.push_back(std::move(plain_memory_));
  is_under_way_ = false;
  return std::move(table_);
}

}  // namespace presso::gpu
