// SPDX-License-Identifier: MIT
// CUDA's stream and event types are only named by our headers, so this file says what they are.
#include "tests/support/fake_device.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "presso/decompress.h"
#include "tests/support/cpu_batch.h"

/// Happened as often as `done` says; recorded as often as `asked` says.
struct CUevent_st {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t asked = 0;
  std::uint64_t done = 0;

  std::uint64_t now() {
    const std::lock_guard lock(mutex);
    return asked;
  }
  void happen(std::uint64_t ticket) {
    const std::lock_guard lock(mutex);
    done = std::max(done, ticket);
    changed.notify_all();
  }
  void wait_for(std::uint64_t ticket) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done >= ticket; });
  }
};

/// A thread that does one thing after another.
struct CUstream_st {
 public:
  explicit CUstream_st(unsigned seed) : random_(seed), thread_([this] { loop(); }) {}
  ~CUstream_st() {
    enqueue(nullptr);
    thread_.join();
  }

  void enqueue(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    changed_.notify_all();
  }
  void drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.empty() && !busy_; });
  }

 private:
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return !queue_.empty(); });
      const std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      if (!work) return;
      busy_ = true;
      lock.unlock();
      for (auto pauses = random_() % 4; pauses > 0; --pauses) std::this_thread::yield();
      work();
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  std::mt19937 random_;
  std::thread thread_;
};

namespace presso::test {
namespace {

using gpu::BatchArguments;
using gpu::BatchOptions;
using gpu::BlockSpan;
using gpu::Event;
using gpu::Stream;

constexpr std::size_t kAlignment = 256;

void raise_to(std::atomic<std::uint64_t>& most, std::uint64_t value) {
  std::uint64_t seen = most;
  while (value > seen && !most.compare_exchange_weak(seen, value)) {
  }
}

/// Allocations of one kind, by address.
class Pool {
 public:
  Byte* take(std::size_t bytes) {
    auto* memory = static_cast<Byte*>(::operator new (bytes, std::align_val_t{kAlignment}));
    std::memset(memory, 0xDB, bytes);  // nothing shall rely on cleared memory
    const std::lock_guard lock(mutex_);
    sizes_[memory] = bytes;
    return memory;
  }
  /// The size that it had; 0 where it is not one of these.
  std::size_t give_back(Byte* memory) {
    std::size_t bytes = 0;
    {
      const std::lock_guard lock(mutex_);
      const auto found = sizes_.find(memory);
      if (found == sizes_.end()) return 0;
      bytes = found->second;
      sizes_.erase(found);
    }
    ::operator delete (memory, std::align_val_t{kAlignment});
    return bytes;
  }
  bool holds(const Byte* memory, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    auto after = sizes_.upper_bound(memory);
    if (after == sizes_.begin()) return false;
    --after;
    return memory + bytes <= after->first + after->second;
  }

 private:
  std::mutex mutex_;
  std::map<const Byte*, std::size_t> sizes_;
};

class FakeDevice final : public gpu::Device {
 public:
  FakeDevice(std::shared_ptr<FakeCounts> counts, const FakeFaults& faults)
      : counts_(std::move(counts)), faults_(faults) {}

  Result<Byte*> allocate(std::size_t bytes) override {
    PRESSO_TRY(check());
    const bool refused = counts_->allocations++ >= faults_.allocation ||
                         counts_->device_bytes + bytes > faults_.device_memory;
    if (refused) return make_error(ErrorCode::kDeviceMemory, "the test says so");
    raise_to(counts_->most_device_bytes, counts_->device_bytes += bytes);
    return device_.take(bytes);
  }
  void release(Byte* d_memory) override { counts_->device_bytes -= device_.give_back(d_memory); }

