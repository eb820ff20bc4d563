// SPDX-License-Identifier: MIT
// A compressed file as benchmarks of the batch decoder need it: its stored blocks without what
// stands between them, its dictionaries, and its plain bytes by the CPU decoder.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "presso/decompress.h"
#include "presso/gpu_batch.h"

namespace presso::gpu::bench {

struct BlockFile {
  std::string name;
  std::uint64_t file_bytes = 0;
  std::uint32_t block_bytes = 0;
  DependencyRule rule = DependencyRule::kNone;  ///< of the first block
  bool has_bit_blocks = false;
  std::vector<Byte> plain;
  std::vector<Byte> stored;      ///< headers, payloads and padding, one after another
  std::vector<BlockSpan> spans;  ///< in `stored` and `plain`
  /// By id; nullptr: none.
  std::vector<std::shared_ptr<const Dictionary>> dictionaries;

  double ratio() const {
    return static_cast<double>(plain.size()) / static_cast<double>(file_bytes);
  }
};

/// Errors: those of CompressedFile; kUnsupported for files one after another and for empty ones.
Result<BlockFile> load_block_file(std::string name, const RandomAccess& file);
/// The file at `path`, by its name.
Result<BlockFile> load_block_file(const std::string& path);

/// What the depth of nested data is at most.
extern const std::uint32_t kDeepestNesting;
/// A file of nested_data.h whose groups all have this depth: 1, 2, 4, ... kDeepestNesting.
Result<BlockFile> make_nested_file(std::uint32_t depth);

}  // namespace presso::gpu::bench
