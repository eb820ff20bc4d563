// SPDX-License-Identifier: MIT
// IndexedFeed: a batch is chosen from the index alone, read, and then compared with its blocks'
// headers. *Odd* is a block that differs from the index or cannot be read. Memory that is pinned is
// not read: the batch points into it, once for each place where the next block does not follow. So
// members of a file share batches, unless they have dictionaries.
#include "decompress/gpu/pipeline/indexed_feed.h"

#include <algorithm>

namespace presso::gpu {
namespace {

/// Bytes of one read: enough that the call costs little, few enough that all threads have work.
constexpr std::uint64_t kMostReadBytes = 4u << 20;
constexpr std::uint64_t kLeastReadBytes = 256u << 10;
constexpr std::uint64_t kReadsOfThread = 2;
/// Where what lies in one piece is smaller, reading it into one is faster than a copy to the GPU of
/// each: that takes some microseconds, in which PCIe moves so much.
constexpr std::uint64_t kLeastPieceBytes = 128u << 10;
/// How many headers ahead are fetched: each is a miss of all caches, 0.2 us of 0.4 that a GPU takes
/// for the block.
constexpr std::uint32_t kPrefetched = 8;
}  // namespace

/// False for a file with an empty member: the sections of such a member would be compared with the
/// index nowhere.
bool IndexedFeed::covers_whole_file(const ArchiveIndex& index) {
  return !index.rebuilt() && std::all_of(index.members().begin(), index.members().end(),
                                         [&index](const ArchiveMember& member) {
                                           return member.block_count > 0 &&
                                                  index.check_tail(member).ok();
                                         });
}

// The last member whose first block is not after `number`. O(log members).
const ArchiveMember& IndexedFeed::member_of(std::uint64_t number) const {
  const std::vector<ArchiveMember>& members = index_.members();
  const auto after = std::upper_bound(
      members.begin(), members.end(), number,
      [](std::uint64_t value, const ArchiveMember& member) { return value < member.first_block; });
  return *(after - 1);
}

/// The size of a stored block as the index has it; 0 if no block can have it.
std::uint64_t IndexedFeed::stored_bytes_of(std::uint64_t number) const {
  const std::uint64_t bytes = index_.block_stored_bytes(number);
  const std::uint64_t most = round_up(kBlockHeaderBytes + kMaxBlockBytes, kFrameAlignment);
  const bool possible = bytes > kBlockHeaderBytes && bytes <= most && bytes % kFrameAlignment == 0;
  return possible ? bytes : 0;
}

// A list of blocks is written out without gaps, a range where it lies in the plain text.
BatchPlace IndexedFeed::next_place() const {
  const std::uint64_t number = at();
  const std::uint64_t offset = index_.block_plain_offset(number);
  BatchPlace place;
  place.number = number;
  place.plain_offset = offset;
  place.out_offset = selection_.list.empty() ? offset : passed_plain_bytes_;
  place.file_offset = index_.block_offset(number);
  place.passed_bytes = place.file_offset;
  place.plain_bytes = static_cast<std::uint32_t>(opened_.block_plain_bytes(number));
  return place;
}

void IndexedFeed::pass(const BatchPlace& place) {
  ++passed_;
  passed_plain_bytes_ += place.plain_bytes;
}

/// A batch has dictionaries of one member.
bool IndexedFeed::may_join(const SlotBatch& batch, std::uint64_t number) const {
  if (batch.block_count() == 0) return true;
  const ArchiveMember& one = member_of(selection_[passed_ - 1]);
  const ArchiveMember& other = member_of(number);
  return &one == &other || (one.dictionaries.empty() && other.dictionaries.empty());
}

// A member whose dictionaries cannot be decoded is odd as well: the careful reader names the
// error.
Result<IndexedFeed::Stop> IndexedFeed::choose(SlotBatch& batch) {
  while (passed_ < selection_.size()) {
    const std::uint64_t number = at();
    if (!may_join(batch, number)) return Stop::kFull;
    const std::uint64_t stored_bytes = stored_bytes_of(number);
    const bool entered = dictionaries_.enter(index_.members(), member_of(number), team_).ok();
    if (stored_bytes == 0 || !entered) return Stop::kOdd;
    BatchPlace place = next_place();
    place.passed_bytes += stored_bytes;
    PRESSO_ASSIGN(const bool added,
                  batch.add_block(place, static_cast<std::uint32_t>(stored_bytes)));
    if (!added) return Stop::kFull;
    pass(place);
  }
  return Stop::kEnd;
}

/// Bytes of the file that stay together in the slot.
struct IndexedFeed::Run {
  std::uint64_t file_offset;
  std::uint64_t slot_offset;
  std::uint64_t bytes;
};

/// The batch's blocks as runs. A run that has `most_bytes` takes no further block.
std::vector<IndexedFeed::Run> IndexedFeed::runs_of(const SlotBatch& batch,
                                                   std::uint64_t most_bytes) const {
  std::vector<Run> runs;
  for (std::uint32_t block = 0; block < batch.block_count(); ++block) {
    const BlockSpan& span = batch.blocks()[block];
    const std::uint64_t from = batch.places()[block].file_offset;
    const bool follows = !runs.empty() && runs.back().bytes < most_bytes &&
                         runs.back().file_offset + runs.back().bytes == from;
    if (follows) {
      runs.back().bytes += span.stored_bytes;
    } else {
      runs.push_back({from, span.stored_offset, span.stored_bytes});
    }
  }
  return runs;
}

/// False where the blocks are not in pinned memory, or scattered.
bool IndexedFeed::take_in_place(SlotBatch& batch) const {
  if (file_.pinned == nullptr) return false;
  std::vector<PinnedPiece> pieces;
  for (const Run& run : runs_of(batch, ~std::uint64_t{0})) {
    pieces.push_back({file_.pinned + run.file_offset, run.slot_offset, run.bytes});
  }
  const bool scattered =
      pieces.size() > 1 && pieces.size() * kLeastPieceBytes > batch.stored_bytes();
  if (!scattered) batch.take_from(std::move(pieces));
  return !scattered;
}

// Runs are cut so that each thread has about two reads, of 256 KiB to 4 MiB.
Status IndexedFeed::read(const SlotBatch& batch) const {
  const std::uint64_t share = batch.stored_bytes() / (kReadsOfThread * team_.threads());
  const std::vector<Run> runs = runs_of(batch, std::clamp(share, kLeastReadBytes, kMostReadBytes));
  return team_.run(runs.size(), [&](std::size_t run) {
    const auto bytes = static_cast<std::size_t>(runs[run].bytes);
    return file_.file.read_at(runs[run].file_offset,
                              {batch.staging() + runs[run].slot_offset, bytes});
  });
}

/// Keeps the blocks up to the first that is odd, or whose dictionary has to wait for its turn.
IndexedFeed::Stop IndexedFeed::check(SlotBatch& batch, Stop stop) {
  const std::uint32_t count = batch.block_count();
  std::uint32_t sound = 0;
  bool refused = false;
  for (; sound < count; ++sound) {
    if (sound + kPrefetched < count) __builtin_prefetch(batch.stored(sound + kPrefetched));
    const auto header = parse_block_header(batch.stored(sound));
    if (!header.ok() || !index_.agrees_with(*header, batch.places()[sound].number)) break;
    if (!batch.use_dictionary(header->dictionary_id, dictionaries_.find(header->dictionary_id),
                              options_.most_dictionaries)) {
      refused = true;
      break;
    }
  }
  if (sound == count) return stop;
  keep(batch, sound);
  return refused && sound > 0 ? Stop::kFull : Stop::kOdd;
}

/// Gives back all blocks but the first `sound`.
void IndexedFeed::keep(SlotBatch& batch, std::uint32_t sound) {
  for (std::uint32_t block = sound; block < batch.block_count(); ++block) {
    --passed_;
    passed_plain_bytes_ -= batch.blocks()[block].plain_bytes;
  }
  batch.cut(sound);
}

// A failed read is not reported here: the reader that goes on from there meets it again, and
// says where.
Result<IndexedFeed::Stop> IndexedFeed::fill(SlotBatch& batch) {
  PRESSO_ASSIGN(const Stop stop, choose(batch));
  if (batch.empty()) return stop;
  if (!take_in_place(batch) && !read(batch).ok()) {
    keep(batch, 0);  // what cannot be read is odd
    return Stop::kOdd;
  }
  return check(batch, stop);
}

}  // namespace presso::gpu