  Result<Byte*> allocate_pinned(std::size_t bytes) override {
    PRESSO_TRY(check());
    const bool refused = counts_->pinned_allocations++ >= faults_.pinned_allocation ||
                         counts_->pinned_bytes + bytes > faults_.pinned_memory;
    if (refused) return make_error(ErrorCode::kOutOfMemory, "the test says so");
    raise_to(counts_->most_pinned_bytes, counts_->pinned_bytes += bytes);
    return pinned_.take(bytes);
  }
  void release_pinned(Byte* memory) override { counts_->pinned_bytes -= pinned_.give_back(memory); }
  bool is_pinned(const Byte* memory, std::size_t bytes) override {
    return pinned_.holds(memory, bytes);
  }

  Result<Stream> create_stream() override {
    PRESSO_TRY(check());
    if (faults_.no_device) return make_error(ErrorCode::kNoDevice, "the test says so");
    return new CUstream_st(static_cast<unsigned>(++counts_->live_handles));
  }
  void destroy_stream(Stream stream) override {
    --counts_->live_handles;
    delete stream;
  }
  Result<Event> create_event() override {
    PRESSO_TRY(check());
    ++counts_->live_handles;
    return new CUevent_st;
  }
  void destroy_event(Event event) override {
    --counts_->live_handles;
    delete event;
  }

  Status copy_in(Byte* d_to, const Byte* from, std::size_t bytes, Stream stream) override {
    PRESSO_TRY(begin_copy(device_.holds(d_to, bytes)));
    counts_->bytes_in += bytes;
    return copy(d_to, from, bytes, stream);
  }
  Status copy_out(Byte* to, const Byte* d_from, std::size_t bytes, Stream stream) override {
    PRESSO_TRY(begin_copy(device_.holds(d_from, bytes) && pinned_.holds(to, bytes)));
    counts_->bytes_out += bytes;
    return copy(to, d_from, bytes, stream);
  }
  Status copy_within(Byte* d_to, const Byte* d_from, std::size_t bytes, Stream stream) override {
    PRESSO_TRY(begin_copy(device_.holds(d_to, bytes) && device_.holds(d_from, bytes)));
    counts_->bytes_within += bytes;
    return copy(d_to, d_from, bytes, stream);
  }

  Status record(Event event, Stream stream) override {
    PRESSO_TRY(check());
    std::uint64_t ticket = 0;
    {
      const std::lock_guard lock(event->mutex);
      ticket = ++event->asked;
    }
    stream->enqueue([event, ticket] { event->happen(ticket); });
    return {};
  }
  Status stream_wait(Stream stream, Event event) override {
    PRESSO_TRY(check());
    stream->enqueue([event, ticket = event->now()] { event->wait_for(ticket); });
    return {};
  }
  Status wait(Event event) override {
    event->wait_for(event->now());
    return check();
  }
  Status wait(Stream stream) override {
    stream->drain();
    return check();
  }

  /// FakeDecoder's.
  Status decode(const BatchArguments& arguments, const BatchOptions& options, Stream stream) {
    PRESSO_TRY(check());
    const std::size_t number = counts_->decodes++;
    if (number >= faults_.decode) return lose();
    if (!is_sound(arguments)) return misuse();
    counts_->blocks += arguments.blocks;
    stream->enqueue([this, arguments, options, number] {
      if (number == faults_.decode_later) lost_ = true;
      if (lost_) return;
      run(arguments, options);
      std::uint32_t& status = arguments.d_status[arguments.blocks / 2];
      if (number == faults_.odd_status) status = 0x80000000u;
      if (number == faults_.false_damage) {
        status = static_cast<std::uint32_t>(ErrorCode::kContentChecksum);
      }
    });
    return {};
  }

 private:
  Status check() const {
    if (!lost_) return {};
    return make_error(ErrorCode::kDeviceLost, "the test says so");
  }
  Status lose() {
    lost_ = true;
    return check();
  }
  Status misuse() {
    ++counts_->misuses;
    return make_error(ErrorCode::kInvalidArgument, "memory of the wrong kind or size");
  }
  Status begin_copy(bool sound) {
    PRESSO_TRY(check());
    if (counts_->copies++ >= faults_.copy) return lose();
    return sound ? Status() : misuse();
  }
  Status copy(Byte* to, const Byte* from, std::size_t bytes, Stream stream) {
    stream->enqueue([this, to, from, bytes] {
      if (!lost_) std::memcpy(to, from, bytes);
    });
    return {};
  }

