// SPDX-License-Identifier: MIT
// Machine code of kernels on disk, a file for each source, so that a process need not compile what
// another one has compiled. It only saves time: a folder that cannot be used, is full or read-only,
// and entries that are broken or another key's, count as "not there". Code is only taken from a
// folder and files that are the user's own and that nobody else can write to. Processes and threads
// may use one folder at the same time: an entry is written under another name and renamed.
//
// An entry, NAME.kernels, where NAME is a checksum of the key:
//   EntryHeader | options | source | NVRTC's version | cubin
// Tests: tests/unit/query/gpu/code_cache_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "presso/bytes.h"

namespace presso::gpu {

/// What machine code depends on, apart from the version of presso, which entries have as well.
struct CodeKey {
  std::string options;            ///< of the compiler, the architecture among them
  std::uint64_t headers_sum = 0;  ///< a checksum of the headers that sources may include
  std::string source;
};

class CodeCache {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

  /// $XDG_CACHE_HOME/presso/kernels, else ~/.cache/presso/kernels; "" where neither variable is an
  /// absolute path.
  static std::string folder_of_user();

  /// A cache in a folder, which is created with the first entry. "": nothing is kept or found.
  /// Entries that were not used for longest go where all take more than `most_bytes`.
  explicit CodeCache(std::string folder, std::uint64_t most_bytes = kMostBytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  /// The machine code of a key, or nothing. `nvrtc_version`: only code of this version; "": of any.
  std::optional<std::vector<Byte>> find(const CodeKey& key, const std::string& nvrtc_version) const;
  /// Keeps machine code, in place of what the key had.
  void store(const CodeKey& key, const std::string& nvrtc_version, Bytes cubin) const;

  struct Use {
    std::string why_not;  ///< why the folder is not used; empty: it is, or will be created
    std::uint64_t entries = 0, bytes = 0;
  };
  Use use() const;

 private:
  std::string folder_;
  std::uint64_t most_bytes_;
};

}  // namespace presso::gpu
