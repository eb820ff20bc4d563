// SPDX-License-Identifier: MIT
// A FileScanner as the command calls it; for those that have the library of it.
#pragma once

#include <memory>
#include <utility>

#include "tools/device/gpu.h"

namespace presso::cli {

/// Of a scanner and what it refers to, in `owner`.
inline GpuSearch gpu_search_of(std::shared_ptr<void> owner, gpu::FileScanner made) {
  const auto scanner = std::make_shared<gpu::FileScanner>(std::move(made));
  GpuSearch search;
  // The scanner goes first.
  const auto both = std::make_shared<std::pair<std::shared_ptr<void>, decltype(scanner)>>(
      std::move(owner), scanner);
  search.scan = [both](const RandomAccess& file, const ScanOptions& options,
                       const LineCallback& on_line) {
    return both->second->scan(file, options, on_line);
  };
  search.why_not = [both](const ScanOptions& options, bool has_callback) {
    return both->second->why_not(options, has_callback);
  };
  search.used_gpu = [both] { return both->second->used_gpu(); };
  search.description = scanner->describe();
  return search;
}

}  // namespace presso::cli
