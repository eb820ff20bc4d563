// SPDX-License-Identifier: MIT
// Each rate is that of a run of at least 0.06 s: the sample is repeated as often as that takes, so
// that threads, batches and copies are as busy as with a large file. The CPU is measured with one
// thread and with all, because a machine's memory may be the limit. The GPU is measured once warm,
// and once more with a new decoder to learn what its start costs. Tested by
// tests/unit/tools/device_rates_test.cpp and tests/cli/test_device.py.
#include "tools/device/calibrate.h"

#include <algorithm>

#include "presso/ordered_pipeline.h"
#include "presso/stopwatch.h"
#include "tools/device/calibration_sample.h"
#include "tools/device/gpu_probes.h"
#include "tools/io/file_sink.h"

namespace presso::cli {
namespace {

constexpr double kRunSeconds = 0.06;
constexpr std::uint64_t kMostRepeats = 512;  ///< 4 GiB of text, 20 ms of the fastest GPUs

/// The seconds that `run` takes for a file of `repeats` members.
template <class Run>
Result<double> time_of(Bytes member, std::uint64_t repeats, const Run& run) {
  const RepeatedMember file(member, repeats);
  const Stopwatch time;
  PRESSO_TRY(run(file));
  return time.seconds();
}

/// A run that took long enough to give a rate.
struct Timed {
  std::uint64_t repeats = 1;
  double seconds = 0;

