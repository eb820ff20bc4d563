// SPDX-License-Identifier: MIT
// Rates are stored under these names; a name that changes makes older files count as not measured.
// Tested by tests/unit/tools/device_rates_test.cpp.
#include "tools/device/device_rates.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "presso/cpu.h"
#include "presso/ordered_pipeline.h"
#include "tools/device/rate_fields.h"

namespace presso::cli {
namespace {

constexpr RateField<CpuRates> kCpuFields[] = {
    {"decode_one_thread", &CpuRates::decode_one_thread},
    {"decode_all_threads", &CpuRates::decode_all_threads},
    {"search_one_thread", &CpuRates::search_one_thread},
    {"search_all_threads", &CpuRates::search_all_threads},
};

constexpr RateField<GpuRates> kGpuFields[] = {
    {"decode_start_seconds", &GpuRates::decode_start_seconds},
    {"search_start_seconds", &GpuRates::search_start_seconds},
    {"copy_in_rate", &GpuRates::copy_in_rate},
    {"copy_out_rate", &GpuRates::copy_out_rate},
    {"decode_rate", &GpuRates::decode_rate},
    {"search_rate", &GpuRates::search_rate},
};

/// The text without blanks at both ends.
std::string trimmed(std::string text) {
  const char* const space = " \t";
  text.erase(0, text.find_first_not_of(space));
  text.erase(text.find_last_not_of(space) + 1);
  return text;
}

/// The value after "name :" in the first line of `path` that begins with the name; empty if there
/// is none.
std::string value_in(const std::filesystem::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon != line.npos && trimmed(line.substr(0, colon)) == name) {
      return trimmed(line.substr(colon + 1));
    }
  }
  return "";
}

/// The version in the text of the driver's file: "570.86.15" of "NVIDIA UNIX x86_64 Kernel Module
/// 570.86.15  Thu Jan ...".
std::string version_in(const std::string& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool is_version =
        word.find('.') != word.npos && word.find_first_not_of("0123456789.") == word.npos;
    if (is_version) return word;
  }
  return "";
}

}  // namespace

/// More threads than the machine has cores do not decode faster than all cores.
double CpuRates::decode(unsigned threads) const {
  return std::min(decode_one_thread * threads, std::max(decode_one_thread, decode_all_threads));
}

double CpuRates::search(unsigned threads) const {
  return std::min(search_one_thread * threads, std::max(search_one_thread, search_all_threads));
}

GpuCosts GpuRates::of_decoding() const {
  return {decode_start_seconds, copy_in_rate, copy_out_rate, decode_rate};
}

/// For searching nothing large is copied back: only lines that match return, and the measured rate
/// includes these.
GpuCosts GpuRates::of_searching() const {
  return {search_start_seconds, copy_in_rate, copy_out_rate, search_rate};
}

/// The guess is the rate of one thread of a Xeon of 2023, times the threads.
CpuRates guessed_cpu_rates(unsigned threads) {
  return {1.5e9, 1.5e9 * threads, 2.5e9, std::max(2.5e9, std::min(2.5e9 * threads, 30e9))};
}

/// The guess is a small GPU that is connected by eight lanes of PCIe 3.
GpuRates guessed_gpu_rates() {
  return {0.6, 0.8, 5e9, 5e9, 20e9, 15e9};
}

Measurements to_measurements(const CpuRates& rates) {
  return to_numbers(rates, kCpuFields);
}

Measurements to_measurements(const GpuRates& rates) {
  return to_numbers(rates, kGpuFields);
}

std::optional<CpuRates> cpu_rates_of(const Measurements& numbers) {
  return from_numbers(numbers, kCpuFields);
}

std::optional<GpuRates> gpu_rates_of(const Measurements& numbers) {
  return from_numbers(numbers, kGpuFields);
}

/// The rates depend on all three parts of the name.
std::string cpu_identity() {
  std::string model = value_in("/proc/cpuinfo", "model name");
  if (model.empty()) model = "unknown CPU";
  return model + ", " + std::string(name(cpu_level())) + ", " +
         std::to_string(default_thread_count()) + " threads";
}

/// Several models are named in the order of the alphabet, so that the name does not depend on
/// slots.
std::string gpu_identity_of(const std::string& folder) {
  namespace fs = std::filesystem;
  const std::string driver = version_in(value_in(fs::path(folder) / "version", "NVRM version"));
  std::set<std::string> models;
  std::error_code problem;
  for (fs::directory_iterator gpu(fs::path(folder) / "gpus", problem), end; !problem && gpu != end;
       gpu.increment(problem)) {
    const std::string model = value_in(gpu->path() / "information", "Model");
    if (!model.empty()) models.insert(model);
  }
  if (driver.empty() || models.empty()) return "";
  std::string all;
  for (const std::string& model : models) all += (all.empty() ? "" : " and ") + model;
  return all + ", driver " + driver;
}

}  // namespace presso::cli
