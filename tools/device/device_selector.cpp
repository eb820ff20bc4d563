// SPDX-License-Identifier: MIT
// The rates are looked up at the first file that may be worth a GPU, so a command on small files
// reads no store. Measuring takes two seconds and is done at most once on a machine. Tested by
// tests/cli/test_device.py.
#include "tools/device/device_selector.h"

#include "presso/ordered_pipeline.h"

namespace presso::cli {
namespace {

/// Rates are measured for a file that takes the CPU longer than this. A GPU takes about as long to
/// start, so that smaller files go to the CPU anyway.
constexpr double kWorthMeasuring = 0.3;

}  // namespace

/// The callback is called by a thread of the library, hence the atomic flag.
gpu::GpuOptions DeviceSelector::gpu_options() {
  gpu::GpuOptions options;
  options.strategy = flags_.strategy;
  options.max_device_bytes = flags_.max_device_bytes;
  options.max_pinned_bytes = flags_.max_pinned_bytes;
  options.cpu_fallback = is_auto();
  options.on_fallback = [this](const Error& error) { leave_gpu("", error); };
  return options;
}

/// Without a GPU the costs are 0, which the model takes for no GPU at all.
DeviceChoice DeviceSelector::choice_of(const KnownRates& rates) const {
  const unsigned threads = threads_or_all(threads_);
  const bool decodes = task_ == Task::kDecode;
  const double cpu_rate = decodes ? rates.cpu.decode(threads) : rates.cpu.search(threads);
  if (no_gpu_) return {GpuCosts{}, cpu_rate};
  return {decodes ? rates.gpu.of_decoding() : rates.gpu.of_searching(), cpu_rate};
}

/// The choice, made at its first use.
DeviceChoice& DeviceSelector::choice() {
  if (choice_) return *choice_;
  Result<std::string> identity = gpu_identity();
  KnownRates rates;
  if (identity.ok()) {
    gpu_identity_ = std::move(*identity);
    rates = known_rates(MeasurementStore::of_user(), gpu_identity_);
  } else {
    no_gpu_ = std::move(identity.error());  // whatever the rates, the CPU has all files
  }
  is_measured_ = rates.measured;
  return choice_.emplace(choice_of(rates));
}

/// Measures the rates, unless they could not be kept, because then every command would measure them
/// again, or another process is measuring just now, because then both would get too little of the
/// machine.
void DeviceSelector::measure() {
  is_measured_ = true;
  const MeasurementStore store = MeasurementStore::of_user();
  const auto lock = store.try_lock();
  if (!lock || !calibrate(store).ok()) return;
  choice_.emplace(choice_of(known_rates(store, gpu_identity_)));
}

/// Reads no file: only the size is known yet.
bool DeviceSelector::may_take_gpu(std::uint64_t stored_bytes, bool keeps_output) {
  return !has_left_gpu_ && choice().gpu_may_be_faster(stored_bytes, keeps_output);
}

/// Measures at most once a command, and only for work that would pay for it.
bool DeviceSelector::takes_gpu(const DecodeWork& work) {
  if (has_left_gpu_ || work.plain_bytes == 0) return false;
  const bool worth_it = choice().cpu_seconds(work) > kWorthMeasuring;
  if (!is_measured_ && !no_gpu_ && worth_it) measure();
  return choice().gpu_is_faster(work);
}

/// Only the first call reports.
void DeviceSelector::leave_gpu(const std::string& name, const Error& error) {
  if (has_left_gpu_.exchange(true)) return;
  on_leave_(name, "the GPU is not used any more: " + error.message());
}

void DeviceSelector::measured_cpu(const DecodeWork& work, double seconds) {
  if (choice_) choice_->measured_cpu(work, seconds);
}

void DeviceSelector::measured_gpu(const DecodeWork& work, double seconds) {
  if (choice_) choice_->measured_gpu(work, seconds);
}

}  // namespace presso::cli
