// SPDX-License-Identifier: MIT
// Implements loaded_table.h: plans parts of whole row groups within a limit of bytes, and reads up
// to kPartsAhead parts while the device works on an earlier one. An error of a row group comes when
// its part's turn has come, after the rows before it.
#include "query/gpu/table/loaded_table.h"

#include <algorithm>

#include "presso/stopwatch.h"
#include "query/gpu/table/loading_part.h"

namespace presso::gpu {
namespace {

/// What a part takes of device memory: so much that the device is busy with it for longer than it
/// takes to begin with it, and so little that it does not wait long for the first one.
constexpr std::uint64_t kPartBytes = std::uint64_t{64} << 20;
/// Parts that are read while something is done with the one before: when one has been read, threads
/// go on with the next.
constexpr std::size_t kPartsAhead = 2;
/// Row groups that are opened together.
constexpr std::size_t kOpenedTogether = 128;
/// Of pinned memory that is filled and sent as a whole: more makes copies no faster.
constexpr std::uint64_t kMostSlotBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kMostSlots = 8;

/// The bytes of one part, where all parts together may take `most_bytes`.
std::uint64_t part_bytes(std::uint64_t most_bytes) {
  return std::min(kPartBytes, most_bytes / (1 + kPartsAhead));
}

/// Threads go from one slot to the next, while others are copied from. `part`: the first one that
/// goes through it.
void set_slots(const RunSpace& space, const LoadingPart& part, PinnedRing& ring) {
  const std::uint64_t usual = space.pinned.usual_bytes();
  const std::uint64_t all = 2 * usual;
  const std::uint64_t least = std::min(usual, std::uint64_t{64} << 10);
  const std::uint64_t slot =
      std::max(std::min(std::clamp(usual / 4, least, kMostSlotBytes), part.block_bytes()),
               std::max<std::uint64_t>(part.largest_block(), 1));
  ring.set_slots(slot,
                 static_cast<std::size_t>(std::clamp<std::uint64_t>(all / slot, 2, kMostSlots)));
}

}  // namespace

std::uint64_t LoadedTable::device_bytes() const {
  std::uint64_t bytes = 0;
  for (const DeviceMemory& memory : memory_) bytes += memory.bytes();
  return bytes;
}

struct TableLoader::Threads {
  Threads(const RunSpace& of, OwnedStream for_copies, OwnedStream for_checks, unsigned count)
      : copies(std::move(for_copies)),
        checks(std::move(for_checks)),
        ring(of.memory, copies.get()),
        own_queue(count),
        queue(of.queue != nullptr ? *of.queue : own_queue),
        space{of, queue, ring, copies.get(), checks.get(), reading_ns} {}