  double rate(std::uint64_t bytes) const { return static_cast<double>(repeats * bytes) / seconds; }
};

/// Repeats `run` with more and more members until it takes long enough. The last run is done twice,
/// since on a GPU the first one of a size allocates memory.
template <class Run>
Result<Timed> timed(Bytes member, const Run& run) {
  Timed timed;
  for (;;) {
    PRESSO_ASSIGN(timed.seconds, time_of(member, timed.repeats, run));
    if (timed.seconds >= kRunSeconds || timed.repeats == kMostRepeats) break;
    const double wanted = static_cast<double>(timed.repeats) * kRunSeconds / timed.seconds;
    const auto enough = static_cast<std::uint64_t>(wanted * 1.25) + 1;
    timed.repeats = std::min(std::max(enough, 2 * timed.repeats), kMostRepeats);
  }
  PRESSO_ASSIGN(const double again, time_of(member, timed.repeats, run));
  timed.seconds = std::min(timed.seconds, again);
  return timed;
}

/// Plain bytes a second that `threads` threads decode; 0 means all. The text is thrown away.
Result<double> cpu_decode_rate(const CalibrationSample& sample, unsigned threads) {
  const auto run = [threads](const RandomAccess& file) -> Status {
    RangeSource source(file, 0, file.size());
    NullSink nowhere;
    DecompressOptions options;
    options.threads = threads;
    PRESSO_TRY(decompress_stream(source, nowhere, options));
    return {};
  };
  PRESSO_ASSIGN(const Timed decoding, timed(sample.text, run));
  return decoding.rate(sample.plain_bytes);
}

/// Plain bytes a second that are decoded and searched for a string that is rare.
Result<double> cpu_search_rate(const CalibrationSample& sample, unsigned threads) {
  PRESSO_ASSIGN(const Pattern pattern, Pattern::compile_literals({kCalibrationPattern}));
  const auto run = [&pattern, threads](const RandomAccess& file) -> Status {
    ScanOptions options;
    options.threads = threads;
    PRESSO_TRY(scan(file, pattern, options));
    return {};
  };
  PRESSO_ASSIGN(const Timed searching, timed(sample.text, run));
  return searching.rate(sample.plain_bytes);
}

/// Takes 0.6 s: four rates, each from two runs at least.
Result<CpuRates> measure_cpu(const CalibrationSample& sample) {
  CpuRates rates;
  PRESSO_ASSIGN(rates.decode_one_thread, cpu_decode_rate(sample, 1));
  PRESSO_ASSIGN(rates.decode_all_threads, cpu_decode_rate(sample, 0));
  PRESSO_ASSIGN(rates.search_one_thread, cpu_search_rate(sample, 1));
  PRESSO_ASSIGN(rates.search_all_threads, cpu_search_rate(sample, 0));
  return rates;
}

/// A function that decodes files on the GPU and hands the text to `sink`, or only checks it if
/// `sink` is nullptr.
auto decoding_into(GpuDecoder& decoder, ByteSink* sink) {
  return [&decoder, sink](const RandomAccess& file) -> Status {
    gpu::DecodeJob job;
    job.file = &file;
    job.sink = sink;
    PRESSO_TRY(decoder.run(job));
    return {};
  };
}

/// How much longer opening the GPU and a first run take than the same run later on; starting CUDA
/// took `context_seconds` of that.
double start_of(double context_seconds, double first_seconds, const Timed& later) {
  return context_seconds + std::max(first_seconds - later.seconds, 1e-3);
}

/// The order of the runs matters: the warm ones first, since they tell how long a run takes that
/// starts nothing.
Status measure_gpu_decoder(const CalibrationSample& sample, double context_seconds,
                           GpuRates& rates) {
  NullSink nowhere;
  PRESSO_ASSIGN(std::unique_ptr<GpuDecoder> decoder, open_gpu({}));
  // The three runs have different limits: copying text back, decoding it, and copying stored bytes
  // to the GPU.
  PRESSO_ASSIGN(const Timed keeping, timed(sample.text, decoding_into(*decoder, &nowhere)));
  PRESSO_ASSIGN(const Timed checking, timed(sample.text, decoding_into(*decoder, nullptr)));
  PRESSO_ASSIGN(const Timed copying, timed(sample.numbers, decoding_into(*decoder, nullptr)));
  rates.copy_out_rate = keeping.rate(sample.plain_bytes);
  rates.decode_rate = checking.rate(sample.plain_bytes);
  rates.copy_in_rate = copying.rate(sample.numbers.size());
  // The decoder is opened anew, which allocates and starts all that a command has to start.
  decoder.reset();
  const Stopwatch time;
  PRESSO_ASSIGN(decoder, open_gpu({}));
  PRESSO_TRY(time_of(sample.text, keeping.repeats, decoding_into(*decoder, &nowhere)));
  rates.decode_start_seconds = start_of(context_seconds, time.seconds(), keeping);
  return {};
}

/// Measures a search with its start, in the same way.
Status measure_gpu_search(const CalibrationSample& sample, double context_seconds,
                          GpuRates& rates) {
  PRESSO_ASSIGN(const Pattern pattern, Pattern::compile_literals({kCalibrationPattern}));
  std::unique_ptr<FileSearch> search;
  const auto run = [&search](const RandomAccess& file) -> Status {
    PRESSO_ASSIGN(ScannedFile scanned, ScannedFile::open(file));
    PRESSO_TRY(search->scan(scanned, {}, {}));
    return {};
  };
  PRESSO_ASSIGN(search, open_gpu_search({}, pattern));
  PRESSO_ASSIGN(const Timed searching, timed(sample.text, run));
  rates.search_rate = searching.rate(sample.plain_bytes);
  search.reset();
  const Stopwatch time;
  PRESSO_ASSIGN(search, open_gpu_search({}, pattern));
  PRESSO_TRY(time_of(sample.text, searching.repeats, run));
  rates.search_start_seconds = start_of(context_seconds, time.seconds(), searching);
  return {};
}

/// Measures the GPU. CUDA is started by the first call that needs it, and its time counts as a part
/// of both starts.
Result<GpuRates> measure_gpu(const CalibrationSample& sample, double& context_seconds) {
  const Stopwatch time;
  PRESSO_TRY(gpu_devices());
  context_seconds = time.seconds();
  GpuRates rates;
  PRESSO_TRY(measure_gpu_decoder(sample, context_seconds, rates));
  PRESSO_TRY(measure_gpu_search(sample, context_seconds, rates));
  return rates;
}

/// The entry in the section of a GPU that could not be measured. It stays until --calibrate tries
/// again.
constexpr const char* kFailed = "failed";

/// The section of a device in the store. It names the version of presso, since the rates of another
/// one may differ.
std::string section_of(const std::string& identity) {
  return identity + ", presso " PRESSO_VERSION;
}

}  // namespace

/// A part that fails leaves the others, so that a machine without a GPU still has the CPU's rates.
Result<MachineRates> calibrate(const MeasurementStore& store) {
  PRESSO_ASSIGN(const CalibrationSample sample, CalibrationSample::make());
  MachineRates rates;
  rates.cpu_name = cpu_identity();
  PRESSO_ASSIGN(rates.cpu, measure_cpu(sample));
  rates.query = calibrate_queries(store, rates.kept);
  rates.kept = store.save(section_of(rates.cpu_name), to_measurements(rates.cpu)) && rates.kept;
  Result<std::string> identity = gpu_identity();
  Result<GpuRates> gpu = identity.ok() ? measure_gpu(sample, rates.context_seconds)
                                       : Result<GpuRates>(identity.error());
  if (identity.ok()) rates.gpu_name = std::move(*identity);
  if (!gpu.ok()) {
    rates.why_no_gpu = std::move(gpu.error());
    // This keeps later commands from trying again.
    if (identity.ok()) store.save(section_of(rates.gpu_name), {{kFailed, 1}});
    return rates;
  }
  rates.gpu = *gpu;
  rates.kept = store.save(section_of(rates.gpu_name), to_measurements(*gpu)) && rates.kept;
  return rates;
}

/// Rates from an earlier run are forgotten after a failure, since they may be of another driver.
void calibrate_gpu_queries(const MeasurementStore& store, MachineRates& rates) {
  if (!rates.gpu) {
    if (!rates.gpu_name.empty()) forget_gpu_query_rates(store, rates.gpu_name);
    return;
  }
  Result<GpuQueryRates> measured = measure_gpu_queries(rates.context_seconds);
  if (!measured.ok()) {
    forget_gpu_query_rates(store, rates.gpu_name);
    rates.why_no_gpu_query = std::move(measured.error());
    return;
  }
  rates.gpu_query = *measured;
  rates.kept = keep_gpu_query_rates(store, rates.gpu_name, *measured) && rates.kept;
}

std::optional<GpuQueryRates> known_gpu_query_rates(const MeasurementStore& store) {
  const Result<std::string> identity = gpu_identity_without_start();
  return identity.ok() ? kept_gpu_query_rates(store, *identity) : std::nullopt;
}

/// A GPU that could not be measured counts as measured, so that no command tries again.
KnownRates known_rates(const MeasurementStore& store, const std::string& gpu_identity) {
  KnownRates known{guessed_cpu_rates(default_thread_count()), guessed_gpu_rates()};
  const auto gpu_numbers = store.find(section_of(gpu_identity));
  if (gpu_numbers && gpu_numbers->contains(kFailed)) {
    known.measured = true;  // in vain
    return known;
  }
  const auto gpu = gpu_numbers ? gpu_rates_of(*gpu_numbers) : std::nullopt;
  if (!gpu) return known;
  known.gpu = *gpu;
  const auto cpu_numbers = store.find(section_of(cpu_identity()));
  const auto cpu = cpu_numbers ? cpu_rates_of(*cpu_numbers) : std::nullopt;
  if (!cpu) return known;
  known.cpu = *cpu;
  known.measured = true;
  return known;
}

}  // namespace presso::cli
