// SPDX-License-Identifier: MIT
// What compiles queries for a GPU on this machine: NVIDIA's run-time compiler NVRTC, which presso
// opens when it needs it, and the user's cache of what was compiled (docs/gpu.md). Needs neither a
// CUDA header nor a GPU. Tested by tests/cli/test_device.py.
#pragma once

#include <cstdint>
#include <string>

namespace presso::gpu {

/// Texts are for people.
struct QueryCompilerInfo {
  std::string version;         ///< of NVRTC, "13.0"; empty: there is none
  std::string library;         ///< path or name by which it was opened
  std::string why_no_library;  ///< with the places and the packages that have it
  std::string cache_folder;    ///< empty: the environment names none
  std::string why_no_cache;    ///< why the folder is not used; empty: it is
  std::uint64_t cache_files = 0;
  std::uint64_t cache_bytes = 0;
  std::uint64_t most_cache_bytes = 0;
};

/// Opens NVRTC, which takes some hundred milliseconds where it is not in memory, and lists the
/// folder. Throws only std::bad_alloc.
QueryCompilerInfo query_compiler_info();

/// Whether note_compiled() was told of the shape (PreparedQuery::shape()) and the device before, be
/// it in another process, by this version of presso. Then the code is probably in the cache, too,
/// and the query need not wait for the compiler. `device`: any name of GPU and driver. Reads one
/// small file.
bool was_compiled(const std::string& shape, const std::string& device);
/// Keeps that in the cache, once the query has been answered; does nothing where that is not used.
void note_compiled(const std::string& shape, const std::string& device);

}  // namespace presso::gpu