  OwnedStream copies, checks;
  PinnedRing ring;
  TaskQueue own_queue;  ///< begins no thread before it has work
  TaskQueue& queue;
  std::atomic<std::uint64_t> opening_ns{0};
  std::atomic<std::uint64_t> reading_ns{0};
  LoadingSpace space;
};

TableLoader::TableLoader(const RunSpace& space, const std::vector<Table>& tables,
                         std::vector<std::size_t> columns, ReadCounters& counters, unsigned threads,
                         WantsRows wants, StringLoading strings)
    : space_(space),
      tables_(tables),
      columns_(std::move(columns)),
      counters_(counters),
      thread_count_(threads),
      wants_(std::move(wants)),
      strings_(strings),
      at_group_(tables) {}

/// Parts wait for what they have under way, the last one first: its threads wait for none before.
TableLoader::~TableLoader() {
  while (!begun_.empty()) begun_.pop_back();
}

Status TableLoader::start() {
  if (threads_ != nullptr) return {};
  PRESSO_ASSIGN(OwnedStream copies, make_stream(space_.device()));
  PRESSO_ASSIGN(OwnedStream checks, make_stream(space_.device()));
  threads_ = std::make_unique<Threads>(space_, std::move(copies), std::move(checks), thread_count_);
  return {};
}

/// All threads together open the next row groups.
Status TableLoader::open_groups() {
  std::vector<GroupToOpen> places;
  while (at_group_.has_group() && places.size() < kOpenedTogether) {
    places.push_back({at_group_.table(), at_group_.group(), at_group_.first_row()});
    at_group_.next();
  }
  opened_.clear();
  at_opened_ = 0;
  for (std::size_t i = 0; i < places.size(); ++i) opened_.emplace_back(OpenedGroup());
  Tasks tasks(places.size(), [&](std::size_t i) {
    const Stopwatch time;
    opened_[i] = without_bad_alloc(
        [&] { return open_group(tables_, places[i], columns_, strings_, wants_, counters_); });
    threads_->opening_ns += static_cast<std::uint64_t>(time.seconds() * 1e9);
  });
  threads_->queue.add_first(tasks);
  threads_->queue.finish(tasks);
  return {};
}

/// The next one, or its error; nullptr: there is none.
Result<OpenedGroup*> TableLoader::peek_group() {
  if (at_opened_ == opened_.size()) PRESSO_TRY(open_groups());
  if (at_opened_ == opened_.size()) return nullptr;
  Result<OpenedGroup>& group = opened_[at_opened_];
  if (!group.ok()) return group.error();
  return &*group;
}

/// Collects the row groups of the next part. One that cannot be loaded ends the part before it: its
/// error comes after what that part has.
Status TableLoader::plan(std::uint64_t most_bytes) {
  if (planned_ != nullptr) return {};
  auto part = std::make_unique<LoadingPart>(threads_->space, columns_);
  std::uint64_t bytes = 0;
  for (;;) {
    const Result<OpenedGroup*> next = peek_group();
    if (!next.ok() && part->empty()) return next.error();
    if (!next.ok() || *next == nullptr) break;
    OpenedGroup& group = **next;
    const std::uint64_t more = group.bytes();
    if (!part->empty() && bytes + more > most_bytes) break;
    bytes += more;
    stored_.bytes += group.all.bytes;
    stored_.blocks += group.all.blocks;
    if (group.rows != 0) part->add(std::move(group));
    ++at_opened_;
  }
  if (!part->empty()) planned_ = std::move(part);
  return {};
}

Status TableLoader::begin_planned(Extent extent) {
  PinnedRing& ring = threads_->ring;
  if (planned_->largest_block() > ring.slot_bytes()) set_slots(space_, *planned_, ring);
  PRESSO_TRY(planned_->begin(extent == Extent::kAll));
  begun_.push_back(std::move(planned_));
  return {};
}

std::uint64_t TableLoader::bytes_under_way() const {
  std::uint64_t bytes = 0;
  for (const auto& part : begun_) bytes += part->bytes();
  return bytes;
}

LoadTimes TableLoader::times() const {
  LoadTimes times = times_;
  if (threads_ == nullptr) return times;
  times.opening = static_cast<double>(threads_->opening_ns) / 1e9;
  times.reading = static_cast<double>(threads_->reading_ns) / 1e9;
  times.pinned_wait = threads_->ring.seconds_waited();
  return times;
}

/// As far as there is memory, and the ring's slots are large enough. What goes wrong comes again
/// when it is the part's turn.
void TableLoader::begin_ahead(std::uint64_t most_bytes) {
  while (begun_.size() < 1 + kPartsAhead) {
    if (!plan(part_bytes(most_bytes)).ok()) return;
    if (planned_ == nullptr || bytes_under_way() + planned_->bytes() > most_bytes) return;
    if (planned_->largest_block() > threads_->ring.slot_bytes()) return;
    if (!begin_planned(Extent::kPart).ok()) return;
  }
}

Result<LoadedTable> TableLoader::finish_first() {
  const DeviceStep step(space_.device(), "load blocks");
  LoadingPart& part = *begun_.front();
  const Stopwatch reading;
  PRESSO_TRY(part.finish_reading());
  times_.read_wait += reading.seconds();
  const Stopwatch checking;
  PRESSO_ASSIGN(LoadedTable table, part.take());
  begun_.pop_front();
  times_.check_wait += checking.seconds();
  ++times_.parts;
  return table;
}

Result<std::optional<LoadedTable>> TableLoader::next_part(std::uint64_t most_bytes, Extent extent) {
  PRESSO_TRY(start());
  PRESSO_TRY(space_.device().wait(space_.stream));
  const Stopwatch time;
  if (begun_.empty()) {
    PRESSO_TRY(plan(extent == Extent::kAll ? most_bytes : part_bytes(most_bytes)));
    if (planned_ == nullptr) return std::optional<LoadedTable>();
    PRESSO_TRY(begin_planned(extent));
  }
  if (extent == Extent::kPart) begin_ahead(most_bytes);
  times_.beginning += time.seconds();
  PRESSO_ASSIGN(LoadedTable table, finish_first());
  return std::optional<LoadedTable>(std::move(table));
}

Result<std::optional<LoadedTable>> TableLoader::next(std::uint64_t most_bytes) {
  return next_part(most_bytes, Extent::kPart);
}

Result<std::optional<LoadedTable>> TableLoader::load_all() {
  return next_part(~std::uint64_t{0}, Extent::kAll);
}

}  // namespace presso::gpu