  bool is_sound(const BatchArguments& a) {
    const std::size_t needed = 64 * std::size_t{a.blocks};
    const auto is_aligned = [](const void* at, std::size_t to) {
      return reinterpret_cast<std::uintptr_t>(at) % to == 0;
    };
    return is_aligned(a.d_stored, kFrameAlignment) && is_aligned(a.d_spans, alignof(BlockSpan)) &&
           is_aligned(a.d_status, sizeof(std::uint32_t)) &&
           is_aligned(a.d_dictionaries, alignof(gpu::DictionarySpan)) &&
           is_aligned(a.d_temporary, kAlignment) && a.blocks > 0 && a.temporary_bytes >= needed &&
           device_.holds(reinterpret_cast<const Byte*>(a.d_spans), a.blocks * sizeof(BlockSpan)) &&
           device_.holds(reinterpret_cast<const Byte*>(a.d_status),
                         a.blocks * sizeof(std::uint32_t)) &&
           device_.holds(reinterpret_cast<const Byte*>(a.d_dictionaries),
                         (kMaxDictionaries + 1) * sizeof(gpu::DictionarySpan)) &&
           device_.holds(static_cast<const Byte*>(a.d_temporary), a.temporary_bytes);
  }

  void run(const BatchArguments& arguments, const BatchOptions& options) {
    std::uint64_t plain_bytes = 0;
    for (std::uint32_t block = 0; block < arguments.blocks; ++block) {
      const BlockSpan& span = arguments.d_spans[block];
      plain_bytes += span.plain_bytes;
      arguments.d_status[block] = static_cast<std::uint32_t>(decode_one(arguments, span, options));
    }
    raise_to(counts_->largest_batch_bytes, plain_bytes);
    if (options.bit_blocks) ++counts_->bit_batches;
  }

  ErrorCode decode_one(const BatchArguments& arguments, const BlockSpan& span,
                       const BatchOptions& options) {
    Byte* out = arguments.d_plain + span.plain_offset;
    const Byte* stored = arguments.d_stored + span.stored_offset;
    const bool inside = span.stored_offset % 16 == 0 && span.stored_bytes >= kBlockHeaderBytes &&
                        span.plain_bytes <= arguments.largest_plain_bytes &&
                        device_.holds(stored, span.stored_bytes) &&
                        device_.holds(out, span.plain_bytes);
    if (!inside) {
      ++counts_->misuses;
      return ErrorCode::kBadHeader;
    }
    if (reinterpret_cast<std::uintptr_t>(out) % 8 != 0) ++counts_->slow_blocks;
    return decode_span(arguments, span, options);
  }

  std::shared_ptr<FakeCounts> counts_;
  FakeFaults faults_;
  std::atomic<bool> lost_{false};
  Pool device_, pinned_;
};

class FakeDecoder final : public gpu::BatchDecoder {
 public:
  explicit FakeDecoder(FakeDevice& device) : device_(device) {}

  std::size_t temporary_bytes(std::uint32_t blocks, std::uint64_t plain_bytes,
                              const BatchOptions&) override {
    return 64 * std::size_t{blocks} + static_cast<std::size_t>(plain_bytes / 1024 * 8) + 8;
  }
  Status decode(const BatchArguments& arguments, const BatchOptions& options,
                Stream stream) override {
    return device_.decode(arguments, options, stream);
  }

 private:
  FakeDevice& device_;
};

}  // namespace

gpu::DecodingDevice make_fake_device(std::shared_ptr<FakeCounts> counts, const FakeFaults& faults) {
  auto device = std::make_unique<FakeDevice>(std::move(counts), faults);
  auto decoder = std::make_unique<FakeDecoder>(*device);
  return {std::move(device), std::move(decoder)};
}

}  // namespace presso::test
