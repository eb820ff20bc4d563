// SPDX-License-Identifier: MIT
#include "lab/programs/decompress_gpu/device_batch.h"

#include <cuda_runtime_api.h>

#include "decompress/gpu/runtime/cuda_error.h"
#include "lab/programs/decompress_gpu/compare.h"

namespace presso::gpu::bench {
namespace {

constexpr int kPoison = 0xA5;
constexpr int kWarmUps = 3;
constexpr std::uint64_t kPlainAlignment = 256;

/// A CUDA event that knows the time, unlike those of Device.
class TimedEvent {
 public:
  TimedEvent() : status_(cudaEventCreate(&event_)) {}
  TimedEvent(const TimedEvent&) = delete;
  TimedEvent& operator=(const TimedEvent&) = delete;
  ~TimedEvent() { static_cast<void>(cudaEventDestroy(event_)); }

  Status record(Stream stream) const {
    PRESSO_TRY(check(status_, "making an event"));
    return check(cudaEventRecord(event_, stream), "recording an event");
  }
  Result<double> milliseconds_since(const TimedEvent& begin) const {
    float milliseconds = 0;
    PRESSO_TRY(check(cudaEventSynchronize(event_), "waiting for a batch"));
    PRESSO_TRY(check(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "timing"));
    return static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
  cudaError_t status_;
};

}  // namespace

Result<DeviceMemory> DeviceBatch::copy_of(const void* from, std::uint64_t bytes) {
  PRESSO_ASSIGN(DeviceMemory to, memory_.allocate(bytes));
  PRESSO_TRY(device_.copy_in(to.get(), static_cast<const Byte*>(from), bytes, stream_.get()));
  PRESSO_TRY(device_.wait(stream_.get()));  // `from` may go
  return to;
}

Status DeviceBatch::fill(const DeviceMemory& memory, int value) {
  return check(cudaMemsetAsync(memory.get(), value, memory.bytes(), stream_.get()), "filling");
}

Status DeviceBatch::place_dictionaries(const BlockFile& file) {
  std::vector<DictionarySpan> table(kMaxDictionaries + 1);
  for (std::size_t id = 1; id < table.size(); ++id) {
    const auto& dictionary = file.dictionaries[id];
    if (dictionary == nullptr || dictionary->content().empty()) continue;
    const Bytes content = dictionary->content();
    PRESSO_ASSIGN(DeviceMemory copy, copy_of(content.data(), content.size()));
    table[id] = {copy.get(), static_cast<std::uint32_t>(content.size())};
    dictionaries_.push_back(std::move(copy));
  }
  PRESSO_ASSIGN(dictionary_table_, copy_of(table.data(), table.size() * sizeof table[0]));
  return {};
}

Status DeviceBatch::replicate(const BlockFile& file, std::uint64_t replicas) {
  const std::uint64_t stored_bytes = file.stored.size();
  PRESSO_ASSIGN(stored_, memory_.allocate(stored_bytes * replicas));
  PRESSO_TRY(device_.copy_in(stored_.get(), file.stored.data(), stored_bytes, stream_.get()));
  for (std::uint64_t i = 0; i < replicas; ++i) {
    if (i > 0) {
      PRESSO_TRY(device_.copy_within(stored_.get() + i * stored_bytes, stored_.get(), stored_bytes,
                                     stream_.get()));
    }
    for (BlockSpan span : file.spans) {
      span.stored_offset += i * stored_bytes;
      span.plain_offset += i * period_;
      spans_.push_back(span);
    }
  }
  return device_.wait(stream_.get());
}

Status DeviceBatch::place(const BlockFile& file, std::uint64_t plain_bytes) {
  PRESSO_ASSIGN(stream_, make_stream(device_));
  period_ = round_up(file.plain.size(), kPlainAlignment);
  const std::uint64_t fitting = (plain_bytes + file.plain.size() - 1) / file.plain.size();
  const std::uint64_t replicas = std::max<std::uint64_t>(fitting, 1);
  PRESSO_TRY(place_dictionaries(file));
  PRESSO_TRY(replicate(file, replicas));
  PRESSO_ASSIGN(plain_, memory_.allocate(period_ * replicas));
  PRESSO_ASSIGN(expected_, copy_of(file.plain.data(), file.plain.size()));
  PRESSO_ASSIGN(spans_memory_, copy_of(spans_.data(), spans_.size() * sizeof spans_[0]));
  PRESSO_ASSIGN(statuses_, memory_.allocate(spans_.size() * sizeof(std::uint32_t)));
  PRESSO_ASSIGN(differences_, memory_.allocate(sizeof(std::uint64_t)));
  return {};
}

Status DeviceBatch::prepare(const Setting& setting) {
  setting_ = setting;
  setting_bytes_ = 0;
  arguments_ = {};
  for (std::uint32_t block = 0; block < setting.blocks; ++block) {
    const std::uint32_t bytes = spans_[block].plain_bytes;
    setting_bytes_ += bytes;
    arguments_.largest_plain_bytes = std::max(arguments_.largest_plain_bytes, bytes);
  }
  arguments_.temporary_bytes =
      setting.variant
          ? lab::temporary_bytes(*setting.variant, setting.blocks, setting_bytes_, setting.options)
          : temporary_bytes(setting.blocks, setting_bytes_, setting.options);
  temporary_.reset();
  PRESSO_ASSIGN(temporary_, memory_.allocate(arguments_.temporary_bytes));
  arguments_.d_stored = stored_.get();
  arguments_.d_plain = plain_.get();
  arguments_.d_spans = reinterpret_cast<const BlockSpan*>(spans_memory_.get());
  arguments_.blocks = setting.blocks;
  arguments_.d_dictionaries = reinterpret_cast<const DictionarySpan*>(dictionary_table_.get());
  arguments_.d_status = reinterpret_cast<std::uint32_t*>(statuses_.get());
  arguments_.d_temporary = temporary_.get();
  return {};
}

Result<std::uint64_t> DeviceBatch::differences() {
  PRESSO_TRY(fill(differences_, 0));
  auto* const d_count = reinterpret_cast<std::uint64_t*>(differences_.get());
  PRESSO_TRY(launch_compare(
      {arguments_.d_spans, setting_.blocks, plain_.get(), expected_.get(), period_, d_count},
      stream_.get()));
  std::uint64_t count = 0;
  PRESSO_TRY(device_.copy_out(reinterpret_cast<Byte*>(&count), differences_.get(), sizeof count,
                              stream_.get()));
  PRESSO_TRY(device_.wait(stream_.get()));
  return count;
}

Result<bool> DeviceBatch::all_statuses_are_ok() {
  std::vector<std::uint32_t> statuses(setting_.blocks);
  PRESSO_TRY(device_.copy_out(reinterpret_cast<Byte*>(statuses.data()), statuses_.get(),
                              statuses.size() * sizeof statuses[0], stream_.get()));
  PRESSO_TRY(device_.wait(stream_.get()));
  return std::all_of(statuses.begin(), statuses.end(), [](std::uint32_t status) {
    return status == static_cast<std::uint32_t>(ErrorCode::kOk);
  });
}

Result<bool> DeviceBatch::left_correct_bytes() {
  PRESSO_ASSIGN(const std::uint64_t wrong, differences());
  if (wrong > 0) return false;
  return all_statuses_are_ok();
}

Result<bool> DeviceBatch::is_correct() {
  PRESSO_TRY(fill(plain_, kPoison));
  PRESSO_TRY(fill(statuses_, kPoison));
  // The comparison must find the poison: else it would find nothing.
  PRESSO_ASSIGN(const std::uint64_t poisoned, differences());
  if (poisoned < setting_bytes_ / 2) {
    return make_error(ErrorCode::kInvalidArgument, "the comparison does not see what is wrong");
  }
  PRESSO_TRY(decode());
  return left_correct_bytes();
}

Status DeviceBatch::decode() {
  if (!setting_.variant) return decode_batch(arguments_, setting_.options, stream_.get());
  return lab::decode_batch(*setting_.variant, arguments_, setting_bytes_, setting_.options,
                           stream_.get());
}

Result<Times> DeviceBatch::measure(int runs) {
  return measure(
      runs, [&] { return decode(); }, [] { return Status(); });
}

Result<Times> DeviceBatch::measure(int runs, const std::function<Status()>& work,
                                   const std::function<Status()>& check) {
  const TimedEvent begin, end;
  std::vector<double> times;
  for (int run = -kWarmUps; run < runs; ++run) {
    PRESSO_TRY(begin.record(stream_.get()));
    PRESSO_TRY(work());
    PRESSO_TRY(end.record(stream_.get()));
    PRESSO_ASSIGN(const double milliseconds, end.milliseconds_since(begin));
    if (run >= 0) times.push_back(milliseconds);
    PRESSO_TRY(check());
  }
  return summary(std::move(times));
}

}  // namespace presso::gpu::bench
