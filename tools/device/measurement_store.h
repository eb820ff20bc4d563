// SPDX-License-Identifier: MIT
// Numbers that were measured on this machine and are worth keeping from run to run, in the user's
// cache folder: $XDG_CACHE_HOME/presso/measurements, or ~/.cache/presso/measurements. The file is
// text, with a section for each thing that was measured:
//
//   presso measurements 1
//   [NVIDIA H200, driver 570.86.15, presso 0.1.0]
//   copy_in_rate=5.1e+10
//
// The section's name says everything that the numbers depend on, so that those of another device,
// driver or version are not found. A file that is missing, broken, not a regular file or somebody
// else's counts as empty, and one that cannot be written is left alone: measurements only save
// time. Tested by tests/unit/tools/device_rates_test.cpp.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace presso::cli {

/// Finite numbers by name. Names are words of letters, digits and '_'.
using Measurements = std::map<std::string, double>;

/// The store of one user. It holds nothing in memory, so each call sees what other processes have
/// saved.
class MeasurementStore {
 public:
  /// While a lock lives, no other process measures; destroying it releases it.
  using Lock = std::unique_ptr<const int, void (*)(const int*)>;

  /// The user's store, or one that keeps nothing if the environment names no folder.
  static MeasurementStore of_user();
  /// A store in the file `path`, whose folder is created when something is saved. An empty path
  /// keeps nothing.
  explicit MeasurementStore(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  /// The numbers of a section; nullopt if there is no such section.
  std::optional<Measurements> find(const std::string& section) const;
  /// Replaces a section and leaves the others as they are. The file is written under a temporary
  /// name and renamed, so that readers see either the old or the new one. Returns false if that
  /// fails.
  bool save(const std::string& section, const Measurements& numbers) const;
  /// Tries to lock the store, without waiting. Returns nullopt if another process holds it or the
  /// folder cannot be written to.
  std::optional<Lock> try_lock() const;

 private:
  using Sections = std::map<std::string, Measurements>;

  Sections read() const;

  std::string path_;
};

}  // namespace presso::cli
